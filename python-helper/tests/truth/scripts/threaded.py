"""Threads, one after another and taking turns: each line keeps its own, nothing is counted twice."""
import threading
from known import M, brief, take

kept = []
turn = [threading.Semaphore(0), threading.Semaphore(0)]
go = threading.Semaphore(0)
ready = threading.Semaphore(0)


def worker(size):
    ready.release(), go.acquire()  #: hits=3
    kept.append(take(size))  #: hits=3, net=9*M, self=9*M, max=4*M
    brief(16 * M)  #: hits=3, net=0, peak=16*M


def left():
    ready.release(), turn[0].acquire()  #: hits=1
    for _ in range(5):  #: hits=6
        kept.append(take(2 * M))  #: hits=5, net=10*M, self=10*M, max=2*M
        turn[1].release(), turn[0].acquire()  #: hits=5
    turn[1].release()  #: hits=1


def right():
    ready.release(), turn[1].acquire()  #: hits=1
    for _ in range(5):  #: hits=6
        kept.append(take(M))  #: hits=5, net=5*M, self=5*M, max=M
        turn[0].release(), turn[1].acquire()  #: hits=5


# The first thread's stack and allocator are memory too, of no known size.
for _ in range(2):
    warm = threading.Thread(target=lambda: (go.acquire(), brief(M)))
    warm.start()
    go.release(), warm.join()
# From the moment one thread lets another go on until it waits itself, it begins no line.
for size in (2, 4, 3):  #: hits=4
    thread = threading.Thread(target=worker, args=(size * M,))
    thread.start()  #: hits=3
    ready.acquire()  #: hits=3
    go.release(), thread.join()  #: hits=3, self=0
threads = [threading.Thread(target=left), threading.Thread(target=right)]
for thread in threads:  #: hits=3
    thread.start()  #: hits=2
    ready.acquire()  #: hits=2
turn[0].release(), [thread.join() for thread in threads]  #: hits=1, self=0
