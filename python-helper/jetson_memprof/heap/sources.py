"""What the Python frames of a process's stacks are called: `py_00042` and its record, as engine massif writes them."""
import os
from struct import Struct, error as struct_error

from . import regular
from .. import lean_json
from ..engine.layout import C_HITS, CELL_WORDS
from ..engine.statements import analyse
from ..json_text import native, portable

_MOST_INDEX = 16 << 20
_MOST_SOURCE = 16 << 20
_WORD = Struct("<q")
_FIRST_LINE = "<module>"


def files_of(stem):
    """The paths of the files of a process by number; its counters are <stem>.cnt and <stem>.idx."""
    return [native(record["path"]) for record in file_records(stem)]


def hits_of(stem, records, file, statement):
    """How often a statement of that file began, by its first line; None where that cannot be read. `records` are its
    file_records."""
    try:
        offset = records[file]["offset"]
        with regular.opened(stem + ".cnt") as counters:
            counters.seek(offset + (statement * CELL_WORDS + C_HITS) * 8)
            return max(0, _WORD.unpack(counters.read(8))[0])
    except (OSError, OverflowError, LookupError, TypeError, ValueError, struct_error):
        return None


def file_records(stem):
    """Of the index of a process's counters, by the files' numbers."""
    found = []
    try:
        data = regular.read(stem + ".idx", _MOST_INDEX)
    except OSError:
        return found
    for line in data.split(b"\n")[:-1]:
        try:
            record = lean_json.loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and record.get("record") == "file" and isinstance(record.get("path"), str):
            found.append(record)
    return found


class Functions(object):
    """Which function a line is in. `sources` is the run's folder of files as they were run."""

    def __init__(self, project_root, sources):
        self._prefix = os.path.realpath(project_root).rstrip(os.sep) + os.sep
        self._sources = sources
        self._known = {}

    def relative(self, path):
        return path[len(self._prefix):] if path.startswith(self._prefix) else path

    def function(self, path, line):
        """Its name; the innermost one's."""
        functions = self._known.get(path)
        if functions is None:
            functions = self._known[path] = self._of(path)
        inside = [(first, name) for name, _, first, last in functions if first <= line <= last]
        return max(inside)[1] if inside else _FIRST_LINE

    def _of(self, path):
        for place in (os.path.join(self._sources, self.relative(path)), os.path.realpath(path)):
            try:
                return analyse(regular.read(place, _MOST_SOURCE)).functions
            except OSError:
                continue
        return []


class Frames(object):
    """Hands out the names of one process's Python frames, by the file's number and the line."""

    def __init__(self, pid, files, functions):
        self._files = files
        self._functions = functions
        self._names = {}
        self._records = [{"schema": 1, "record": "header", "pid": pid, "frames": "lines"}]

    def place(self, file, line):
        """(path as it is recorded, line, function); None where the file is not known."""
        if not 0 <= file < len(self._files):
            return None
        path = self._files[file]
        return portable(self._functions.relative(path)), line, self._functions.function(path, line)

    def name(self, file, line):
        if not 0 <= file < len(self._files):
            return "py_00000"  # the place of the counters ran full
        known = self._names.get((file, line))
        if known is None:
            known = self._names[file, line] = "py_%05d" % (len(self._names) + 1)
            path, _, function = self.place(file, line)
            self._records.append({"record": "frame", "name": known, "path": path, "line": line, "function": function,
                                  "kind": "line"})
        return known

    def text(self):
        """The lines of massif.frames.<pid>.jsonl, as bytes."""
        return "".join(lean_json.dumps(record, separators=(",", ":")) + "\n" for record in self._records).encode("ascii")
