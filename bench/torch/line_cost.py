#!/usr/bin/env python3
"""What a line costs while CUDA is up and nothing changes, with the stand-in for torch of the tests (no GPU is needed).

    python3 bench/torch/line_cost.py [--python PYTHON] [--rounds N] [--quick] [--check] [--out FILE] [ROW ...]

The same loop of short lines runs bare, measured without CUDA, and measured with CUDA up: the allocator's counter found
(what happens with PyTorch), and hidden, so that PyTorch is asked now and then; in turns, round by round. CPU time that a
line takes beyond the bare one of its round. `--out` takes the rows as bench/README.md says. `--check`: exit code 1 where
a line costs more than 5 us above the bare one with the counter found, in the best round.
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
sys.path[:0] = [TESTS, os.path.join(HERE, "..", "support")]

from result import version, write_rows  # noqa: E402
from truth import harness  # noqa: E402

BAR_US = 5
TURNS = [20000, 200000]
LINES_A_TURN = 3
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
sys.stderr.write("A LINE %%d ns\\n" %% (spent * 1e9 / (%(lines)d * %(turns)d)))
"""
ASKING = """
import time, torch
torch.cuda.init()
began = time.process_time()
for i in range(2000):
    torch._C._cuda_memoryStats(0)
print(int((time.process_time() - began) / 2000 * 1e9))
"""


def a_line(stderr):
    """CPU microseconds."""
    found = re.search(rb"A LINE (\d+) ns", stderr)
    if found is None:
        raise SystemExit(stderr.decode("utf-8", "replace"))
    return int(found.group(1)) / 1000


def loop(turns):
    return LOOP % {"turns": turns, "lines": LINES_A_TURN}


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


def rounds_of(python, accelerator, rounds, turns):
    """The bare loop's microseconds a line in each round, and what it takes beyond that as each of BEGIN."""
    reference = []
    added = {name: [] for name in BEGIN}
    for _ in range(rounds):
        reference.append(a_line(bare(python, loop(turns))[1]))
        for name, begin in BEGIN.items():
            added[name].append(measured(python, begin + loop(turns), accelerator) - reference[-1])
    return reference, added


def row(name, kind, found, sizes, options):
    return {
        "row": name, "title": "CUDA memory by line, " + kind,
        "measures": "CPU time that a line takes beyond the bare one while nothing changes",
        "unit": "us", "better": "less", "ours": "CUDA, counter found",
        "goal": {"kind": "bound", "atMost": BAR_US, "at": sizes[-1]}, "work": {"unit": "lines", "sizes": sizes},
        "contestants": [
            {"name": case, "version": version(), "runs": [added[case] for _, added in found],
             "command": "python3 bench/torch/line_cost.py --python " + options.python} for case in BEGIN],
        "reference": {"name": "bare", "runs": [reference for reference, _ in found]},
        "python": subprocess.check_output([options.python, "-V"]).decode().split()[-1],
        "notes": ["With the stand-in for torch of the tests, as no GPU was at hand: what is measured is the helper's own "
                  "part. Where the counter was not found PyTorch is asked now and then, and many lines share a look; "
                  "what they share is uncertain"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python to measure (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round of the shorter loop")
    parser.add_argument("--check", action="store_true", help="compare with the bar")
    parser.add_argument("--out", help="writes the rows there")
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    turns, rounds = (TURNS[:1], 1) if options.quick else (TURNS, options.rounds)
    sizes = [LINES_A_TURN * each for each in turns]
    rows = []
    missed = False
    for name, kind, accelerator in (("torch/line", "accelerator", True), ("torch/line-pure", "pure Python", False)):
        if accelerator not in harness.BOTH or (options.rows and name not in options.rows):
            continue
        found = [rounds_of(options.python, accelerator, rounds, each) for each in turns]
        rows.append(row(name, kind, found, sizes, options))
        reference, added = found[-1]
        print("%s: bare %.3f us a line" % (kind, min(reference)))
        for case, figures in added.items():
            print("%-12s %-20s adds %.3f us a line" % (kind, case, min(figures)))
        missed = missed or min(added["CUDA, counter found"]) > BAR_US
    print("asking the stand-in for its statistics: %d ns" % min(int(bare(options.python, ASKING)[0]) for _ in range(rounds)))
    if options.out:
        write_rows(options.out, rows)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
