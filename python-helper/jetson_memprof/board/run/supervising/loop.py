"""Waiting for descriptors, and what is done when one of them has something."""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import select

from ...errors import log_fault


class Loop(object):
    """`failed()` is called for a fault of ours, which must not take the run down with it."""

    def __init__(self, failed):
        self._failed = failed
        self._poller = select.poll()
        self._handlers = {}

    def __contains__(self, fd):
        return fd in self._handlers

    def descriptors(self):
        return set(self._handlers)

    def listen(self, fd, handler, events=select.POLLIN):
        self._handlers[fd] = handler
        self._poller.register(fd, events)

    def ignore(self, fd):
        if self._handlers.pop(fd, None) is not None:
            self._poller.unregister(fd)

    def pause(self, fd, paused):
        """Take nothing more from it for now, or again."""
        self._poller.modify(fd, 0 if paused else select.POLLIN)

    def wait(self, ms, only=None):
        """Wait at most that long, and answer who has something; of the descriptors in `only`, where it is given."""
        for fd, _ in self._poller.poll(ms):
            handler = self._handlers.get(fd)
            if handler is not None and (only is None or fd in only):
                self.guarded(handler)

    def guarded(self, work, *arguments):
        try:
            work(*arguments)
        except Exception:
            log_fault()
            self._failed()


class Signals(object):
    """Children that end, and who tells this process to end, wake the loop too. A terminal that goes is nothing to it."""

    def __init__(self, loop, handler):
        self.fd, writing = os.pipe()
        for fd in (self.fd, writing):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(writing)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        loop.listen(self.fd, handler)

    def take(self):
        """The numbers of those that came since; none where nothing did."""
        try:
            return os.read(self.fd, 512)
        except BlockingIOError:
            return b""
