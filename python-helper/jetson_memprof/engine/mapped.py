"""The writing side of a counters file: one per process, mapped shared, so that a SIGKILL loses nothing."""
import mmap
import os

from ..json_text import encoded
from ..rank import rank_of
from . import layout


def raise_descriptor(fd):
    """Move `fd` out of the way of the user's own descriptors; returns the new one, closed on exec."""
    import fcntl
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 512)
    except OSError:  # a low descriptor limit
        return fd
    os.close(fd)
    return high


class Descriptor(object):
    """A descriptor that is opened again where the program has closed it, as daemons close what they do not know."""

    def __init__(self, fd, path, flags):
        self._fd = fd
        self._path = path
        self._flags = flags | os.O_CLOEXEC
        self._identity = self._look()

    def _look(self):
        try:
            status = os.fstat(self._fd)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def number(self):
        if self._look() != self._identity:
            self._fd = raise_descriptor(os.open(self._path, self._flags))
        return self._fd

    def close(self):
        if self._look() == self._identity:
            os.close(self._fd)


class Counters(object):
    """A counters file and its index.

    `view` is the whole file as a memoryview of bytes; `head` its header and thread slots as int64 words;
    `used` how many bytes of it are in use, all of them paged in; `stem` its path without the `.cnt`.
    Raises OSError where the file cannot be made or its space reserved.
    """

    def __init__(self, folder, kind, implementation, engine):
        self.folder = folder
        self.implementation = implementation
        self.engine = engine
        self._open(kind)

    def _open(self, kind):
        pid = os.getpid()
        stem, fd = self._create(pid)
        try:
            os.ftruncate(fd, layout.MAP_BYTES)
            os.posix_fallocate(fd, 0, layout.HEADER_BYTES)
            view = memoryview(mmap.mmap(fd, layout.MAP_BYTES))
            index = os.open(stem + ".idx", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except BaseException:
            os.close(fd)
            os.unlink(stem + ".cnt")
            raise
        # Paged in now, so that a thread's first line does not move the process's RSS.
        for at in range(0, layout.HEADER_BYTES, mmap.PAGESIZE):
            view[at] = 0
        self.stem = stem
        self._fd = Descriptor(raise_descriptor(fd), stem + ".cnt", os.O_RDWR)
        self._index = Descriptor(raise_descriptor(index), stem + ".idx", os.O_WRONLY | os.O_APPEND)
        self._begin(view, pid, kind)

    def _begin(self, view, pid, kind):
        """Write the header; `view` is zeroed and the header's part of it paged in."""
        self.view = view
        self.used = layout.HEADER_BYTES
        self.head = self.view[:layout.HEADER_BYTES].cast("q")
        head = self.head
        head[layout.H_VERSION] = layout.VERSION
        head[layout.H_PID] = pid
        head[layout.H_PPID] = os.getppid()
        head[layout.H_KIND] = layout.KINDS.index(kind)
        head[layout.H_STATE] = layout.STATE_RUNNING
        head[layout.H_PAGE] = os.sysconf("SC_PAGE_SIZE")
        head[layout.H_IMPLEMENTATION] = layout.IMPLEMENTATIONS.index(self.implementation)
        head[layout.H_ENGINE] = layout.ENGINES.index(self.engine)
        rank = rank_of(os.environ)
        if rank is not None:
            head[layout.H_RANK], head[layout.H_RANKS] = 1 + rank[0], rank[1]
        head[layout.H_MAGIC] = layout.MAGIC  # last: a reader ignores the file until now

    def _create(self, pid):
        for serial in range(1000):  # a process that called exec has its pid again
            stem = os.path.join(self.folder, "%d-%d" % (pid, serial))
            try:
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                return stem, os.open(stem + ".cnt", flags, 0o600)
            except FileExistsError:
                continue
        raise FileExistsError("1000 counters files of process %d are in %s" % (pid, self.folder))

    def reopen_in_child(self):
        """After a fork: a fresh file of this process. Where none can be made the parent's stays, unchanged."""
        inherited = self._fd, self._index
        self._open("fork")
        for descriptor in inherited:
            descriptor.close()

    def segment(self, words):
        """Reserve `words` zeroed int64 words. Returns (byte offset, memoryview of int64), already paged in."""
        page = self.head[layout.H_PAGE]
        size = -(-words * 8 // page) * page
        offset = -(-self.used // page) * page
        if offset + size > layout.MAP_BYTES:
            raise OSError("the counters file holds no more than %d MiB" % (layout.MAP_BYTES >> 20))
        self._reserve(offset, size)
        self.used = offset + size
        # Paged in now, so that later hits do not move the process's RSS.
        for at in range(offset, offset + size, page):
            self.view[at] = 0
        return offset, self.view[offset:offset + words * 8].cast("q")

    def _reserve(self, offset, size):
        os.posix_fallocate(self._fd.number(), offset, size)

    def note(self, record):
        """Append one record to the index. A full file system is marked in the header instead of raised."""
        data = encoded(record) + b"\n"
        try:
            whole = os.write(self._index.number(), data) == len(data)
        except OSError:
            whole = False
        if not whole:
            self.head[layout.H_INDEX_LOST] = 1

    def warn(self, code, message):
        self.note({"record": "warning", "code": code, "message": message})

    def use(self, implementation):
        self.implementation = implementation
        self.head[layout.H_IMPLEMENTATION] = layout.IMPLEMENTATIONS.index(implementation)

    def finish(self):
        self.head[layout.H_STATE] = layout.STATE_FINISHED
