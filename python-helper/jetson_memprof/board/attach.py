"""The `attach` command: mirrors a run folder to the host while the run lives, and passes input on."""
import base64
import json
import os
import select
import socket
import time

from . import names
from .errors import BoardError
from .files import read_file, write_all
from .rescue import rescue
from .runs import open_run, state_of
from .shared import REPORT
from .statements import with_folder

_LOOK_EVERY_S = 0.05
_CHECK_ALIVE_S = 0.5
_SAY_ALIVE_S = 1.0
_BLOCK = 1 << 18
_INPUT_WAITING = 1 << 20
_GROWING = ("lines.jsonl", "samples.jsonl", "stdout.log", "stderr.log")


class _HostGone(Exception):
    """The host closed its end."""


class _Frames(object):
    """Writes frames; blocks when the host does not read, which holds up nobody else."""

    def __init__(self, fd):
        self._fd = fd
        self.last = time.monotonic()

    def head(self, **values):
        self.write(json.dumps(values).encode("ascii") + b"\n")

    def write(self, data):
        try:
            write_all(self._fd, data)
        except OSError:
            raise _HostGone()
        self.last = time.monotonic()


class _Mirror(object):
    """What the host has of the folder, and sending what it lacks."""

    def __init__(self, folder, have, frames):
        self._folder = folder
        self._have = have
        self._frames = frames
        self._record_seen = None
        self.record = None

    def look(self):
        """Send what is new; run.json last, so that it never names what the host lacks."""
        record, text = self._read_record()
        for name in _GROWING:
            self._send_growth(name)
        if record is not None:
            self.show(text, record)

    def show(self, text, record):
        """Send a run.json and the sources it names."""
        listed = record.get("files")
        for entry in listed if isinstance(listed, list) else ():
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, str) and source.startswith("sources/"):
                self._send_once(source)
        if record.get("state") == "finished":
            self._send_once(REPORT)
        self.record = record
        self._frames.head(frame="replace", file="run.json", length=len(text))
        self._frames.write(text)

    def _read_record(self):
        """(run.json as a dict, its bytes) when it changed since the last look, else (None, None)."""
        try:
            found = os.stat(self._folder.file("run.json"))
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen == self._record_seen:
                return None, None
            text = read_file(self._folder.file("run.json"), 64 << 20)
            record = json.loads(text.decode("utf-8"))
        except (OSError, ValueError):
            return None, None
        if not isinstance(record, dict):
            return None, None
        self._record_seen = seen
        return record, text

    def _send_growth(self, name):
        path = self._folder.file(name)
        try:
            size = os.stat(path).st_size
        except OSError:
            return
        have = self._have.get(name, 0)
        if size == have:
            return
        with open(path, "rb", buffering=0) as file:
            if size < have:
                # The host has another file's bytes: it gets this one whole.
                self._frames.head(frame="replace", file=name, length=0)
                have = 0
            if name.endswith(".jsonl"):
                size = _end_of_last_line(file.fileno(), have, size)
            while have < size:
                data = os.pread(file.fileno(), min(_BLOCK, size - have), have)
                if not data:
                    break
                self._frames.head(frame="append", file=name, offset=have, length=len(data))
                self._frames.write(data)
                have += len(data)
        self._have[name] = have

    def _send_once(self, name):
        path = self._folder.file(names.native(name))
        real = os.path.realpath(path)
        if not real.startswith(os.path.realpath(self._folder.path) + "/"):
            return
        try:
            if os.stat(path).st_size == self._have.get(name):
                return
            data = read_file(path, 64 << 20)
        except OSError:
            return
        self._frames.head(frame="replace", file=name, length=len(data))
        self._frames.write(data)
        self._have[name] = len(data)


def _end_of_last_line(fd, start, size):
    """The end of the last complete line between two offsets; `start` where there is none.

    Half a record stays on the board: should its writer die, it is cut there.
    """
    end = size
    while end > start:
        at = max(start, end - 65536)
        found = os.pread(fd, end - at, at).rfind(b"\n")
        if found >= 0:
            return at + found + 1
        end = at
    return start


