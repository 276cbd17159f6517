"""Memory at a step's beginning and the highest until its end. Nothing is reset but what the engine keeps for itself."""
from ..engine.layout import H_HIGHEST
from ..engine.meter import SLACK_KIB


class Rss(object):
    """`head` is the counters' header: while a step runs, the engine's highest mark there is that of the step.

    The engine resets the kernel's mark at line events, and notes there what it was.
    """

    measure = "rss"

    def __init__(self, meter, head):
        self._meter = meter
        self._head = head
        self._earlier = None

    def begin(self):
        """Bytes now."""
        self._earlier, self._head[H_HIGHEST] = self._head[H_HIGHEST], 0
        self._before = before = self._meter.rss_pages() * self._meter.page_kib
        mark = self._meter.high_water() if self._meter.peak else 0
        # A mark that was not reset since the last step: only what rises above it is known to be this one's.
        self._floor = mark if mark > before + SLACK_KIB else 0
        return before * 1024

    def end(self):
        """The highest since `begin()`, in bytes; None where it is not known."""
        if not self._meter.peak:
            return None
        step = self._head[H_HIGHEST]
        self._head[H_HIGHEST] = max(self._earlier, step)
        highest = max(step, self._meter.high_water())
        # The mark is made of rounded counts.
        return max(highest, self._before) * 1024 if highest > self._floor else None


class CudaAllocated(object):
    """What PyTorch's allocator has handed out on one device. Its own peak is left alone, so it tells of this step only
    where it rose; where something resets it (`exact_peaks`) it tells nothing."""

    measure = "cuda-allocated"

    def __init__(self, core, device, resets):
        self._core = core
        self._device = device
        self._resets = resets

    def _stats(self):
        return self._core._cuda_memoryStats(self._device)["allocated_bytes"]["all"]

    def begin(self):
        stats = self._stats()
        self._peak = stats["peak"]
        return stats["current"]

    def end(self):
        peak = self._stats()["peak"]
        return peak if peak > self._peak and not self._resets else None
