"""Statements of every shape: their memory and hits belong to their first line."""
from known import M, brief, take

kept = []


def same(*parts, **named):
    return parts  #: hits=5


def decorate(size):
    kept.append(take(size))  #: hits=2, net=3*M
    return lambda function: function


def main():
    some = [take(M) for _ in range(4)]  #: hits=1, net=4*M, self=4*M, max=4*M
    more = [
        take(M)
        for _ in range(3)
        if _ >= 0
    ]  #: at=-4, hits=1, net=3*M, self=3*M
    kept.append(
        same(
            take(2 * M),
            same(take(M),
                 2),
        ),
    )  #: at=-6, hits=1, net=3*M, self=3*M
    total = {i: take(M) for i in range(2)}  #: hits=1, net=2*M, self=2*M
    lazy = (take(M) for _ in range(3))  #: hits=1, net=0
    kept.extend(lazy)  #: hits=1, net=3*M, self=3*M
    text = ("a"
            "b" +
            str(same(1,
                     2)))  #: at=-3, hits=1
    grow = lambda n: kept.append(take(n))  #: hits=3, net=4*M, self=4*M
    grow(2 * M)  #: hits=1, net=2*M, self=0
    grow(2 * M)  #: hits=1, net=2*M, self=0

    @decorate(M)  #: hits=1, net=3*M
    @decorate(
        2 * M)
    def inner(
            a=brief(4 * M),
            b=2):
        return a  #: hits=1

    inner()  #: hits=1
    if same(1) and \
            same(2):  #: at=-1, hits=1
        kept.append(take(M))  #: hits=1, net=M
    elif same(3):  #: hits=0
        pass
    assert kept, \
        "nothing kept"  #: at=-1, hits=1
    return (some,
            more, total,
            text)  #: at=-2, hits=1


result = main()  #: hits=1, net=23*M, self=0
pair = take(M); pair.close()  #: net=0, peak=M
