"""Room for recursion on Python 3.12 and 3.13, which count calls from C to Python apart from calls from Python to Python.

With a frame evaluator in place every call is one from C, so a program would come to that other limit first, far below
`sys.getrecursionlimit()`.
"""
import ctypes
import sys

_SEARCHED_WORDS = 64
#: The limit of calls from C is a few hundred to ten thousand.
_MOST = 100000


class CallsFromC(object):
    """Where a thread's state has what is left of its calls from C; nowhere on other versions, or where it is not found."""

    def __init__(self):
        ctypes.pythonapi.PyThreadState_Get.restype = ctypes.c_void_p
        self._at = _find() if (3, 12) <= sys.version_info < (3, 14) else None

    def make_room(self):
        """Give the calling thread as many calls from C more as it may have calls in Python. Once for each thread."""
        if self._at is not None:
            ctypes.c_int32.from_address(ctypes.pythonapi.PyThreadState_Get() + self._at).value += sys.getrecursionlimit()


def _find():
    """Byte offset of the number after the limit and what is left of it; both must follow a change of the limit."""
    words = (ctypes.c_int32 * _SEARCHED_WORDS).from_address(ctypes.pythonapi.PyThreadState_Get())
    limit = sys.getrecursionlimit()
    before = list(words)
    sys.setrecursionlimit(limit + 17)
    after = list(words)
    sys.setrecursionlimit(limit)
    found = [at for at in range(1, _SEARCHED_WORDS - 1)
             if before[at] == limit and after[at] == limit + 17 and after[at - 1] == before[at - 1] + 17
             and 0 < before[at + 1] <= _MOST]
    return (found[0] + 1) * 4 if len(found) == 1 else None
