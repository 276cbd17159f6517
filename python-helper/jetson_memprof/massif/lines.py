"""Moves the landing pad of each frame of the project's code to the pad of its current line, and counts the lines.

The machine code does so by itself for a line it has in the code's table; `LineTracker` fills the table when a line is
first reached, and is asked at each beginning and end of a chosen line, whose heap is measured.
"""
import ctypes
import sys
from _thread import _local, allocate_lock, get_ident

from ..engine import layout
from ..engine.slots import Slots
from ..engine.threads import thread_name
from . import machine, thread_state
from .pads import is_of_program, kept
from .recursion import CallsFromC

_API = ctypes.pythonapi
_word = ctypes.c_uint64.from_address
_half = ctypes.c_uint32.from_address
_TRACE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p)
CALL, LINE, RETURN = 0, 2, 3
_ENTRY_BYTES = 32
#: Of sys.monitoring, one that has no purpose of its own: the program's cProfile or debugger has theirs.
_TOOL = 3
#: How _slow()'s arguments are handed over: an object, an int and two words.
_SLOW_FORMAT = ctypes.create_string_buffer(b"OiKK")


class Line(object):
    """What the table holds of a statement's lines: addresses of its pad and its hits, and the thread's word. `resumed` is
    None or (first line, last line): from a statement in between, Python goes on with this one."""
    __slots__ = ("pad", "hits", "word", "line", "chosen", "resumed")

    def __init__(self, pad, hits, word, line, chosen, resumed):
        self.pad = pad
        self.hits = hits
        self.word = word
        self.line = line
        self.chosen = chosen
        self.resumed = resumed


class LineTracker(object):
    """`find(code, line)` gives the Line; `chosen` is a snapshots.LineSnapshots."""

    def __init__(self, library, pads, offsets, find, chosen):
        self._pads = pads
        self._find = find
        self._chosen = chosen
        self._offsets = offsets
        self._machine = library.machine
        self._statements = {}  # pad -> first line of its statement
        self._begun = {}  # pad of a statement that Python comes back to -> the instruction it began at
        self._words = words = (ctypes.c_uint64 * 32).from_address(library.data)
        self._return_at = ctypes.c_int64(words[machine.D_PAD_AT]).value
        words[machine.D_SLOW] = id(kept(self._slow))
        words[machine.D_SLOW_FORMAT] = ctypes.addressof(_SLOW_FORMAT)
        self.trace_address = library.code + machine.TRACE
        self.trace = _TRACE(self.trace_address)

    def leave_libraries(self, traced):
        """From now on trace the code alone that has lines; `traced` is this thread's object."""
        at = thread_state.tracer(self.trace_address, traced)
        if at is None:
            return
        if sys.version_info >= (3, 10):
            flag = thread_state.tracing_flag(at)
            if not flag:
                return
            self._words[machine.D_FLAG_FROM] = ctypes.c_uint64(thread_state.FLAG_FROM).value
            self._words[machine.D_FLAG_ON] = flag
        self._words[machine.D_TRACER_AT] = at

    def _slow(self, frame, event, record, word):
        """Called by the machine code."""
        try:
            self._step(frame, event, record, word)
        except BaseException as error:
            if is_of_program(error):
                raise

    def _step(self, frame, event, record, word):
        measured = _word(record + self._machine.r_measured)
        position = _half(_word(record + self._machine.r_frame).value + self._offsets.position_at).value
        pad, begun = _word(record + self._return_at), _word(record + self._machine.r_begun)
        if event != LINE:
            measured.value = 0
            self._chosen.end(record)
            return
        line = self._line(frame)
        if pad.value == line.pad and position > begun.value:
            return
        if measured.value:
            measured.value = 0
            self._chosen.end(record)
        came_from = self._statements.get(pad.value, 0)
        pad.value, begun.value = line.pad, position
        _word(word).value = line.word
        if line.resumed is not None:
            if line.resumed[0] <= came_from <= line.resumed[1]:
                begun.value = self._begun.get(line.pad, position)  # whatever of it comes now
                return
            self._begun[line.pad] = position
        _word(line.hits).value += 1
        if line.chosen is not None:
            measured.value = 1
            self._chosen.begin(record, line.chosen)

    def _line(self, frame):
        """The Line at which `frame` is. The machine code does without Python from now on, unless it is chosen or it
        matters from where Python comes to it."""
        code, number = frame.f_code, frame.f_lineno
        line = self._find(code, number)
        self._statements[line.pad] = line.line
        if line.chosen is None and line.resumed is None:
            table = self._pads.tables[id(code)]
            entry = table + 16 + (number - _word(table).value) * _ENTRY_BYTES
            _word(entry + 8).value, _word(entry + 16).value = line.hits, line.word
            _word(entry).value = line.pad
        return line


