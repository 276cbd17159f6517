"""The machine code that puts Python frames into native stacks, and where its data lie.

`asm/x86_64.s` and `asm/aarch64.s` are its source: a frame evaluator (`hook`) that calls the interpreter's own one with a
landing pad as return address, the end that all pads share, a trace function that moves that address to the pad of the
current line, valgrind's client request, and what is called when a code object is gone.
"""
import os

#: Distances from `hook`, which begins the code.
TRACE, REQUEST, FORGET, PADS, DATA = 0x2c0, 0x500, 0x530, 0x540, 0x50000
#: A pad is one instruction of padding, to which evaluators return, and a jump to the shared end.
PAD_BYTES = 8
PAD_COUNT = 32768
PAD_NAME = "py_%05d"

#: Words of the data, and what follows them: FRAMES is touched by the code alone.
D_DEFAULT, D_MISS, D_SLOW, D_LINE_NUMBER, D_CODE_AT, D_POSITION_AT, D_FRAME_AT, D_PAD_AT = range(8)
D_CALL, D_NONE, D_MISS_FORMAT, D_SLOW_FORMAT, D_GENERIC = range(8, 13)
D_RECURSION_ERROR, D_MATCHES, D_CLEAR, D_TRACER_AT, D_FLAG_FROM, D_FLAG_ON, D_GET_STATE = range(16, 23)
D_CALLER_AT, D_CALLER_IN = range(23, 25)
CODES_AT, CODE_ENTRIES, CODE_ENTRY_WORDS = 0x101000, 0x10000, 4
DATA_BYTES = CODES_AT + CODE_ENTRIES * CODE_ENTRY_WORDS * 8

