"""The machine code that puts Python frames into native stacks, and where its data lie.

`asm/x86_64.s` and `asm/aarch64.s` are its source: a frame evaluator (`hook`) that calls the interpreter's own one with a
landing pad as return address, the end that all pads share, a trace function that moves that address to the pad of the
current line, and valgrind's client request.
"""
import os
import struct

#: Distances from `hook`, which begins the code.
TRACE, REQUEST, PADS, DATA = 0x120, 0x300, 0x340, 0x50000
#: A pad is one instruction of padding, to which evaluators return, and a jump to the shared end.
PAD_BYTES = 8
PAD_COUNT = 32768

#: Words of the data, and what follows them: FRAMES is touched by the code alone.
D_DEFAULT, D_MISS, D_SLOW, D_LINE_NUMBER, D_CODE_AT, D_POSITION_AT, D_FRAME_AT, D_PAD_AT = range(8)
D_GENERIC = 0x60 // 8
CODES_AT, CODE_ENTRIES, CODE_ENTRY_WORDS = 0x101000, 0x10000, 4
DATA_BYTES = CODES_AT + CODE_ENTRIES * CODE_ENTRY_WORDS * 8

#: So far below a record the evaluator may keep its return address.
SEARCHED_BYTES = 4096
_FINISH = 0xf0
_CODE = {
    "x86_64": (
        "554889e5534989f04c8d15f1ff04004c89c348c1eb034889d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000"
        "00498b4220498b04004889c148c1e90481e1ffff00004989cb49c1e3054f8d9c1a001010004d8b0b4939c174094d85c97423"
        "ffc1ebdaff33ff73086a006a006a0041ff7310415041ff73084c89034889630841ff224d8d5a6085d275d957565241504152"
        "4889c741ff5208415a41585a5e5f4989c3ebbf00000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000488b0c2448390b751148"
        "8b4c242848894b08488b4c243048890b488b5df84889ec5dc30000000000000000000000000083fa010f8448010000554889"
        "e5534154415541564989f44189d54c8b77104c8d15bbfe0400498b42304989f04885c074044c8b04064c89c348c1eb034889"
        "d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000004c39030f85e7000000488b5b084889d84829e0483d0000"
        "01000f83d10000004c3943080f85c700000048837b10000f84bc0000004183fd030f84800000004585ed7507498b06488943"
        "284c89e741ff52184c8d152ffe04004c8b4b10412b01413b41080f838700000048c1e0054d8d4c0110498b014585ed750a48"
        "85c07471488903eb6c48837b200075534885c0744e4c8b4308498b4a28458b04084839037506443b431877494889034c8943"
        "18498b410848ff00498b4110498906eb3248837b200074104c89e74489ee4889da4c89f141ff5210488b4328498906eb124c"
        "89e74489ee4889da4c89f141ff5210eb00415e415d415c5b5d31c0c300000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000004889f04889fa48c1c70348c1c70d48c1c73d48c1c7334887db4889d0c3000000"
        "0000000000000000000000000000000000000000000000000000000000000000"
    ),
    "aarch64": (
        "fd7bbba9fd030091f30b00f9e80301aa8aff271013fd43d3733653ca733e40925311138b73064091491140f9096969f82bfd"
        "44d36b3d40924c150b8b8c0544918d0140f9bf0109eb80000054cd0100b46b050091f8ffff178db940a96f4240a9e8bb01a9"
        "ffff02a9ff1f00f9f03f04a9f0030091684200a9fe030daa500140f900021fd64c81019182feff35e007bda9e22301a9ea13"
        "00f9e00309aa500540f900023fd6ec0300aae22341a9ea1340f9e007c3a8e9ffff1700000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000a90f40f96a0240f93f01"
        "0aeb61000054ab3344a96c2e00a9b30b40f9fd7bc5a8c0035fd60000000000000000000000005f040071800c0054fd7bbba9"
        "fd030091f35301a9f55b02a9f71b00f9f40301aaf503022a160840f9caf52710491940f9e80301aa490000b4286869f809fd"
        "43d3293549ca293d40924911098b290540912b4d40a97f0108eb61090054e9030091690209cb3f4140f1e20800546bb241a9"
        "7f0108eb810800546c0800b4491d40f97702098beb825ff87f0113ebc1070054bf0e00714005005475000035c90240f9691e"
        "00f9e00314aa500d40f900023fd68af12710691240f92b3140a900000b4b1f000c6b02060054007c7bd3294100912901008b"
        "2b0140f9950000354b0500b4eb0200f9280000146c1a40f9ec0300b5cb0300b4680e40f94c1540f908696cb8ec0240f99f01"
        "0beb810000546c1640f91f010c6b88030054eb0200f9681600f92c0540f98d0140f9ad0500918d0100f92c0940f9cc0200f9"
        "130000146c1a40f9ec0000b4e00314aae103152ae20313aae30316aa500940f900023fd6691e40f9c90200f908000014e003"
        "14aae103152ae20313aae30316aa500940f900023fd601000014f71b40f9f55b42a9f35341a9fd7bc5a800008052c0035fd6"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000e30300aae40301aa8c0dcc938c35cc938ccdcc938cf5cc934a010aaae00303aa"
        "c0035fd600000000000000000000000000000000000000000000000000000000"
    ),
}
#: Bytes that differ where a frame evaluator is given no thread state (up to Python 3.8).
_OLD = {"x86_64": ((7, 248), (140, 246)), "aarch64": ((14, 0), (136, 129))}


