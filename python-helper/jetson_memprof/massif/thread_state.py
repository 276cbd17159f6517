"""Finds what the machine code needs of a thread's state, by comparing memory with what Python says.

What is not found is done without: then Python's import system is among the frames, or library code is traced as well.
"""
import ctypes
import os
import sys

_WORD_BYTES = 8
_SEARCHED = range(0, 40 * _WORD_BYTES, _WORD_BYTES)
_word = ctypes.c_uint64.from_address


def caller(frame_at):
    """How the evaluator's first argument leads to the caller's interpreter frame: (offset, offset in what lies there or
    -1: that is it), None where it was not found. `frame_at` as in probe.Offsets.
    """
    frame = sys._getframe()
    if sys.version_info < (3, 9):  # it is the new frame
        found = [at for at in _SEARCHED[2:8] if _word(id(frame) + at).value == id(frame.f_back)]
        return (found[0], -1) if len(found) == 1 else None
    current = _word(id(frame) + frame_at).value if frame_at else id(frame)
    state, found = _state(), []
    insides = {(3, 11): 8, (3, 12): 0}  # of the C frame, which lies between
    inside = insides.get(sys.version_info[:2], -1)
    try:
        with open("/proc/self/mem", "rb", 0) as memory:
            descriptor = memory.fileno()
            for at in _SEARCHED:  # no function in between, whose frame would be the current one
                value = _word(state + at).value
                if inside >= 0:
                    try:
                        value = int.from_bytes(os.pread(descriptor, _WORD_BYTES, value + inside), sys.byteorder)
                    except (OSError, OverflowError):
                        continue
                if value == current:
                    found.append(at)
    except OSError:
        return None
    return (found[0], inside) if len(found) == 1 else None


def tracer(function, traced):
    """Where a thread's state has its C trace function, which is the one at the address `function` now, with the object
    `traced`; None where it was not found.

    Up to Python 3.9 that place says whether the thread is traced; in 3.10 and 3.11 a byte of its C frame does too.
    """
    state = _state()
    found = [at for at in _SEARCHED if _word(state + at).value == function]
    if len(found) == 1 and _word(state + found[0] + 2 * _WORD_BYTES).value == id(traced):
        return found[0]
    return None


#: From the trace function's place to that of the C frame, which begins with the byte.
FLAG_FROM = -2 * _WORD_BYTES


def tracing_flag(tracer_at):
    """What the byte is while this thread is traced; 0 where it is none."""
    try:
        with open("/proc/self/mem", "rb", 0) as memory:
            return os.pread(memory.fileno(), 1, _word(_state() + tracer_at + FLAG_FROM).value)[0]
    except (OSError, OverflowError, IndexError):
        return 0


def get_state():
    """The address of the function that gives it."""
    return ctypes.cast(ctypes.pythonapi.PyThreadState_Get, ctypes.c_void_p).value


def _state():
    return ctypes.PYFUNCTYPE(ctypes.c_void_p)(get_state())()
