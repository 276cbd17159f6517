"""Runs a command until it and all that it leaves behind have ended, and says what that took."""
import collections
import ctypes
import os
import signal
import subprocess
import tempfile
import threading
import time

_PR_SET_CHILD_SUBREAPER = 36

#: `cpu`: seconds of user and system time of all processes, `clock` seconds until the last one ended, `status` of the
#: command itself, `output` what all of them wrote.
Ended = collections.namedtuple("Ended", "status cpu clock output")


class TookTooLong(Exception):
    pass


class Process(object):
    """A command and its descendants, also those that left their session: orphans are handed to this process."""

    def __init__(self, command, folder, environment, limit_s, given=b""):
        """After `limit_s` seconds all of them are killed."""
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._output = tempfile.TemporaryFile()
        with tempfile.TemporaryFile() as input_file:
            input_file.write(given)
            input_file.seek(0)
            self._begun = time.monotonic()
            self._command = subprocess.Popen(command, cwd=folder, env=environment, stdin=input_file,
                                             stdout=self._output, stderr=subprocess.STDOUT)
        self._cpu = 0.0
        self._status = None
        self._limit_s = limit_s
        self._late = threading.Event()
        self._timer = threading.Timer(limit_s, self._kill_all)
        self._timer.daemon = True
        self._timer.start()

    def is_over(self):
        """Whether all have ended; what has ended is counted."""
        return self._reap(os.WNOHANG)

    def wait(self):
        """Ended, when all is over. Raises TookTooLong where they had to be killed."""
        while not self._reap(0):
            pass
        return self.ended()

    def ended(self):
        """Once all is over. Raises TookTooLong where they had to be killed."""
        clock = time.monotonic() - self._begun
        self._timer.cancel()
        if self._late.is_set():
            raise TookTooLong("it had not ended after %d s" % self._limit_s)
        self._output.seek(0)
        with self._output as output:
            return Ended(self._status, self._cpu, clock, output.read().decode("utf-8", "replace"))

    def _reap(self, options):
        """Count one that has ended; whether there is none left."""
        try:
            pid, status, usage = os.wait4(-1, options)
        except ChildProcessError:
            return True
        if pid:
            self._cpu += usage.ru_utime + usage.ru_stime
        if pid == self._command.pid:
            self._status = self._command.returncode = status
        return False

    def _kill_all(self):
        self._late.set()
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def descendants(root):
    children = collections.defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as file:
                    children[int(file.read().rpartition(")")[2].split()[1])].append(int(name))
            except OSError:  # it has ended
                pass
    found, left = [], [root]
    while left:
        fresh = children[left.pop()]
        found += fresh
        left += fresh
    return found
