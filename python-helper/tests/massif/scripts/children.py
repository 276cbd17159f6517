"""A forked child, a child of fork that goes on to allocate in the line in which it was forked, and a spawned one."""
import multiprocessing
import os
import sys

M = 1 << 20
kept = []


def takes(size):
    kept.append(bytearray(size))


def forked():
    takes(3 * M)
    only_here()


def only_here():
    kept.append(bytearray(2 * M))


def spawned(size):
    takes(size)
    print("spawned", len(kept))
    sys.stdout.flush()


if __name__ == "__main__":
    takes(M)
    pid = os.fork()
    if pid == 0:
        forked()
        os._exit(0)
    os.waitpid(pid, 0)
    process = multiprocessing.get_context("spawn").Process(target=spawned, args=(4 * M,))
    process.start()
    process.join()
    print(pid, process.pid, process.exitcode)
