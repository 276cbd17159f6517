"""Asks PyTorch's CUDA allocator what it holds. PyTorch 1.4 to 2.x, told apart by what is there.

Only a process that has initialised CUDA itself is asked: nothing here imports torch, initialises CUDA or waits for the
GPU. Modules are read by their dictionaries: an attribute that is not there might be something to import.
"""
import sys
from collections import namedtuple

#: Bytes: what there is now, the most since the peak was last reset, all that was ever taken and given back.
Stat = namedtuple("Stat", "current peak allocated freed")


class Device(namedtuple("Device", "allocated reserved")):
    """One device's: `allocated` is handed out to tensors, `reserved` taken from CUDA."""
    __slots__ = ()

    def with_peaks_reset(self):
        return Device(*[stat._replace(peak=stat.current) for stat in self])


NOTHING = Device(Stat(0, 0, 0, 0), Stat(0, 0, 0, 0))


class Allocator(object):
    """Of a process in which `use.is_in_use()`. Its methods raise whatever PyTorch raises."""

    def __init__(self):
        core = vars(sys.modules["torch._C"])
        # memory_stats() of torch.cuda is the same, sorted and flattened; device_count() may load NVML.
        self._stats_of = core["_cuda_memoryStats"]
        self._devices = range(core["_cuda_getDeviceCount"]())
        self._reset = core.get("_cuda_resetPeakMemoryStats")
        self._is_capturing = core.get("_cuda_isCurrentStreamCapturing")
        self._memory_of = vars(sys.modules["torch.cuda"]).get("mem_get_info")
        # What get_device_properties() of torch.cuda asks once CUDA is initialised.
        self._properties_of = vars(sys.modules["torch.cuda"]).get("_get_device_properties")

    @property
    def count(self):
        return len(self._devices)

    @property
    def can_reset(self):
        return self._reset is not None

    @property
    def uses_boards_ram(self):
        """Whether the devices' memory is the board's RAM; None where that is not known, or some are so and some are not."""
        if self._properties_of is None:
            return None
        told = set(getattr(self._properties_of(device), "is_integrated", None) for device in self._devices)
        return bool(told.pop()) if len(told) == 1 and None not in told else None

    def devices(self):
        """[Device], in PyTorch's order. Costs PyTorch some 130 objects for each: do not ask at every line."""
        return [_device(self._stats_of(device)) for device in self._devices]

    def reset_peaks(self):
        for device in self._devices:
            self._reset(device)

    def device_used(self, devices):
        """Used bytes of the devices that `devices` says are in use, whoever uses them; None where it cannot be known.

        Asked of no device of which nothing was ever reserved, as that might create a context there, nor while a CUDA graph is
        being captured.
        """
        used = [at for at, device in enumerate(devices) if device.reserved.current or device.reserved.allocated]
        if self._memory_of is None or not used or (self._is_capturing is not None and self._is_capturing()):
            return None
        total = 0
        for device in used:
            free, size = self._memory_of(device)
            total += size - free
        return total


def _device(stats):
    return Device(_stat(stats["allocated_bytes"]["all"]), _stat(stats["reserved_bytes"]["all"]))


def _stat(stat):
    return Stat(stat["current"], stat["peak"], stat["allocated"], stat["freed"])
