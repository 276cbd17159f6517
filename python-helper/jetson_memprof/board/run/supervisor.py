"""The process beside the script: one loop that records, answers and ends the run.

It has its own session and survives the connection. Nothing here may stop the
script: what cannot be recorded is noted and the script goes on.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import select
import sys
import time

from .. import names
from ..errors import from_os_error, is_full, log_fault
from ..system import proc
from . import oom, shared
from .clock import WallClock, in_words
from .control import ControlServer, ScriptInput
from .ending import OomWatch, classify
from .lines import LineTable, Sources
from .noted import Noted
from .output import OutputLog
from .record import RunRecord, now_text
from .reserve import Reserve
from .script import Directly, environment, recorded, spawn
from .statements import StatementsServer
from .stopping import Stopping
from .timeline import Timeline

# How long the analysis of the last files may take.
_ANALYSIS_S = 5.0
# A measured file that nobody asked about in this time is analysed unasked.
_UNASKED_S = 3.0
_RETRY_FULL_DISK_S = 600
_ENDED_ABNORMALLY = ("signalled", "out-of-memory", "cancelled", "lost")


class Supervisor(object):
    """One run. `order` is an order.Order; `report` is called once with {'pid'} or {'error'}."""

    def __init__(self, order, folder, values, lock):
        self._order = order
        self._folder = folder
        self._lock = lock
        self._reserve = Reserve(folder.file("reserve"))
        self._record = RunRecord(folder.file("run.json"), values)
        self._shared = None
        self._clock = None
        self._script = None
        self._timeline = None
        self._status = None
        self._stopped = None
        self._finishing = False
        self._ended = None
        self._told = None
        self._views = []
        self._missing = {}      # relative path -> when it was first seen unanalysed
        self._next_flush = 0
        self._poller = select.poll()
        self._handlers = {}

    def run(self, report):
        try:
            self._prepare()
            self._start()
        except OSError as error:
            failure = from_os_error(error, "starting the script on the board")
            self._not_started(failure.message)
            report(failure.as_reply())
            return
        report({"pid": self._script.pid})
        if self._order.engine == "line":
            self._guarded(self._start_worker, ())  # the script waits for its first answer: it is ready when Python is
        # A disk may take its time for these.
        self._folder.sync_boot(self._lock)
        self._record.save(time.monotonic(), force=True)
        while not self._is_over(time.monotonic()):
            self._turn()
        self._finish()

    # Start

    def _prepare(self):
        oom.protect()
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._signals = reading
        self._listen(reading, self._on_signal)
        self._oom = OomWatch()
        self._noted = Noted(self._folder.file("supervisor.json"))
        self._shared = shared.make(self._folder.path)
        self._note_processes()  # from here on there is something to tidy up after a kill

    def _start(self):
        order = self._order
        self._way = self._way_of(order)
        sources = Sources(order.project_root)
        self._server = StatementsServer(os.path.join(self._shared, "s"), sources,
                                        self._folder.file("sources"), self._not_for_the_worker)
        self._reserve.make()
        self._table = LineTable(self._folder.file("lines.jsonl"), self._folder.id, sources)
        order.torch.begin(self._folder.path)
        from ...engine.counters import Reader
        self._reader = Reader(self._shared)
        program, arguments = self._way.command(sys.executable, order.arguments)
        self._logs = {name: OutputLog(self._folder.file(name + ".log"), order.output_limit)
                      for name in ("stdout", "stderr")}
        self._control = ControlServer(os.path.join(self._shared, "c"))
        self._timeline = Timeline(self._folder, order.interval_ms, order.moments_interval_ms)
        self._started, self._clock = time.monotonic(), WallClock(time.time())
        self._guarded(self._begin)
        self._table.started(self._started)
        # After the baseline: the process tells times as ms since then.
        spec = shared.write_spec(self._shared, order, self._folder.file(shared.REPORT), dict(
            self._way.spec(), torch=order.torch.spec(self._folder.path, self._started),
            notebook=self._notebook()))
        self._marker = b"JETSON_MEMPROF_SPEC=" + os.fsencode(spec)
        values = self._way.environment(environment(order.env, order.boot_folder, spec))
        # All that can fail is done: from here on there is a script that must be looked after.
        self._script = spawn(program, arguments, order.cwd, values, self._way.end_signal)
        self._tree = proc.ProcessTree(os.getsid(0), self._script.pid)
        self._timeline.follow(self._tree, self._table)
        self._stopping = Stopping(self._tree, self._marker, self._way.steps)
        for name, fd in (("stdout", self._script.stdout), ("stderr", self._script.stderr)):
            self._logs[name].follow(fd)
            self._listen(fd, self._pumper(name))
        self._input = self._control.input = ScriptInput(self._script.stdin)
        self._listen(self._control.listener.fileno(), self._on_connection)
        self._listen(self._server.listener.fileno(), self._on_question)
        self._note_processes()
        self._record.update(started=now_text(self._clock.began), environment=recorded(values))
        self._next_tick = time.monotonic()

    def _way_of(self, order):
        """How the script is started."""
        if order.massif is None:
            return Directly()
        from ..massif.valgrind import UnderValgrind
        return UnderValgrind(order.massif, self._folder, self._shared, os.uname().machine)

    def _notebook(self):
        """Where the cells to run are, None where no notebook is."""
        notebook = self._record.values.get("notebook")
        return notebook and {"sources": self._folder.file("sources"), "cells": [cell["path"] for cell in notebook["cells"]]}

    def _begin(self):
        self._started, began = self._timeline.begin()
        self._clock = WallClock(began)

    def _not_started(self, message):
        self._record.update(state="finished", ended=now_text(time.time()), elapsed_ms=0,
                            exit={"kind": "not-started", "message": message})
        self._record.save(time.monotonic(), force=True)
        self._reserve.give_up()
        if self._timeline is not None:
            self._timeline.close()
        if self._shared is not None:
            shared.remove(self._shared, self._folder.path)

    # The loop

    def _listen(self, fd, handler, events=select.POLLIN):
        self._handlers[fd] = handler
        self._poller.register(fd, events)

    def _ignore(self, fd):
        if self._handlers.pop(fd, None) is not None:
            self._poller.unregister(fd)

    def _turn(self):
        now = time.monotonic()
        deadline = self._next_tick
        if self._ended is not None:
            deadline = min(deadline, now + 0.05)
        for fd, _ in self._poller.poll(max(0, int((deadline - now) * 1000) + 1)):
            handler = self._handlers.get(fd)
            if handler is not None:
                self._guarded(handler)
        self._watch_input()
        now = time.monotonic()
        self._stopping.advance(now)
        if now >= self._next_tick:
            self._next_tick = now + self._order.interval_ms / 1000.0
            self._guarded(self._tick, now)

    def _guarded(self, work, *arguments):
        """A fault of ours must not take the run down with it."""
        try:
            work(*arguments)
        except Exception:
            log_fault()
            self._record.warn("helper-fault", "A part of the recording failed on the board; "
                              "details are in helper.log in the run's folder there.")

    def _t(self):
        return int((time.monotonic() - self._started) * 1000)

    def _is_over(self, now):
        if self._ended is None:
            return False
        if self._stopping.begun:
            return self._stopping.gave_up(now) or not self._tree.alive()
        if all(log.fd not in self._handlers for log in self._logs.values()) and not self._tree.alive():
            return True
        return now - self._ended >= self._way.grace_s

    def _tick(self, now):
        t = self._t()
        views = self._poll_counters()
        self._tree.scan([view.pid for view in views if not view.finished])
        self._tree.alive()
        flushing = t >= self._next_flush
        self._take_in(self._table.collect(views) if flushing else self._table.look(views), views, now)
        if flushing:
            self._next_flush = t + self._order.interval_ms * self._table.interval_factor() - 5
            self._table.flush(t)
        self._guarded(self._timeline.moment, t, self._timeline.sample(t, views), views)
        self._note_processes()
        self._follow_clock()
        self._save(now)

    def _follow_clock(self):
        shift = self._clock.follow()
        if shift:
            self._record.update(started=now_text(self._clock.began))
            self._record.warn("clock-set", "The board's clock was set during the run (%s). When the run began and ended "
                              "is by the clock as it was set last; how long things took is measured by another clock."
                              % in_words(shift))

    def _poll_counters(self):
        try:
            self._views = self._reader.poll()
        except OSError as error:
            # A system that tidies shared memory at logout took the folder; what is mapped is still read.
            self._record.warn("counters-gone", "The folder with the run's counters went away on the board: %s. "
                              "Processes started later are not measured." % error.strerror)
        return self._views

    def _take_in(self, waiting, views, now):
        """Have files analysed that nobody asked about, the table waits for them; note the processes' warnings."""
        self._missing = {path: self._missing.get(path, now) for path in waiting}
        overdue = [path for path, since in self._missing.items() if now - since >= _UNASKED_S]
        if overdue and self._server.worker is None:
            self._start_worker(overdue)
        for view in views:
            for code, message in view.warnings:
                self._record.warn(code, message)

    def _save(self, now, force=False):
        for part in [self._table, self._timeline] + list(self._logs.values()):
            if part.error is not None:
                self._record.warn_disk(part.error)
        self._record.update(processes=self._table.processes, files=list(self._table.files),
                            metrics=self._table.metrics)
        saved = self._record.save(now, force)
        if self._record.unsaved is not None and self._record.unsaved != self._told:
            self._told = self._record.unsaved
            self._tell(self._told)
        return saved

    def _note_processes(self):
        """Write down who belongs to the run, for those who come when this process is gone."""
        noted = {"shared": self._shared}
        if self._script is not None:
            noted.update(script_pid=self._script.pid, started_monotonic=self._started,
                         processes=sorted(map(list, self._tree.members.items())))
        try:
            self._noted.write(**noted)
        except OSError as error:
            self._record.warn_disk(error)

    # What wakes the loop

    def _on_signal(self):
        try:
            numbers = os.read(self._signals, 512)
        except BlockingIOError:
            return
        if signal.SIGTERM in numbers:
            if not shared.cancel_was_asked(self._shared):
                self._record.warn("ended-from-outside", "The helper's process on the board was told to end (SIGTERM) by "
                                  "something else than a cancel, as when the board is shut down, and so it ended the run.")
            self._stopping.begin(time.monotonic())
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._script.pid:
                self._status, self._ended = status, time.monotonic()
                # Only a stop that began while the script ran is what ended it.
                self._stopped = self._stopping.last_signal if self._stopping.begun else None
                self._input.drop()
                self._guarded(self._timeline.ended, self._t(), self._views)
            elif pid == self._server.worker:
                self._server.worker = None
                if not self._finishing:
                    self._listen(self._server.listener.fileno(), self._on_question)

    def _pumper(self, name):
        def pump():
            if not self._logs[name].pump():
                self._ignore(self._logs[name].fd)
        return pump

    def _on_question(self):
        self._start_worker(())

    def _start_worker(self, relative_paths):
        """While the worker lives it accepts the connections, and this process does not look."""
        if self._server.reports is not None:
            self._ignore(self._server.reports)
            self._on_reports()
        try:
            self._server.start_worker([
                os.path.join(self._order.project_root, names.native(path)) for path in relative_paths])
        except OSError as error:
            # No room for another process: who asks finds out by itself, at its own cost.
            self._server.turn_away()
            self._record.warn("no-analysis", "The board could not start a process to look at a source file: %s."
                              % error.strerror)
            return
        self._ignore(self._server.listener.fileno())
        self._listen(self._server.reports, self._on_reports)

    def _not_for_the_worker(self):
        """Descriptors that must not live on in the worker: a lock is held, and input is open, until the last copy goes."""
        kept = {self._lock, self._script.stdin} | set(self._handlers)
        return kept - {None, self._server.listener.fileno()}

    def _on_reports(self):
        fd = self._server.reports
        reports, ended = self._server.read_reports()
        for report, functions in reports:
            self._table.add_file(report, functions)
            if report["error"]:
                self._record.warn("source-not-kept", report["error"])
        if ended:
            self._ignore(fd)

    def _on_connection(self):
        connection = self._control.accept()
        if connection is None:
            return
        fd = connection.fileno()
        self._listen(fd, lambda: self._on_control(fd))
        if self._record.unsaved is not None:
            self._tell(self._record.unsaved)

    def _on_control(self, fd):
        if not self._control.read(fd):
            self._drop(fd)

    def _tell(self, text):
        for fd in self._control.tell(text):
            self._drop(fd)

    def _drop(self, fd):
        self._ignore(fd)
        self._control.drop(fd)

    def _watch_input(self):
        """Write input when the script takes it, and take no more while much is waiting."""
        fd = self._script.stdin
        if fd is not None and self._input.is_over:
            self._ignore(fd)
            os.close(fd)
            self._script.stdin = fd = None
        if fd is not None and self._input.wants_to_write != (fd in self._handlers):
            if self._input.wants_to_write:
                self._listen(fd, self._input.write, select.POLLOUT)
            else:
                self._ignore(fd)
        for connection in self._control.connections:
            self._poller.modify(connection, 0 if self._input.is_full else select.POLLIN)

    # The end

    def _finish(self):
        for log in self._logs.values():
            self._ignore(log.fd)
            log.pump()
            log.unfollow()
        self._tree.scan_environments(self._marker)
        left = self._tree.alive()
        if left:
            self._record.warn("processes-left", "The script has ended but %d of its processes still run on the "
                              "board: %s. Their figures up to now are kept. This ends them: jetson-memprof cancel %s" % (
                                  len(left), proc.listed(left), self._folder.id))
        elapsed = int((self._ended - self._started) * 1000)
        views = self._poll_counters()
        self._take_in(self._table.collect(views), views, time.monotonic())
        if not views and shared.engine_began(self._shared):
            self._record.warn("engine-not-started", "No process of the run was measured: its counters could not be made "
                              "in %s on the board. The script's standard error says why; if there is no space left, "
                              "free some." % names.portable(self._shared))
        self._analyse_rest()
        self._finishing = True
        self._ignore(self._server.listener.fileno())
        t = self._t()  # the script's processes may have outlived it: times never go back
        self._guarded(self._timeline.sample, t, views, True)
        self._guarded(self._timeline.ended, t, views)
        self._timeline.close()
        ended = classify(self._status, self._script.pid, self._stopped, self._oom)
        if ended["kind"] == "exited":
            evidence = self._oom.evidence(self._script.pid)
            if evidence:
                self._record.warn("out-of-memory", "During the run the board ran out of memory and the kernel "
                                  "ended a process: %s." % evidence)
        self._guarded(self._way.finish, self._script.pid, ended, self._table.longest_at(self._script.pid), self._record)
        self._note_processes()
        self._follow_clock()
        final = {"state": "finished", "ended": now_text(self._clock.began + elapsed / 1000.0),
                 "elapsed_ms": elapsed, "exit": ended}
        if ended["kind"] in _ENDED_ABNORMALLY:
            final["last_lines"] = self._table.last_lines()
        self._write_rest(t, final)

    def _analyse_rest(self):
        """Wait for the analysis of the last files, so that their rows can be written."""
        until = time.monotonic() + _ANALYSIS_S
        while self._missing and time.monotonic() < until:
            if self._server.worker is None:
                self._start_worker(self._missing)
            for fd, _ in self._poller.poll(100):
                if fd in (self._server.reports, self._signals):
                    self._handlers[fd]()
            known = {entry["path"] for entry in self._table.files}
            self._missing = {path: since for path, since in self._missing.items() if path not in known}
        for path in self._missing:
            self._table.add_file({"path": path, "sha256": None, "lines": 0, "source": None}, b"[]")

    def _write_rest(self, t, final):
        """Write the last records, and only when they are all there that the run has finished."""
        until = time.monotonic() + _RETRY_FULL_DISK_S
        while not self._all_written(t):
            self._save(time.monotonic(), force=True)
            if not self._make_room(until, self._table.error):
                self._leave_last_word(final)
                return
        for part in [self._table] + list(self._logs.values()):
            part.close()
        self._set_final(final)
        while not self._save(time.monotonic(), force=True):
            if not self._make_room(until, self._record.error):
                self._leave_last_word(final)
                return
        self._reserve.give_up()
        if not (self._way.writes_at_ends and self._tree.alive()):
            shared.remove(self._shared, self._folder.path)

    def _set_final(self, final):
        self._record.update(output={name: log.figures() for name, log in self._logs.items()}, **final)

    def _leave_last_word(self, final):
        """How the run ended is kept beside the counters, for whoever can write it down later."""
        self._set_final(final)
        shared.leave_last_word(self._shared, self._record.text())

    def _all_written(self, t):
        return all([self._table.end(t)] + [log.end() for log in self._logs.values()])

    def _make_room(self, until, error):
        """The disk is full: give up the reserve, then wait a little for others to make room.

        False when that took too long, or where waiting makes no room, as on a disk that became read-only: the counters
        stay where they are, and who asks next rescues them. False too when somebody removed the run's folder: then
        there is nothing left to record into.
        """
        if not os.path.isdir(self._folder.path):
            shared.remove(self._shared, self._folder.path)
            return False
        if error is not None and not is_full(error):
            return False
        if not self._reserve.give_up():
            for fd, _ in self._poller.poll(1000):
                self._guarded(self._handlers.get(fd, bool))
        return time.monotonic() < until
