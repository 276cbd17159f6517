"""Comprehensions, statements over several lines, decorators, class bodies."""
import sys

kept = sys.kept = []


#@profile
def table(size):
    def decorate(function):
        function.table = bytearray(size)  #: net=5*N, peak=5, plain
        return function
    return decorate


#@profile
def work():
    kept.append([bytearray(1 << 20) for _ in range(6)])  #: net=6*N, peak=6, plain
    kept.append(
        dict(
            weights=bytearray(5 << 20),
            bias=bytearray(
                3 << 20
            ),
        )
    )  #: at=-7, net=8*N, peak=8, plain

    @table(5 << 20)  #: net=5*N, peak=5
    def step():
        pass

    class Model:
        weights = bytearray(7 << 20)  #: net=7*N, peak=7, plain

    kept.append((step, Model))


for _ in range(int(sys.argv[1])):
    work()
