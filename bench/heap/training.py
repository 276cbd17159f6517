#!/usr/bin/env python3
"""What the heap sampler adds to training a small convolutional net with torch on the CPU, in seconds of the processor.

    python3 bench/heap/training.py [--rounds N] [--quick] [--check] [--out FILE]

One thread, Adam; the Python must have torch (Debian: python3-torch). `--check`: exit code 1 where the median with it, at
the usual mean, is above 1.05 times the bare one.
"""
import resource
import statistics
import subprocess
import sys

import taking_turns

PROGRAM = """
import sys, time, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2048, 120), nn.ReLU(), nn.Linear(120, 10))
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
def step():
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
for _ in range(5):
    step()
began = time.process_time()
for _ in range(int(sys.argv[1])):
    step()
print(time.process_time() - began)
"""
BARE, USUAL = "bare", "with it, mean 512 KiB"
WAYS = {BARE: None, USUAL: 512 << 10, "with it, mean 64 KiB": 64 << 10}
BAR = 1.05


def main():
    options = taking_turns.arguments(__doc__, 7)
    steps = "20" if options.quick else "150"
    try:
        subprocess.check_output([sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        sys.exit("This Python has no torch; try /usr/bin/python3 with Debian's python3-torch.")
    ways = taking_turns.Ways(WAYS)
    ways.rounds(2 if options.quick else options.rounds, lambda environment: float(
        subprocess.check_output([sys.executable, "-c", PROGRAM, steps], env=environment)))
    ways.table("CPU s")
    ratio = statistics.median(ways.figures[USUAL]) / statistics.median(ways.figures[BARE])
    print("with it: %.3f times the bare one (bar: %.2f); the largest of all processes held %d MiB" % (
        ratio, BAR, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10))
    row = ways.row(USUAL, BARE, "python3 bench/heap/training.py", row="heap/training", unit="s",
                   title="Training a small net on the CPU", measures="CPU seconds of the training steps",
                   work={"unit": "steps", "sizes": [int(steps)]})
    taking_turns.finish(options, [row], ratio <= BAR)


if __name__ == "__main__":
    main()
