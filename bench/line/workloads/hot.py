"""Nothing but short lines: three per turn."""
import sys
import timing

try:
    profile
except NameError:
    def profile(function):
        return function


@profile
def hot(turns):
    total = 0
    i = 0
    while i < turns:
        total += i & 3
        i += 1
    return total


timing.measure(hot, int(sys.argv[1]) // 3)
