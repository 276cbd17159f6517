"""A program of the board's maker that runs beside us and tells something, ended for certain.

It has its own session, so that the end of a run's processes does not touch it, and it is no process of the run.
What goes wrong with it costs what it would tell and nothing else.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import time

from ..run.script import as_from_shell, die_with
from . import proc

_PIECE = 1 << 16


class SideProgram(object):
    """`command` begins with the program's path."""

    def __init__(self, command):
        self._command = command
        self._pid = self._start_time = None
        self._started = 0.0  # on the clock of time.monotonic
        self._fd = -1

    @property
    def is_on(self):
        return self._fd >= 0

    def start(self):
        """Start it; never fails."""
        try:
            reading, writing = os.pipe()
        except OSError:
            return
        me = os.getpid()
        self._started = time.monotonic()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            return
        if self._pid == 0:
            _become(self._command, writing, me)
        os.close(writing)
        os.set_blocking(reading, False)
        self._fd = reading
        found = proc.status_of(self._pid)
        self._start_time = found[3] if found else None

    def read(self):
        """What it has printed since; b"" once it has closed its output, None where there is nothing new."""
        try:
            return os.read(self._fd, _PIECE)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def end(self):
        """End it and everything that it started; returns the seconds that it was on a processor or, where whoever waits for
        all children was told them or nobody can be, that it has been on."""
        os.close(self._fd)
        self._fd = -1
        found = proc.status_of(self._pid)
        # Somebody else may have this number by now: whoever waits for all children took the process.
        if found is not None and found[3] == self._start_time:
            for end in (os.killpg, os.kill):  # it has no group of its own yet where it was only just forked
                try:
                    end(self._pid, signal.SIGKILL)
                except OSError:
                    pass
        until = time.monotonic() + 1.0
        try:
            # Looked at once more after the last pause, however long that was.
            while True:
                ended, spent = self._taken()
                if ended or time.monotonic() >= until:
                    return time.monotonic() - self._started if spent is None else spent
                time.sleep(0.005)
        except ChildProcessError:
            return time.monotonic() - self._started

    def _taken(self):
        """(whether it has ended, the seconds that it was on a processor).

        None for the seconds where Python lacks `resource`, of which os.wait4 makes its answer.
        """
        try:
            pid, _, usage = os.wait4(self._pid, os.WNOHANG)
        except ImportError:  # it may have been taken all the same: then there is no such child any more
            return os.waitpid(self._pid, os.WNOHANG)[0] != 0, None
        return pid != 0, usage.ru_utime + usage.ru_stime


def _become(command, output, parent):
    """The child's side of the fork: turn into the program."""
    try:
        os.setsid()
        as_from_shell()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(nothing, 2)
        die_with(parent, signal.SIGKILL)
        os.execv(command[0], command)
    except Exception:
        pass  # its end is all that our parent needs to see
    finally:
        os._exit(127)
