#!/usr/bin/env python3
"""What Python frames in native stacks cost, beside plain massif, both in one interleaved run.

    python3 bench/massif/frames.py [--python PYTHON] [--rounds N] [--steps N] [--check]

CPU seconds of the LeNet loop and of the whole process with its imports, the least of the rounds. `--check` compares the
loop with the bar: exit code 1 where it is missed.
"""
import argparse
import os
import sys

import massif_runs

WORKLOADS = os.path.join(massif_runs.HERE, "..", "line", "workloads")
BAR = 1.25


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with torch (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--check", action="store_true", help="compare with the bar")
    options = parser.parse_args()
    loops, wholes = {False: [], True: []}, {False: [], True: []}
    for _ in range(options.rounds):
        for frames in (False, True):
            run = massif_runs.MassifRun(options.python, os.path.abspath(WORKLOADS), ["lenet.py", str(options.steps)], frames)
            loops[frames].append(run.loop_seconds())
            wholes[frames].append(run.cpu_seconds)
    ratio = min(loops[True]) / min(loops[False])
    print("LeNet, %d steps:   plain %6.2f s  with Python lines %6.2f s  %.3f x" % (
        options.steps, min(loops[False]), min(loops[True]), ratio))
    print("whole process:     plain %6.2f s  with Python lines %6.2f s  %.3f x" % (
        min(wholes[False]), min(wholes[True]), min(wholes[True]) / min(wholes[False])))
    if not options.check:
        return 0
    print("%s  at most %.2f x plain massif in the loop" % ("kept  " if ratio <= BAR else "MISSED", BAR))
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
