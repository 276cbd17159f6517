"""The board's memory from /proc/meminfo, in bytes; what the kernel does not print is absent."""
import os


def _kib(data, name):
    at = data.find(b"\n" + name + b":")
    if at < 0:
        return None
    at += len(name) + 2
    end = data.find(b"kB", at)
    try:
        return int(data[at:end]) * 1024
    except ValueError:
        return None


def read_meminfo(path="/proc/meminfo"):
    """The raw text with a newline before it, so that every field begins after one."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return b"\n" + os.read(fd, 16384)
    except OSError:
        return b""
    finally:
        os.close(fd)


def figures(data):
    """mem_available, mem_free, swap_used, nvmap_used of a text from read_meminfo."""
    found = {}
    for key, name in (("mem_available", b"MemAvailable"), ("mem_free", b"MemFree"),
                      ("nvmap_used", b"NvMapMemUsed")):
        value = _kib(data, name)
        if value is not None:
            found[key] = value
    total, free = _kib(data, b"SwapTotal"), _kib(data, b"SwapFree")
    if total is not None and free is not None:
        found["swap_used"] = max(0, total - free)
    return found


def room(data):
    """mem_available and swap_free of a text from read_meminfo: what a new process may hope for."""
    found = {"mem_available": _kib(data, b"MemAvailable"), "swap_free": _kib(data, b"SwapFree")}
    return {key: value for key, value in found.items() if value is not None}


def total(data):
    return _kib(data, b"MemTotal")
