"""NVIDIA's tegrastats beside us: started where it is there, its newest line kept."""
import os

from .side_program import SideProgram
from .system import is_program

_LONGEST_LINE = 4096
_RESTARTS = 3
_PAUSE_S = 5.0


class Tegrastats(object):
    def __init__(self, system, interval_ms):
        program = system.program("tegrastats")
        if program is None and system.simulated is None:
            program = os.path.expanduser("~/tegrastats")  # where JetPack 3 has it
        self._program = None
        if program is not None and is_program(program):
            # A line at a time, where it would write its output in blocks.
            line_by_line = ["/usr/bin/stdbuf", "-oL"] if os.access("/usr/bin/stdbuf", os.X_OK) else []
            self._program = SideProgram(line_by_line + [program, "--interval", str(interval_ms)])
        self._restarts = 0
        self._start_again = None  # on the clock of time.monotonic
        self._rest = b""
        self._passing_over = False
        self._line = None

    def start(self):
        """Start it, where there is one; never fails."""
        if self._program is not None:
            self._rest, self._passing_over = b"", False
            self._program.start()

    def drain(self, now):
        """Take what it has printed; to be called every now and then, or it waits with a full pipe."""
        if self._program is None:
            return
        if not self._program.is_on:
            if self._start_again is not None and now >= self._start_again:
                self._start_again = None
                self.start()
            return
        data = self._program.read()
        if data is None:
            return
        if data:
            self._take(data)
            return
        self._program.end()
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
        if self._program is not None and self._program.is_on:
            self._program.end()

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


def _ram_figures(line):
    """How many `RAM 1234/3964` are in it: one in a whole line, two where lines ran into each other. IRAM is another."""
    parts = line.split(b"RAM ")
    return sum(not before.endswith(b"I") and _is_share(after) for before, after in zip(parts, parts[1:]))


def _is_share(text):
    used, _, total = text.partition(b"/")
    return used.isdigit() and total[:1].isdigit()
