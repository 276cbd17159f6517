"""Two threads take memory at the same time, each on a line of its own."""
import sys
import threading

kept = sys.kept = []
started = threading.Barrier(2)
# With the header that malloc puts before it, a block fills whole pages.
BLOCK = (1 << 18) - 64


#@profile
def left():
    started.wait()
    kept.append([bytearray(BLOCK) for _ in range(160)])  #: net=40*N, plain


#@profile
def right():
    started.wait()
    kept.append([bytes(BLOCK).replace(b"\0", b"x") for _ in range(96)])  #: net=24*N


def work():
    pair = [threading.Thread(target=left), threading.Thread(target=right)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()


# A thread's stack and its share of malloc are memory too, of no known size: the first ones have them before.
warm = [threading.Thread(target=started.wait) for _ in range(2)]
for thread in warm:
    thread.start()
for thread in warm:
    thread.join()
for _ in range(int(sys.argv[1])):
    work()
