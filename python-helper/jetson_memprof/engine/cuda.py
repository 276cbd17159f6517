"""What PyTorch's CUDA allocator says of itself, asked about once a second on the program's own threads.

Only a process that has initialised CUDA itself is asked: nothing here imports torch, initialises or synchronises CUDA,
or resets a peak.
"""
import os
import sys
from time import monotonic

from .layout import CUDA_PLACES, CUDA_WORDS, H_CUDA, U_ALLOCATED, U_PEAK, U_RESERVED, U_STAMP

#: How long it is left alone after a look.
LOOK_SECONDS = 1.0
#: With it PyTorch goes past its allocator, which then says 0 whatever is taken.
_UNCACHED = "PYTORCH_NO_CUDA_MEMORY_CACHING"
#: What may go wrong because of where the program is just then: the next look may succeed.
_PASSING = (RecursionError, MemoryError)


class CudaFigures(object):
    """Writes the figures into the header of `counters`. After a failure it warns once and never asks again."""

    def __init__(self, counters):
        self._counters = counters
        self._given_up = False

    def look(self):
        """Take the figures, if there are any. Raises only what a signal's handler of the program's raises meanwhile."""
        if self._given_up:
            return
        try:
            figures = _figures()
            if figures is not None:
                self._write(figures)
        except Exception as error:
            if _is_of_program(error):
                raise
            if isinstance(error, _PASSING):
                return
            self._given_up = True
            self._counters.warn("cuda-not-read", "What PyTorch's CUDA allocator holds is not known, as it could not be "
                                "asked in process %d: %s: %s" % (os.getpid(), type(error).__name__, error))

    def _write(self, figures):
        head = self._counters.head
        places = [H_CUDA + at * CUDA_WORDS for at in range(CUDA_PLACES)]
        at = min(places, key=lambda place: head[place + U_STAMP])
        head[at + U_STAMP] = 0
        head[at + U_ALLOCATED], head[at + U_RESERVED], head[at + U_PEAK] = figures
        head[at + U_STAMP] = int(monotonic() * 1e9)


def _is_of_program(error):
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__") not in (__name__, "torch.cuda")


def _figures():
    """(allocated, reserved, peak of allocated) in bytes, summed over devices; None where CUDA is not in use."""
    cuda = sys.modules.get("torch.cuda")
    # By their dictionaries: an attribute that is not there might be something to import.
    is_initialized = vars(cuda).get("is_initialized") if cuda is not None else None
    if is_initialized is None or not is_initialized() or os.environ.get(_UNCACHED) is not None:
        return None
    core = vars(sys.modules["torch._C"])
    # PyTorch 1.4 to 2.x; torch.cuda.memory_stats() is the same, sorted and flattened, and device_count() may load NVML.
    devices, stats_of = core["_cuda_getDeviceCount"](), core["_cuda_memoryStats"]
    allocated = reserved = peak = 0
    for device in range(devices):
        stats = stats_of(device)
        allocated += stats["allocated_bytes"]["all"]["current"]
        reserved += stats["reserved_bytes"]["all"]["current"]
        peak += stats["allocated_bytes"]["all"]["peak"]
    return allocated, reserved, peak