class ThreadWords(object):
    """Each thread's word in the counters, where the machine code says which line the thread is in."""

    def __init__(self, counters):
        self._counters = counters
        self.reopen_in_child()

    def reopen_in_child(self):
        self._lock = allocate_lock()
        self._slots = Slots(self._counters)
        self._taken = {}  # thread -> slot
        self._keep = ctypes.c_char.from_buffer(self._counters.view)

    def of_this_thread(self):
        """A ctypes integer at the thread's word; at none that is shown where all slots are taken."""
        with self._lock:
            me = get_ident()
            alive = sys._current_frames()
            for thread in [thread for thread in self._taken if thread not in alive or thread == me]:
                self._slots.release(self._taken.pop(thread))
            slot = self._slots.take(me, thread_name(), 0, -1)
            if slot < 0:
                return ctypes.c_uint64()
            self._taken[me] = slot
            return ctypes.c_uint64.from_address(ctypes.addressof(self._keep) + slot * 8)


class _TracedWord(ctypes.c_uint64):
    """A thread's word as sys.gettrace() shows it. A program that puts it back by sys.settrace(), as doctest does, has
    it called at the next event."""

    def __call__(self, frame, event, arg):
        self.install(self)


class SettraceTracer(object):
    """Feeds a LineTracker up to Python 3.11. In place of a Python trace function stands the machine code itself."""

    def __init__(self, tracker, words, new_threads):
        self._tracker = tracker
        self._words = words
        self._new_threads = new_threads

    def start(self):
        self._new_threads.trace(self._enter_thread)
        self._set(self._words.of_this_thread())
        self._tracker.leave_libraries(sys.gettrace())

    def stop(self):
        """Returns whether this thread was traced to its end: False where the program put another tracer in place."""
        self._new_threads.stop()
        traced = isinstance(sys.gettrace(), ctypes.c_uint64)
        if traced:
            sys.settrace(None)
        return traced

    def reopen_in_child(self):
        if isinstance(sys.gettrace(), ctypes.c_uint64):
            self._set(self._words.of_this_thread())

    def _enter_thread(self, frame, event, arg):
        """The first event of a thread that `threading` has started."""
        self._set(self._words.of_this_thread())

    def _set(self, word):
        traced = _TracedWord.from_address(ctypes.addressof(word))
        traced.word, traced.install = word, self._install
        self._install(traced)

    def _install(self, traced):
        _API.PyEval_SetTrace(ctypes.c_void_p(self._tracker.trace_address), ctypes.py_object(traced))


class MonitoringTracer(object):
    """Feeds a LineTracker from Python 3.12 on, where code that is not the project's costs nothing."""

    def __init__(self, tracker, words, is_followed):
        self._trace = tracker.trace
        self._calls_from_c = CallsFromC()
        self._words = words
        self._is_followed = is_followed
        self._threads = _local()

    def start(self):
        monitoring = sys.monitoring
        tool, events = _TOOL, monitoring.events
        if monitoring.get_tool(tool) is not None:
            raise machine.Unsupported("another tool has its place in sys.monitoring")
        monitoring.use_tool_id(tool, "jetson-memprof")
        self._inside = events.LINE | events.PY_RETURN | events.PY_YIELD
        callbacks = {events.PY_START: self._entered, events.PY_RESUME: self._entered, events.PY_THROW: self._thrown,
                     events.LINE: self._line_callback(), events.PY_RETURN: self._left, events.PY_YIELD: self._left,
                     events.PY_UNWIND: self._left}
        self._events = list(callbacks)
        for event, callback in callbacks.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND)

    def stop(self):
        """Nobody else can have taken the events away: always True."""
        monitoring, tool = sys.monitoring, _TOOL
        monitoring.set_events(tool, 0)
        for event in self._events:  # else those of code that has run already would go on
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        return True

    def reopen_in_child(self):
        if hasattr(self._threads, "word"):
            self._threads.word = self._words.of_this_thread()

    def _word(self):
        try:
            return self._threads.word
        except AttributeError:
            word = self._threads.word = self._words.of_this_thread()
            self._calls_from_c.make_room()
            return word

    def _entered(self, code, offset):
        if not self._is_followed(code):
            return sys.monitoring.DISABLE
        monitoring = sys.monitoring
        if not monitoring.get_local_events(_TOOL, code):
            monitoring.set_local_events(_TOOL, code, self._inside)
        self._trace(self._word(), sys._getframe(1), CALL, None)

    def _thrown(self, code, offset, exception):
        if self._is_followed(code):  # this event cannot be switched off for the others
            self._trace(self._word(), sys._getframe(1), CALL, None)

    def _line_callback(self):
        trace, word, getframe = self._trace, self._word, sys._getframe

        def line(code, number):
            trace(word(), getframe(1), LINE, None)
        return line

    def _left(self, code, offset, value):
        if self._is_followed(code):
            self._trace(self._word(), sys._getframe(1), RETURN, None)
