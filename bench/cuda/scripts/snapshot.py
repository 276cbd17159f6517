"""Tensors that live when the last allocator snapshot is taken, at the script's end."""
import time

import torch
import asking
from asking import MIB

torch.cuda.init()
before = torch.empty(6 * MIB, dtype=torch.uint8, device="cuda")
ends = time.monotonic() + 2
while time.monotonic() < ends:  # the recording begins within a second of CUDA's first use
    time.sleep(0.01)
asking.note("before")
known = torch.empty(40 * MIB, dtype=torch.uint8, device="cuda")
asking.note("known")
small = [torch.empty(size, dtype=torch.uint8, device="cuda") for size in range(1, 100000, 7777)]
del small[::2]
asking.note("last")