#: So far below a record the evaluator may keep its return address.
SEARCHED_BYTES = 4096
_FINISH = 0x260
_CODE = {
    "x86_64": (
        "554889e5534989f04c8d15f1ff04004c89c348c1eb034889d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000"
        "00498b4220498b04004889c148c1e90481e1ffff00004989cb49c1e3054f8d9c1a001010004d8b0b4939c1740d4d85c90f84"
        "fe000000ffc1ebd631c94d8b8a980000004d85c974494889f84983bab000000000741e575641504152415341ff92b0000000"
        "415b415a41585e5f4d8b8a980000004c01c831c949837b10000f95c1e83b0100004809c8b900000000480f49c8ff33ff7308"
        "516a006a006a006a0041ff7310415041ff73084c890348896308488964243049837b180074754d8b8ab80000004d85c97469"
        "4e8b0c0f498b82c00000004885c078044d8b0c014c89c948c1e9034889c848c1e80d4831c14881e1ffff000048c1e104498d"
        "8c0a001000004c3909752c488b49084889c84829e0483d00000100731a4c3949087514488b41304889442430488b0848890c"
        "24488d685841ff224d8d5a6085d20f85fafeffff49837a08000f84effeffff57565241504152498b7a08498b72504889c2e8"
        "28000000415a41585a5e5f493b42480f848efeffff4d8d5a604885c00f85bafeffffba01000000e9b0feffff5331c041ff52"
        "404885c07528488d1d31fe0400488bbb80000000ff938800000085c0b800000000740bff9390000000b8010000005bc34883"
        "78f800755d4883781000745652488d15b80000004d8b8aa00000004d85c97421483910753c4e8b0c08f7d941238aa8000000"
        "418a1141880931c984d20f95c15ac34c8b084d85c974054939d1751348f7d94821d148890831c94d85c90f95c15ac35a48c7"
        "c1ffffffffc30000488b0c2448390b7511488b4c243848894b08488b4c244048890b488b4c24304885c97418504c8d1574fd"
        "04004889c883e1014883e0fee857ffffff58488b5c2448488b6c24504883c458c30000000000000000000000000000000000"
        "0000000083fa010f844c010000554889e5534154415541564989f44189d54c8b77104c8d151bfd0400498b42304989f04885"
        "c074044c8b04064c89c348c1eb034889d948c1e90d4831cb4881e3ffff000048c1e304498d9c1a001000004c39030f85e800"
        "0000488b5b084889d84829e0483d000001000f83d20000004c3943080f85c800000048837b10000f84bd0000004183fd030f"
        "84800000004585ed7507498b06488943284c89e741ff52184c8d158ffc04004c8b4b10412b01413b41080f838800000048c1"
        "e0054d8d4c0110498b014585ed750a4885c07472488903eb6d48837b200075414885c0743c4c8b4308498b4a28458b040848"
        "39037506443b4318774a4889034c894318498b410848ff00498b4110498906eb33488b432849890648837b20007425498b7a"
        "10498b72584c89e24489e94989d84d89f1e8befdffff4885c07507b8ffffffffeb0231c0415e415d415c5b5dc331c0c30000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000004889f04889fa48c1c70348c1c70d48c1c73d48c1"
        "c7334887db4889d0c30000000000000000000000000000000000000048c70701000000c30000000000000000"
    ),
    "aarch64": (
        "fd7bbaa9fd030091f30b00f9e80301aa8aff271013fd43d3733653ca733e40925311138b73064091491140f9096969f82bfd"
        "44d36b3d40924c150b8b8c0544918d0140f9bf0109eb80000054ed0700b46b050091f8ffff174f4d40f98f0200b4e90300aa"
        "505940f9300100b4e007bea9e83301a900023fd6e90300aae83341a9e007c2a8eafb27104f4d40f929010f8b8b0940f97f01"
        "00f1eb079f9a500000942f010baa4b00f8b60f0080d28db940a9692e40a9e8bb01a9ffff02a9ff1f00f9eb2704a9f0030091"
        "f03f05a9684200a9890d40f9490300b4495d40f9511d40f9e90200b4d10200b4096869f84b6140f94b00f8b729696bf82bfd"
        "43d36b354bca6b3d40924b110b8b6b0540916e2d40a9df0109eb410100546e0110cbdf4140f1e20000546e0d40f9df0109eb"
        "810000547d2940f9fd2b00f9ad6b71f8fe030daa500140f900021fd64c81019162f8ff354e0540f92ef8ffb4e007bea9e223"
        "01a9e0030eaa412940f9e20309aa0c000094e90300aae22341a9e007c2a82af427104b2540f93f010beb00f5ff544c810191"
        "49f6ffb522008052b0ffff17fe0f1ff8502140f900023fd6600100b5aaf22710404140f9504540f900023fd6e003002aa000"
        "00b4eaf12710504940f900023fd6200080d2fe0741f8c0035fd62f815ff80f0300b52f0940f9cf0200b4b0060010310140f9"
        "4f5140f9eb030bcb2f0100b43f0210ebe10100542f696ff8515540f930020b8af1014039f001003906000014710000b43f02"
        "10ebc100005410020b8a300100f93f0200f1eb079f9ac0035fd60b008092c0035fd600000000000000000000000000000000"
        "0000000000000000e90f40f96a0240f93f010aeb61000054eb3344a96c2e00a9e92f40f9a90000b40aec27102b01409229f9"
        "7f92d4ffff97f30b40f9fd7bc6a8c0035fd60000000000000000000000000000000000000000000000000000000000000000"
        "000000005f040071400c0054fd7bbaa9fd030091f35301a9f55b02a9f71b00f9f40301aaf503022a160840f9cae827104919"
        "40f9e80301aa490000b4286869f809fd43d3293549ca293d40924911098b290540912b4d40a97f0108ebe1080054e9030091"
        "690209cb3f4140f1620800546bb241a97f0108eb01080054ec0700b4491d40f97702098beb825ff87f0113eb41070054bf0e"
        "00714005005475000035c90240f9691e00f9e00314aa500d40f900023fd68ae42710691240f92b3140a900000b4b1f000c6b"
        "82050054007c7bd3294100912901008b2b0140f995000035cb0400b4eb0200f9240000146c1a40f90c0300b5eb0200b4680e"
        "40f94c1540f908696cb8ec0240f99f010beb810000546c1640f91f010c6b08030054eb0200f9681600f92c0540f98d0140f9"
        "ad0500918d0100f92c0940f9cc0200f90f000014691e40f9c90200f96c1a40f96c0100b4400940f9412d40f9e20314aae303"
        "152ae40313aae50316aa5effff97600000b5000080120200001400008052f71b40f9f55b42a9f35341a9fd7bc6a8c0035fd6"
        "00008052c0035fd6000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000e30300aae40301aa8c0dcc938c35cc938ccdcc93"
        "8cf5cc934a010aaae00303aac0035fd6000000000000000000000000290080d2090000f9c0035fd600000000"
    ),
}
#: Bytes that differ where a frame evaluator is given no thread state (up to Python 3.8).
_OLD = {"x86_64": ((7, 248), (363, 246), (434, 190)), "aarch64": ((14, 0), (332, 97), (404, 33))}


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
    "aarch64": Machine(183, 30, 29, _cfa(29, 96, ((29, 12), (30, 11), (19, 10))), (24, 40, 48), None),
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
    import struct
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
