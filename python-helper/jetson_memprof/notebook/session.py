"""Measures a part of what this process runs, and is gone afterwards: no tracer, thread, descriptor or file is left."""
import os
import sys
import time

from _thread import allocate_lock, get_ident

from ..cuda.beside import Beside
from ..engine import layout
from ..engine.launch import after_fork
from ..engine.meter import Meter
from ..engine.registry import Registry
from ..engine.sharing import faults_of, this_thread
from .own_counters import OwnCounters, OwnView


class SessionError(Exception):
    """Why nothing can be measured here; its text says what to do about it."""


class Measured(object):
    """What a Session found. Bytes; times in seconds since 1970.

    `before` and `after` are RSS, `others` is at most how much the threads that were there before took meanwhile, `whole` is
    False where the measuring of the thread stopped before its end. `folder` is the working folder before
    it, the user's own where that was deleted.
    """

    def __init__(self, counters, exact):
        self._counters = counters
        self.exact = exact
        self.began = self.ended = time.time()
        self.folder = _working_folder()
        self.before = self.after = self.others = 0
        self.whole = True

    @property
    def has_peaks(self):
        return bool(self._counters.head[layout.H_PEAK])

    def view(self):
        """A new own_counters.OwnView, which tells everything once."""
        return OwnView(self._counters)


_running = None
_knows_forks = False


class Session(object):
    """`start` measures what the calling thread, and threads that begin meanwhile, enter until `stop`; one at a time.

    `scope` and `client` are as engine.registry.Registry wants them.
    """

    def __init__(self, scope, client, exact):
        if _running is not None:
            raise SessionError("Something is being measured already. Measure the outer or the inner part, not both.")
        if sys.gettrace() is not None:
            raise SessionError("Another tracer (a debugger, a coverage tool) is at work in this process, and it would be put "
                               "out of its place. End it, then measure again.")
        try:
            self._meter = Meter()
        except OSError as error:
            raise SessionError("The memory of this process cannot be read (%s). It can be on Linux only." % error)
        counters = OwnCounters()
        counters.head[layout.H_PEAK] = int(self._meter.peak)
        self._beside = Beside(counters, self._meter, {})
        registry = Registry(counters, scope, client, allocate_lock, self._beside.library_file)
        self._measured = Measured(counters, exact)
        self._tracer = _tracer(registry, self._meter, exact, self._beside)

    def start(self):
        global _running, _knows_forks
        if not _knows_forks:
            after_fork(_leave_in_child)
            _knows_forks = True
        _running = self
        self._threads = {thread: faults_of(thread) for thread in _threads() if thread != this_thread()}
        self._measured.began = time.time()
        self._measured.before = self._rss()
        self._tracer.start()

    def stop(self):
        global _running
        measured = self._measured
        measured.whole = self._tracer.stop()
        self._tracer.end()
        _running = None
        measured.ended = time.time()
        self._beside.finish()
        self._beside.close()
        measured.after = self._rss()
        self._meter.close()
        faults = sum(max(0, faults_of(thread) - before) for thread, before in self._threads.items())
        measured.others = faults * self._meter.page_kib * 1024
        return measured

    def _rss(self):
        return self._meter.rss_pages() * self._meter.page_kib * 1024

    def leave(self):
        """In a forked child: nothing of it is measured."""
        self._tracer.stop()
        self._tracer.end()


def _leave_in_child():
    global _running
    if _running is not None:
        _running.leave()
        _running = None


def _working_folder():
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return os.path.expanduser("~")


def _threads():
    try:
        return [int(name) for name in os.listdir("/proc/self/task")]
    except OSError:
        return []


def _tracer(registry, meter, exact, beside):
    if hasattr(sys, "monitoring"):
        from ..engine import monitoring
        if monitoring.available():
            return monitoring.MonitoringTracer(registry, meter, exact, beside, set(sys._current_frames()) - {get_ident()})
    from ..engine.settrace import SettraceTracer
    return SettraceTracer(registry, meter, exact, beside)
