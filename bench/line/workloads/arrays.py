"""NumPy arrays taken, kept and given back."""
import sys

import numpy
from timing import measure, profile


def take(size):
    return numpy.ones(size, dtype=numpy.uint8)


@profile
def work(turns):
    kept = []
    total = 0
    for i in range(turns):
        a = take(4 << 20)  # the line
        kept.append(a)
        b = take(16 << 20)
        total += int(a[::64].sum())
        numpy.sqrt(b[: 1 << 20], dtype=numpy.float32).sum()
        del b
        if i % 4 == 3:
            kept.pop(0)
    return total


TURNS = int(sys.argv[1])
measure(work, TURNS, TURNS << 16)
