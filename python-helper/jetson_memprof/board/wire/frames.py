"""Frames on their way to the host: a JSON line each, with bytes after it where it has a `length`."""
import time

from ... import lean_json
from ..files import write_all

_SAY_ALIVE_S = 1.0


class HostGone(Exception):
    """The host closed its end."""


class Frames(object):
    """Writes frames; blocks when the host does not read, which holds up nobody else."""

    def __init__(self, fd):
        self._fd = fd
        self._last = time.monotonic()
        self.began = None  # when the run began, on the clock of time.monotonic, once that is known

    def head(self, **values):
        self.write(lean_json.dumps(values).encode("ascii") + b"\n")

    def write(self, data):
        try:
            write_all(self._fd, data)
        except OSError:
            raise HostGone()
        self._last = time.monotonic()

    def alive(self):
        """Say that the run lives where nothing was said for a while."""
        now = time.monotonic()
        if now - self._last >= _SAY_ALIVE_S:
            self.head(frame="alive", t=0 if self.began is None else max(0, int((now - self.began) * 1000)))
