"""Reads PyTorch's CUDA allocator at the right moments and charges what has changed to the open lines."""
import os
from time import monotonic, perf_counter

from ..exceptions import is_of_program
from ..engine.layout import (CUDA_PLACES, CUDA_WORDS, H_CUDA, H_CUDA_IS_IN, H_CUDA_READING, IN_BOARDS_RAM, IN_ITS_OWN, READ, READ_BY_ASKING, READ_EXACT_PEAKS,
                             U_ALLOCATED, U_PEAK, U_RESERVED, U_STAMP)
from .accounts import CudaAccounts, Interval
from .passing import PASSING
from .skips import Skips
from .use import is_in_use, is_told
from .watch import Watch

#: PyTorch is asked at least so often, and the board's moments learn what it said.
FIGURES_SECONDS = 1.0
#: Where its counter is not watched it is asked after 4 times as long as that took: a fifth of the time.
_ASKING_SHARE = 4
#: Whether CUDA is in use is looked up so often; to initialise it takes longer.
_NOT_IN_USE_SECONDS = 0.02


class CudaReading(object):
    """Of one process. `watch` notices changes between the looks; `next_look` is when one is due all the same, in seconds
    of perf_counter; `skips` wants to know of each look that another thread is in the way of. After a failure it warns
    once and never asks again."""

    def __init__(self, counters, exact_peaks):
        self.watch = Watch()
        self.skips = Skips()
        self.next_look = 0.0
        self._counters = counters
        self._wants_exact_peaks = exact_peaks
        self._accounts = CudaAccounts(counters)
        self._allocator = None
        self._has_failed = False
        self._devices = []
        self._device_used = None
        self._next_figures = 0.0
        self._at = 0.0  # when the latest look ended

    def look(self, at, forced):
        """Take the figures where that is due, once CUDA is in use. Returns whether what is reserved has changed."""
        return bool(self._guarded(self._look, at, forced))

    def totals(self):
        """(allocated, reserved) as last read; (0, 0) where CUDA is not in use, None where they cannot be known."""
        if self._allocator is None:
            return (0, 0) if is_told() and not self._has_failed else None
        return (sum(device.allocated.current for device in self._devices),
                sum(device.reserved.current for device in self._devices))

    def look_at_device(self, at):
        """Charge the change of the devices' used memory; returns the used bytes, None where they cannot be known."""
        return self._guarded(self._look_at_device, at)

    def _guarded(self, take, *arguments):
        if self._has_failed:
            return None
        try:
            return take(*arguments)
        except PASSING:
            return None
        except RecursionError:
            raise
        except Exception as error:
            if is_of_program(error):
                raise
            self._has_failed = True
            self.next_look = float("inf")
            self._allocator = None
            self.watch.close()
            self._counters.warn("cuda-not-read", "What PyTorch's CUDA allocator holds is not known, as it could not be "
                                "asked in process %d: %s: %s" % (os.getpid(), type(error).__name__, error))
            return None

    def _look(self, at, forced):
        began = perf_counter()
        self.skips.begin()
        if self._allocator is None:
            if not is_in_use():
                self.skips.taken()  # there was nothing to move
                self.next_look = began + _NOT_IN_USE_SECONDS
                return False
            from .allocator import NOTHING, Allocator  # here, as most programs never use CUDA
            self._allocator = Allocator()
            self.watch.open()
            self._devices = [NOTHING] * self._allocator.count
            in_ram = self._allocator.uses_boards_ram
            if in_ram is not None:
                self._counters.head[H_CUDA_IS_IN] = IN_BOARDS_RAM if in_ram else IN_ITS_OWN
            began = perf_counter()  # what is loaded once says nothing of what a look costs
            self._at = began  # lines that went by since cannot have used it: to initialise CUDA takes longer
        elif not forced and began < self.next_look and not self.watch.moved():
            return False
        is_asked = not self.watch.places
        interval = self._take(at.stack)
        others = at.shared or self.watch.was_wrong or self.skips.any
        unsure = at.doubtful_since(self._at, others) if is_asked or others else ()
        if at.stack or not interval:
            self.skips.taken()
        if interval and at.stack:
            self._accounts.charge(at.thread, at.stack, interval, unsure)
        self._show(began)
        self._at = perf_counter()
        self.next_look = self._next_figures if self.watch.places else min(
            self._next_figures, self._at + _ASKING_SHARE * (self._at - began - self.watch.searched))
        return interval.reserved != 0

    def _take(self, stack):
        """What has happened since the latest look; not taken in where nobody could be charged with it."""
        devices = self.watch.take(self._allocator.devices)
        interval = Interval(self._devices, devices)
        if interval and self._has_exact_peaks:
            self._allocator.reset_peaks()
            devices = [device.with_peaks_reset() for device in devices]
        if stack or not interval:
            self._devices = devices
        else:
            self._next_figures = 0.0
        return interval

    @property
    def _has_exact_peaks(self):
        return self._wants_exact_peaks and self._allocator.can_reset

    def _look_at_device(self, at):
        if self._allocator is None:
            return None
        used = self._allocator.device_used(self._devices)
        if used is not None and self._device_used is not None and at.stack:
            self._accounts.charge_device(at.stack, used - self._device_used)
        if used is not None:
            self._device_used = used
        return used

    def _show(self, now):
        """Say in the header how the allocator is read and, once a second, what it holds."""
        head = self._counters.head
        reading = READ | (0 if self.watch.places else READ_BY_ASKING) | (READ_EXACT_PEAKS if self._has_exact_peaks else 0)
        if head[H_CUDA_READING] != reading:
            head[H_CUDA_READING] = reading
        if now < self._next_figures:
            return
        self._next_figures = now + FIGURES_SECONDS
        places = [H_CUDA + at * CUDA_WORDS for at in range(CUDA_PLACES)]
        at = min(places, key=lambda place: head[place + U_STAMP])
        head[at + U_STAMP] = 0
        head[at + U_ALLOCATED], head[at + U_RESERVED] = self.totals()
        head[at + U_PEAK] = sum(device.allocated.peak for device in self._devices)
        head[at + U_STAMP] = int(monotonic() * 1e9)
