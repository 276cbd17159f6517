"""Straight lines: taken, given back, reused."""
import mmap
from known import M, brief, take


def work():
    a = take(8 * M)  #: hits=1, net=8*M, self=8*M, max=8*M, peak=8*M
    b = bytearray(64 * M)  #: hits=1, net=64*M, self=64*M, peak=64*M
    a.close()  #: hits=1, net=-8*M, self=-8*M, max=-8*M, peak=0
    brief(32 * M)  #: hits=1, net=0, self=0, max=0, peak=32*M
    c = mmap.mmap(-1, 16 * M)  #: hits=1, net=0
    c[::4096] = b"y" * 4096  #: hits=1, net=16*M, peak=16*M
    c[::4096] = b"z" * 4096  #: hits=1, net=0, peak=0
    c.close()  #: hits=1, net=-16*M
    del b  #: hits=1, net=-64*M, self=-64*M
    d = len(bytearray(96 * M))  #: hits=1, net=0, peak=96*M
    return d  #: hits=1, net=0


work()  #: hits=1, net=0, self=0, peak=96*M
