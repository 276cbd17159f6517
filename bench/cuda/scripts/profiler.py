"""profiler.py DEVICE: PyTorch's own profiler is told of each allocation while a known line makes some."""
import sys

import torch
import asking
from asking import MIB

device = sys.argv[1]
kept = []


def told(profile):
    """What it says the operators took and have not given back; None where this torch names no such figure."""
    names = ("self_cpu_memory_usage",) if device == "cpu" else ("self_device_memory_usage", "self_cuda_memory_usage")
    rows = profile.key_averages()
    return next((sum(getattr(row, name) for row in rows) for name in names if hasattr(rows[0], name)), None)


if device == "cuda":
    torch.cuda.init()
    while asking.warm_up():
        pass
profiler = getattr(torch, "profiler", None)
if profiler is not None:
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        asking.note("before")
        kept += [torch.empty(size * MIB, dtype=torch.uint8, device=device) for size in (2, 20, 64)]
        asking.note("known")
    asking.note("profiler", bytes=told(profile))
