"""Stand-in: what a script of the tests takes and gives back, in bytes."""
import glob
import os
import struct
import time

from . import _C, cuda

_SEGMENT = 2 << 20


def alloc(size, device=0):
    """A tensor of `size` bytes; takes segments of 2 MiB from CUDA where what is reserved does not suffice."""
    stats = _C.devices[device]
    lacking = stats.allocated_bytes[0].current + size - stats.reserved_bytes[0].current
    if lacking > 0:
        reserve(-(-lacking // _SEGMENT) * _SEGMENT, device)
    for stat in stats.allocated_bytes[0], stats.allocated_bytes[2]:
        stat.change(size)
    return size


def free(size, device=0):
    for stat in _C.devices[device].allocated_bytes[0], _C.devices[device].allocated_bytes[2]:
        stat.change(-size)


def reserve(size, device=0):
    for stat in _C.devices[device].reserved_bytes[0], _C.devices[device].reserved_bytes[2]:
        stat.change(size)


def empty_cache(device=0):
    stats = _C.devices[device]
    reserve(stats.allocated_bytes[0].current - stats.reserved_bytes[0].current, device)


def brief(size, device=0):
    """Takes and gives back."""
    alloc(size, device)
    free(size, device)


def start(devices=1):
    """Initialise CUDA with so many devices."""
    while len(_C.devices) < devices:
        _C.devices.extend(_C.on_the_heap())
    cuda.init()


def warm_up(turn):
    """Take and give back on each device; whether to go on: until the helper has found the counters, 5,000 times at most.

    To be called in a loop of the script: the helper looks at lines that it measures.
    """
    for device in range(len(_C.devices)):
        brief(512 * (turn + device + 1), device)
    time.sleep(0.002)
    return reading() != 1 and turn < 5000


def reading():
    """Word 24 of this process's counters: how the helper reads the allocator."""
    folder = os.path.dirname(os.environ["JETSON_MEMPROF_SPEC"])
    with open(glob.glob(os.path.join(folder, "%d-*.cnt" % os.getpid()))[0], "rb") as counters:
        return struct.unpack_from("<q", counters.read(200), 24 * 8)[0] & 3
