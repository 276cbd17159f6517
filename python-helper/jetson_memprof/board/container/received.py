"""What comes out of a container as frames of `attach`, written into the run's folder on the host.

Whatever runs in there may send anything: names, sizes and order are checked as at home (src/remote/run/mirror).
"""
import errno
import os
import re

from ... import lean_json
from .. import names
from ..files import AppendFile, make_folders, write_all

_PID = r"[1-9]\d{0,9}"
_GROWING = re.compile(r"(?:(?:lines|samples|allocator)\.jsonl|std(?:out|err)\.log|(?:massif\.(?:frames|lines)|model)\.%s\.jsonl)\Z"
                      % _PID, re.ASCII)
_WHOLE = re.compile(r"(?:memory_profiler\.txt|(?:massif|gpu)\.out\.{0}|(?:heap|gpu)\.{0}\.json"
                    r"|massif-lines/{0}/\d{{1,9}}\.(?:before|after)|allocator\.{0}\.\d{{1,4}}\.pickle)\Z".format(_PID), re.ASCII)
_RECORD, _MOMENTS = "run.json", "moments.jsonl"
_LONGEST_HEAD = 64 << 10
_LARGEST, _LARGEST_PACKED = 64 << 20, 1 << 30
_MOST_BYTES, _MOST_FILES = 8 << 30, 20000
_PACKED_AS_GZIP = 31
_PIECE = 1 << 18
# Of run.json.
_KINDS = {"started": str, "project_root": str, "engine": dict, "output": dict, "files": list, "metrics": list,
          "warnings": list, "exit": dict}


class Misbehaved(Exception):
    """What came is no frame of a run."""


def place_of(name):
    """'grows', 'whole', or 'told' (handed on and not written) of a file that a run may have; None of others."""
    if _GROWING.match(name):
        return "grows"
    if name in (_RECORD, _MOMENTS):
        return "told"
    if _WHOLE.match(name):
        return "whole"
    if name.startswith("sources/") and len(name) <= 4096 and names.is_clean(name):
        parts = name.split("/")
        if len(parts) <= 64 and not {"", ".", ".."}.intersection(parts):
            return "whole"
    return None


class Received(object):
    """`on_record(bytes)` is given each run.json, `on_moments(bytes)` what is added to moments.jsonl.

    OSError of `feed` is the host's disk: the stream is to be begun again later, from `have`.
    """

    def __init__(self, folder, on_record, on_moments):
        self._folder = folder
        self._on_record = on_record
        self._on_moments = on_moments
        self._sink = None
        self._growing = {}        # name -> AppendFile
        self._sizes = {}          # name -> bytes that were sent of it
        self._total = 0
        self._moments = 0
        self.ended = None         # how the run ended, once that came
        self.begin()

    def begin(self):
        """A new stream begins; what came of a frame of the one before is forgotten."""
        self._forget_sink()
        self._waiting = b""
        self._frame = None
        self._left = 0

    def have(self):
        """As `attach` is told it."""
        sizes = {name: file.size for name, file in self._growing.items()}
        return dict({name: size for name, size in self._sizes.items() if name.startswith("sources/")},
                    **dict(sizes, **{_MOMENTS: self._moments}))

    def feed(self, data):
        """Take bytes of the stream. Misbehaved where they are no frames."""
        self._waiting += data
        while self.ended is None and self._step():
            pass

    def _forget_sink(self):
        if self._sink is not None:
            self._sink.drop()
            self._sink = None

    def close(self):
        self._forget_sink()
        for file in self._growing.values():
            file.append(b"")
            file.close()

    def _step(self):
        """Take one piece; whether there may be another."""
        if self._frame is None:
            return self._take_head()
        if not self._waiting and self._left:
            return False
        piece, self._waiting = self._waiting[:self._left], self._waiting[self._left:]
        self._left -= len(piece)
        self._sink.take(piece)
        if self._left == 0:
            frame, self._frame = self._frame, None
            self._apply(frame)
            self._sink = None
        return True

    def _take_head(self):
        line, found, rest = self._waiting.partition(b"\n")
        if not found or len(line) > _LONGEST_HEAD:
            if len(line) > _LONGEST_HEAD:
                raise Misbehaved("a line without end")
            return False
        self._waiting = rest
        try:
            frame = lean_json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            raise Misbehaved("no frame")
        kind = frame.get("frame")
        if kind == "end" and frame.get("state") in ("finished", "lost"):
            self.ended = frame["state"]
        elif kind in ("append", "replace"):
            self._expect(frame)
        elif kind != "alive":
            raise Misbehaved(_words_of(frame))
        return True

    def _expect(self, frame):
        name, length = frame.get("file"), frame.get("length")
        place = place_of(name) if isinstance(name, str) else None
        packed = frame.get("encoding") is not None
        if place is None or not _is_size(length, _LARGEST_PACKED if packed else _LARGEST):
            raise Misbehaved("a file that no run has")
        if packed and not (frame["encoding"] == "gzip" and place == "whole" and _is_size(frame.get("size"), _LARGEST_PACKED)):
            raise Misbehaved("a file packed in no known way")
        self._total += frame["size"] if packed else length
        if self._total > _MOST_BYTES or len(self._sizes) > _MOST_FILES:
            raise Misbehaved("more than a run may have")
        if frame["frame"] == "append" and name != _MOMENTS and place != "grows":
            raise Misbehaved("a file that does not grow")
        self._frame, self._left = frame, length
        self._sink = _File(self._folder.file(names.native(name)), frame.get("size")) if place == "whole" else _Held()

    def _apply(self, frame):
        name = frame["file"]
        if frame["frame"] == "append":
            self._append(name, frame.get("offset"), self._sink.data())
        elif name == _RECORD:
            self._on_record(self._sink.data())
        elif name == _MOMENTS or _GROWING.match(name):
            self._begin_again(name, self._sink.data())
        else:
            self._sizes[name] = self._sink.put_in_place()

    def _append(self, name, offset, data):
        if name == _MOMENTS:
            self._moments += len(data)
            self._on_moments(data)
            return
        file = self._opened(name)
        if offset != file.size:
            raise Misbehaved("a gap in %s" % name)
        if not file.append(data) or file.unwritten:
            error = file.error or OSError(errno.EIO, "could not be written")
            # What it has of this counts: the rest is sent again.
            self._growing.pop(name).close()
            self._opened(name)
            raise error

    def _opened(self, name):
        if name not in self._growing:
            self._growing[name] = AppendFile(self._folder.file(name))
            self._sizes[name] = 0
        return self._growing[name]

    def _begin_again(self, name, data):
        """It is sent from its beginning."""
        if data:
            raise Misbehaved("a file that grows came whole")
        if name == _MOMENTS:
            self._moments = 0
        elif name in self._growing:
            self._growing.pop(name).close()
            os.truncate(self._folder.file(name), 0)


