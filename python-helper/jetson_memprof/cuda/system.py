"""The board's memory in use, whoever took it: from /proc, or that of the folder that stands for the board."""
import os
from time import perf_counter

from .. import pagesets
from .accounts import SystemAccounts
from .skips import Skips

#: As in board/system/system.py, which the supervisor reads by.
_ROOT = "JETSON_MEMPROF_SYSTEM_ROOT"
_LIMIT = 16 << 10
#: It is read again after 300 times as long as a reading took: with all that is done around it, a hundredth of the time. Not
#: later than after 30 ms, as a busy processor may have been taken away meanwhile.
_SHARE, _LONGEST_SECONDS = 300, 0.03
#: Bytes a second that it is taken to grow and shrink by at most: as engine/pure.py has it of RSS, in pages of 4 KiB.
_GROWTH_RATE, _SHRINK_RATE = 32e6 * 4096, 128e6 * 4096


class Board(object):
    """Bytes. `available` is MemAvailable and what the cores' pagesets hold, `used` MemTotal less that; `nvmap` is None
    where the kernel does not say."""
    __slots__ = ("used", "available", "nvmap")

    def __init__(self, used, available, nvmap):
        self.used = used
        self.available = available
        self.nvmap = nvmap


class BoardReading(object):
    """Of one process. `next_look` is when it is due again, in seconds of perf_counter; `board` is as last read, None
    where it cannot be; `skips` wants to know of each look that another thread is in the way of."""

    def __init__(self, counters):
        self.skips = Skips()
        self._accounts = SystemAccounts(counters)
        self._files = Files(_folder())
        self._at = perf_counter()  # when it was last read
        self.board = self._charged = self._files.read()
        self.next_look = float("inf") if self.board is None else self._at

    def look(self, at, forced):
        """Read it and charge what has changed to the open lines, where that is due; returns whether it was."""
        if self.board is None or (perf_counter() < self.next_look and not forced):
            return False
        self.skips.begin()
        self.board = self._files.read()
        if self.board is None:
            self.next_look = float("inf")
            return True
        if at.stack:
            self._charge(at, self._charged)
            self._charged = self.board
            self.skips.taken()
            self._at = perf_counter()
        return True

    def rest_after(self, seconds):
        """A look that was due, and what is read with it, took so long."""
        if self.board is not None:
            self.next_look = self._at + min(_LONGEST_SECONDS, _SHARE * seconds)

    def _charge(self, at, before):
        change = self.board.used - before.used
        nvmap = None if None in (self.board.nvmap, before.nvmap) else self.board.nvmap - before.nvmap
        if not change and not nvmap:
            return
        rate = _GROWTH_RATE if change > 0 else _SHRINK_RATE
        doubtful = at.doubtful_since(self._at, at.shared or self.skips.any)
        unsure = dict((line, int(min(abs(change), seconds * rate))) for line, seconds in doubtful.items())
        self._accounts.charge(at.stack, change, nvmap, unsure)


def memory_available():
    """Bytes of the board's memory that can be had without swapping; None where the kernel does not tell."""
    board = Files(_folder()).read()
    return None if board is None else board.available


def _folder():
    return os.path.join(os.environ.get(_ROOT) or "/", "proc")


class Files(object):
    """Reads them again and again into the same memory. What malloc gets back from a reading the program's next objects
    would take, and what grows slowly would show on no line: read() alone asks for a buffer of the size that it is given."""

    def __init__(self, folder):
        self._meminfo, self._zoneinfo = folder + "/meminfo", folder + "/zoneinfo"
        # Each name of a line stands after a line's end.
        self._text = bytearray(b"\n".ljust(1 + max(_LIMIT, pagesets.LONGEST), b"\0"))

    def read(self):
        """The Board as the files have it; None where they cannot be read or lack what is needed."""
        end = self._take(self._meminfo, _LIMIT)
        total, available = self._field(end, b"\nMemTotal:"), self._field(end, b"\nMemAvailable:")
        if total is None or available is None:
            return None
        nvmap = self._field(end, b"\nNvMapMemUsed:")
        available += pagesets.held(self._text, self._take(self._zoneinfo, pagesets.LONGEST)) or 0
        return Board(total - available, available, nvmap)

    def _take(self, path, limit):
        """Where the text ends that has at most `limit` bytes of the file; 0 where it cannot be read."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe that somebody put there must not hang
            try:
                with memoryview(self._text) as view, view[1:1 + limit] as room:
                    return 1 + os.readv(fd, (room,))
            finally:
                os.close(fd)
        except OSError:
            return 0

    def _field(self, end, name):
        """Bytes; None where there is no such line, or no number in it."""
        at = self._text.find(name, 0, end)
        words = self._text[at + len(name):min(at + len(name) + 40, end)].split(None, 1) if at >= 0 else ()
        return int(words[0]) * 1024 if words and words[0].isdigit() else None
