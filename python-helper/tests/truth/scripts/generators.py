"""Generators and coroutines: resumed is not begun again, suspended is not open."""
import asyncio
from known import M, brief, take

kept = []


async def warm():
    await asyncio.gather(asyncio.sleep(0.002), asyncio.sleep(0.001))


# As in known.py: the code of a waiting event loop is mapped here.
loop = asyncio.new_event_loop()
loop.run_until_complete(warm())


def numbers(n):
    held = take(2 * M)  #: hits=1, net=2*M
    for i in range(n):  #: hits=4
        kept.append(take(M))  #: hits=3, net=3*M, self=3*M
        yield i  #: hits=3, net=0
    held.close()  #: hits=1, net=-2*M


def use():
    for number in numbers(3):  #: hits=4, net=3*M, self=0
        kept.append(take(4 * M))  #: hits=3, net=12*M, self=12*M, max=4*M
    return number  #: hits=1


def both():
    got = yield from numbers_again()  #: hits=1
    kept.append(got)  #: hits=1


def numbers_again():
    yield 1  #: hits=1
    x = yield 2  #: hits=1
    brief(8 * M)  #: hits=1, net=0, peak=8*M
    return x  #: hits=1


async def fetch(size):
    kept.append(take(size))  #: hits=2, net=6*M, self=6*M
    await asyncio.sleep(0.01)  #: hits=2, net=0
    brief(8 * M)  #: hits=2, net=0, peak=8*M
    return size  #: hits=2


# Python 3.9 reports the last line of an `async for` once more when the loop ends.
async def together():
    sizes = await asyncio.gather(fetch(2 * M), fetch(4 * M))  #: hits=1
    async for value in ticks():
        kept.append(take(value))  #: hits=3 if PY == 309 else 2, net=3*M
    return sizes  #: hits=1


async def ticks():
    for value in (M, 2 * M):  #: hits=3
        await asyncio.sleep(0)  #: hits=2
        yield value  #: hits=2


def closed():
    try:
        yield 1  #: hits=1
        yield 2  #: hits=0
    finally:
        kept.append(take(M))  #: hits=1, net=M


use()  #: hits=1, net=15*M, self=0
for _ in both():  #: hits=3
    pass
g = closed()
next(g)
g.close()  #: hits=1, net=M, self=0
loop.run_until_complete(together())  #: hits=1
loop.close()
