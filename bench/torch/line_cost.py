#!/usr/bin/env python3
"""What a line costs while CUDA is up and nothing changes, with the stand-in for torch of the tests (no GPU is needed).

    python3 bench/torch/line_cost.py [--python PYTHON] [--rounds N] [--check]

The same loop of short lines runs bare, measured without CUDA, and measured with CUDA up: the allocator's counter found
(what happens with PyTorch), and hidden, so that PyTorch is asked now and then. CPU nanoseconds a line, the least of the
rounds. `--check`: exit code 1 where a line costs more than 5 us above the bare one with the counter found.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "python-helper", "tests")
STANDIN = os.path.abspath(os.path.join(TESTS, "standin"))
sys.path.insert(0, TESTS)

from truth import harness  # noqa: E402

BAR_NS = 5000
TURNS = 200000
BEGIN = {
    "no CUDA": "import torch\n",
    "CUDA, counter found": "import torch\nfrom torch.standin import *\nstart()\nturn = 0\nwhile warm_up(turn):\n    turn += 1\n",
    "CUDA, asking": "import torch\nfrom torch.standin import *\ntorch._C.hide()\nstart()\nalloc(1 << 20)\n",
}
LOOP = """
import sys, time
def loop(turns):
    total = 0
    i = 0
    while i < turns:
        total += i & 3
        i += 1
    return total
loop(1000)
began = time.process_time()
loop(%(turns)d)
spent = time.process_time() - began
sys.stderr.write("A LINE %%d ns\\n" %% (spent * 1e9 / (3 * %(turns)d)))
""" % {"turns": TURNS}
ASKING = """
import time, torch
torch.cuda.init()
began = time.process_time()
for i in range(2000):
    torch._C._cuda_memoryStats(0)
print(int((time.process_time() - began) / 2000 * 1e9))
"""


def a_line(stderr):
    found = re.search(rb"A LINE (\d+) ns", stderr)
    if found is None:
        raise SystemExit(stderr.decode("utf-8", "replace"))
    return int(found.group(1))


def bare(python, script):
    done = subprocess.Popen([python, "-c", script], env=dict(os.environ, PYTHONPATH=STANDIN), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    return done.communicate()


def measured(python, script, accelerator):
    with tempfile.TemporaryDirectory() as project, harness.Folder(os.path.realpath(project), False, accelerator) as folder:
        with open(os.path.join(project, "script.py"), "w") as file:
            file.write(script)
        path = folder.environment()["PYTHONPATH"] + os.pathsep + STANDIN
        run = folder.run(["script.py"], project, env={"PYTHONPATH": path}, python=python)
        return a_line(run.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python to measure (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="compare with the bar")
    options = parser.parse_args()
    rounds = range(options.rounds)
    least = min(a_line(bare(options.python, LOOP)[1]) for _ in rounds)
    print("bare: %d ns a line" % least)
    missed = False
    for accelerator in harness.BOTH:
        for name, begin in BEGIN.items():
            cost = min(measured(options.python, begin + LOOP, accelerator) for _ in rounds) - least
            missed = missed or (name == "CUDA, counter found" and cost > BAR_NS)
            print("%-12s %-20s adds %5d ns a line" % ("accelerator" if accelerator else "pure", name, cost))
    print("asking the stand-in for its statistics: %d ns" % min(int(bare(options.python, ASKING)[0]) for _ in rounds))
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
