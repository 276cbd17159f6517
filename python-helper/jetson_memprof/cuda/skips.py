"""Looks that were skipped, as another thread was taking one: what their lines have moved shows in a later look, or in
the one that went on meanwhile."""


class Skips(object):
    """Of one reading, which takes its figures at times of its own. All but `note` are for who holds the lock of looks."""
    __slots__ = ("_latest", "_before", "_included")

    def __init__(self):
        self._latest = self._before = self._included = None

    def note(self, at):
        """By any thread at any time: so it is one store, of the At of that look, which no other one has."""
        self._latest = at

    def begin(self):
        """Figures are about to be read. What is skipped from here on may be in them, or in the next ones only."""
        self._before = self._latest

    @property
    def any(self):
        """Whether lines of skipped looks may be in the figures just read."""
        return self._latest is not self._included

    def taken(self):
        """The figures read since `begin` were taken in: they have all that was skipped before it."""
        self._included = self._before
