"""A script that is started with the sampling allocation engine in its process, and what its logs come to."""
import sys

from ...heap import start
from ...heap.tidy import tidy
from ..run.script import Directly
from . import logs

_TIDY_EVERY_S = 10.0


class Sampled(Directly):
    """One run. `shared` is the private folder, where each process of it leaves a log."""

    def __init__(self, settings, folder, shared, project_root, record):
        self._settings = settings
        self._folder = folder
        self._shared = shared
        self._project_root = project_root
        self._record = record
        self._samples = False
        self._tidy_at = 0.0

    def environment(self, values):
        """`values` (bytes to bytes) with what loads the library; unchanged where it cannot work here."""
        try:
            ready = start.environment(self._shared, self._settings.mean, values, sys.executable)
        except (OSError, MemoryError) as error:
            why = getattr(error, "strerror", None) or "out of memory"
            ready = start.Refused("it could not be tried out on the board (%s)" % why)
        if isinstance(ready, start.Refused):
            logs.note(self._record, state="refused", reason=ready.reason)
            self._record.warn("heap-refused", "The run has no native stacks, the lines are measured all the same: %s." %
                              ready.reason)
            return values
        self._samples = True
        logs.note(self._record, state="sampled")
        note = self._settings.note()
        if note is not None:
            self._record.warn("heap-lines-many", note)
        return ready.values

    def spec(self):
        return self._settings.spec()

    def look(self, now):
        """Take away the logs of ended processes that have nothing to show: a script may start a thousand programs."""
        if self._samples and now >= self._tidy_at:
            self._tidy_at = now + _TIDY_EVERY_S
            tidy(self._shared)

    def finish(self, main_pid, ended, last_line_ms, record):
        if self._samples:
            # Whoever cancels it waits for it.
            seconds = logs.BRIEFLY_S if ended["kind"] == "cancelled" else logs.PATIENTLY_S
            logs.bring_in(self._shared, self._folder, self._project_root, record, seconds)
