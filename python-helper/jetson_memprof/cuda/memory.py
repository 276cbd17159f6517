"""Reads this process's own memory through the kernel, which answers with an error where nothing is mapped."""
import io
import mmap
import os
import re
from time import perf_counter

from ..engine.mapped import Descriptor, raise_descriptor

_PATH = "/proc/self/mem"

#: Memory that C++ objects may lie in: private, writable, of no file.
_WRITABLE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw.p [0-9a-f]+ 00:00 0 +(\[heap\]|\[anon:.*\])?\n")
#: A larger mapping is a tensor or a reservation of address space.
_LARGEST_MAPPING = 256 << 20
_LARGEST_SEARCH = 1 << 30
_CHUNK = 128 << 10
_ALIGNMENT = 8


class OwnMemory(object):
    """`descriptor` is of /proc/self/mem. Raises OSError where the kernel does not allow that."""

    def __init__(self):
        fd = raise_descriptor(os.open(_PATH, os.O_RDONLY | os.O_CLOEXEC))
        self._opened = Descriptor(fd, _PATH, os.O_RDONLY)
        self._buffer = _unsearched(mmap.PAGESIZE)
        self.refresh()

    def refresh(self):
        """Open it again where the program has closed it. Raises OSError where that fails."""
        self.descriptor = self._opened.number()
        self._file = io.FileIO(self.descriptor, closefd=False)

    def view(self, address, size):
        """As `read`, but nothing of it comes into memory that a Search goes through; holds until the next one."""
        return self.view_in(self._buffer, address, size)

    def view_in(self, buffer, address, size):
        """As `view`, in a buffer of the caller's."""
        view = memoryview(buffer)[:size]
        try:
            self._file.seek(address)
            return view[:self._file.readinto(view)]
        except (OSError, OverflowError):  # not mapped (any more), a device's, or the descriptor is gone
            return view[:0]

    def search(self):
        """A Search of all of it, from its beginning."""
        return Search(self)

    def close(self):
        self._opened.close()

    def read(self, address, size):
        """The bytes there; b"" where nothing is mapped (any more), or the program has closed the descriptor."""
        try:
            return os.pread(self.descriptor, size, address)
        except OSError:
            return b""


class Search(object):
    """Looks for bytes in this process's memory, a slice at a time: where malloc's own memory ends first."""

    def __init__(self, memory):
        self._memory = memory
        self._left = _mappings()

    @property
    def is_over(self):
        return not self._left

    def go_on(self, wanted, seconds):
        """The addresses of `wanted` in the next slice, which takes about so many seconds."""
        found = []
        pattern = re.compile(re.escape(wanted))  # several times as fast as the find() of buffers
        buffer = _unsearched(_CHUNK)
        end = perf_counter() + seconds
        try:
            while self._left and perf_counter() < end:
                first, last = self._left.pop()
                begin = max(first, last - _CHUNK)
                if begin > first:  # what lies across the border is in the next chunk
                    self._left.append((first, begin + len(wanted) - 1))
                with self._memory.view_in(buffer, begin, last - begin) as chunk:
                    size = len(chunk)
                found.extend(begin + match.start() for match in pattern.finditer(buffer, 0, size))
        finally:
            buffer.close()
        return [at for at in found if at % _ALIGNMENT == 0]


def _unsearched(size):
    """A buffer in a mapping that is shared, so not one of `_mappings`: what it holds is not found again."""
    return mmap.mmap(-1, size)


def _mappings():
    """[(first address, end)], those to be looked at first last: the heap, then the small ones."""
    found, total = [], 0
    with open("/proc/self/maps", errors="replace") as maps:
        for line in maps:
            match = _WRITABLE.match(line)
            if match is None:
                continue
            first, end = int(match.group(1), 16), int(match.group(2), 16)
            heap = match.group(3) == "[heap]"
            if heap or end - first <= _LARGEST_MAPPING:
                found.append((not heap, end - first, first, end))
    taken = []
    for _, size, first, end in sorted(found):
        total += size
        if total > _LARGEST_SEARCH:
            break
        taken.append((first, end))
    return taken[::-1]
