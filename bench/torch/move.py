#!/usr/bin/env python3
"""A tensor of 200000 x 1000 float32 made on the CPU and moved to the GPU, against one made on the GPU.

    python3 bench/torch/move.py [--check]

Each way runs in a process of its own, on the Python that runs this. On a board whose CPU and GPU share one memory the
two ways differ at their highest by the tensor's size: while it is moved it is there twice. What is counted is the
process's highest RSS plus what PyTorch's allocator took from the device, above what both were right before.
Without CUDA only the part on the CPU can be run: that making the tensor takes its size in RSS. `--check`: exit code 1
where a figure that could be taken is more than 2 % off. Prints words, then one line of JSON.
"""
import argparse
import json
import subprocess
import sys

ROWS, COLUMNS = 200000, 1000
SIZE = ROWS * COLUMNS * 4
MIB = 1 << 20
TOLERANCE = 0.02

_CHILD = """
import json, sys, torch
rows, columns, way = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def kib(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))
def reserved():
    return torch.cuda.memory_reserved() if way != "cpu" else 0
if way != "cpu":
    torch.zeros(1, device="cuda")  # CUDA's own part is there before
torch.zeros(1)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = kib("VmRSS") * 1024, reserved()
tensor = torch.ones(rows, columns, device="cuda" if way == "device" else "cpu")
if way == "move":
    tensor = tensor.to("cuda")
print(json.dumps({"rss": kib("VmHWM") * 1024 - before[0], "device": reserved() - before[1]}))
"""


def run(way):
    """{"rss", "device"}: bytes above the beginning, at the highest."""
    done = subprocess.run([sys.executable, "-c", _CHILD, str(ROWS), str(COLUMNS), way], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    import torch
    found, wrong = {"torch": torch.__version__, "size": SIZE, "cpu": run("cpu")}, []
    print("The tensor has %.1f MiB. Made on the CPU: RSS %+.1f MiB." % (SIZE / MIB, found["cpu"]["rss"] / MIB))
    if abs(found["cpu"]["rss"] - SIZE) > SIZE * TOLERANCE:
        wrong.append("making it on the CPU")
    if torch.cuda.is_available():
        found.update(move=run("move"), device=run("device"))
        both = dict((way, found[way]["rss"] + found[way]["device"]) for way in ("move", "device"))
        print("Made on the CPU and moved: %.1f MiB at the highest. Made on the GPU: %.1f MiB. They differ by %.1f MiB."
              % (both["move"] / MIB, both["device"] / MIB, (both["move"] - both["device"]) / MIB))
        if abs(both["move"] - both["device"] - SIZE) > SIZE * TOLERANCE:
            wrong.append("the difference of the two ways")
    else:
        print("SKIPPED: moving it, and making it on the GPU: this PyTorch (%s) has no CUDA here." % torch.__version__)
    print(json.dumps(found))
    if wrong and options.check:
        sys.exit("More than %d %% off: %s" % (TOLERANCE * 100, ", ".join(wrong)))


if __name__ == "__main__":
    main()
