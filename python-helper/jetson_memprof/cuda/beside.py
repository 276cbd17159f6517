"""What the line engine reads beside RSS, when an event says that something has changed or that time has passed.

Both implementations of the engine call `look` with the open lines of the thread, so all is done on the program's own
threads; each part keeps what it costs to a share of the time.
"""
from _thread import RLock
from time import monotonic, perf_counter

from .at import At
from .passing import PASSING
from .phases import Phases
from .reading import CudaReading
from .system import BoardReading

_AGAIN_SECONDS = 0.02


class Beside(object):
    """Of one process. `look` wants to be called at an event from `next_look` on (seconds of perf_counter), at once after
    a file's `enter` said True, and at each event at which one of the `places` has changed."""

    def __init__(self, counters, meter, settings):
        self._counters = counters
        self._meter = meter
        self._exact_peaks = bool(settings.get("exact_peaks"))
        self._snapshots = _snapshots(settings, counters)
        self._phases = Phases(counters)
        self._begin()

    def _begin(self):
        self._lock = RLock()  # knows its owner: see settle() in engine/pure.py
        self._cuda = CudaReading(self._counters, self._exact_peaks)
        self._board = BoardReading(self._counters)
        self._latest = None  # the At of the latest look with open lines
        self._step = None  # (thread, depth, serial) of the line in which an optimizer's first step began
        self.next_look = 0.0

    def reopen_in_child(self):
        """After a fork, once the counters are the child's own."""
        self._cuda.watch.close()
        self._phases.reopen_in_child(self._counters)
        if self._snapshots is not None:
            self._snapshots.reopen_in_child()
        self._begin()

    @property
    def watch(self):
        return self._cuda.watch

    def library_file(self, filename):
        """What registry.Registry keeps for a file that is not measured: False, or a phases.TorchFile."""
        file = self._phases.file(filename)
        return False if file is None else file

    def look(self, at):
        """Take what is due. Raises only what a signal's handler of the program's raises meanwhile."""
        # A module that has not begun its first line yet is at line 0, which nobody is shown.
        self._look(At(at.thread, [entry for entry in at.stack if entry[1]], at.before, at.shared), False)

    def finish(self):
        """At the end of the program, when no line is open any more: the latest ones are charged with the rest."""
        latest = self._latest
        if latest is not None:
            self._look(At(latest.thread, latest.stack, latest.before, True), True)

    def close(self):
        """After `finish`, where the process goes on without being measured."""
        self._cuda.watch.close()

    def _look(self, at, forced):
        try:
            if self._lock.acquire(False):
                self._take(at, forced)
            else:
                # Another thread takes one, and waits for a system call: whoever charges next must know of these lines.
                self._cuda.skips.note(at)
                self._board.skips.note(at)
        except PASSING:
            self.next_look = perf_counter() + _AGAIN_SECONDS
        finally:
            try:
                self._lock.release()
            except RuntimeError:
                pass  # it is not ours

    def _take(self, at, forced):
        if at.stack:
            self._latest = at
        phase = self._phase_at(at)
        forced = forced or phase is not None
        reserved_moved = self._cuda.look(at, forced)
        device_used = None
        began = perf_counter()
        if self._board.look(at, forced or reserved_moved):
            device_used = self._cuda.look_at_device(at)
            if at.stack:  # else it is made up for at the next event
                self._board.rest_after(perf_counter() - began)
        if phase is not None:
            self._write_phase(phase, at, device_used)
        if self._snapshots is not None:
            self._snapshots.look()
        self.next_look = 0.0 if self._step is not None else min(self._cuda.next_look, self._board.next_look)

    def _phase_at(self, at):
        """The phase that begins here, or None."""
        if self._step is not None and self._phases.due is None:
            thread, depth, serial = self._step
            if at.thread == thread and (len(at.stack) <= depth or at.stack[depth][2] != serial):
                self._step = None
                self._phases.begin("steady")
        return self._phases.due

    def _write_phase(self, phase, at, device_used):
        allocated, reserved = self._cuda.totals() or (None, None)
        self._phases.write(int(monotonic() * 1e9), at.stack[-1][:2] if at.stack else None,
                           self._meter.rss_pages() * self._meter.page_kib * 1024, self._board.board, allocated, reserved,
                           device_used)
        if phase == "first-step" and at.stack:
            self._step = (at.thread, len(at.stack) - 1, at.stack[-1][2])


def _snapshots(settings, counters):
    if not settings.get("snapshots"):
        return None
    from .snapshots import Snapshots
    return Snapshots(settings, counters)
