"""The last records of a run, on a disk that may be full."""
import os
import time

from ...errors import is_full
from .. import shared

_RETRY_FULL_DISK_S = 600


class LastRecords(object):
    """`save()` writes run.json; it is True when what is on the disk is current."""

    def __init__(self, folder, shared_folder, record, table, logs, reserve, loop, save):
        self._folder = folder
        self._shared = shared_folder
        self._record = record
        self._table = table
        self._logs = logs
        self._reserve = reserve
        self._loop = loop
        self._save = save

    def write(self, t, final):
        """Write them, and only when they are all there that the run has finished; False where that cannot be done."""
        until = time.monotonic() + _RETRY_FULL_DISK_S
        while not self._all_written(t):
            self._save()
            if not self._make_room(until, self._table.error):
                self._leave_last_word(final)
                return False
        for part in [self._table] + list(self._logs.values()):
            part.close()
        self._set_final(final)
        while not self._save():
            if not self._make_room(until, self._record.error):
                self._leave_last_word(final)
                return False
        self._reserve.give_up()
        return True

    def _set_final(self, final):
        self._record.update(output={name: log.figures() for name, log in self._logs.items()}, **final)

    def _leave_last_word(self, final):
        """How the run ended is kept beside the counters, for whoever can write it down later."""
        self._set_final(final)
        shared.leave_last_word(self._shared, self._record.text())

    def _all_written(self, t):
        return all([self._table.end(t)] + [log.end() for log in self._logs.values()])

    def _make_room(self, until, error):
        """The disk is full: give up the reserve, then wait a little for others to make room.

        False when that took too long, or where waiting makes no room, as on a disk that became read-only: the counters
        stay where they are, and who asks next rescues them. False too when somebody removed the run's folder: then
        there is nothing left to record into.
        """
        if not os.path.isdir(self._folder.path):
            shared.remove(self._shared, self._folder.path)
            return False
        if error is not None and not is_full(error):
            return False
        if not self._reserve.give_up():
            self._loop.wait(1000)
        return time.monotonic() < until
