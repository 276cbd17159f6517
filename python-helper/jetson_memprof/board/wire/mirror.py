"""What the host has of a run's folder, and sending what it lacks."""
import os

from ... import lean_json
from .. import names
from ..files import read_file
from ..massif.massif_mirror import MassifMirror
from ..run.shared import REPORT
from .torch_mirror import TorchMirror

_BLOCK = 1 << 18
_GROWING = ("lines.jsonl", "samples.jsonl", "moments.jsonl", "stdout.log", "stderr.log")


class Mirror(object):
    """What the host has of the folder, and sending what it lacks."""

    def __init__(self, folder, have, frames):
        self._folder = folder
        self._have = have
        self._frames = frames
        self._others = (MassifMirror(folder, self, frames), TorchMirror(folder, self, frames, have))
        self._record_seen = None
        # Then the host may have what the disk here never took.
        self._restarted = folder.is_of_another_boot()
        self.record = None

    def look(self):
        """Send what is new; run.json last, so that it never names what the host lacks."""
        record, text = self._read_record()
        for name in _GROWING:
            self.send_growth(name)
        is_last = (record or self.record or {}).get("state") == "finished"
        for other in self._others:
            other.look(is_last)
        if record is not None:
            self.show(text, record)

    def show(self, text, record):
        """Send a run.json and the sources it names."""
        listed = record.get("files")
        for entry in listed if isinstance(listed, list) else ():
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, str) and source.startswith("sources/"):
                self.send_once(source)
        if record.get("state") == "finished":
            self.send_once(REPORT)
        self.record = record
        self._frames.head(frame="replace", file="run.json", length=len(text))
        self._frames.write(text)

    def _read_record(self):
        """(run.json as a dict, its bytes) when it changed since the last look, else (None, None)."""
        try:
            found = os.stat(self._folder.file("run.json"))
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen == self._record_seen:
                return None, None
            text = read_file(self._folder.file("run.json"), 64 << 20)
            record = lean_json.loads(text.decode("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None, None
        if not isinstance(record, dict):
            return None, None
        self._record_seen = seen
        return record, text

    def send_growth(self, name, before=None):
        """Send what a file has gained; `before` is called with each piece before it is sent."""
        path = self._folder.file(name)
        try:
            size = os.stat(path).st_size
        except OSError:
            return
        have = self._have.get(name, 0)
        if size == have:
            return
        with open(path, "rb", buffering=0) as file:
            if size < have and self._restarted:
                return  # what was written last went with the power; the host has it still
            if size < have:
                # The host has another file's bytes: it gets this one whole.
                self._frames.head(frame="replace", file=name, length=0)
                have = 0
            if name.endswith(".jsonl"):
                size = _end_of_last_line(file.fileno(), have, size)
            while have < size:
                data = os.pread(file.fileno(), min(_BLOCK, size - have), have)
                if not data:
                    break
                if name.endswith(".jsonl"):
                    data = data[:data.rfind(b"\n") + 1] or data
                if before is not None:
                    before(data)
                self._frames.head(frame="append", file=name, offset=have, length=len(data))
                self._frames.write(data)
                have += len(data)
        self._have[name] = have

    def send_once(self, name):
        """Send a file that never changes, unless the host has it."""
        path = self._folder.file(names.native(name))
        real = os.path.realpath(path)
        if not real.startswith(os.path.realpath(self._folder.path) + "/"):
            return
        try:
            if os.stat(path).st_size == self._have.get(name):
                return
            data = read_file(path, 64 << 20)
        except OSError:
            return
        self._frames.head(frame="replace", file=name, length=len(data))
        self._frames.write(data)
        self._have[name] = len(data)


def _end_of_last_line(fd, start, size):
    """The end of the last complete line between two offsets; `start` where there is none.

    Half a record stays on the board: should its writer die, it is cut there.
    """
    end = size
    while end > start:
        at = max(start, end - 65536)
        found = os.pread(fd, end - at, at).rfind(b"\n")
        if found >= 0:
            return at + found + 1
        end = at
    return start
