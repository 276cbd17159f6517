"""Many small objects: 480 bytes each and 8 for its place in a list."""
import sys

kept = sys.kept = []


#@profile
def work():
    parts = list(map(bytes, [447] * 10240))  #: net=4.77*N, peak=4.77, plain
    kept.append(parts)
    for i in range(4):
        kept.append(list(map(bytes, [447] * 2560)))  #: net=4.77*N, plain


for _ in range(int(sys.argv[1])):
    work()
