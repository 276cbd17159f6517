"""Those who follow the run: what they are told, and the script's input that comes from them."""
import os
import select

from ..control import ControlServer, ScriptInput


class Attached(object):
    """`news()` is the run.json (bytes) that the disk did not take, None where it did."""

    def __init__(self, socket_path, loop, news):
        self._server = ControlServer(socket_path)
        self._loop = loop
        self._news = news
        self._told = None
        self._script = None
        self._input = None

    def begin(self, script, make_input=ScriptInput):
        self._script = script
        self._input = self._server.input = make_input(script.stdin)
        self._loop.listen(self._server.listener.fileno(), self._on_connection)

    def move_to(self, script):
        """Another one takes the input from now on, which was made by a `make_input` that can be moved; none while its stdin is None."""
        if self._script.stdin is not None:
            self._loop.ignore(self._script.stdin)
        self._script = script
        self._input.move_to(script.stdin)

    def tell_news(self):
        news = self._news()
        if news is not None and news != self._told:
            self._told = news
            self._tell(news)

    def script_ended(self):
        self._input.drop()

    def watch_input(self):
        """Write input when the script takes it, and take no more while much is waiting."""
        fd = self._script.stdin
        if fd is not None and self._input.is_over:
            self._loop.ignore(fd)
            os.close(fd)
            self._script.stdin = fd = None
        if fd is not None and self._input.wants_to_write != (fd in self._loop):
            if self._input.wants_to_write:
                self._loop.listen(fd, self._input.write, select.POLLOUT)
            else:
                self._loop.ignore(fd)
        for connection in self._server.connections:
            self._loop.pause(connection, self._input.is_full)

    def _on_connection(self):
        connection = self._server.accept()
        if connection is None:
            return
        fd = connection.fileno()
        self._loop.listen(fd, lambda: self._on_control(fd))
        news = self._news()
        if news is not None:
            self._tell(news)

    def _on_control(self, fd):
        if not self._server.read(fd):
            self._drop(fd)

    def _tell(self, text):
        for fd in self._server.tell(text):
            self._drop(fd)

    def _drop(self, fd):
        self._loop.ignore(fd)
        self._server.drop(fd)
