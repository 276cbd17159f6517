"""Known tensors on known lines. After each of them is asked what it has changed."""
import torch
import asking
from asking import MIB


def bytes_on_gpu(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def several(count, size):
    return [bytes_on_gpu(size) for _ in range(count)]


torch.cuda.init()
while asking.warm_up():
    pass
asking.note("first")
a = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
asking.note("known")
b = several(5, 4 * MIB)
asking.note("known")
del a
asking.note("known")
c = bytes_on_gpu(512)
asking.note("known")
x = 1
asking.note("known")
b = None
asking.note("known")
d = [bytes_on_gpu(kib << 10) for kib in (1, 100, 1000, 3000, 20000, 128000)]
asking.note("known")
del d[::2]
asking.note("known")
asking.note("last")
