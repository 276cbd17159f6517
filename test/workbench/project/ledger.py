"""Holds memory for as long as the board's records need to see it."""
import time

MIB = 1 << 20


def hold():
    block = b"\1" * (768 * MIB)
    time.sleep(8)
    return len(block)


print("held", hold())
