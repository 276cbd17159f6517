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


def map_code():
    """Have all of Python's own code and constants mapped: what runs for the first time would be, on a measured line,
    64 KiB or more at a time, and more or less of it by what of the file is in the page cache.
    """
    with open("/proc/self/maps") as maps:
        mapped = [line.split() for line in maps]
    for place in mapped:
        if len(place) == 6 and place[1] in ("r-xp", "r--p") and (".so" in place[5] or "python" in place[5]):
            begin, end = (int(address, 16) for address in place[0].split("-"))
            for at in range(begin, end, mmap.PAGESIZE):
                ctypes.c_char.from_address(at).value


map_code()
brief(M)
bytearray(M)
