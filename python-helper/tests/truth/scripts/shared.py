"""Threads at the same time: memory belongs to the line of the thread that faulted, whichever notices it first."""
import threading
import time
from known import M, take

kept = []
ready = threading.Semaphore(0)


def work():
    kept.append(bytearray(40 * M))  #: hits=3, net=120*M, self=120*M
    kept.append(take(24 * M))  #: hits=3, net=72*M, self=72*M


def idle():
    ready.release(), time.sleep(0.02)  #: hits=1, net=0, self=0
    return kept  #: hits=1


# The first thread's stack and allocator are memory too, of no known size.
warm = threading.Thread(target=lambda: take(M).close())
warm.start()
warm.join()
for _ in range(3):  #: hits=4
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
sleeper = threading.Thread(target=idle)
sleeper.start(), ready.acquire()
filled = [take(M) for _ in range(80)] + [time.sleep(0.05)]  #: hits=1, net=80*M, self=80*M
sleeper.join()
