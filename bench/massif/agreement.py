#!/usr/bin/env python3
"""Whether massif's exact differences of lines agree with the line engine's net, on a script that uses the heap alone.

    python3 bench/massif/agreement.py [--python PYTHON]

Exit code 1 where a line differs by more than 2 %.
"""
import argparse
import json
import os
import sys

import massif_runs

BAR = 0.02
#: Smaller differences are a page's worth of RSS and say nothing.
LEAST_BYTES = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    python = parser.parse_args().python
    with massif_runs.harness.Folder(massif_runs.HERE, True, False) as folder:
        run = folder.run(["heap.py"], massif_runs.HERE, python=python)
    path = os.path.join(massif_runs.HERE, "heap.py")
    nets = dict((line, row[1]) for (file, line), row in run.of("main").items()
                if file == os.path.realpath(path) and row[1] is not None and abs(row[1]) >= LEAST_BYTES)
    lines = [["heap.py", line] for line in sorted(nets)]
    massif = massif_runs.MassifRun(python, massif_runs.HERE, ["heap.py"], True, lines, max_hits=1000)
    exact = {}
    for record in map(json.loads, massif.lines.splitlines()):
        if record["record"] == "line":
            exact[record["line"]] = record
    missed = False
    for line, net in sorted(nets.items()):
        found = exact[line]
        off = abs(found["net"] - net) / abs(net)
        missed = missed or off > BAR
        print("line %3d: line engine %11d  massif %11d (%d of %d measured)  %.2f %% apart" % (
            line, net, found["net"], found["measured"], found["hits"], off * 100))
    print("%s  at most %g %% apart" % ("MISSED" if missed else "kept  ", BAR * 100))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
