"""Generators that feed one another: nine lines for each number."""
import sys

from timing import measure, profile


@profile
def numbers(count):
    i = 0
    while i < count:
        yield i
        i += 1


@profile
def doubled(source):
    for number in source:
        twice = number * 2  # the line
        yield twice


@profile
def consume(count):
    total = 0
    for number in doubled(numbers(count)):
        total += number & 7
    return total


COUNT = int(sys.argv[1]) // 9
measure(consume, COUNT, sum(2 * i & 7 for i in range(4)) * (COUNT // 4) + sum(2 * i & 7 for i in range(COUNT % 4)))
