"""Which Python line each landing pad stands for: massif.frames.<pid>.jsonl, appended as names are first used."""
import os
from _thread import RLock

try:
    from _json import encode_basestring_ascii as _text
except ImportError:
    from ..lean_json import dumps as _text
from .. import lean_json
from ..json_text import portable
from . import machine

SCHEMA = 1
#: What measures: its frames have one name, so that no line of the program is blamed for what they take.
_OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
UNNAMED = 0
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
_RECORD = '{"record":"frame","name":"%s","path":%s,"line":%d,"function":%s,"kind":"%s"}\n'


class Journal(object):
    """A file of JSON lines that is opened for each append: a program may close descriptors that it does not know.

    What cannot be written is lost, and `lost` is True from then on.
    """

    def __init__(self, path, header):
        self.path = path
        self.lost = False
        self._torn = False
        self.size = 0
        self._path = os.fsencode(path)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        os.close(fd)
        self.append([header])

    def append(self, records):
        self.append_bytes("".join([lean_json.dumps(record, separators=(",", ":")) + "\n" for record in records])
                          .encode("ascii"))

    def append_bytes(self, data):
        if self._torn:
            data = b"\n" + data
        try:
            fd = os.open(self._path, _APPEND)
            try:
                written = os.write(fd, data)
            finally:
                os.close(fd)
        except OSError as error:
            if error.errno is None:  # a signal's handler raised it, as TimeoutError: it is the program's
                raise
            written = 0
        self.size += written
        self._torn = 0 < written < len(data)
        self.lost = self.lost or written < len(data)


class FrameNames(object):
    """Hands out numbers of landing pads. `frames` is `lines` or `functions`; `warn(code, message)` once when all are used.

    Raises OSError where the file cannot be made.
    """

    def __init__(self, folder, frames, root, start_folder, warn):
        self._folder = folder
        self._frames = frames
        self._prefix = root.rstrip(os.sep) + os.sep
        self._start_folder = start_folder
        self._warn = warn
        self._own = None
        self._numbers = {}
        self._paths = {}  # file name -> as it is recorded, in JSON
        self._folders = {}  # -> without links
        self._mapped = set()
        self._held = []  # what a forked child names before it has a file of its own
        self._next = UNNAMED + 1
        self._open()
        self._pid = os.getpid()

    def _open(self):
        self._lock = RLock()  # the first write calls functions that are new themselves
        pid = os.getpid()
        self._journal = Journal(os.path.join(self._folder, "massif.frames.%d.jsonl" % pid),
                                {"schema": SCHEMA, "record": "header", "pid": pid, "frames": self._frames})
        self._header_bytes = self._journal.size

    def number(self, filename, line, function, kind):
        """The number of a name, the same for the same name; UNNAMED where all are used."""
        if filename.startswith(_OWN_FOLDER):
            return self.own()
        key = (filename, line, function, kind)
        known = self._numbers.get(key)
        if known is not None:
            return known
        with self._lock:
            return self._new_number(key)

    def own(self):
        """The number of the profiler's own name."""
        if self._own is None:
            with self._lock:
                self._own = self._new_number((_OWN_FOLDER, 1, "memory profiler", "profiler"))
        return self._own

    def _new_number(self, key):
        known = self._numbers.get(key)
        if known is not None:
            return known
        filename, line, function, kind = key
        if self._next >= machine.PAD_COUNT:
            if self._next == machine.PAD_COUNT:
                self._next += 1
                self._warn("massif-names-used-up", "The program ran more than %d functions and lines; those that came "
                           "after have no name in the native stacks." % (machine.PAD_COUNT - 1))
            return UNNAMED
        number = self._next
        self._next += 1
        record = (_RECORD % (machine.PAD_NAME % number, self._path(filename), line, _text(function), kind)).encode("ascii")
        if os.getpid() == self._pid:
            self._journal.append_bytes(record)
        else:
            self._held.append(record)
        self._numbers[key] = number  # last: where a signal's handler ends this, the name gets another number
        return number

    def _path(self, filename):
        known = self._paths.get(filename)
        if known is None:
            path = self._place(filename)
            if path.startswith(self._prefix):
                path = path[len(self._prefix):]
            known = self._paths[filename] = _text(portable(path))
        return known

    def is_in_project(self, filename):
        return self._place(filename).startswith(self._prefix)

    def _place(self, filename):
        """The path of a code object's file without links. A folder's is found out once: a program has few of them."""
        if filename.startswith("<"):
            return filename
        path = os.path.join(self._start_folder, filename)
        folder, name = os.path.split(path)
        if name in ("", ".", "..") or os.path.islink(path):
            return os.path.realpath(path)
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = os.path.realpath(folder)
        return os.path.join(known, name)

    def note_mappings(self):
        """Note the files mapped as code that were not there before."""
        with self._lock:
            self._note_mappings()

    def _note_mappings(self):
        records = []
        try:
            with open("/proc/self/maps", "rb") as maps:
                for line in maps:
                    fields = line.rstrip(b"\n").split(None, 5)
                    if len(fields) < 6 or fields[1][2:3] != b"x" or not fields[5].startswith(b"/"):
                        continue
                    start, end = fields[0].split(b"-")
                    key = (start, end, fields[5])
                    if key not in self._mapped:
                        self._mapped.add(key)
                        records.append({"record": "mapped", "start": "0x" + start.decode(), "end": "0x" + end.decode(),
                                        "path": portable(os.fsdecode(fields[5]))})
        except OSError:
            return
        if records:
            self._journal.append(records)

    def reopen_in_child(self):
        """After a fork: a file of this process's own that begins with what was known when it was forked."""
        inherited, begin = self._journal, self._header_bytes
        self._open()
        try:
            with open(inherited.path, "rb") as parent:
                parent.seek(begin)
                known = parent.read(inherited.size - begin)
        except OSError:
            known = b""
        if known:
            self._journal.append_bytes(known)
        self._journal.lost = inherited.lost or len(known) < inherited.size - begin
        self._pid = os.getpid()
        held, self._held = self._held, []
        if held:
            self._journal.append_bytes(b"".join(held))

    def finish(self):
        self.note_mappings()
        if self._journal.lost:
            self._warn("massif-names-lost", "Some names of Python lines could not be written to %s (is the disk full?), "
                       "so some frames of process %d have none." % (self._journal.path, os.getpid()))
