"""Chosen lines: the net of a comment is what its line leaves behind, over all its executions."""
import threading

M = 1 << 20
kept = []


def takes():
    kept.append(bytearray(M))  #: net=3*M, hits=3


def passes():
    brief = bytearray(4 * M)
    del brief


def recursion(depth):
    kept.append(bytearray(M))
    if depth:
        recursion(depth - 1)  #: net=3*M, hits=3, measured=1


def numbers():
    for i in range(3):
        held = bytearray(M)  #: net=M, hits=3
        yield len(held)


def yields():
    yield kept.append(bytearray(M))  #: net=M, hits=1


def raises():
    kept.append(bytearray(2 * M)) or fail()  #: net=4*M, hits=2


def fail():
    raise ValueError


def loop_in_one_line():
    for _ in range(5): kept.append(bytearray(M))  #: net=5*M, hits=1


class Enters:
    def __enter__(self):
        kept.append(bytearray(M))

    def __exit__(self, *_):
        return True


def ends_of_blocks():
    for _ in range(2):
        with Enters(), \
                Enters():  #: net=4*M, hits=2, at=-1
            fail()
    try:
        return kept.append(bytearray(M))  #: net=M, hits=1
    finally:
        passes()


def main():
    for _ in range(3):
        takes()
    passes()  #: net=0, hits=1
    recursion(3)
    for _ in numbers():
        pass
    list(yields())
    for _ in range(2):
        try:
            raises()
        except ValueError:
            pass
    loop_in_one_line()
    ends_of_blocks()
    many = [bytearray(
        M) for _ in range(3)]  #: net=3*M, hits=1, at=-1
    kept.append(many)
    thread = threading.Thread(target=takes_in_thread)
    thread.start()
    thread.join()


def takes_in_thread():
    kept.append(bytearray(3 * M))  #: net=3*M, hits=1


main()
