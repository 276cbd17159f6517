"""When a run began by the board's wall clock, where that may be set while the run goes on.

A board without a battery starts in 1970 until the network has told it the time. Everything in a run is measured by
clocks that nobody sets; only `started` and `ended` are wall-clock times, and both are by the clock as it is at the end.
"""
import time

# Linux's CLOCK_BOOTTIME: goes on while the machine sleeps. Python 3.6 has no name for it.
_BOOTTIME = 7
# Seconds: more than the readings of two clocks are apart on a busy board, less than anybody would set a clock by.
_SET = 2.0


class WallClock(object):
    """`began` is when the run began by the wall clock, Unix seconds."""

    def __init__(self, began):
        self.began = began
        self._offset = _offset()

    def follow(self):
        """By how many seconds the clock was set since the last call; 0.0 where it was not. Moves `began` along."""
        shift = _offset() - self._offset
        if abs(shift) < _SET:
            return 0.0  # not taken over: what the network's time slews by adds up, and is noticed then
        self._offset += shift
        self.began += shift
        return shift


def _offset():
    return time.time() - time.clock_gettime(_BOOTTIME)


_SHIFTS = (("%.1f days forward", "%.1f days back", 86400.0), ("%.1f hours forward", "%.1f hours back", 3600.0),
           ("%.1f minutes forward", "%.1f minutes back", 60.0), ("%.0f seconds forward", "%.0f seconds back", 1.0))


def in_words(shift):
    """A shift of a clock for people."""
    seconds = abs(shift)
    forward, back, size = next((one for one in _SHIFTS if seconds >= 1.95 * one[2]), _SHIFTS[-1])
    return (forward if shift > 0 else back) % (seconds / size)
