"""Nothing but short lines: three per turn."""
import sys

from timing import measure, profile


@profile
def hot(turns):
    total = 0
    i = 0
    while i < turns:
        total += i & 3  # the line
        i += 1
    return total


TURNS = int(sys.argv[1]) // 3
measure(hot, TURNS, TURNS // 4 * 6 + sum(range(TURNS % 4)))