class _Control(object):
    """The host's control lines on their way to the supervisor, and what that says back."""

    def __init__(self, folder, in_fd):
        self._folder = folder
        self._in = in_fd
        self._partial = b""
        self._out = b""
        self._socket = None
        self._said = b""
        self.unsaved = None  # bytes of a run.json that the board's disk did not take
        self._try_again = 0.0

    def wait(self, seconds):
        """Wait for something to do, at most so long, and do it."""
        self._connect()
        poller = select.poll()
        if self._in is not None and len(self._out) < _INPUT_WAITING:
            poller.register(self._in, select.POLLIN)
        if self._socket is not None:
            poller.register(self._socket, select.POLLIN | (select.POLLOUT if self._out else 0))
        for fd, event in poller.poll(int(seconds * 1000)):
            if fd == self._in:
                self._take()
            elif event & select.POLLOUT:
                self._pass_on()
            else:
                self._listen()

    def _connect(self):
        now = time.monotonic()
        if self._socket is not None or now < self._try_again:
            return
        self._try_again = now + 0.5
        shared = self._folder.shared_folder()
        if shared is None:
            return
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with_folder(os.path.join(shared, "c"), connection.connect)
        except OSError:
            connection.close()
            return
        connection.setblocking(False)
        self._socket, self._said = connection, b""

    def _take(self):
        data = os.read(self._in, 65536)
        if not data:
            # No more control lines; the mirror goes on until writing fails.
            self._in = None
            return
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            if _is_control(line):
                self._out += line + b"\n"
        if len(self._partial) > _INPUT_WAITING:
            raise BoardError("bad-request", "A control line from the host is longer than %d bytes."
                             % _INPUT_WAITING, "Send input in smaller pieces.")

    def _pass_on(self):
        try:
            self._out = self._out[self._socket.send(self._out):]
        except BlockingIOError:
            pass
        except OSError:
            self._disconnect()

    def _listen(self):
        try:
            data = self._socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._disconnect()
            return
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            self.unsaved = json.loads(line.decode("ascii"))["run"].encode("ascii")

    def _disconnect(self):
        self._socket.close()
        self._socket = None


def _is_control(line):
    """Whether a line from the host is one that may be passed on."""
    try:
        value = json.loads(line.decode("utf-8"))
        if value.get("close_input") is True:
            return True
        base64.b64decode(value["input"], validate=True)
        return True
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def attach(request, in_fd=0, out_fd=1):
    """Mirror until the run's end or until the host is gone."""
    folder = open_run(request)
    have = {}
    for name, size in names.field(request, "have", dict, {}, required=False).items():
        have[name] = names.whole_number(size, "have")
    frames = _Frames(out_fd)
    try:
        _follow(folder, _Mirror(folder, have, frames), _Control(folder, in_fd), frames)
    except _HostGone:
        pass


def _follow(folder, mirror, control, frames):
    began = folder.supervisor().get("started_monotonic")
    check_alive = 0.0
    while True:
        now = time.monotonic()
        if now >= check_alive:
            check_alive = now + _CHECK_ALIVE_S
            rescue(folder)
            if folder.run_record() is None and not folder.is_held():
                raise BoardError("damaged-run", "The run %s on the board has no readable run.json." % folder.id,
                                 "What is at home stays; remove the run's folder on the board.")
        mirror.look()
        if control.unsaved is not None:
            mirror.show(control.unsaved, json.loads(control.unsaved.decode("ascii")))
            control.unsaved = None
        if mirror.record is not None and mirror.record.get("state") == "finished":
            mirror.look()  # what was written between reading the files and reading run.json
            frames.head(frame="end", state=state_of(mirror.record))
            return
        if now - frames.last >= _SAY_ALIVE_S:
            if began is None:
                began = folder.supervisor().get("started_monotonic")
            frames.head(frame="alive", t=max(0, int((now - began) * 1000)) if isinstance(began, float) else 0)
        control.wait(_LOOK_EVERY_S)
