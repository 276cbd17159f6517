"""Writes a shared library: code with a symbol for each landing pad, and the unwind table by which valgrind gets past it.

A library because valgrind takes names and unwind tables from files that are mapped as code, and from nowhere else.
"""
import struct

from . import machine

TEXT = 0x1000
_SEGMENT_ALIGN = 0x10000
_DYNAMIC = TEXT + machine.DATA - 0x1000
_DATA_ON_DISK = 0x1000
_SECTIONS = (".dynsym", ".dynstr", ".hash", ".eh_frame", ".text", ".dynamic", ".data", ".bss", ".symtab", ".strtab",
             ".shstrtab")


def library(name, old):
    """The bytes of the library for machine `name`; it exports `pyhook`. `old` as in machine.code()."""
    return _Writer(machine.MACHINES[name], machine.code(name, old) + machine.pads(name)).bytes()


class _Writer(object):
    def __init__(self, target, text):
        self._target = target
        self._text = text
        self._image = bytearray()
        self._headers = [bytes(64)]
        self._section_names = b"\0" + b"".join(name.encode() + b"\0" for name in _SECTIONS)

    def bytes(self):
        text = self._text
        text_end = TEXT + len(text)
        data = TEXT + machine.DATA
        self._image += bytes(64 + 56 * 4)
        dynsym = self._section(".dynsym", 11, 2, self._dynamic_symbols(), 8, link=2, info=1, entry=24)
        dynstr = self._section(".dynstr", 3, 2, b"\0pyhook\0", 1)
        hashes = self._section(".hash", 5, 2, struct.pack("<6I", 1, 2, 1, 0, 0, 0), 8, link=1, entry=4)
        self._section(".eh_frame", 1, 2, self._unwind_table(self._aligned(8)), 8)
        self._image += bytes(TEXT - len(self._image))
        self._section(".text", 1, 6, text, 64)
        self._image += bytes(_DYNAMIC - len(self._image))
        entries = ((4, hashes), (5, dynstr), (6, dynsym), (10, len(b"\0pyhook\0")), (11, 24), (0, 0))
        dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
        self._section(".dynamic", 6, 3, dynamic, 8, link=2, entry=16)
        self._image += bytes(data - len(self._image))
        self._section(".data", 1, 3, bytes(_DATA_ON_DISK), 8)
        self._header(".bss", 8, 3, len(self._image), machine.DATA_BYTES - _DATA_ON_DISK, 8)
        loaded = len(self._image)
        symbols, names = self._pad_symbols()
        self._section(".symtab", 2, 0, symbols, 8, link=10, info=len(symbols) // 24, entry=24)
        self._section(".strtab", 3, 0, names, 1)
        self._section(".shstrtab", 3, 0, self._section_names, 1)
        headers_at = self._aligned(8)
        self._image += bytes(headers_at - len(self._image)) + b"".join(self._headers)
        self._image[:64] = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 3, self._target.elf_number, 1, 0, 64, headers_at, 0, 64, 56, 4, 64, len(self._headers),
            len(self._headers) - 1)
        self._image[64:64 + 56 * 4] = b"".join((
            _segment(1, 5, 0, text_end, text_end, _SEGMENT_ALIGN),
            _segment(1, 6, _DYNAMIC, loaded - _DYNAMIC, data + machine.DATA_BYTES - _DYNAMIC, _SEGMENT_ALIGN),
            _segment(2, 6, _DYNAMIC, len(dynamic), len(dynamic), 8),
            _segment(0x6474e551, 6, 0, 0, 0, 16)))  # the stack stays without permission to execute
        return bytes(self._image)

    def _aligned(self, to):
        return -(-len(self._image) // to) * to

    def _section(self, name, kind, flags, content, align, link=0, info=0, entry=0):
        """Append a section; returns its offset in the file, which is its address where it is loaded."""
        at = self._aligned(align)
        self._image += bytes(at - len(self._image)) + content
        self._header(name, kind, flags, at, len(content), align, link, info, entry)
        return at

    def _header(self, name, kind, flags, at, size, align, link=0, info=0, entry=0):
        self._headers.append(struct.pack(
            "<IIQQQQIIQQ", self._section_names.index(b"\0" + name.encode() + b"\0") + 1, kind, flags,
            at if flags & 2 else 0, at, size, link, info, align, entry))

    def _dynamic_symbols(self):
        return bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 5, TEXT, machine.PADS)

    def _pad_symbols(self):
        """The symbol table and its names: one local function for the code, one for each pad."""
        names = bytearray(b"\0py_hook\0")
        symbols = bytearray(24) + struct.pack("<IBBHQQ", 1, 2, 0, 5, TEXT, machine.PADS)
        for number in range(machine.PAD_COUNT):
            at = TEXT + machine.PADS + number * machine.PAD_BYTES
            symbols += struct.pack("<IBBHQQ", len(names), 2, 0, 5, at, machine.PAD_BYTES)
            names += (machine.PAD_NAME % number).encode() + b"\0"
        return bytes(symbols), bytes(names)

    def _unwind_table(self, at):
        """.eh_frame as loaded at `at`: one description for all of the code."""
        common = struct.pack("<IB", 0, 1) + b"zR\0" + bytes([1, 0x78, self._target.return_register, 1, 0x1b])
        common = _record(common + self._target.unwind)
        begin_at = at + len(common) + 8
        described = struct.pack("<IiIB", len(common) + 4, TEXT - begin_at, len(self._text), 0)
        return common + _record(described) + bytes(4)


def _record(content):
    content += bytes(-(len(content) + 4) % 8)
    return struct.pack("<I", len(content)) + content


def _segment(kind, flags, at, on_disk, in_memory, align):
    return struct.pack("<IIQQQQQQ", kind, flags, at, at, at, on_disk, in_memory, align)
