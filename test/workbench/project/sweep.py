"""Holds a known number of MiB for each sample of a batch, and refuses itself more than 100 MiB for all."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--double", action="store_true")
given = parser.parse_args()
each = 4 if given.double else 2
if each * given.batch_size > 100:
    raise MemoryError("no more than 100 MiB for the batch")
kept = bytearray(b"\1") * ((20 + each * given.batch_size) << 20)
print("held %d" % len(kept), flush=True)
