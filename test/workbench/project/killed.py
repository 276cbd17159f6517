"""Takes memory again and again until it is killed; ends by itself should nobody kill it."""
import time

MIB = 1 << 20


def train(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        batch = bytearray(96 * MIB)
    return len(batch)


print("up", flush=True)
train(120)
