"""Writing allocator snapshots into the run's folder: the file whole, then the record that names it."""
import os

from .. import lean_json

#: A board's disk is left some room for the program's own files, and no file is larger than what is sent home.
_LEFT_FREE = 64 << 20
_LARGEST = 1 << 30
_PROTOCOL = 4
_MOST_FILES = 1000
_RECORDS = "allocator.jsonl"


class TooLarge(Exception):
    """Says, for people, why a snapshot was not kept."""


class SnapshotFiles(object):
    """Of one process. Whatever is written is whole or not there, at whatever moment the process is killed."""

    def __init__(self, folder, pid):
        self._folder = folder
        self._pid = pid
        self._count = 0
        self._torn = False  # the last record was cut off by a full disk

    def new_name(self):
        """The name of a further file. Raises TooLarge where there are too many."""
        while self._count < _MOST_FILES:
            name = "allocator.%d.%d.pickle" % (self._pid, self._count)
            self._count += 1
            if not os.path.exists(os.path.join(self._folder, name)):  # else of a program that called exec
                return name
        raise TooLarge("Process %d has %d allocator snapshots; further ones are not kept." % (self._pid, _MOST_FILES))

    def write(self, name, value):
        """Put `value` in the place of the file; its size in bytes. Raises OSError, TooLarge."""
        import pickle
        path = os.path.join(self._folder, name)
        # One for all: a kill leaves at most one that is not whole, and nobody reads it by that name.
        beside = os.path.join(self._folder, "allocator.%d.part" % self._pid)
        try:
            with open(beside, "wb", buffering=0) as file:
                bounded = _Bounded(file, self._room())
                pickle.Pickler(bounded, _PROTOCOL).dump(value)
            os.rename(beside, path)
        except BaseException:
            try:
                os.unlink(beside)
            except OSError:
                pass
            raise
        return bounded.size

    def _room(self):
        disk = os.statvfs(self._folder)
        return min(_LARGEST, disk.f_bavail * disk.f_frsize - _LEFT_FREE)

    def note(self, record):
        """Add a record with one write, so that those of several processes do not mix. Raises OSError."""
        data = (lean_json.dumps(dict(record, pid=self._pid)) + "\n").encode("ascii")
        if self._torn:
            data = b"\n" + data
        fd = os.open(os.path.join(self._folder, _RECORDS), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._torn = os.write(fd, data) != len(data)
        finally:
            os.close(fd)


class _Bounded(object):
    """A file that takes so many bytes and no more."""

    def __init__(self, file, most):
        self._file = file
        self._most = most
        self.size = 0

    def write(self, data):
        self.size += len(data)
        if self.size > self._most:
            raise TooLarge("The board's disk has no room for an allocator snapshot of more than %d MiB, with %d MiB "
                           "left for the program itself." % (max(0, self._most) >> 20, _LEFT_FREE >> 20))
        view = memoryview(data)
        while view:
            view = view[self._file.write(view):]
