"""Exceptions: unwound activations end, their memory stays with their lines."""
from known import M, brief, take

kept = []


def fails(n):
    kept.append(take(2 * M))  #: hits=3, net=6*M
    brief(8 * M)  #: hits=3, peak=8*M
    raise ValueError(n)  #: hits=3, net=0


def passes_on(n):
    fails(n)  #: hits=3, net=6*M, self=0, peak=10*M
    return 1  #: hits=0


def main():
    for n in range(3):  #: hits=4
        try:
            passes_on(n)  #: hits=3, net=6*M, self=0
        except ValueError:  #: hits=3
            kept.append(take(M))  #: hits=3, net=3*M
    try:
        kept.append(take(M))  #: hits=1, net=M
    finally:
        kept.append(take(M))  #: hits=1, net=M
    return len(kept)  #: hits=1


def exits():
    kept.append(take(M))  #: hits=1, net=M
    raise SystemExit(7)  #: hits=1


main()  #: hits=1, net=11*M, self=0
exits()  #: hits=1, net=M, self=0
