"""Calls: a line's net holds its callees', self does not; recursion counts once."""
from known import M, brief, take

kept = []


def leaf(size):
    kept.append(take(size))  #: hits=3, net=12*M, self=12*M, max=4*M
    return size  #: hits=3, net=0


def middle():
    leaf(4 * M)  #: hits=3, net=12*M, self=0, max=4*M, peak=4*M
    brief(16 * M)  #: hits=3, net=0, self=0, peak=16*M


def deep(n):
    kept.append(take(2 * M))  #: hits=5, net=10*M, self=10*M, max=2*M
    if n:  #: hits=5, net=0
        deep(n - 1)  #: hits=4, net=8*M, self=0, max=8*M, peak=8*M
    return n  #: hits=5, net=0


def ping(n):
    kept.append(take(M))  #: hits=3, net=3*M
    if n:  #: hits=3
        pong(n - 1)  #: hits=3, net=5*M, self=0


def pong(n):
    kept.append(take(M))  #: hits=3, net=3*M
    if n:  #: hits=3
        ping(n - 1)  #: hits=2, net=4*M, self=0


class Holder:  #: hits=1
    table = take(3 * M)  #: hits=1, net=3*M, self=3*M

    def __init__(self):
        self.data = take(M)  #: hits=2, net=2*M

    @property
    def value(self):
        return len(self.data)  #: hits=1


def main():
    middle()  #: hits=1, net=4*M, self=0, peak=20*M
    middle_two()  #: hits=1, net=8*M, self=0
    deep(4)  #: hits=1, net=10*M, self=0, max=10*M, peak=10*M
    ping(5)  #: hits=1, net=6*M
    a, b = Holder(), Holder()  #: hits=1, net=2*M, self=0
    return a.value  #: hits=1, net=0


def middle_two():
    for _ in range(2):  #: hits=3
        middle()  #: hits=2, net=8*M, max=4*M


main()  #: hits=1, net=28*M, self=-2*M
