"""Faults on command inside the helper: a disk that is full from some byte on, a wall clock that is set.

A test copies the helper with this file in it (helperFaults.ts); the helper that is shipped knows nothing of it.
`JMP_TEST_FAULTS` names the folder that says what happens: `full.json` {"files": regular expression of paths, "after":
bytes that they still take, "errno": why they take no more}, `space` (there: the disk has room again), `clock` (seconds to add to the wall clock).
What was refused is noted in `refused`.
"""
import errno
import json
import os
import re
import time

_folder = os.environ.get("JMP_TEST_FAULTS", "")
_RESERVE = 128 << 10


def _text(name):
    try:
        with open(os.path.join(_folder, name)) as file:
            return file.read()
    except OSError:
        return ""


class _Disk(object):
    def __init__(self, told):
        self._files = re.compile(told["files"])
        self._room = told["after"]
        self._error = told["errno"]
        self._write, self._allocate, self._unlink = os.write, os.posix_fallocate, os.unlink
        os.write, os.posix_fallocate, os.unlink = self.write, self.allocate, self.unlink

    def _takes(self, fd, size):
        """How many of so many bytes there is room for."""
        path = os.readlink("/proc/self/fd/%d" % fd)
        if not path.startswith("/") or not self._files.search(path) or os.path.exists(os.path.join(_folder, "space")):
            return size
        if self._error != errno.ENOSPC and os.path.exists(os.path.join(_folder, "refused")):
            self._room = 0  # broken for everybody, while of a full disk each process knows its own part only
        taken = min(size, max(0, self._room))
        self._room -= taken
        if taken < size:
            with open(os.path.join(_folder, "refused"), "a") as file:
                file.write(path + "\n")
        return taken

    def write(self, fd, data):
        size = self._takes(fd, len(data))
        if data and not size:
            raise OSError(self._error, os.strerror(self._error))
        return self._write(fd, memoryview(data)[:size])

    def allocate(self, fd, offset, size):
        if self._takes(fd, size) < size:
            raise OSError(self._error, os.strerror(self._error))
        self._allocate(fd, offset, size)

    def unlink(self, path, **more):
        self._unlink(path, **more)
        if os.path.basename(path) == "reserve":
            self._room = max(0, self._room) + _RESERVE


def _install():
    told = _text("full.json")
    if told:
        _Disk(json.loads(told))
    if _folder:
        wall = time.time
        time.time = lambda: wall() + float(_text("clock") or 0)


_install()
