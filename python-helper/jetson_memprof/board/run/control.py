"""The supervisor's control socket: the script's input comes in, an unsaved run.json goes out."""
import binascii
import os

from ... import lean_json
from .lines import encode
from .statements import accept, listen

_LONGEST_LINE = 1 << 20
_INPUT_WAITING = 1 << 20
#: The plain `base64` would bring `re` along on Python 3.6 to 3.10.
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def from_base64(text):
    """As base64.b64decode(text, validate=True)."""
    body = text.rstrip("=")
    if len(text) - len(body) > 2 or not _BASE64.issuperset(body):
        raise ValueError("no base64")
    return binascii.a2b_base64(text)


class ScriptInput(object):
    """The writing end of the script's standard input; never blocks, keeps the order.

    Whoever polls the descriptor closes it, once `is_over` says so.
    """

    def __init__(self, fd):
        self.fd = fd
        self._waiting = b""
        self._closing = False
        os.set_blocking(fd, False)

    @property
    def is_full(self):
        return len(self._waiting) > _INPUT_WAITING

    @property
    def wants_to_write(self):
        return bool(self._waiting)

    @property
    def is_over(self):
        return self._closing and not self._waiting

    def put(self, data):
        if not self._closing:
            self._waiting += data
            self.write()

    def end(self):
        """No more input comes; what waits is still written."""
        self._closing = True

    def drop(self):
        """The script has ended: nobody reads what waits."""
        self._closing, self._waiting = True, b""

    def write(self):
        """Write what fits; a script that closed its input ends it."""
        try:
            while self._waiting:
                self._waiting = self._waiting[os.write(self.fd, self._waiting):]
        except BlockingIOError:
            return
        except OSError:
            self.drop()


class ControlServer(object):
    """Connections of those who are attached."""

    def __init__(self, socket_path):
        self.listener = listen(socket_path)
        self.input = None  # the ScriptInput, before the first connection is accepted
        self.connections = {}  # descriptor -> (socket, bytes of a line that has not ended)

    def accept(self):
        """The new connection's socket, or None."""
        try:
            connection = accept(self.listener)
        except OSError:
            return None
        connection.setblocking(False)
        self.connections[connection.fileno()] = (connection, b"")
        return connection

    def read(self, fd):
        """Take the lines that came; False when the connection ended or misbehaved."""
        connection, partial = self.connections[fd]
        try:
            data = connection.recv(1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            return False
        *lines, partial = (partial + data).split(b"\n")
        self.connections[fd] = (connection, partial)
        return len(partial) <= _LONGEST_LINE and all(self._obey(line) for line in lines)

    def _obey(self, line):
        try:
            order = lean_json.loads(line.decode("utf-8"))
            if order.get("close_input") is True:
                self.input.end()
            elif "input" in order:
                self.input.put(from_base64(order["input"]))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return False
        return True

    def drop(self, fd):
        self.connections.pop(fd)[0].close()

    def tell(self, text):
        """Send everyone the run.json (bytes) that the disk did not take; who does not read is dropped."""
        message = encode({"run": text.decode("ascii")})
        dropped = []
        for fd, (connection, _) in list(self.connections.items()):
            try:
                done = connection.send(message)
            except OSError:
                done = 0
            if done != len(message):
                dropped.append(fd)
        return dropped

    def close(self):
        for connection, _ in self.connections.values():
            connection.close()
        self.connections = {}
        self.listener.close()
