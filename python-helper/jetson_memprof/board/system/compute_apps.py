"""Which processes hold how much GPU memory, where the driver nvidia.ko tells everybody: nvidia-smi, asked now and then.

For boards on which NvMap counts nothing, or which have none (Thor, DGX Spark). On others nvidia-smi is missing or has
no such list. First it is asked once how much memory the GPUs have of their own: where they use the board's RAM it says
that it does not know.
"""
from .side_program import SideProgram

_FORMAT = "--format=csv,noheader,nounits"
_SIZES_QUERY = ["--query-gpu=memory.total", _FORMAT]
_QUERY = ["--query-compute-apps=pid,used_gpu_memory", _FORMAT]
#: What may stand between the brackets of a size that is not known, as in [Not Supported].
_WORDS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ /"
_LONGEST = 1 << 15
#: It is asked again after so many times as long as it was on a processor, and this long at least.
_REST = 100
_REST_S = 2.0
#: So often it may print something else before it is not asked any more.
_FAILURES = 3
#: One that has not answered by then hangs, as where the driver does.
_PATIENCE_S = 20.0


def _lines(data):
    """Without their ends; None where the last one was cut off. (Not by `re`, which takes a MiB of each run's supervisor.)"""
    lines = data.split(b"\n")
    return [line[:-1] if line.endswith(b"\r") else line for line in lines[:-1]] if lines[-1] == b"" else None


def _is_size(text):
    """MiB, or why there are none."""
    if text.isdigit():
        return len(text) <= 9
    return 3 <= len(text) <= 42 and text[:1] == b"[" and text[-1:] == b"]" and not text[1:-1].translate(None, _WORDS)


def _are_sizes(data):
    lines = _lines(data)
    return bool(lines) and all(map(_is_size, lines))


def _is_process(line):
    """A pid and its size; some boards list the process without one."""
    pid, comma, size = line.partition(b",")
    return comma != b"" and pid.isdigit() and len(pid) <= 10 and _is_size(size.lstrip(b" "))


def _is_list(data):
    lines = _lines(data)
    return lines is not None and all(map(_is_process, lines))


class ComputeApps(object):
    def __init__(self, system):
        self._path = system.program("nvidia-smi")
        self._program = None if self._path is None else SideProgram([self._path] + _SIZES_QUERY)
        self._next = self._asked = 0.0  # on the clock of time.monotonic
        self._data = b""
        self._failures = 0
        #: Its list as it printed it, None where there is none (any more), or nobody on it.
        self.text = None
        #: What it said of the GPUs' own memory, "" where it said something else; None before it has answered.
        self.sizes = None

    def look(self, now):
        """Ask it where that is due, and take what it has answered meanwhile; to be called every now and then."""
        if self._program is None:
            return
        if not self._program.is_on:
            if now >= self._next:
                self._data, self._asked, self._next = b"", now, now + _REST_S
                self._program.start()
            return
        data = self._program.read()
        self._data += data or b""
        if data != b"" and len(self._data) <= _LONGEST and now - self._asked <= _PATIENCE_S:
            return
        spent = self._program.end()
        if self.sizes is None:
            is_told = data == b"" and _are_sizes(self._data)
            self.sizes = self._data.decode("ascii") if is_told else ""
            self._program, self._next = SideProgram([self._path] + _QUERY), now
            return
        self._next = now + max(_REST_S, _REST * spent)
        if data == b"" and _is_list(self._data):
            self.text, self._failures = self._data.decode("ascii") or None, 0
            return
        self.text = None
        self._failures += 1
        if self._failures == _FAILURES:
            self._program = None

    def close(self):
        """End it where it has not answered yet."""
        if self._program is not None and self._program.is_on:
            self._program.end()
