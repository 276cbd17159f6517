"""The machine code that puts Python frames into native stacks, and where its data lie.

`asm/x86_64.s` and `asm/aarch64.s` are its source: a frame evaluator (`hook`) that calls the interpreter's own one with a
landing pad as return address, the end that all pads share, a trace function that moves that address to the pad of the
current line, valgrind's client request, and what is called when a code object is gone.
"""
import os
import struct

#: Distances from `hook`, which begins the code.
TRACE, REQUEST, FORGET, PADS, DATA = 0x160, 0x380, 0x3b0, 0x3c0, 0x50000
#: A pad is one instruction of padding, to which evaluators return, and a jump to the shared end.
PAD_BYTES = 8
PAD_COUNT = 32768

#: Words of the data, and what follows them: FRAMES is touched by the code alone.
D_DEFAULT, D_MISS, D_SLOW, D_LINE_NUMBER, D_CODE_AT, D_POSITION_AT, D_FRAME_AT, D_PAD_AT = range(8)
D_CALL, D_NONE, D_MISS_FORMAT, D_SLOW_FORMAT, D_GENERIC = range(8, 13)
D_RECURSION_ERROR, D_MATCHES, D_CLEAR = range(16, 19)
CODES_AT, CODE_ENTRIES, CODE_ENTRY_WORDS = 0x101000, 0x10000, 4
DATA_BYTES = CODES_AT + CODE_ENTRIES * CODE_ENTRY_WORDS * 8

#: So far below a record the evaluator may keep its return address.
SEARCHED_BYTES = 4096
_FINISH = 0x130
_CODE = {
    "x86_64": (
        "554889e5534989f04c8d15f1ff04004c89c348c1eb034889d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000"
        "00498b4220498b04004889c148c1e90481e1ffff00004989cb49c1e3054f8d9c1a001010004d8b0b4939c174094d85c97423"
        "ffc1ebdaff33ff73086a006a006a0041ff7310415041ff73084c89034889630841ff224d8d5a6085d275d949837a080074d2"
        "57565241504152498b7a08498b72504889c2e821000000415a41585a5e5f493b42480f8475ffffff4d8d5a604885c075a1ba"
        "01000000eb9a5331c041ff52404885c07528488d1d1fff0400488bbb80000000ff938800000085c0b800000000740bff9390"
        "000000b8010000005bc300000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000488b0c2448390b7511488b4c242848894b08488b4c243048890b488b5df84889ec5dc30000000000000000000000"
        "000083fa010f844c010000554889e5534154415541564989f44189d54c8b77104c8d157bfe0400498b42304989f04885c074"
        "044c8b04064c89c348c1eb034889d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000004c39030f85e8000000"
        "488b5b084889d84829e0483d000001000f83d20000004c3943080f85c800000048837b10000f84bd0000004183fd030f8480"
        "0000004585ed7507498b06488943284c89e741ff52184c8d15effd04004c8b4b10412b01413b41080f838800000048c1e005"
        "4d8d4c0110498b014585ed750a4885c07472488903eb6d48837b200075414885c0743c4c8b4308498b4a28458b0408483903"
        "7506443b4318774a4889034c894318498b410848ff00498b4110498906eb33488b432849890648837b20007425498b7a1049"
        "8b72584c89e24489e94989d84d89f1e830feffff4885c07507b8ffffffffeb0231c0415e415d415c5b5dc331c0c300000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004889f048"
        "89fa48c1c70348c1c70d48c1c73d48c1c7334887db4889d0c30000000000000000000000000000000000000048c707010000"
        "00c30000000000000000"
    ),
    "aarch64": (
        "fd7bbba9fd030091f30b00f9e80301aa8aff271013fd43d3733653ca733e40925311138b73064091491140f9096969f82bfd"
        "44d36b3d40924c150b8b8c0544918d0140f9bf0109eb80000054cd0100b46b050091f8ffff178db940a96f4240a9e8bb01a9"
        "ffff02a9ff1f00f9f03f04a9f0030091684200a9fe030daa500140f900021fd64c81019182feff354e0540f94efeffb4e007"
        "bea9e22301a9e0030eaa412940f9e20309aa0c000094e90300aae22341a9e007c2a84afa27104b2540f93f010beb20fbff54"
        "4c81019169fcffb522008052e1ffff17fe0f1ff8502140f900023fd6600100b5caf82710404140f9504540f900023fd6e003"
        "002aa00000b40af82710504940f900023fd6200080d2fe0741f8c0035fd60000000000000000000000000000000000000000"
        "00000000a90f40f96a0240f93f010aeb61000054ab3344a96c2e00a9b30b40f9fd7bc5a8c0035fd600000000000000000000"
        "00005f040071400c0054fd7bbba9fd030091f35301a9f55b02a9f71b00f9f40301aaf503022a160840f9caf32710491940f9"
        "e80301aa490000b4286869f809fd43d3293549ca293d40924911098b290540912b4d40a97f0108ebe1080054e90300916902"
        "09cb3f4140f1620800546bb241a97f0108eb01080054ec0700b4491d40f97702098beb825ff87f0113eb41070054bf0e0071"
        "4005005475000035c90240f9691e00f9e00314aa500d40f900023fd68aef2710691240f92b3140a900000b4b1f000c6b8205"
        "0054007c7bd3294100912901008b2b0140f995000035cb0400b4eb0200f9240000146c1a40f90c0300b5eb0200b4680e40f9"
        "4c1540f908696cb8ec0240f99f010beb810000546c1640f91f010c6b08030054eb0200f9681600f92c0540f98d0140f9ad05"
        "00918d0100f92c0940f9cc0200f90f000014691e40f9c90200f96c1a40f96c0100b4400940f9412d40f9e20314aae303152a"
        "e40313aae50316aa85ffff97600000b5000080120200001400008052f71b40f9f55b42a9f35341a9fd7bc5a8c0035fd60000"
        "8052c0035fd60000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000e30300aa"
        "e40301aa8c0dcc938c35cc938ccdcc938cf5cc934a010aaae00303aac0035fd6000000000000000000000000290080d20900"
        "00f9c0035fd600000000"
    ),
}
#: Bytes that differ where a frame evaluator is given no thread state (up to Python 3.8).
_OLD = {"x86_64": ((7, 248), (140, 246), (199, 190)), "aarch64": ((14, 0), (136, 129), (208, 33))}


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
