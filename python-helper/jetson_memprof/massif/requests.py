"""Client requests: how a program talks to the valgrind that it runs under. Off valgrind they do nothing."""
import ctypes
import mmap
import os

from . import machine

_RUNNING_ON_VALGRIND, _GDB_MONITOR_COMMAND = 0x1001, 0x1202
_COMMAND_BYTES = 4096


class Requests(object):
    """`keep` is what holds the machine code at `address` in memory."""

    def __init__(self, address, keep):
        self._keep = keep
        # PyDLL's kind of function: other threads wait, so nothing happens between a request and the next.
        self._function = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)(address)
        self._arguments = (ctypes.c_uint64 * 6)()
        self._arguments_at = ctypes.addressof(self._arguments)
        self._text = ctypes.create_string_buffer(_COMMAND_BYTES)
        self._text_at = ctypes.addressof(self._text)

    def under_valgrind(self):
        self._arguments[:2] = (_RUNNING_ON_VALGRIND, 0)
        return self._function(0, self._arguments_at) != 0

    def monitor(self, command):
        """Run a monitor command (bytes). Returns whether valgrind knew it. Raises ValueError where it is too long."""
        self._text.value = command
        self._arguments[:2] = (_GDB_MONITOR_COMMAND, self._text_at)
        return self._function(1, self._arguments_at) == 0


def in_memory():
    """Requests from a page of memory. Raises OSError where the system refuses to execute it, machine.Unsupported."""
    name, _ = machine.this_machine()
    page = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page.write(machine.code(name, False)[machine.REQUEST:])
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        raise OSError(ctypes.get_errno(), "memory may not be made executable")
    return Requests(address, page)


def in_library(library):
    """Requests from the code of a loaded pads.Library: the way where memory may not be made executable."""
    return Requests(library.code + machine.REQUEST, library)


def heap_bytes(snapshot):
    """`mem_heap_B` of the last snapshot in a file of massif's format. Raises OSError, ValueError where there is none."""
    with open(snapshot, "rb") as file:
        found = None
        for line in file:
            if line.startswith(b"mem_heap_B="):
                found = int(line[11:])
    if found is None:
        raise ValueError("%s holds no snapshot" % os.path.basename(snapshot))
    return found