class Unsupported(Exception):
    """Why Python's lines cannot be shown on this machine or with this Python, as a clause."""


class Machine(object):
    """What differs between the machines. Offsets are in a record, which `hook` leaves on the stack for each frame."""

    def __init__(self, elf_number, return_register, frame_register, unwind, record, return_at):
        self.elf_number = elf_number
        self.return_register = return_register
        self.frame_register = frame_register
        #: CFI instructions that hold in all of the code but hook's first ones.
        self.unwind = unwind
        self.r_frame, self.r_begun, self.r_measured = record
        #: Where the return address lies; None: `probe.py` finds it.
        self.return_at = return_at


def _cfa(register, offset, saved):
    """DW_CFA_def_cfa, then DW_CFA_offset for each (register, words below the CFA)."""
    return bytes([0x0c, register, offset]) + b"".join(bytes([0x80 | which, words]) for which, words in saved)


MACHINES = {
    "x86_64": Machine(62, 16, 6, _cfa(6, 16, ((16, 1), (6, 2), (3, 3))), (8, 24, 32), 0),
    "aarch64": Machine(183, 30, 29, _cfa(29, 80, ((29, 10), (30, 9), (19, 8))), (24, 40, 48), None),
}


def this_machine():
    """Raises Unsupported where there is no code for it."""
    name = os.uname().machine
    if name not in MACHINES:
        raise Unsupported("there is no machine code for a %s processor" % name)
    return name, MACHINES[name]


def code(name, old):
    """The code from `hook` up to the first pad. `old`: frame evaluators are given (frame, throwflag) only."""
    found = bytearray(bytes.fromhex(_CODE[name]))
    for offset, value in _OLD[name] if old else ():
        found[offset] = value
    return bytes(found)


def pads(name):
    """The landing pads, which follow the code."""
    found = bytearray()
    for at in range(PADS, PADS + PAD_COUNT * PAD_BYTES, PAD_BYTES):
        if name == "x86_64":  # nop; jmp finish
            found += b"\x90\xe9" + struct.pack("<i", _FINISH - (at + 6)) + b"\x90\x90"
        else:  # nop; b finish
            found += struct.pack("<II", 0xd503201f, 0x14000000 | (_FINISH - (at + 4)) // 4 & 0x3ffffff)
    return bytes(found)


def return_offset(name):
    """From a pad's beginning to the address that an evaluator returns to: valgrind looks one byte before it."""
    return 1 if name == "x86_64" else 4
