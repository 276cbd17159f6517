"""The `attach` command: mirrors a run folder to the host while the run lives, and passes input on."""
import base64
import os
import select
import socket
import time

from ... import lean_json
from .. import names
from ..errors import BoardError
from ..run.rescue import rescue
from ..run.runs import open_run, state_of
from ..run.statements import with_folder
from ..wire.frames import Frames, HostGone
from ..wire.mirror import Mirror

_LOOK_EVERY_S = 0.05
_CHECK_ALIVE_S = 0.5
_INPUT_WAITING = 1 << 20


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
            self.unsaved = lean_json.loads(line.decode("ascii"))["run"].encode("ascii")

    def _disconnect(self):
        self._socket.close()
        self._socket = None


def _is_control(line):
    """Whether a line from the host is one that may be passed on."""
    try:
        value = lean_json.loads(line.decode("utf-8"))
        if value.get("close_input") is True:
            return True
        base64.b64decode(value["input"], validate=True)
        return True
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def attach(request, in_fd=0, out_fd=1):
    """Mirror until the run's end or until the host is gone; with `once` until it has what there is."""
    folder = open_run(request)
    have = {}
    for name, size in names.field(request, "have", dict, {}, required=False).items():
        have[name] = names.whole_number(size, "have")
    frames = Frames(out_fd)
    try:
        _follow(folder, Mirror(folder, have, frames), _Control(folder, in_fd), frames, request.get("once") is True)
    except HostGone:
        pass


def _follow(folder, mirror, control, frames, once=False):
    check_alive = 0.0
    while True:
        damaged = False
        now = time.monotonic()
        if now >= check_alive:
            check_alive = now + _CHECK_ALIVE_S
            began = folder.supervisor().get("started_monotonic")
            frames.began = began if isinstance(began, float) else None
            rescue(folder)
            damaged = folder.run_record() is None and not folder.is_held()
        mirror.look()
        if damaged:  # its figures came home all the same
            raise BoardError("damaged-run", "The run %s on the board has no readable run.json." % folder.id,
                             "What is at home stays; remove the run's folder on the board.")
        if control.unsaved is not None:
            mirror.show(control.unsaved, lean_json.loads(control.unsaved.decode("ascii")))
            control.unsaved = None
        if mirror.record is not None and mirror.record.get("state") == "finished":
            mirror.look()  # what was written between reading the files and reading run.json
            frames.head(frame="end", state=state_of(mirror.record))
            return
        if once and mirror.record is not None:
            frames.head(frame="end", state="running")
            return
        frames.alive()
        control.wait(_LOOK_EVERY_S)
