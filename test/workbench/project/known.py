"""Lines whose memory is known; the stories read the same figures back from the editor."""

MIB = 1024 * 1024


def keep():
    return bytearray(b"\1") * (48 * MIB)


def borrow():
    size = len(bytearray(b"\1") * (32 * MIB))
    return size


def main():
    kept = keep()
    spare = bytearray(b"\1") * (24 * MIB)
    borrowed = borrow()
    del spare
    print("kept %d, borrowed %d" % (len(kept), borrowed), flush=True)
    return kept


result = main()
