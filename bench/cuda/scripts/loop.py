"""loop.py TURNS [cpu]: a loop of short lines while CUDA is up and nothing changes; prints CPU seconds."""
import json
import sys
import time

import torch
import asking


def loop(turns):
    total = 0
    i = 0
    while i < turns:
        total += i & 3
        i += 1
    return total


if "cpu" not in sys.argv:
    torch.cuda.init()
    while asking.warm_up():
        pass
turns = int(sys.argv[1])
loop(1000)
began = time.process_time()
loop(turns)
print("KIT " + json.dumps({"name": "loop", "seconds": time.process_time() - began}))
