"""Straight lines: what is taken is kept."""
import mmap
import sys

kept = sys.kept = []


#@profile
def work():
    kept.append(bytearray(8 << 20))  #: net=8*N, peak=8, plain
    pages = mmap.mmap(-1, 12 << 20, mmap.MAP_PRIVATE)  #: net=0, peak=0
    pages[::4096] = b"x" * (3 << 10)  #: net=12*N, peak=12
    kept.append(pages)
    kept.append(b"ab" * (8 << 20))  #: net=16*N, peak=16, plain


for _ in range(int(sys.argv[1])):
    work()
