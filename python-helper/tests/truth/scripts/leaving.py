"""Python comes back to a statement that has begun already: where a `with` ends, or a `finally` it leaves through."""
from contextlib import suppress

from known import M, take

kept = []


class Holding:
    def __enter__(self):
        self.held = take(2 * M)  #: hits=6, net=12*M

    def __exit__(self, *_):
        self.held.close()  #: hits=6, net=-12*M


def with_blocks(count):
    for i in range(count):  #: hits=5
        with suppress(KeyError), suppress(
                ValueError):  #: at=-1, hits=4
            with Holding():  #: hits=4
                kept.append(i)  #: hits=4
            if i == 3:  #: hits=4
                raise KeyError(i)  # where an exception leaves a block, Python 3.9 comes to its last line once more
    while True:
        with Holding():  #: hits=2
            kept.append(i)  #: hits=2
            if len(kept) == 6:  #: hits=2
                return i  #: hits=1


def left_early(count):
    for i in range(count):  #: hits=6
        try:
            if i == 2:  #: hits=6
                return i  #: hits=2
        finally:
            kept.append(i)  #: hits=6


def left_twice(count):
    for i in range(count):  #: hits=4
        try:
            try:
                if i == 1:  #: hits=4
                    continue  #: hits=1
                if i == 3:  #: hits=3
                    break  #: hits=1
            finally:
                with suppress(KeyError):  #: hits=4
                    raise KeyError(i)  #: hits=4
        finally:
            kept.append(i)  #: hits=4
    try:
        return kept.append(count)  #: hits=1
    finally:
        def after():
            return count  #: hits=1
        after()  #: hits=1


with_blocks(4)  #: hits=1, net=0
left_early(5)  #: hits=1
left_early(3)  #: hits=1
left_twice(5)  #: hits=1
