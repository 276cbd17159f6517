"""Finds out how this interpreter lays out its frames, by comparing memory with what Python says of a generator."""
import collections
import ctypes
import sys

from . import machine

#: Byte offsets: of the code object and of the current instruction (32 bits of it that grow within a code object) in an
#: interpreter frame, and of the pointer to that in a frame object (0: up to Python 3.10 they are one).
Offsets = collections.namedtuple("Offsets", "code_at position_at frame_at")

_FRAME_BYTES = 512


def check_interpreter():
    """Raises machine.Unsupported where this Python is none that the machine code was made for."""
    version = sys.version.split()[0]
    if sys.implementation.name != "cpython":
        raise machine.Unsupported("this Python is %s, not CPython" % sys.implementation.name)
    if not (3, 6) <= sys.version_info[:2] <= (3, 13):
        raise machine.Unsupported("Python %s is not known to it (3.6 to 3.13 are)" % version)
    if "t" in getattr(sys, "abiflags", "") or not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise machine.Unsupported("this Python runs without a global lock")


def frame_offsets():
    """The Offsets of this interpreter. Raises machine.Unsupported where memory does not agree with what Python says."""
    generator = _steps()
    frame_at, frame, size = _interpreter_frame(generator)
    code = generator.gi_frame.f_code
    codes = positions = None
    width = 4 if sys.version_info < (3, 11) else 8
    for _ in generator:
        memory = ctypes.string_at(frame, size)
        codes = _kept(codes, {at for at in range(0, size - 7, 8) if _number(memory, at, 8) == id(code)})
        instruction = _instruction(generator.gi_frame)
        positions = _kept(positions, {(at, _number(memory, at, width) - instruction)
                                      for at in range(0, size - 7, width)})
    positions = {at for at, base in positions if _is_position(base, code)}
    if len(codes) != 1 or len(positions) != 1:
        raise machine.Unsupported("the frames of Python %s are not laid out as expected" % sys.version.split()[0])
    return Offsets(codes.pop(), positions.pop(), frame_at)


def _steps():
    yield 1
    yield len(str(2))
    for value in (3, 4):
        yield value


def _interpreter_frame(generator):
    """(offset of the pointer to it, its address, its readable bytes) of a generator's interpreter frame."""
    frame = generator.gi_frame
    if sys.version_info < (3, 11):
        return 0, id(frame), min(sys.getsizeof(frame), _FRAME_BYTES)
    end = id(generator) + sys.getsizeof(generator)  # it lies in the generator
    memory = ctypes.string_at(id(frame), min(sys.getsizeof(frame), _FRAME_BYTES))
    found = [at for at in range(16, len(memory) - 7, 8) if id(generator) < _number(memory, at, 8) < end]
    if len(found) != 1:
        raise machine.Unsupported("the frames of Python %s are not laid out as expected" % sys.version.split()[0])
    address = _number(memory, found[0], 8)
    return found[0], address, min(end - address, _FRAME_BYTES)


def _number(memory, at, width):
    return int.from_bytes(memory[at:at + width], sys.byteorder)


def _kept(before, now):
    return now if before is None else before & now


def _instruction(frame):
    """As the frame itself counts: in bytes where it holds an address, else in bytes or instructions."""
    return frame.f_lasti // 2 if sys.version_info[:2] == (3, 10) else frame.f_lasti


def _is_position(base, code):
    """Up to 3.10 it is a number; from 3.11 on an address in the code object."""
    if sys.version_info < (3, 11):
        return base == 0
    return 0 < base - id(code) < 4096
