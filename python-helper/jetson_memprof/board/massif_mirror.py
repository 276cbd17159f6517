"""Sending massif's files: those that grow, those that are replaced as the run goes on, those written once."""
import json
import os
import re
import time
import zlib

_GROWING = re.compile(r"massif\.(frames|lines)\.([1-9][0-9]{0,9})\.jsonl\Z")
_REPLACED = re.compile(r"massif\.out\.[1-9][0-9]{0,9}\Z")
_MOST_PROCESSES = 200
_MOST_TREES = 4000
_LARGEST = 1 << 30
_BLOCK = 1 << 18
_LOOK_EVERY_S = 0.5
# Packing a profile while the script runs takes at most this share of one core; the last one is always sent.
_SHARE = 0.05
_PACKED_AS_GZIP = 31
_QUICKLY = 1


class MassifMirror(object):
    """`mirror` sends what is sent as other files are; both sides know the names (docs/board-protocol.md)."""

    def __init__(self, folder, mirror, frames):
        self._folder = folder
        self._mirror = mirror
        self._frames = frames
        self._listed = None
        self._growing = []   # (name, pid, whether it names trees)
        self._replaced = []
        self._seen = {}      # name -> what was last sent of it: (inode, time, size)
        self._trees = 0
        self._look_at = 0.0
        self._pack_at = 0.0

    def look(self, is_last):
        """Send what is new; with `is_last` all of it, and at once."""
        now = time.monotonic()
        if now < self._look_at and not is_last:
            return
        self._look_at = now + _LOOK_EVERY_S
        self._list()
        for name, pid, names_trees in self._growing:
            # A record goes after what it names, so the host never has to ask for it.
            self._mirror.send_growth(name, (lambda data: self._send_trees(pid, data)) if names_trees else None)
        for name in self._replaced:
            if is_last or time.monotonic() >= self._pack_at:
                self._send_packed(name)

    def _list(self):
        try:
            changed = os.stat(self._folder.path).st_mtime_ns
            if changed == self._listed:
                return
            present = sorted(os.listdir(self._folder.path))
        except OSError:
            return
        self._listed = changed
        growing = [(name, _GROWING.match(name)) for name in present]
        self._growing = [(name, match.group(2), match.group(1) == "lines")
                         for name, match in growing if match is not None][:2 * _MOST_PROCESSES]
        self._replaced = [name for name in present if _REPLACED.match(name)][:_MOST_PROCESSES]

    def _send_trees(self, pid, data):
        """Send the detailed snapshots that the records in `data` name."""
        for line in data.splitlines():
            try:
                tree = json.loads(line.decode("utf-8")).get("tree")
            except (ValueError, AttributeError):
                continue
            if type(tree) is int and 0 <= tree < 10 ** 9 and self._trees < _MOST_TREES:
                self._trees += 1
                for side in ("before", "after"):
                    self._mirror.send_once("massif-lines/%s/%d.%s" % (pid, tree, side))

    def _send_packed(self, name):
        """Send a profile as it is now; it may be replaced meanwhile, what was opened stays whole."""
        began = time.monotonic()
        try:
            fd = os.open(self._folder.file(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return
        try:
            found = os.fstat(fd)
            state = (found.st_ino, found.st_mtime_ns, found.st_size)
            if state == self._seen.get(name) or not 0 < found.st_size <= _LARGEST:
                return
            # Twice: once for its length, once to send it, as the board has no memory to spare for all of it.
            length = 0
            for piece in _packed(fd, found.st_size):
                length += len(piece)
                self._frames.alive()
            packed = time.monotonic() - began
            self._frames.head(frame="replace", file=name, length=length, encoding="gzip", size=found.st_size)
            for piece in _packed(fd, found.st_size):
                self._frames.write(piece)
        finally:
            os.close(fd)
        self._seen[name] = state
        self._pack_at = time.monotonic() + 2 * packed / _SHARE


def _packed(fd, size):
    """The first `size` bytes of a file in pieces of gzip; OSError where it is shorter."""
    packer = zlib.compressobj(_QUICKLY, zlib.DEFLATED, _PACKED_AS_GZIP)
    at = 0
    while at < size:
        data = os.pread(fd, min(_BLOCK, size - at), at)
        if not data:
            raise OSError(5, "a file became shorter while it was read")
        at += len(data)
        yield packer.compress(data)
    yield packer.flush()
