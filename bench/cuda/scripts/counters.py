"""The helper looks for the allocator's counters; then many changes, of which it is to miss none."""
import time

import torch
import asking

torch.cuda.init()
began = time.monotonic()
while asking.warm_up():
    pass
asking.note("found", seconds=time.monotonic() - began)
kept = []
for turn in range(400):
    kept.append(torch.empty((turn * 37 % 91 + 1) << 12, dtype=torch.uint8, device="cuda"))
    if turn % 3 == 0:
        del kept[turn * 7 % len(kept)]
asking.note("last")
