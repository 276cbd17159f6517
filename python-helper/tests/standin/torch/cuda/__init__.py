"""Stand-in for torch.cuda."""
import os
import time

from .. import _C
from ..features import SINCE

_initialized = False
_process = None
#: Bytes of each device that others use: the context, libraries, other programs.
used_elsewhere = 300 << 20
TOTAL = 4 << 30
#: The devices that mem_get_info was asked for.
asked = []


def is_initialized():
    return _initialized and _process == os.getpid()


def init():
    _lazy_init()


def _lazy_init():
    global _initialized, _process
    if not hasattr(_C, "_cuda_getDeviceCount"):
        raise AssertionError("Torch not compiled with CUDA enabled")
    if not _initialized:
        time.sleep(0.05)  # CUDA takes longer
        _initialized, _process = True, os.getpid()


class _Properties(object):
    """STANDIN_INTEGRATED has a digit for each device; one that it lacks does not tell."""

    def __init__(self, device):
        told = os.environ.get("STANDIN_INTEGRATED", "")[device:device + 1]
        if told:
            self.is_integrated = int(told)


def _get_device_properties(device):
    assert is_initialized()
    return _Properties(device)


if SINCE("1.10"):
    def mem_get_info(device):
        asked.append(device)
        return TOTAL - used_elsewhere - _C.devices[device].reserved_bytes[0].current, TOTAL
