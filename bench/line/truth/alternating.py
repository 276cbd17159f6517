"""Two lines take turns; one of them replaces what it took the time before."""
import sys

kept = sys.kept = []


#@profile
def work():
    batch = None
    for i in range(6):  #: net=0, peak=0
        kept.append(bytearray(4 << 20))  #: net=24*N, peak=4, plain
        batch = bytearray(10 << 20)  #: net=10*N, peak=10
    batch = None  #: net=-10*N, peak=0
    return batch


for _ in range(int(sys.argv[1])):
    work()
