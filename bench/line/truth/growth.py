"""A loop that keeps a little more each time round."""
import sys

kept = sys.kept = []


#@profile
def work():
    for i in range(6):  #: net=0, peak=0
        part = bytearray(4 << 20)  #: net=24*N, peak=4, plain
        kept.append(part)  #: net=0, peak=0
        size = len(bytearray(16 << 20))  #: net=0, peak=16
    return size


for _ in range(int(sys.argv[1])):
    work()
