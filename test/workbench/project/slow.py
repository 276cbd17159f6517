import os
import time

print("pid %d" % os.getpid(), flush=True)
blocks = []
for step in range(3000):
    blocks.append(bytearray(b"\1") * 65536)
    time.sleep(0.1)
