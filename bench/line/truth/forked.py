"""A forked worker: its lines are its own."""
import multiprocessing
import sys

kept = sys.kept = []


#@profile
def child():
    kept.append(bytearray(1 << 20))
    kept.append(bytearray(8 << 20))  #: net=8*N, peak=8
    size = len(bytearray(24 << 20))  #: net=0, peak=24
    return size


#@profile
def work():
    kept.append(bytearray(6 << 20))  #: net=6*N, peak=6, plain
    worker = multiprocessing.get_context("fork").Process(target=child)
    worker.start()
    worker.join()


for _ in range(int(sys.argv[1])):
    work()
