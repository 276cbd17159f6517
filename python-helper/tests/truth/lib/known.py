"""Memory of exactly known size, outside the measured project: whole private pages, all touched."""
import mmap

M = 1 << 20


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
