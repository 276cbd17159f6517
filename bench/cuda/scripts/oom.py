"""Asks for more than it may have."""
import time

import torch
import asking
from asking import MIB

torch.cuda.init()
free, total = asking.mem_get_info()
torch.cuda.set_per_process_memory_fraction(256 * MIB / (total or 4096 * MIB))
ends = time.monotonic() + 2
while time.monotonic() < ends:  # the helper looks at the allocator within a second of CUDA's first use
    time.sleep(0.01)
asking.note("before")
kept = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
more = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda")
