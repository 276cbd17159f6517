"""Descents of 900 calls: four lines are run in each call."""
import sys

from timing import measure, profile

DEPTH = 900
sys.setrecursionlimit(4 * DEPTH)


@profile
def below(depth):
    if depth == 0:
        return 0
    found = below(depth - 1)  # the line
    found += 1
    return found


def descend(times):
    total = 0
    for _ in range(times):
        total += below(DEPTH)
    return total


TIMES = max(1, int(sys.argv[1]) // (4 * DEPTH))
measure(descend, TIMES, TIMES * DEPTH)
