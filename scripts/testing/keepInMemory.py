"""keepInMemory.py PYTHON…: keeps the files that these Pythons map in memory, until standard input ends.

A kernel may take pages of files away from a process while it is measured (where memory is short, or DAMON looks for cold
pages), and give them back on whichever line needs them next: its RSS moves by MiB that no line took or gave back. Where
the user may not lock memory, nothing is kept.
"""
import ctypes
import os
import subprocess
import sys

MODULES = "ctypes, json, multiprocessing.connection, random, socket, threading, zlib"
#: Of all RAM.
MOST = 1 / 32
PROT_READ, MAP_SHARED = 1, 1

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def mapped_by(python):
    program = "import %s\nprint(open('/proc/self/maps').read())" % MODULES
    shown = subprocess.run([python, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    fields = [line.split(None, 5) for line in shown.decode().splitlines()]
    return sorted(set(os.path.realpath(each[5]) for each in fields if len(each) == 6 and each[5].startswith("/")))


def keep(path):
    """Returns whether it may."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        address = libc.mmap(None, size, PROT_READ, MAP_SHARED, file.fileno(), 0)
    return libc.mlock(address, size) == 0


room = MOST * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
for path in sorted(set(path for python in sys.argv[1:] for path in mapped_by(python))):
    room -= os.path.getsize(path)
    if room < 0 or not keep(path):
        break
print("kept", flush=True)
sys.stdin.read()
