"""The script's input on its way into a container: as lines of control for the `attach` that runs in there."""
import binascii
import os

from ..run.control import ScriptInput
from ..run.lines import encode


class Relay(ScriptInput):
    """Keeps what is not written yet while there is no `attach`, and goes on with the next one."""

    def __init__(self, fd):
        ScriptInput.__init__(self, fd)
        self._torn = False   # a line was begun and not finished
        self._ended = False

    def put(self, data):
        if not self._ended:
            self._add(encode({"input": binascii.b2a_base64(data, newline=False).decode("ascii")}))

    def end(self):
        if not self._ended:
            self._ended = True
            self._add(encode({"close_input": True}))

    def _add(self, line):
        if not self._closing:
            self._waiting += line
            self.write()

    def write(self):
        try:
            while self._waiting and self.fd is not None:
                done = os.write(self.fd, self._waiting)
                self._torn = self._waiting[done - 1:done] != b"\n"
                self._waiting = self._waiting[done:]
        except BlockingIOError:
            return
        except OSError:
            self.fd = None  # its reader is gone; the next one is told the rest

    def move_to(self, fd):
        """Another `attach` reads from now on, or none (None): what the last one got half of is gone with it."""
        if self._torn:
            self._waiting = self._waiting.partition(b"\n")[2]
            self._torn = False
        self.fd = fd
        if fd is not None:
            os.set_blocking(fd, False)
