"""Taken on one line, given back on another."""
import sys


#@profile
def work():
    a = bytearray(20 << 20)  #: net=20*N, peak=20
    b = bytearray(12 << 20)  #: net=12*N, peak=12
    del a  #: net=-20*N, peak=0
    b.clear()  #: net=-12*N, peak=0
    queue = [bytearray(6 << 20), bytearray(6 << 20)]  #: net=12*N, peak=12
    while queue:  #: net=0, peak=0
        queue.pop()  #: net=-12*N, peak=0


for _ in range(int(sys.argv[1])):
    work()
