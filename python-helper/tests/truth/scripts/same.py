"""Several code objects on one line: while it is open it is counted once, and its lambdas go on with it."""
from known import M, brief, take

kept = []


def apply(function):
    return function()  #: hits=1, net=2*M, self=0


def main():
    kept.append(list(map(lambda _: take(M), range(4))))  #: hits=1, net=4*M, self=4*M, max=4*M, peak=4*M
    kept.append(apply(lambda: take(2 * M)))  #: hits=1, net=2*M, self=2*M, max=2*M
    kept.append((lambda f: f(f, 2))(lambda f, n: [take(M)] + (f(f, n - 1) if n else [])))  #: hits=1, net=3*M, self=3*M
    class Held: kept.append(take(3 * M))  #: hits=1, net=3*M, self=3*M
    sorted([3, 1, 2], key=lambda n: brief(n * M) or n)  #: hits=1, net=0, peak=3*M
    later = [lambda: kept.append(take(M)),  #: hits=3, net=2*M, self=2*M, max=M
             None][0]
    later()  #: hits=1, net=M, self=0
    later()  #: hits=1, net=M, self=0


main()  #: hits=1, net=14*M, self=0
