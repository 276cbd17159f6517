"""Whose a change of RSS was, where several threads have an open line: the kernel knows which of them faulted.

RSS and the faults must be read together. Python lets other threads run at each of its own system calls, for 5 ms and
many faults, so these go through ctypes, which can be told not to.
"""
import os

try:
    import ctypes
    _libc = ctypes.PyDLL(None)
    _libc.pread.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
    _libc.pread.restype = ctypes.c_ssize_t
    # Others may run before what was read is out of its buffer. In the first there is the same file's text then, only
    # newer; the second is for callers who hold a lock.
    _rss_text, _faults_text = ctypes.create_string_buffer(512), ctypes.create_string_buffer(512)
except (ImportError, OSError, AttributeError, MemoryError):
    # A Python built without it, or one that may make no machine code: less sure whose a change was.
    _libc = None

#: So many pages must have moved before the kernel is asked again: that costs 10 us a thread.
LOOK_PAGES = 8
_FLAGS = os.O_RDONLY | os.O_CLOEXEC


def this_thread():
    """The calling thread's id as the kernel counts them; 0 where it does not say."""
    try:
        return int(os.readlink("/proc/thread-self").rsplit("/", 1)[1])
    except (OSError, ValueError, IndexError):
        return 0


def read_rss(statm, size):
    """As os.pread(statm, size, 0) for at most 512 bytes, without letting other threads run."""
    return os.pread(statm, size, 0) if _libc is None else _pread(statm, _rss_text, size)


def _pread(fd, buffer, size):
    got = _libc.pread(fd, buffer, size, 0)
    if got < 0:
        raise OSError("descriptor %d cannot be read" % fd)
    return ctypes.string_at(buffer, got)


def faults_of(thread):
    """Page faults that the thread of this process has had so far; 0 where it is gone. One caller at a time."""
    path = b"/proc/self/task/%d/stat" % thread
    try:
        fd = os.open(path, _FLAGS) if _libc is None else _libc.open(path, _FLAGS)
        if fd < 0:
            return 0
        try:
            data = os.pread(fd, 512, 0) if _libc is None else _pread(fd, _faults_text, 512)
        finally:
            os.close(fd) if _libc is None else _libc.close(fd)
        fields = data[data.rindex(b")") + 2:].split(None, 10)
        return int(fields[7]) + int(fields[9])
    except (OSError, ValueError, IndexError):
        return 0


def shares(change, faults):
    """[(index, pages, uncertain pages)]: how a growth of `change` pages is divided by the threads' `faults`.

    Counts of faults are no counts of pages (one may bring a huge page in), so all goes to the one with nearly all of
    them; else each gets its part and none of it is certain. Empty where nobody faulted.
    """
    total = sum(faults)
    if not total:
        return []
    first = max(range(len(faults)), key=faults.__getitem__)
    if faults[first] * 10 >= total * 9:
        return [(first, change, change - change * faults[first] // total)]
    parts = [change * count // total for count in faults]
    parts[first] += change - sum(parts)
    return [(index, pages, pages) for index, pages in enumerate(parts) if pages]
