"""Ending the processes of a run: SIGINT, then SIGTERM, then SIGKILL."""
import _signal
import os

# (signal's name, seconds until the next one)
STEPS = (("SIGINT", 3.0), ("SIGTERM", 2.0), ("SIGKILL", 5.0))
# All takes longer there, and at SIGTERM valgrind still writes what it knows: tens of MB on a slow card.
UNDER_VALGRIND = (("SIGINT", 8.0), ("SIGTERM", 15.0), ("SIGKILL", 5.0))
# What whoever waits for the last step should allow.
LONGEST_S = sum(wait for _, wait in UNDER_VALGRIND)


class Stopping(object):
    """Ends every member of a ProcessTree step by step; `advance` is called again and again."""

    def __init__(self, tree, marker, steps):
        self._tree = tree
        self._marker = marker
        self._steps = steps
        self._step = -1
        self._next = None

    @property
    def begun(self):
        return self._next is not None

    @property
    def last_signal(self):
        """The name of the strongest signal sent."""
        return self._steps[max(0, min(self._step, len(self._steps) - 1))][0]

    def gave_up(self, now):
        """Whether even SIGKILL did not end everything in time."""
        return self._step >= len(self._steps) - 1 and now >= self._next

    def begin(self, now):
        if not self.begun:
            self._next = now

    def advance(self, now):
        """Send what is due. Members found late get the current signal at the last step."""
        if not self.begun:
            return
        last = len(self._steps) - 1
        if now >= self._next and self._step < last:
            self._step += 1
            name, wait = self._steps[self._step]
            self._next = now + wait
            self._tree.scan_environments(self._marker)
            self._signal(name)
        elif self._step == last:
            self._signal("SIGKILL")

    def _signal(self, name):
        number = getattr(_signal, name)
        # One by one, each checked by its start time: a group's number may be another's by now.
        for pid in self._tree.alive():
            try:
                os.kill(pid, number)
            except OSError:
                pass
