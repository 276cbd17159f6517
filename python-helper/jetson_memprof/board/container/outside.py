"""The host's side of a run in a container: what mirrors it out of there, records the board beside it, and ends it.

The run is supervised in the container, by the same helper as anywhere else, and lives in there. Here is a run folder
like any other, so that whoever follows, cancels or finds it again need not know. What was recorded is here within a
quarter of a second, whatever becomes of the container.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import sys
import time

from ... import lean_json
from ..errors import BoardError, from_os_error
from ..files import replace_file
from ..run import oom, rescue, shared
from ..run.noted import Noted
from ..run.record import RunRecord, now_text, time_of
from ..run.reserve import Reserve
from ..run.supervising.attached import Attached
from ..run.supervising.loop import Loop, Signals
from . import inside as inside_module
from .beside import Beside
from .engine import Engine, words_of
from .inspected import Container, first_of
from .making import remove_made
from .received import Misbehaved, Received, record_of
from .relay import Relay

_TICK_S = 0.2
_START_S = 55.0
_TIDYING_S = 30.0
_PIECE = 1 << 18
_MOST_COMPLAINTS = 4096
# A stream that breaks while the container runs, as when the engine's service is restarted.
_MOST_TRIES, _TRY_AGAIN_S = 20, 0.5
# A disk that is full here.
_DISK_S = 5.0


class Outside(object):
    """One run. `request`: what `start` in the container is told, but for its root. `waiting`: as of inside.waiting_in."""

    def __init__(self, inside, request, folder, values, lock, waiting=()):
        self._inside = inside
        self._request = request
        self._waiting = waiting
        self._folder = folder
        self._lock = lock
        self._values = values              # the run.json that came last
        self._warned = []
        self._record = RunRecord(folder.file("run.json"), dict(values))
        self._reserve = Reserve(folder.file("reserve"))
        self._loop = Loop(self._part_failed)
        self._engine = Engine(inside.engine, inside.program)
        self._shared = self._beside = self._received = self._attached = None
        self._stream = self._canceller = None
        self._complaints = b""
        self._began = None
        self._is_followed = False
        self._tries = 0
        self._again = None                 # when the stream is begun again
        self._gone = None                  # what became of the container, in words
        self._misbehaved = False
        self._known = None                 # the Container that was looked at last

    def run(self, report):
        try:
            self._prepare()
            pid = self._start()
        except BoardError as error:
            self._not_started(error)
            return report(error.as_reply())
        except OSError as error:
            failure = from_os_error(error, "Starting the script in the container on the board")
            self._not_started(failure)
            return report(failure.as_reply())
        report({"pid": pid})
        self._folder.sync_boot(self._lock)
        next_tick = time.monotonic()
        while self._received.ended is None and self._gone is None:
            self._loop.wait(max(0, int((next_tick - time.monotonic()) * 1000) + 1))
            self._attached.watch_input()
            if time.monotonic() >= next_tick:
                next_tick = time.monotonic() + _TICK_S
                self._loop.guarded(self._tick)
        self._finish()

    # Start

    def _prepare(self):
        oom.protect()
        self._signals = Signals(self._loop, self._on_signal)
        replace_file(self._folder.file(inside_module.NAME), lean_json.dumps(self._inside.record()).encode("ascii"),
                     sync=False)
        self._noted = Noted(self._folder.file("supervisor.json"))
        self._shared = shared.make(self._folder.path)
        self._note()
        self._reserve.make()
        self._received = Received(self._folder, self._on_record, self._on_moments)
        self._beside = Beside(self._folder, self._inside.pid, self._request.get("moments_interval_ms") or 1000)
        self._attached = Attached(os.path.join(self._shared, "c"), self._loop, lambda: self._record.unsaved)

    def _start(self):
        self._beside.begin()
        request = dict(self._request, root=self._inside.root)
        request.pop("container")
        reply, stream, more = self._inside.start_and_follow(request, _START_S, self._waiting)
        # The clock is one for both sides; when the run began by it comes with the first run.json.
        self._counted_from(time.monotonic())
        pid = reply.get("pid")
        pid = pid if isinstance(pid, int) and not isinstance(pid, bool) else None
        self._beside.started(pid)
        self._follow(stream)
        self._take(more)
        return pid

    def _counted_from(self, monotonic):
        self._began = monotonic
        self._beside.began(monotonic)

    def _follow(self, stream):
        """Begin to mirror by what is told what `attach` is, or begin again where it broke off."""
        self._received.begin()
        self._complaints = b""
        self._stream = stream
        for fd in (self._stream.stdout, self._stream.stderr):
            os.set_blocking(fd, False)
        inside_module.tell(self._stream, {"root": self._inside.root, "id": self._folder.id, "have": self._received.have()})
        self._loop.listen(self._stream.stdout, self._on_frames)
        self._loop.listen(self._stream.stderr, self._on_complaints)
        if self._is_followed:
            self._attached.move_to(self._stream)
        else:
            self._attached.begin(self._stream, Relay)
        self._is_followed = True

    def _not_started(self, error):
        self._record.update(state="finished", ended=now_text(time.time()), elapsed_ms=0,
                            exit={"kind": "not-started", "message": error.message})
        self._record.save(time.monotonic(), force=True)
        self._reserve.give_up()
        if self._beside is not None:
            self._beside.close()
        if self._shared is not None:
            shared.remove(self._shared, self._folder.path)
        self._tidy()

    # What comes out of the container

    def _on_frames(self):
        try:
            data = os.read(self._stream.stdout, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self._torn()
        self._take(data)

    def _take(self, data):
        try:
            self._received.feed(data)
            self._tries = 0
        except Misbehaved as fault:
            self._let_go()
            self._misbehaved = True
            self._gone = "The run in the container %s is followed no more: what it sent is nothing that a run has (%s). " \
                         "The figures up to then are kept." % (self._inside.name, fault)
        except OSError as error:
            self._record.warn_disk(error)
            self._reserve.give_up()
            self._let_go()
            self._again = time.monotonic() + _DISK_S

    def _on_complaints(self):
        try:
            data = os.read(self._stream.stderr, _PIECE)
        except BlockingIOError:
            return
        if not data:
            return self._loop.ignore(self._stream.stderr)
        self._complaints = (self._complaints + data)[-_MOST_COMPLAINTS:]

    def _let_go(self):
        for fd in (self._stream.stdout, self._stream.stderr, self._stream.stdin):
            if fd is not None:
                self._loop.ignore(fd)
        inside_module.end(self._stream)
        self._stream.stdin = None
        self._attached.move_to(self._stream)

    def _torn(self):
        """The stream is over before the run is: begin again later, or give up where that helps no more."""
        self._let_go()
        self._known = self._look_at_container()
        if self._known is not None and not self._known.running:
            self._gone = "The container %s ended during the run (exit code %s). The figures up to then are kept." % (
                self._inside.name, "unknown" if self._known.exit_code is None else self._known.exit_code)
        elif self._tries >= _MOST_TRIES or (self._known is None and self._is_removed()):
            said = words_of(self._complaints.decode("utf-8", "replace"))
            self._gone = "The container %s was there no more during the run%s. The figures up to then are kept." % (
                self._inside.name, "; %s said: %s" % (self._inside.engine, said) if said else "")
        else:
            self._tries += 1
            self._again = time.monotonic() + _TRY_AGAIN_S

    def _is_removed(self):
        """Whether its first process is gone; a service that is being restarted knows of no container either."""
        pid = self._inside.pid
        return pid is not None and not os.path.exists("/proc/%d" % pid)

    def _look_at_container(self):
        answer = self._engine.ask("inspect", "--type", "container", self._inside.id)
        value = first_of(answer.output) if answer.status == 0 else None
        return None if value is None else Container(value)

    def _on_record(self, data):
        values = record_of(data, self._folder.id)
        began = time_of(values.get("started"))
        if began is not None and values.get("started") != self._values.get("started"):
            self._counted_from(time.monotonic() - (time.time() - began))
        self._values = values
        self._merge()
        self._note()

    def _on_moments(self, data):
        self._beside.heard(data)

    # What is written here

    def _merge(self, **final):
        """run.json as the container has it, with what only the host knows."""
        values = {key: value for key, value in self._values.items() if key not in ("state", "exit", "ended")}
        values.update(state="running", container=self._about_container())
        values.update(final)
        values["warnings"] = list(values.get("warnings", []))
        unsaved = self._record.unsaved
        self._record = RunRecord(self._folder.file("run.json"), values)
        self._record.unsaved = unsaved
        for code, words in self._warned:
            self._record.warn(code, words)
        return self._record.save(time.monotonic(), force=True)

    def _about_container(self):
        limit = self._beside.limit
        found = {"engine": self._inside.engine, "name": self._inside.name, "id": self._inside.id,
                 "image": self._inside.image, "made": self._inside.made,
                 "pids": sorted(map(list, self._beside.pids.items()))}
        return found if limit is None else dict(found, limit=limit)

    def _warn(self, code, words):
        self._warned.append((code, words))
        self._record.warn(code, words)

    def _part_failed(self):
        self._warn("helper-fault", "A part of the recording failed on the board; "
                   "details are in helper.log in the run's folder there.")

    def _note(self):
        noted = {"shared": self._shared}
        if self._began is not None:
            noted.update(script_pid=self._beside.main, started_monotonic=self._began, processes=self._beside.living())
        try:
            self._noted.write(**noted)
        except OSError as error:
            self._record.warn_disk(error)

    def _t(self):
        return max(0, int((time.monotonic() - self._began) * 1000))

    def _tick(self):
        if self._again is not None and time.monotonic() >= self._again:
            self._again = None
            self._follow(self._inside.start("attach"))
        before = len(self._beside.pids)
        self._beside.look(self._t())
        if len(self._beside.pids) != before:
            self._merge()
            self._note()
        if self._beside.error is not None:
            self._record.warn_disk(self._beside.error)
        self._record.save(time.monotonic())
        self._attached.tell_news()

    # What wakes the loop

    def _on_signal(self):
        if signal.SIGTERM in self._signals.take() and self._canceller is None:
            if not shared.cancel_was_asked(self._shared):
                self._warn(*shared.ENDED_FROM_OUTSIDE)
            self._canceller = self._inside.start("cancel")
            inside_module.tell(self._canceller, self._named())
            os.close(self._canceller.stdin)
            self._canceller.stdin = None

    def _named(self):
        return {"root": self._inside.root, "id": self._folder.id}

    # The end

    def _finish(self):
        if self._gone is None:
            self._attached.script_ended()
            self._let_go()
        self._loop.guarded(self._beside.look, self._t(), True)
        self._beside.close()
        self._received.close()
        if self._canceller is not None:
            inside_module.end(self._canceller)
        self._note()
        if self._gone is None:
            ended = self._how_it_ended()
            written = self._merge(state="finished", ended=self._values.get("ended"), exit=ended)
        else:
            written = self._close_as_gone()
        if written:
            self._reserve.give_up()
            shared.remove(self._shared, self._folder.path)
        else:
            shared.leave_last_word(self._shared, self._record.text())
        self._tidy()

    def _how_it_ended(self):
        """As the container has it; who else the kernel ended may be known out here alone."""
        ended = self._values.get("exit", {"kind": "lost"})
        killed = ended.get("kind") == "signalled" and ended.get("signal") == "SIGKILL"
        if killed or ended.get("kind") == "out-of-memory":
            # In there neither the group's own count nor the kernel's log may be readable.
            return self._out_of_memory() or ended
        return ended

    def _out_of_memory(self):
        evidence = self._beside.evidence()
        if evidence is None and self._known is not None and self._known.out_of_memory and not self._inside.out_of_memory:
            evidence = "%s says that the memory group of the container %s ran out of memory" % (
                self._inside.engine, self._inside.name)
        if evidence is None:
            return None
        ended = {"kind": "out-of-memory", "signal": "SIGKILL", "evidence": evidence}
        log = self._beside.kernel_log()
        return dict(ended, kernel_log=log) if log else ended

    def _close_as_gone(self):
        self._merge()
        try:
            rescue.close(self._folder, self._record.values,
                         (self._out_of_memory() or {"kind": "lost"}, "container-ended", self._gone))
        except BoardError:
            return False
        return True

    def _tidy(self):
        """Leave nothing of the run behind in the container, and no container that was made for it."""
        self._end_inside()
        inside_module.forget(self._folder)

    def _end_inside(self):
        if self._inside.made:
            remove_made(self._inside, self._folder.id)
            return
        for command in (["cancel", "remove"] if self._misbehaved else ["remove"] if self._gone is None else []):
            try:
                self._inside.call(command, self._named(), _TIDYING_S)
            except (BoardError, OSError) as error:
                sys.stderr.write("%s\n" % error)
