"""Finds out how this interpreter lays out its frames, by comparing memory with what Python says of a generator."""
import ctypes
import sys

from . import machine
from .. import tried


class Offsets(object):
    """Byte offsets: of the code object and of the current instruction (32 bits of it that grow within a code object) in
    an interpreter frame, and of the pointer to that in a frame object (0: up to Python 3.10 they are one)."""

    def __init__(self, code_at, position_at, frame_at):
        self.code_at = code_at
        self.position_at = position_at
        self.frame_at = frame_at


_FRAME_BYTES = 512
#: What one of them holds where it was never written to, what lay there before, may look right by chance.
_GENERATORS = 8


def check_interpreter():
    """Raises machine.Unsupported where this Python is none that the machine code was made for."""
    version = sys.version.split()[0]
    if sys.implementation.name != "cpython":
        raise machine.Unsupported("this Python is %s, not CPython" % sys.implementation.name)
    if not (3, 6) <= sys.version_info[:2] <= tried.NEWEST:
        raise machine.Unsupported("Python %s is not known to it (3.6 to %d.%d are)" % ((version,) + tried.NEWEST))
    if not tried.has_global_lock():
        raise machine.Unsupported("this Python runs without a global lock")


def frame_offsets():
    """The Offsets of this interpreter. Raises machine.Unsupported where memory does not agree with what Python says."""
    generators = [_steps() for _ in range(_GENERATORS)]
    code = generators[0].gi_frame.f_code
    frame_at = _pointer_to_frame(generators)
    width = 4 if sys.version_info < (3, 11) else 8
    codes = positions = None  # offsets that agree so far, and {offset: what is there at instruction 0}
    for generator in generators:
        frame, size = _interpreter_frame(generator, frame_at)
        for _ in generator:
            memory, instruction = ctypes.string_at(frame, size), _instruction(generator.gi_frame)
            if codes is None:
                codes = range(0, size - 7, 8)
                positions = {at: _number(memory, at, width) - instruction for at in range(0, size - 7, width)}
            codes = [at for at in codes if _number(memory, at, 8) == id(code)]
            positions = {at: base for at, base in positions.items()
                         if _number(memory, at, width) - instruction == base}
    positions = [at for at, base in positions.items() if _is_position(base, code)]
    if len(codes) != 1 or len(positions) != 1:
        raise _laid_out_otherwise()
    return Offsets(codes.pop(), positions.pop(), frame_at)


def _steps():
    yield 1
    yield len(str(2))
    for value in (3, 4):
        yield value


def _pointer_to_frame(generators):
    """Where a generator's frame object has the pointer to the interpreter frame; 0 where they are one."""
    if sys.version_info < (3, 11):
        return 0
    size = min(sys.getsizeof(generators[0].gi_frame), _FRAME_BYTES)
    found = range(16, size - 7, 8)
    for generator in generators:
        memory = ctypes.string_at(id(generator.gi_frame), size)
        # It lies in the generator.
        found = [at for at in found if id(generator) < _number(memory, at, 8) < _end(generator)]
    if len(found) != 1:
        raise _laid_out_otherwise()
    return found.pop()


def _interpreter_frame(generator, frame_at):
    """(its address, its readable bytes) of a generator's interpreter frame."""
    frame = generator.gi_frame
    if not frame_at:
        return id(frame), min(sys.getsizeof(frame), _FRAME_BYTES)
    address = _number(ctypes.string_at(id(frame) + frame_at, 8), 0, 8)
    return address, min(_end(generator) - address, _FRAME_BYTES)


def _end(generator):
    return id(generator) + sys.getsizeof(generator)


def _laid_out_otherwise():
    return machine.Unsupported("the frames of Python %s are not laid out as expected" % sys.version.split()[0])


def _number(memory, at, width):
    return int.from_bytes(memory[at:at + width], sys.byteorder)


def _instruction(frame):
    """As the frame itself counts: in bytes where it holds an address, else in bytes or instructions."""
    return frame.f_lasti // 2 if sys.version_info[:2] == (3, 10) else frame.f_lasti


def _is_position(base, code):
    """Up to 3.10 it is a number; from 3.11 on an address in the code object."""
    if sys.version_info < (3, 11):
        return base == 0
    return 0 < base - id(code) < 4096
