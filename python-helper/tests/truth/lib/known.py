"""Memory of exactly known size, outside the measured project: whole private pages, all touched."""
import ctypes
import mmap

M = 1 << 20
# Whatever the system's setting for huge pages (they also make a thread's stack 2 MiB). PR_SET_THP_DISABLE.
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)


def take(size):
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages[::mmap.PAGESIZE] = b"x" * (size // mmap.PAGESIZE)
    return pages


def brief(size):
    """Take `size` and give it back before returning."""
    take(size).close()


# The code that these run is mapped 64 KiB at a time when it is first executed: that is done here, not on a measured line.
brief(M)
bytearray(M)
