"""A recursion: the line that calls itself counts once, with all that happened below it."""
import sys

kept = sys.kept = []


#@profile
def descend(depth):
    kept.append(bytearray(4 << 20))  #: net=24*N, peak=4, plain
    if depth:
        descend(depth - 1)  #: net=20*N, peak=20
    return depth  #: net=0, peak=0


#@profile
def work():
    descend(5)  #: net=24*N, peak=24


for _ in range(int(sys.argv[1])):
    work()
