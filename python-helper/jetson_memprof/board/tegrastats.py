"""NVIDIA's tegrastats beside us: started where it is there, its newest line kept, ended for certain.

It has its own session, so that the end of a run's processes does not touch it, and it is no process of the run.
What goes wrong with it costs its lines and nothing else.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import time

from . import proc
from .script import as_from_shell
from .system import is_program

_LONGEST_LINE = 4096
_PIECE = 1 << 16
_RESTARTS = 3
_PAUSE_S = 5.0
_PR_SET_PDEATHSIG = 1


class Tegrastats(object):
    def __init__(self, system, interval_ms):
        program = system.program("tegrastats")
        if program is None and system.simulated is None:
            program = os.path.expanduser("~/tegrastats")  # where JetPack 3 has it
        self._command = None
        if program is not None and is_program(program):
            # A line at a time, where it would write its output in blocks.
            line_by_line = ["/usr/bin/stdbuf", "-oL"] if os.access("/usr/bin/stdbuf", os.X_OK) else []
            self._command = line_by_line + [program, "--interval", str(interval_ms)]
        self._pid = self._start_time = None
        self._fd = -1
        self._restarts = 0
        self._start_again = None  # on the clock of time.monotonic
        self._rest = b""
        self._passing_over = False
        self._line = None

    def start(self):
        """Start it, where there is one; never fails."""
        if self._command is None:
            return
        try:
            reading, writing = os.pipe()
        except OSError:
            return
        me = os.getpid()
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
        self._rest, self._passing_over = b"", False
        found = proc.status_of(self._pid)
        self._start_time = found[3] if found else None

    def drain(self, now):
        """Take what it has printed; to be called every now and then, or it waits with a full pipe."""
        if self._fd < 0:
            if self._start_again is not None and now >= self._start_again:
                self._start_again = None
                self.start()
            return
        try:
            data = os.read(self._fd, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
            return
        self._end()
        self._restarts += 1
        if self._restarts <= _RESTARTS:
            self._start_again = now + _PAUSE_S

    def newest(self):
        """The newest whole line since the last call as text, or None."""
        line, self._line = self._line, None
        return None if line is None else line.decode("utf-8", "replace")

    def close(self):
        """End it and everything that it started."""
        self._start_again = None
        if self._fd >= 0:
            self._end()

    def _take(self, data):
        *lines, self._rest = (self._rest + data).split(b"\n")
        if lines and self._passing_over:
            del lines[0]
            self._passing_over = False
        if len(self._rest) > _LONGEST_LINE:
            self._rest, self._passing_over = b"", True
        for line in reversed(lines):
            line = line.strip()
            if len(line) <= _LONGEST_LINE and _ram_figures(line) == 1:
                self._line = line
                return

    def _end(self):
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
            while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
                time.sleep(0.005)
        except ChildProcessError:
            pass


def _ram_figures(line):
    """How many `RAM 1234/3964` are in it: one in a whole line, two where lines ran into each other. IRAM is another."""
    parts = line.split(b"RAM ")
    return sum(not before.endswith(b"I") and _is_share(after) for before, after in zip(parts, parts[1:]))


def _is_share(text):
    used, _, total = text.partition(b"/")
    return used.isdigit() and total[:1].isdigit()


def _become(command, output, parent):
    """The child's side of the fork: turn into the program."""
    try:
        os.setsid()
        as_from_shell()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(nothing, 2)
        _die_with(parent)
        os.execv(command[0], command)
    except Exception:
        pass  # its end is all that our parent needs to see
    finally:
        os._exit(127)


def _die_with(parent):
    """Have the kernel end this process when its parent is killed; else a write to nobody ends it."""
    try:
        import ctypes  # here, where its memory goes at once
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError, MemoryError):  # the last where it may make no machine code
        return
    if os.getppid() != parent:
        os._exit(127)
