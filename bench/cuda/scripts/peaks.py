"""Lines that hold more in between than before and after. With an argument PyTorch's peak is reset before each."""
import sys

import torch
import asking
from asking import MIB


def brief(size):
    torch.empty(size, dtype=torch.uint8, device="cuda")


def two(size):
    first = torch.empty(size, dtype=torch.uint8, device="cuda")
    second = torch.empty(2 * size, dtype=torch.uint8, device="cuda")
    return first is second


def begin():
    if "reset" in sys.argv:
        torch.cuda.reset_peak_memory_stats()
    asking.note("before")


torch.cuda.init()
while asking.warm_up():
    pass
kept = torch.empty(32 * MIB, dtype=torch.uint8, device="cuda")
begin()
brief(256 * MIB)
asking.note("known")
begin()
brief(64 * MIB)
asking.note("known")
begin()
two(24 * MIB)
asking.note("known")
begin()
[brief(8 * MIB) for _ in range(4)]
asking.note("known")
begin()
more = torch.empty(16 * MIB, dtype=torch.uint8, device="cuda")
asking.note("known")
