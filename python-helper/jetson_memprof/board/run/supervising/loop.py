"""Waiting for descriptors, and what is done when one of them has something."""
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
