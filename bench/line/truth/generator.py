"""A generator and its consumer take memory in turns."""
import sys

kept = sys.kept = []


#@profile
def batches():
    cache = bytearray(8 << 20)  #: net=8*N, peak=8
    for i in range(5):
        kept.append(bytearray(4 << 20))  #: net=20*N, peak=4, plain
        yield i  #: net=0, peak=0
    cache.clear()  #: net=-8*N, peak=0


#@profile
def work():
    for batch in batches():  #: net=20*N, peak=12
        kept.append(bytearray(6 << 20))  #: net=30*N, peak=6, plain
    return batch  #: net=0, peak=0


for _ in range(int(sys.argv[1])):
    work()
