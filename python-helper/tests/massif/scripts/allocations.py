"""Known allocations in every shape of Python code; what each line holds is stated beside it."""
import asyncio
import threading

try:
    import numpy
except ImportError:
    numpy = None

M = 1 << 20
kept = []


def small_objects(count):
    return [b"%d" % i + b"x" * 1000 for i in range(count)]  #: bytes=2000*1038


def over_lines():
    return bytearray(  #: bytes=3*M
        3 * M)


def numbers():
    held = bytearray(M)  #: bytes=2*M
    for i in range(3):
        kept.append(bytearray(M))  #: bytes=6*M
        yield i
    kept.append(held)


def delegated():
    yield from numbers()


class Model(object):
    weights = bytearray(2 * M)  #: bytes=2*M

    def __init__(self):
        self.own = bytearray(M)  #: bytes=M

    def __call__(self, size):
        return self.deeper(size)

    def deeper(self, size, depth=20):
        if depth:
            return self.deeper(size, depth - 1)
        return bytearray(size)  #: bytes=2*M


def raises():
    kept.append(bytearray(M))  #: bytes=M
    raise ValueError


def caught():
    try:
        raises()
    except ValueError:
        kept.append(bytearray(2 * M))  #: bytes=2*M
    finally:
        kept.append(bytearray(3 * M))  #: bytes=3*M


def in_thread(which):
    for _ in range(4):
        kept.append(bytearray(M // 2))  #: bytes=4*M


async def awaited():
    await asyncio.sleep(0)
    kept.append(bytearray(M))  #: bytes=M
    return bytearray(M)  #: bytes=M


async def both():
    kept.append(await awaited())


def throws():
    def waiting():
        try:
            yield
        except KeyError:
            kept.append(bytearray(M))  #: bytes=M
            yield
    generator = waiting()
    next(generator)
    generator.throw(KeyError)
    kept.append(generator)


def main():
    kept.append(small_objects(2000))
    kept.append(over_lines())
    kept.append(list(numbers()))
    kept.append(list(delegated()))
    model = Model()
    kept.append(model)
    kept.append(model(2 * M))
    caught()
    threads = [threading.Thread(target=in_thread, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(both())
    loop.close()
    throws()
    kept.append(sorted([2, 1], key=lambda k: kept.append(bytearray(k * M)) or k))  #: bytes=3*M
    kept.append({i: bytearray(M) for i in range(2)})  #: bytes=2*M
    kept.extend(bytearray(M) for _ in range(2))  #: bytes=2*M
    exec("kept.append(bytearray(M))")  #: bytes=M
    if numpy is not None:
        kept.append(numpy.zeros(M, dtype=numpy.uint8) + 1)


main()
print(len(kept))  #: end
