"""Generators, coroutines, exceptions, recursion and new code in several threads at once; prints what came of it."""
import asyncio
import os
import signal
import sys
import threading
import time

INTERRUPTIONS = int(os.environ.get("JETSON_MEMPROF_TRIALS", "100")) // 5


def numbers(n):
    for i in range(n):
        try:
            yield i
        except ValueError:
            yield -1


def thrown():
    generator = numbers(10)
    next(generator)
    assert generator.throw(ValueError) == -1
    generator = numbers(3)
    next(generator)
    try:
        generator.throw(KeyError)
    except KeyError:
        pass
    generator = numbers(3)
    next(generator)
    generator.close()


def fails(depth):
    if depth == 0:
        raise RuntimeError("x")
    return fails(depth - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def work(results):
    for _ in range(6):
        thrown()
        try:
            fails(100)
        except RuntimeError:
            pass
        results.append(fibonacci(9) + sum(numbers(50)) + len([bytearray(100) for _ in range(20)]))
        time.sleep(0)


async def nested(n):
    if n:
        await nested(n - 1)
    return n


async def gathered():
    return await asyncio.gather(*[nested(i) for i in range(10)])


def to_the_limit():
    depth = [0]

    def deeper():
        depth[0] += 1
        deeper()
    try:
        deeper()
    except RecursionError:
        pass
    return depth[0]


def interrupted():
    def handler(number, frame):
        raise InterruptedError("from the handler")
    signal.signal(signal.SIGALRM, handler)
    turns = 0
    try:
        while True:
            turns += 1
            fibonacci(3)
            if turns == 1:  # not before: under valgrind on a busy machine it may come at once
                signal.setitimer(signal.ITIMER_REAL, 0.3)
    except InterruptedError:
        return turns > 0


def new_at_the_limit():
    """Functions and lines that are first run where there is no room for the profiler's own."""
    def deeper(depth):
        try:
            deeper(depth + 1)
        except RecursionError:
            try:
                exec("def f(x):\n  y = x\n  return y\nf(%d)\n" % depth, {})
            except RecursionError:
                pass
            raise
    try:
        deeper(0)
    except RecursionError:
        return True


class Interrupted(Exception):
    """An exception that no library knows."""


def interrupted_in_new_code():
    def handler(number, frame):
        raise Interrupted()
    signal.signal(signal.SIGALRM, handler)
    caught = number = 0
    while caught < INTERRUPTIONS:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.003)
            while True:
                number += 1
                exec("def f%d(x):\n  y = x\n  return y\nfor _ in range(20): f%d(1)\n" % (number, number), {})
        except Interrupted:
            caught += 1
    return caught


def main():
    everything = [[] for _ in range(4)]
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=(results,)) for results in everything]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop = asyncio.new_event_loop()
    print(loop.run_until_complete(gathered()))
    loop.close()
    for i in range(200):
        scope = {}
        exec("def f%d(x):\n  return x + %d\n" % (i, i), scope)
        assert scope["f%d" % i](1) == i + 1
    print(sorted(set(map(tuple, everything))), threading.active_count(), [thread.name for thread in threading.enumerate()])
    print(to_the_limit() > sys.getrecursionlimit() - 50, interrupted(), new_at_the_limit(), interrupted_in_new_code())


main()
