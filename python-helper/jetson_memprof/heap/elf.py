"""Names of functions by the symbol tables of an ELF file (64-bit, little-endian): bounded, whatever the file says."""
import os
import time
from bisect import bisect_left
from struct import Struct, error

_HEAD, _SECTION, _SYMBOL = Struct("<16sHHIQQQIHHHHHH"), Struct("<IIQQQQIIQQ"), Struct("<IBBHQQ")
_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
_MOST_SECTIONS, _MOST_SYMBOLS, _SYMBOLS_AT_ONCE = 4096, 4 << 20, 1 << 14
_MOST_NAME, _STEPS_AT_ONCE = 4096, 10 ** 6


class Late(Exception):
    """The time was up."""


class Changed(ValueError):
    """The file is another one than it was."""


def names(path, addresses, until, identity=()):
    """{address: name as the file has it} of those addresses (of the file) that a function has.

    `until` is on the clock of time.monotonic, `identity` (inode, size, ns of the last change) where the file is to have
    that, None for one that no file has. Raises OSError or ValueError where the file cannot be read, Changed, Late.
    """
    wanted = sorted(addresses)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", 1 << 16) as file:
        is_now = os.fstat(fd)
        if identity is None or identity and identity != (is_now.st_ino, is_now.st_size, is_now.st_mtime_ns):
            raise Changed()
        try:
            return _Reader(file, wanted, until).found()
        except (error, OverflowError) as wrong:
            raise ValueError("it is no ELF file that can be read (%s)" % wrong)


class _Reader(object):
    def __init__(self, file, wanted, until):
        self._file = file
        self._wanted = wanted
        self._until = until
        self._steps = 0  # since the time was looked at
        self._best = {}  # address: (size of the function, place of its name)

    def found(self):
        for kind, _, _, _, offset, size, link, _, _, entry in self._sections():
            if kind in _TABLES and entry == _SYMBOL.size:
                strings = self._at(link)
                for at in range(0, min(size, _MOST_SYMBOLS * entry), _SYMBOLS_AT_ONCE * entry):
                    self._take(self._read(offset + at, min(size - at, _SYMBOLS_AT_ONCE * entry)), strings)
        return dict((address, self._name(place)) for address, (_, place) in self._best.items())

    def _sections(self):
        head = _HEAD.unpack(self._read(0, _HEAD.size))
        if head[0][:6] != b"\x7fELF\x02\x01" or head[11] != _SECTION.size:
            raise ValueError("it is no 64-bit ELF file")
        self._table, self._count = head[6], min(head[12], _MOST_SECTIONS)
        rows = list(_SECTION.iter_unpack(self._read(self._table, self._count * _SECTION.size)))
        return [row[1:2] + row[:1] + row[2:] for row in rows]

    def _at(self, section):
        """(offset, size) of a section."""
        if not 0 < section < self._count:
            return 0, 0
        row = _SECTION.unpack(self._read(self._table + section * _SECTION.size, _SECTION.size))
        return row[4], row[5]

    def _in_time(self):
        if time.monotonic() > self._until:
            raise Late()

    def _take(self, data, strings):
        self._in_time()
        wanted, count = self._wanted, len(self._wanted)
        for name, info, _, section, value, size in _SYMBOL.iter_unpack(data[:len(data) // _SYMBOL.size * _SYMBOL.size]):
            if not size or not section or info & 15 not in _FUNCTIONS:
                continue
            at = bisect_left(wanted, value)
            self._steps += bisect_left(wanted, value + size) - at
            if self._steps > _STEPS_AT_ONCE:
                self._steps = 0
                self._in_time()
            while at < count and wanted[at] < value + size:
                best = self._best.get(wanted[at])
                if best is None or size < best[0]:
                    self._best[wanted[at]] = size, (strings, name)
                at += 1

    def _name(self, place):
        (offset, size), at = place
        if at >= size:
            return "???"
        data = self._read(offset + at, min(size - at, _MOST_NAME))
        return data.split(b"\0")[0].decode("utf-8", "replace") or "???"

    def _read(self, at, size):
        self._file.seek(at)
        return self._file.read(size)
