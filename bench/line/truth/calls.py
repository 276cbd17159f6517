"""Calls: a line has what its callees took, for as long as they run and after."""
import sys

kept = sys.kept = []


#@profile
def normalise(size):
    scratch = bytearray(size)  #: net=36*N, peak=24
    kept.append(bytearray(size // 4))  #: net=9*N, peak=6, plain
    return len(scratch)


#@profile
def load():
    normalise(24 << 20)  #: net=6*N, peak=30
    kept.append(bytearray(4 << 20))  #: net=4*N, peak=4, plain


#@profile
def work():
    load()  #: net=10*N, peak=30
    normalise(12 << 20)  #: net=3*N, peak=15


for _ in range(int(sys.argv[1])):
    work()
