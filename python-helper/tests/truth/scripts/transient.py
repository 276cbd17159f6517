"""What a line holds and gives back, at every depth."""
from known import M, brief, take


def inner():
    big = take(48 * M)  #: hits=1, net=48*M, peak=48*M
    big.close()  #: hits=1, net=-48*M, peak=0


def outer():
    held = take(16 * M)  #: net=16*M, peak=16*M
    inner()  #: net=0, self=0, peak=48*M
    held.close()  #: net=-16*M, peak=0


def several():
    for size in (8, 24, 12):  #: hits=4
        brief(size * M)  #: hits=3, net=0, max=0, peak=24*M
    x = take(4 * M)  #: net=4*M, peak=4*M
    brief(2 * M)  #: net=0, peak=2*M
    x.close()  #: net=-4*M
    y = sum(len(part) for part in (bytearray(40 * M), bytearray(40 * M)))  #: hits=1, net=0, peak=80*M
    return y


outer()  #: net=0, self=0, peak=64*M
several()  #: net=0, peak=80*M
brief(33 * M)  #: net=0, self=0, peak=33*M
