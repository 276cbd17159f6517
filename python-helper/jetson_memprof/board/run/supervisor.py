"""The process beside the script: one loop that records, answers and ends the run.

It has its own session and survives the connection. Nothing here may stop the
script: what cannot be recorded is noted and the script goes on.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import sys
import time

from .. import names
from ..errors import from_os_error
from ..system import proc
from . import oom, shared
from .clock import WallClock, in_words
from .ending import OomWatch, classify
from .lines import LineTable, Sources
from .noted import Noted
from .output import OutputLog
from .record import RunRecord, now_text
from .reserve import Reserve
from .script import Directly, environment, recorded, spawn
from .stopping import Stopping
from .supervising.analysis import Analysis
from .supervising.attached import Attached
from .supervising.last_records import LastRecords
from .supervising.loop import Loop, Signals
from .timeline import Timeline


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
        self._ended = None
        self._views = []
        self._next_flush = 0
        self._loop = Loop(self._part_failed)

    def run(self, report):
        try:
            self._prepare()
            self._start()
        except OSError as error:
            failure = from_os_error(error, "Starting the script on the board")
            self._not_started(failure.message)
            report(failure.as_reply())
            return
        report({"pid": self._script.pid})
        if self._order.engine == "line":
            # The script waits for its first answer: it is ready when Python is.
            self._loop.guarded(self._analysis.start_worker)
        # A disk may take its time for these.
        self._folder.sync_boot(self._lock)
        self._record.save(time.monotonic(), force=True)
        while not self._is_over(time.monotonic()):
            self._turn()
        self._finish()

    # Start

    def _prepare(self):
        oom.protect()
        self._signals = Signals(self._loop, self._on_signal)
        self._oom = OomWatch()
        self._noted = Noted(self._folder.file("supervisor.json"))
        self._shared = shared.make(self._folder.path)
        self._note_processes()  # from here on there is something to tidy up after a kill

    def _start(self):
        order = self._order
        self._way = self._way_of(order)
        sources = Sources(order.project_root)
        self._analysis = Analysis(os.path.join(self._shared, "s"), sources, self._folder.file("sources"),
                                  order.project_root, self._loop, self._record, self._not_for_the_worker)
        self._reserve.make()
        self._table = LineTable(self._folder.file("lines.jsonl"), self._folder.id, sources)
        order.torch.begin(self._folder.path)
        from ...engine.counters import Reader
        self._reader = Reader(self._shared)
        program, arguments = self._way.command(*order.program())
        self._logs = {name: OutputLog(self._folder.file(name + ".log"), order.output_limit)
                      for name in ("stdout", "stderr")}
        self._attached = Attached(os.path.join(self._shared, "c"), self._loop, lambda: self._record.unsaved)
        self._timeline = Timeline(self._folder, order.interval_ms, order.moments_interval_ms)
        self._started, self._clock = time.monotonic(), WallClock(time.time())
        self._loop.guarded(self._begin)
        self._table.started(self._started)
        if order.launch:
            shared.leave_main(self._shared)
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
            self._loop.listen(fd, self._pumper(name))
        self._attached.begin(self._script)
        self._analysis.begin(self._table)
        self._note_processes()
        self._record.update(started=now_text(self._clock.began), environment=recorded(values))
        self._next_tick = time.monotonic()

    def _way_of(self, order):
        """How the script is started."""
        if order.heap is not None:
            from ..heap.sampled import Sampled
            return Sampled(order.heap, self._folder, self._shared, order.project_root, self._record)
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

    # What is done at each turn

    def _part_failed(self):
        self._record.warn("helper-fault", "A part of the recording failed on the board; "
                          "details are in helper.log in the run's folder there.")

    def _turn(self):
        now = time.monotonic()
        deadline = self._next_tick
        if self._ended is not None:
            deadline = min(deadline, now + 0.05)
        self._loop.wait(max(0, int((deadline - now) * 1000) + 1))
        self._attached.watch_input()
        now = time.monotonic()
        self._stopping.advance(now)
        if now >= self._next_tick:
            self._next_tick = now + self._order.interval_ms / 1000.0
            self._loop.guarded(self._tick, now)

    def _t(self):
        return int((time.monotonic() - self._started) * 1000)

    def _is_over(self, now):
        if self._ended is None:
            return False
        if self._stopping.begun:
            return self._stopping.gave_up(now) or not self._tree.alive()
        if all(log.fd not in self._loop for log in self._logs.values()) and not self._tree.alive():
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
        meminfo = self._timeline.sample(t, views)
        self._loop.guarded(self._timeline.moment, t, meminfo, views)
        self._loop.guarded(self._timeline.loads, t, meminfo)
        self._note_processes()
        self._loop.guarded(self._way.look, now)
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
        """Have files analysed that the table waits for; note the processes' warnings."""
        self._analysis.want(waiting, now)
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
        self._attached.tell_news()
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
        numbers = self._signals.take()
        if not numbers:
            return
        if signal.SIGTERM in numbers:
            if not shared.cancel_was_asked(self._shared):
                self._record.warn(*shared.ENDED_FROM_OUTSIDE)
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
                self._attached.script_ended()
                self._loop.guarded(self._timeline.ended, self._t(), self._views)
            else:
                self._analysis.worker_ended(pid)

    def _pumper(self, name):
        def pump():
            if not self._logs[name].pump():
                self._loop.ignore(self._logs[name].fd)
        return pump

    def _not_for_the_worker(self):
        """A lock is held, and input is open, until the last copy of their descriptors goes."""
        return ({self._lock, self._script.stdin} | self._loop.descriptors()) - {None}

    # The end

    def _finish(self):
        for log in self._logs.values():
            self._loop.ignore(log.fd)
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
        self._analysis.close(self._signals.fd)
        t = self._t()  # the script's processes may have outlived it: times never go back
        self._loop.guarded(self._timeline.sample, t, views, True)
        self._loop.guarded(self._timeline.ended, t, views)
        self._loop.guarded(self._timeline.close)
        ended = classify(self._status, self._script.pid, self._stopped, self._oom)
        if ended["kind"] == "exited":
            evidence = self._oom.evidence(self._script.pid)
            if evidence:
                self._record.warn("out-of-memory", "During the run the board ran out of memory and the kernel "
                                  "ended a process: %s." % evidence)
        longest = self._table.longest_at(self._script.pid)
        self._loop.guarded(self._way.finish, self._script.pid, ended, longest, self._record)
        self._note_processes()
        self._follow_clock()
        final = {"state": "finished", "ended": now_text(self._clock.began + elapsed / 1000.0),
                 "elapsed_ms": elapsed, "exit": ended}
        places = self._table.last_lines()
        # Of a script that failed by itself too: a process that it started may have been killed.
        if ended["kind"] != "exited" or (ended["code"] and places):
            final["last_lines"] = places
        last = LastRecords(self._folder, self._shared, self._record, self._table, self._logs, self._reserve, self._loop,
                           lambda: self._save(time.monotonic(), force=True))
        if last.write(t, final) and not (self._way.writes_at_ends and self._tree.alive()):
            shared.remove(self._shared, self._folder.path)
