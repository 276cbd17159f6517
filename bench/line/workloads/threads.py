"""Eight threads of short lines that take and give back memory now and then."""
import sys
import threading

from timing import measure, profile

THREADS = 8


@profile
def work(turns, found):
    kept = []
    total = 0
    for i in range(turns):
        total += i & 3
        if i % 1024 == 0:
            kept.append(bytearray(1 << 18))  # the line
            kept = kept[-4:]
    found.append(total)


def share(turns):
    found = []
    threads = [threading.Thread(target=work, args=(turns, found)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found)


TURNS = int(sys.argv[1]) // (3 * THREADS) // 4 * 4
measure(share, TURNS, THREADS * TURNS // 4 * 6)
