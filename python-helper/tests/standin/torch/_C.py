"""Stand-in: the figures of the CUDA allocator, in a struct like c10's DeviceStats."""
import ctypes
import mmap
import os

from .features import SINCE

_libc = ctypes.CDLL(None)
_libc.aligned_alloc.restype = ctypes.c_void_p
_libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]


_FIGURES = ("current", "peak", "allocated", "freed")
_STATS = ("allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes", "active_bytes",
          "inactive_split_bytes")
_POOLS = ("all", "small_pool", "large_pool")


class _Changing(object):
    def change(self, size):
        self.current += size
        if size > 0:
            self.allocated += size
        else:
            self.freed -= size
        self.peak = max(self.peak, self.current)


class _Telling(object):
    def to_dict(self):
        return dict((name, dict((pool, dict((figure, getattr(stat, figure)) for figure in _FIGURES))
                                for pool, stat in zip(_POOLS, getattr(self, name)))) for name in _STATS)


class Stat(_Changing, ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in _FIGURES]


class DeviceStats(_Telling, ctypes.Structure):
    _fields_ = [(name, Stat * len(_POOLS)) for name in _STATS]


class HiddenStat(_Changing):
    def __init__(self):
        self.current = self.peak = self.allocated = self.freed = 0


class HiddenStats(_Telling):
    def __init__(self):
        for name in _STATS:
            setattr(self, name, [HiddenStat() for _ in _POOLS])


def on_the_heap(count=1):
    """As PyTorch's allocator is: made by malloc once, never freed. In one page, so that whoever finds one of them by the
    pages that he reads finds all."""
    size = ctypes.sizeof(DeviceStats)
    assert count * size <= mmap.PAGESIZE
    page = _libc.aligned_alloc(mmap.PAGESIZE, mmap.PAGESIZE)
    ctypes.memset(page, 0, mmap.PAGESIZE)
    return [DeviceStats.from_address(page + at * size) for at in range(count)]


#: Where the figures are, by device; and other memory with the same bytes, refreshed whenever statistics are asked for, until
#: it is taken out of here.
devices, decoys = [], on_the_heap(1 + int(os.environ.get("STANDIN_DECOYS", "0")))
devices.append(decoys.pop(0))


def total():
    """memory_allocated() of all devices."""
    return sum(stats.allocated_bytes[0].current for stats in devices)


def reserved():
    return sum(stats.reserved_bytes[0].current for stats in devices)


def hide():
    """From now on the figures do not lie in this process's memory as PyTorch's do."""
    devices[:] = [HiddenStats() for _ in devices]


#: How often statistics were asked for.
asked = 0
#: Called whenever they are.
meanwhile = lambda: None  # noqa: E731


def _cuda_getDeviceCount():
    return len(devices)


def _cuda_memoryStats(device):
    global asked
    asked += 1
    meanwhile()
    for decoy in decoys:
        ctypes.memmove(ctypes.addressof(decoy), ctypes.addressof(devices[device]), ctypes.sizeof(decoy))
    return devices[device].to_dict()


def _cuda_resetPeakMemoryStats(device):
    for name in _STATS:
        for stat in getattr(devices[device], name):
            stat.peak = stat.current


if SINCE("1.10"):
    def _cuda_isCurrentStreamCapturing():
        return False
