"""Taken and given back on one line: nothing is left, but it was held."""
import sys


#@profile
def work():
    a = len(bytearray(48 << 20))  #: net=0, peak=48
    b = sum(len(part) for part in (bytearray(20 << 20), bytearray(12 << 20)))  #: net=0, peak=32
    c = b"".join([b"x" * (8 << 20), b"y" * (8 << 20)])[:1]  #: net=0, peak=32
    return a, b, c  #: net=0, peak=0


for _ in range(int(sys.argv[1])):
    work()
