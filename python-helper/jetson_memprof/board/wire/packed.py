"""Sending files that are replaced as the run goes on, packed."""
import binascii
import os
import struct
import time

try:
    import zlib
except ImportError:  # a Python built without it: sent as it is
    zlib = None

_LARGEST = 1 << 30
_BLOCK = 1 << 18
# Packing while the script runs takes at most this share of one core.
_SHARE = 0.05
_PACKED_AS_GZIP = 31
_QUICKLY = 1


class Packed(object):
    """What was last sent of each file, and what packing has taken of the board's time."""

    def __init__(self, folder, frames):
        self._folder = folder
        self._frames = frames
        self._seen = {}      # name -> (inode, time, size)
        self._pack_at = 0.0

    def may_send(self):
        """Whether what was packed has taken its share of the time by now; whatever is the last of a file is always sent."""
        return time.monotonic() >= self._pack_at

    def send(self, name):
        """Send a file as it is now, unless it was; it may be replaced meanwhile, what was opened stays whole."""
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
            if os.pread(fd, 1, 0) == b"\0":
                return  # what a power cut leaves of a file's first block: the host may have a better one
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
    packer = _AsItIs() if zlib is None else zlib.compressobj(_QUICKLY, zlib.DEFLATED, _PACKED_AS_GZIP)
    at = 0
    while at < size:
        data = os.pread(fd, min(_BLOCK, size - at), at)
        if not data:
            raise OSError(5, "a file became shorter while it was read")
        at += len(data)
        yield packer.compress(data)
    yield packer.flush()


class _AsItIs(object):
    """Gzip (RFC 1952) whose blocks hold the data as it is."""

    _MOST = 0xffff

    def __init__(self):
        self._checksum = self._size = 0
        self._head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"

    def compress(self, data):
        self._checksum = binascii.crc32(data, self._checksum)
        self._size += len(data)
        pieces, self._head = [self._head], b""
        for at in range(0, len(data), self._MOST):
            part = data[at:at + self._MOST]
            pieces += [struct.pack("<BHH", 0, len(part), len(part) ^ self._MOST), part]
        return b"".join(pieces)

    def flush(self):
        return struct.pack("<BHHII", 1, 0, self._MOST, self._checksum & 0xffffffff, self._size & 0xffffffff)
