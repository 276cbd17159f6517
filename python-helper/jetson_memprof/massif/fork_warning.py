"""Python 3.12 and later warn of a fork where there are more threads than one: not where the other is the profiler's own."""
import os
import sys

_BEGIN, _MIDDLE = "This process (pid=", " is multi-threaded, use of "


class _Message(object):
    @staticmethod
    def match(text):
        return text.startswith(_BEGIN) and _MIDDLE in text


_FILTER = ("ignore", _Message, DeprecationWarning, None, 0)


def leave_out():
    """Leave the warning out from now on wherever the program itself has one thread."""
    if sys.version_info >= (3, 12):
        os.register_at_fork(before=_before_fork)


def _before_fork():
    import warnings
    try:
        ours = len(os.listdir("/proc/self/task")) == 2
    except OSError:  # the program has used up its descriptors
        return
    # Into the list itself: filterwarnings() would have warnings repeated that were shown before.
    if _FILTER in warnings.filters:
        warnings.filters.remove(_FILTER)
    if ours:
        warnings.filters.insert(0, _FILTER)
