"""Heap whose owners are known; the massif story reads the same lines back from the flame view."""

MIB = 1024 * 1024


def build():
    blocks = []
    for _ in range(24):
        blocks.append(bytearray(MIB))
    return blocks


def main():
    kept = build()
    spare = bytearray(8 * MIB)
    print("kept %d blocks and %d bytes" % (len(kept), len(spare)), flush=True)
    return kept, spare


result = main()
