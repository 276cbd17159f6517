"""The board's memory from /proc/meminfo, in bytes; what the kernel does not print is absent."""
import os

from ..files import read_some
from .proc import kib

_LONGEST = 16384


def read_meminfo(path="/proc/meminfo"):
    """The raw text with a newline before it, so that every field begins after one; empty where it cannot be read."""
    try:
        return b"\n" + read_some(path, _LONGEST)
    except OSError:
        return b""


class MeminfoReader(object):
    """Reads a board's meminfo again and again; this machine's own by one descriptor that is kept."""

    def __init__(self, system):
        self._path = system.path("proc/meminfo")
        self._fd = -1
        if system.simulated is None:
            try:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                pass

    def read(self):
        """As read_meminfo."""
        if self._fd < 0:
            return read_meminfo(self._path)
        try:
            return b"\n" + os.pread(self._fd, _LONGEST, 0)
        except OSError:
            return b""

    def close(self):
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def figures(data):
    """mem_available, mem_free, swap_used, nvmap_used of a text from read_meminfo."""
    found = {}
    for key, name in (("mem_available", b"MemAvailable"), ("mem_free", b"MemFree"),
                      ("nvmap_used", b"NvMapMemUsed")):
        value = kib(data, name)
        if value is not None:
            found[key] = value
    total, free = kib(data, b"SwapTotal"), kib(data, b"SwapFree")
    if total is not None and free is not None:
        found["swap_used"] = max(0, total - free)
    return found


def fields(data):
    """([name, …], [number, …]) of a text from read_meminfo, as the kernel prints them; odd lines are left out."""
    names, numbers = [], []
    for line in data.split(b"\n"):
        name, colon, rest = line.partition(b":")
        words = rest.split(None, 1)
        if colon and words and words[0].isdigit():
            names.append(name.decode("ascii", "replace"))
            numbers.append(int(words[0]))
    return names, numbers


def room(data):
    """mem_available and swap_free of a text from read_meminfo: what a new process may hope for."""
    found = {"mem_available": kib(data, b"MemAvailable"), "swap_free": kib(data, b"SwapFree")}
    return {key: value for key, value in found.items() if value is not None}


def used(data):
    """(bytes that are not available, bytes of RAM) of a text from read_meminfo; None where that is not told."""
    whole, free = kib(data, b"MemTotal"), kib(data, b"MemAvailable")
    return None if whole is None or free is None else (whole - free, whole)


def total(data):
    return kib(data, b"MemTotal")
