"""The pure Python engine on sys.monitoring (Python 3.12 and later): the same accounting, fed by other events.

Worth it because code that is not measured costs nothing once its events are switched off; with sys.settrace every
call and line of every library pays. It also leaves sys.settrace to the program.
"""
import sys
from _thread import _local, get_ident
from _weakref import ref

from .pure import make_process

_getframe = sys._getframe

#: Of sys.monitoring's numbers one that has no purpose of its own: a program's cProfile takes PROFILER_ID.
_TOOL = 3


def available():
    return sys.monitoring.get_tool(_TOOL) is None


class MonitoringTracer(object):
    implementation = "pure"

    def __init__(self, registry, meter, exact, beside, left_out=frozenset()):
        """`left_out` are threads, as threading.get_ident() calls them. sys.settrace has none that were there before;
        what these enter would make doubtful whose a change was."""
        self._left_out = left_out
        self._files = registry.files
        self._start_thread, self._rebase, self.end = make_process(registry, meter, exact, beside)
        self._threads = _local()
        self._inside_of = []  # references to the code objects that have events of their own

    def start(self):
        monitoring = sys.monitoring
        tool, events = _TOOL, monitoring.events
        monitoring.use_tool_id(tool, "jetson-memprof")
        monitoring.restart_events()  # an earlier measuring in this process may have switched some off
        self._inside = events.LINE | events.PY_RETURN | events.PY_YIELD
        self._callbacks = {events.PY_START: self._entered, events.PY_RESUME: self._entered,
                           events.PY_THROW: self._thrown, events.LINE: self._line_callback(),
                           events.PY_RETURN: self._left, events.PY_YIELD: self._left, events.PY_UNWIND: self._left}
        for event, callback in self._callbacks.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND)

    def stop(self):
        """Nobody else can have taken the events away: always True."""
        monitoring, tool = sys.monitoring, _TOOL
        monitoring.set_events(tool, 0)
        for code in filter(None, [reference() for reference in self._inside_of]):
            monitoring.set_local_events(tool, code, 0)
        for event in self._callbacks:  # else those of code that has run already would go on
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        return True

    def interrupted(self):
        return False

    def reopen_in_child(self):
        self._rebase()

    def _traced(self):
        """(call function, line and return function) of the calling thread."""
        try:
            return self._threads.traced
        except AttributeError:
            traced = self._threads.traced = self._start_thread()
            return traced

    def _entered(self, code, offset):
        if get_ident() in self._left_out:
            return None  # not DISABLE: other threads may enter it too
        if self._traced()[0](_getframe(1), "call", None) is None:
            return sys.monitoring.DISABLE
        monitoring = sys.monitoring
        if not monitoring.get_local_events(_TOOL, code):
            monitoring.set_local_events(_TOOL, code, self._inside)
            self._inside_of.append(ref(code))

    def _thrown(self, code, offset, exception):
        # This event cannot be switched off for the others.
        if self._files.get(code.co_filename) and get_ident() not in self._left_out:
            self._traced()[0](_getframe(1), "call", None)

    def _line_callback(self):
        threads, traced = self._threads, self._traced

        def line(code, number):
            try:
                local = threads.traced[1]
            except AttributeError:
                local = traced()[1]
            local(_getframe(1), "line", None)
        return line

    def _left(self, code, offset, value):
        if self._files.get(code.co_filename):
            self._traced()[1](_getframe(1), "return", None)
