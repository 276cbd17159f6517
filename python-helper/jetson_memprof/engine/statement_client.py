"""Asks the supervisor for a file's statement map, so that no parse happens inside the profiled process."""
import struct

#: A board needs seconds for a long file; parsing it here instead would take as long again.
_ANSWER_SECONDS = 10.0


class StatementClient(object):
    """`statements_of(path)` returns (`statement_of` and `resumed` of a statements.Analysis, warning or None)."""

    def __init__(self, socket_path):
        self._socket_path = socket_path

    def statements_of(self, path):
        try:
            return self._ask(path) + (None,)
        except (OSError, ValueError, ImportError, struct.error) as error:
            reason = error
        from . import statements
        with open(path, "rb") as source:
            found = statements.analyse(source.read())
        return found.statement_of, found.resumed, (
            "%s was parsed inside the profiled process, because the helper beside it did not answer (%s). "
                       "Memory that its first lines take may be hidden by what the parse left free." % (path, reason))

    def _ask(self, path):
        if not self._socket_path:
            raise ValueError("no statements_socket in the specification")
        if "\n" in path:
            raise ValueError("the path holds a newline")
        import _socket  # the plain `socket` module would load several more into the user's process
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            connection.settimeout(_ANSWER_SECONDS)
            connection.connect(self._socket_path)
            connection.sendall(path.encode("utf-8", "surrogateescape") + b"\n")
            found = _numbers(connection, 1)
            resumed = _numbers(connection, 0)
        finally:
            connection.close()
        if any(not 0 <= first <= line for line, first in enumerate(found)) or len(resumed) % 3:
            raise ValueError("the answer is no statement map")
        return found, resumed


def _numbers(connection, least):
    """A row of int32 behind its length."""
    count, = struct.unpack("<I", _receive(connection, 4))
    if not least <= count <= 1 << 22:
        raise ValueError("%d numbers were answered" % count)
    # No array: that module brings `collections` along.
    return memoryview(_receive(connection, 4 * count)).cast("i")


def _receive(connection, size):
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 16))
        if not part:
            raise ValueError("the answer ended after %d of %d bytes" % (len(data), size))
        data += part
    return bytes(data)
