"""What CUDA, PyTorch and nvidia-smi say themselves at a line of a script of the kit. Not of the project that is measured.

To be imported after torch. With KIT_STAND_IN in the environment torch is the stand-in of the helper's tests; it is given
here what the scripts call of PyTorch.
"""
import ctypes
import glob
import json
import os
import re
import struct
import sys
import time

import torch

from smi import nvidia_smi

IS_STAND_IN = "KIT_STAND_IN" in os.environ
MIB = 1 << 20
#: Word of this process's counters that says how the helper reads PyTorch's allocator; 1: its own counters were found.
_READING_WORD, _FOUND = 24, 1
#: The tests wait as long as a busy machine takes.
_WARM_UP_S = float(os.environ.get("KIT_WARM_UP_S", "25"))


class _Warming(object):
    turns = 0
    ends = None


def warm_up():
    """Take and give back a little; whether to go on: until the helper has found the allocator's counters, or for so long.

    To be called in a loop of the script, as the helper looks at lines that it measures. Bare, there is nothing to find.
    """
    torch.empty(512 * (_Warming.turns + 1), dtype=torch.uint8, device="cuda")
    _Warming.turns += 1
    time.sleep(0.002)
    now = time.monotonic()
    _Warming.ends = _Warming.ends or now + _WARM_UP_S
    return reading() not in (None, _FOUND) and now < _Warming.ends


def reading():
    """How the helper reads the allocator; None where this is run bare."""
    spec = os.environ.get("JETSON_MEMPROF_SPEC")
    if spec is None:
        return None
    with open(glob.glob(os.path.join(os.path.dirname(spec), "%d-*.cnt" % os.getpid()))[0], "rb") as counters:
        return struct.unpack_from("<q", counters.read(8 * (_READING_WORD + 1)), 8 * _READING_WORD)[0] & 3


def note(name="", smi=False, **more):
    """Print what they say now, and from which line that was asked."""
    told = dict(more, name=name, line=sys._getframe(1).f_lineno, pid=os.getpid(), turns=_Warming.turns)
    if torch.cuda.is_initialized():
        told.update(allocated=torch.cuda.memory_allocated(), reserved=torch.cuda.memory_reserved(),
                    peak=torch.cuda.max_memory_allocated())
        told["free"], told["total"] = mem_get_info()
    if smi:
        told["smi"] = nvidia_smi()
    print("KIT " + json.dumps(told), flush=True)


def mem_get_info():
    """(free, total) by CUDA itself; (None, None) where neither library can be asked."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    for library, name in ((runtime(), "cudaMemGetInfo"), (driver(), "cuMemGetInfo_v2")):
        ask = getattr(library, name, None) if library is not None else None
        if ask is not None and ask(ctypes.byref(free), ctypes.byref(total)) == 0:
            return free.value, total.value
    return None, None


def malloc(size):
    """CUDA memory past PyTorch; None where neither library can be called."""
    place = ctypes.c_void_p()
    for library, name in ((runtime(), "cudaMalloc"), (driver(), "cuMemAlloc_v2")):
        take = getattr(library, name, None) if library is not None else None
        if take is not None and take(ctypes.byref(place), ctypes.c_size_t(size)) == 0:
            return place.value
    return None


def runtime():
    """The CUDA runtime that this process has loaded, as PyTorch brings it: its file may have any name."""
    with open("/proc/self/maps") as maps:
        found = re.search(r" (/\S*/libcudart[-.\w]*\.so[.\d]*)$", maps.read(), re.MULTILINE)
    return None if found is None else ctypes.CDLL(found.group(1))


def driver():
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


if IS_STAND_IN:
    import pretend
    pretend.dress(runtime, mem_get_info)
