"""NumPy arrays taken, kept and given back."""
import sys
import timing
import numpy

try:
    profile
except NameError:
    def profile(function):
        return function


def take(size):
    return numpy.ones(size, dtype=numpy.uint8)


@profile
def work(turns):
    kept = []
    for i in range(turns):
        a = take(4 << 20)
        kept.append(a)
        b = take(16 << 20)
        sums = (a[::64].sum(), numpy.sqrt(b[: 1 << 20]).sum())
        del b
        if i % 4 == 3:
            kept.pop(0)
    return sums


timing.measure(work, int(sys.argv[1]))
