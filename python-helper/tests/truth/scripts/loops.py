"""Loops: every begin counts, increments add up."""
from known import M, brief, take

kept = []
for i in range(6):  #: hits=7, net=0
    kept.append(take(2 * M))  #: hits=6, net=12*M, self=12*M, max=2*M, peak=2*M
while kept:  #: hits=7, net=0
    kept.pop().close()  #: hits=6, net=-12*M, max=-2*M
for i in range(5): kept.append(take(M))  #: hits=1, net=5*M, self=5*M, max=5*M, peak=5*M
count = 0
while True:
    count += 1  #: hits=1000, net=0
    if count == 1000:  #: hits=1000
        break  #: hits=1


def step():
    global count
    count += 1  #: hits=50
    return count < 1050  #: hits=50


while step():  #: hits=50
    pass
rounds = iter(range(4))


def endless():
    try:
        while True:
            next(rounds)  #: hits=5
    except StopIteration:  #: hits=1
        pass


endless()
for i in range(8):  #: hits=9
    if i % 2:  #: hits=8, net=0
        brief(4 * M)  #: hits=4, net=0, peak=4*M
    else:
        kept.append(take(M))  #: hits=4, net=4*M, max=M
for i in range(3):  #: hits=4
    for j in range(3):  #: hits=12
        if j == 1:  #: hits=9
            continue  #: hits=3
        count += 1  #: hits=6
i = 0
while i < 200:  #: hits=201
    i += 1  #: hits=200
