"""Memory that malloc keeps and hands out again: allocations and the process's memory tell different stories."""
import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
libc = ctypes.CDLL(None)
libc.mallopt(M_MMAP_THRESHOLD, 32 << 20)
libc.mallopt(M_TRIM_THRESHOLD, 32 << 20)


#@profile
def work():
    first = bytearray(24 << 20)  #: net=24, peak=24, apart
    del first  #: net=0, peak=0, apart
    second = bytearray(16 << 20)  #: net=0, peak=0, apart
    return second


for _ in range(int(sys.argv[1])):
    work()
