"""What the inference servers among the board's processes say of their memory, asked once a minute at most."""
import os
import sys

from ... import lean_json
from ..system.side_program import SideProgram

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ask.py")
#: Names of processes, or with a * their beginnings.
NAMES = ("llama-server", "ollama*", "tritonserver", "trtllm-serve", "vllm*", "VLLM::*")
_EXACT = frozenset(name for name in NAMES if not name.endswith("*"))
_BEGINNINGS = tuple(name[:-1] for name in NAMES if name.endswith("*"))
_MOST = 16
_LONGEST = 1 << 15
_REST_S = 60.0
#: And so many times as long as it was on a processor.
_REST = 500
#: One that has not answered by then hangs.
_PATIENCE_S = 30.0


def is_server(name):
    return name in _EXACT or name.startswith(_BEGINNINGS)


class Servers(object):
    """Nothing is asked where another system stands for the board: its processes are not there."""

    def __init__(self, system):
        self._is_on = system.simulated is None and bool(sys.executable)
        self._program = None
        self._next = self._asked = 0.0  # on the clock of time.monotonic
        self._data = b""
        #: As ask.py prints it, None where nothing is said (any more).
        self.said = None

    def look(self, now, processes):
        """Ask where that is due and there are servers, and take what was answered meanwhile; to be called now and then.

        `processes` gives the board's, as [pid, name, …].
        """
        if not self._is_on:
            return
        if self._program is None:
            if now < self._next:
                return
            known = processes()
            if not known:
                return  # not looked at yet
            pids = [entry[0] for entry in known if is_server(entry[1])]
            self._next = now + _REST_S
            if pids:
                self._data, self._asked = b"", now
                program = SideProgram([sys.executable, "-I", "-B", _PROGRAM] + [str(pid) for pid in pids[:_MOST]])
                program.start()
                self._program = program if program.is_on else None
            else:
                self.said = None
            return
        data = self._program.read()
        self._data += data or b""
        if data != b"" and len(self._data) <= _LONGEST and now - self._asked <= _PATIENCE_S:
            return
        spent = self._program.end()
        self._program = None
        self._next = max(self._next, now + _REST * spent)
        self.said = _read(self._data) if data == b"" else None

    def close(self):
        """End it where it has not answered yet."""
        if self._program is not None:
            self._program.end()
            self._program = None


def _read(data):
    try:
        said = lean_json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, list) and said else None
