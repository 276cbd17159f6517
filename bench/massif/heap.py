"""Allocates on the heap alone, so that RSS and massif must agree; each line takes several MiB, in blocks so large that
rounding to pages is below half a per cent."""
M = 1 << 20
kept = []


def loaded(count):
    return [bytearray(b"x") * M for _ in range(count)]


def filled(size):
    return bytearray(b"x") * size


def main():
    kept.append(loaded(20))
    kept.append(filled(24 * M))
    for _ in range(6):
        kept.append(filled(4 * M))
    kept.append(sorted(loaded(16), key=len))
    kept.append({i: filled(M) for i in range(16)})
    del kept[1]


main()
