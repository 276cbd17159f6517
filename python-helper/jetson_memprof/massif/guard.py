"""Tries the landing pads out before the program runs under them: what it cannot be sure of is not used."""
import ctypes
import sys

from ..engine.threads import NewThreads
from . import lines, machine
from .pads import Pads

_FRAMES_AT = 0x1000
_TRIAL = "<trial of the native stacks>"
_SOURCE = """
def trial(look):
    one = look()
    two = look(
        0)
    for value in steps(look):
        one += value - value
    try:
        fail(look)
    except ValueError:
        pass
    return one, two

def steps(look):
    yield look()
    yield look()

def fail(look):
    look()
    raise ValueError
"""
#: (function, its line) at which the calls of `look` come, each with its statement's first line.
_EXPECTED = (("trial", 3), ("trial", 4), ("steps", 15), ("steps", 16), ("fail", 19))
_FIRST, _LAST = 2, 20
_CELL_BYTES = 8
#: What of an address is no signature, at least.
_ADDRESS = (1 << 39) - 1
_word = ctypes.c_uint64.from_address


def try_functions(library, offsets):
    """Run a trial whose frames must land on their functions' pads. Raises machine.Unsupported where they do not.

    Finds out where the evaluator keeps its return address and tells the machine code.
    """
    trial = _Trial(library, offsets)
    seen = trial.run()
    expected = [trial.function_pad(name) for name, _ in _EXPECTED]
    if seen != expected:
        raise machine.Unsupported("its trial run did not find Python's functions in the native stacks")


def try_lines(library, offsets):
    """Run it with its lines traced. Raises machine.Unsupported where they are not found or not counted."""
    trial = _Trial(library, offsets)
    seen = trial.run_with_lines()
    hits = [trial.hits[line] for _, line in _EXPECTED]
    if seen != [trial.line_pad(line) for _, line in _EXPECTED] or hits != [1] * len(_EXPECTED):
        raise machine.Unsupported("its trial run did not find Python's lines in the native stacks")


class _Trial(object):
    def __init__(self, library, offsets):
        self._library = library
        self._offsets = offsets
        self._functions = []
        self.hits = (ctypes.c_uint64 * (_LAST + 1))()
        self._lines = {}
        self._follow = False
        self._seen = []
        self._pads = Pads(library, offsets, self._describe)
        self._scope = {}
        self._code = compile(_SOURCE, _TRIAL, "exec")

    def function_pad(self, name):
        return self._pads.address(1 + self._functions.index(name)) if name in self._functions else None

    def line_pad(self, line):
        return self._pads.address(machine.PAD_COUNT // 2 + line)

    def run(self):
        """The addresses that the frames' evaluators return to, at each call of `look`."""
        exec(self._code, self._scope)
        self._pads.install()
        try:
            self._scope["trial"](self._look)
        finally:
            self._pads.uninstall()
            self._pads.forget_all()
        return self._seen

    def run_with_lines(self):
        self._follow = True
        tracker = lines.LineTracker(self._library, self._pads, self._offsets, self._line, None)
        if hasattr(sys, "monitoring"):
            tracer = lines.MonitoringTracer(tracker, self, lambda code: code.co_filename == _TRIAL)
        else:
            tracer = lines.SettraceTracer(tracker, self, NewThreads())
        tracer.start()
        try:
            return self.run()
        finally:
            tracer.stop()

    def of_this_thread(self):
        return ctypes.c_uint64()

    def _describe(self, code):
        if code.co_filename != _TRIAL:
            return 0, None, False
        self._functions.append(code.co_name)
        return len(self._functions), (_FIRST, _LAST - _FIRST + 1) if self._follow else None, False

    def _line(self, code, number):
        statement = 4 if number == 5 else number
        address = ctypes.addressof(self.hits) + statement * _CELL_BYTES
        return lines.Line(self.line_pad(statement), address, statement, statement, None, None)

    def _look(self, value=1):
        frame = sys._getframe(1)
        frame_at = self._offsets.frame_at
        key = _word(id(frame) + frame_at).value if frame_at else id(frame)
        bucket = key >> 3
        bucket = self._library.data + _FRAMES_AT + ((bucket ^ bucket >> 13) & 0xffff) * 16
        if _word(bucket).value != key:
            raise machine.Unsupported("its trial run found no record of a frame")
        record = _word(bucket + 8).value
        if _word(record + self._library.machine.r_frame).value != key:
            raise machine.Unsupported("its trial run found a record of another frame")
        self._seen.append(_word(record + self._return_at(record)).value)
        return value

    def _return_at(self, record):
        """Where the return address lies, from the record; found once, where the machine's calls keep it in a register."""
        pad_at = ctypes.c_int64.from_address(self._library.data + machine.D_PAD_AT * 8)
        if self._library.machine.return_at is None and not pad_at.value:
            for at in range(-8, -machine.SEARCHED_BYTES, -8):
                if _word(record + at - 8).value != record:
                    continue
                address = _word(record + at).value
                if self._pads.is_pad(address):
                    pad_at.value = at
                    break
                if self._pads.is_pad(address & _ADDRESS | self._pads.address(0) & ~_ADDRESS):
                    raise machine.Unsupported("the processor signs this interpreter's return addresses")
            else:
                raise machine.Unsupported("its trial run did not find where the interpreter keeps a return address")
        return pad_at.value