def record_of(data, run):
    """A run.json that came, as a dict of which what is acted upon here is as it should be; Misbehaved otherwise."""
    try:
        values = lean_json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or values.get("id") != run \
            or any(key in values and not isinstance(values[key], kind) for key, kind in _KINDS.items()):
        raise Misbehaved("a run.json of no run")
    files, output, engine = values.get("files", []), values.get("output", {}), values.get("engine", {})
    sound = all(isinstance(one, dict) and isinstance(one.get("path"), str) for one in files) \
        and all(isinstance(one, dict) and _is_size(one.get("bytes"), 1 << 53) for one in output.values()) \
        and isinstance(engine.get("heap") or {}, dict) and all(isinstance(one, dict) for one in values.get("warnings", [])) \
        and all(isinstance(one, str) for one in values.get("metrics", []))
    if not sound:
        raise Misbehaved("a run.json of no run")
    return values


def _is_size(value, most):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


class _Held(object):
    """What is small, or looked at before it is written."""

    def __init__(self):
        self._parts = []

    def take(self, piece):
        self._parts.append(piece)

    def data(self):
        return b"".join(self._parts)

    def drop(self):
        self._parts = []


class _File(object):
    """A whole file on its way to its place; `size` is what it unpacks to, None where it is not packed."""

    def __init__(self, path, size):
        self._path = path
        make_folders(os.path.dirname(path))
        self._beside = os.path.join(os.path.dirname(path), ".incoming-%d" % os.getpid())
        self._fd = os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._size = size
        self._length = 0
        self._unpacker = None
        if size is not None:
            import zlib  # not for runs without such files
            self._error = zlib.error
            self._unpacker = zlib.decompressobj(_PACKED_AS_GZIP)

    def take(self, piece):
        if self._unpacker is None:
            return self._write(piece)
        while piece:
            try:
                plain = self._unpacker.decompress(piece, _PIECE)
            except self._error:
                raise Misbehaved("a file that is not packed as it says")
            piece = self._unpacker.unconsumed_tail
            if self._length + len(plain) > self._size:
                raise Misbehaved("a packed file of another size")
            self._write(plain)

    def _write(self, data):
        write_all(self._fd, data)
        self._length += len(data)

    def put_in_place(self):
        """Its size; Misbehaved where it is not whole."""
        if self._unpacker is not None and (self._length != self._size or not self._unpacker.eof):
            raise Misbehaved("a packed file of another size")
        os.rename(self._beside, self._path)
        os.close(self._fd)
        return self._length

    def drop(self):
        os.close(self._fd)
        try:
            os.unlink(self._beside)
        except OSError:
            pass


def _words_of(frame):
    """Of the error that a helper ends with, or of anything else that is no frame."""
    error = frame.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    text = message if isinstance(message, str) else "no frame"
    return "".join(one if one.isprintable() else " " for one in text)[:1000]
