#!/usr/bin/env python3
"""What Python frames in massif's stacks cost beside plain massif: valgrind with the same options, without the helper.

    python3 bench/massif/frames.py [--out FILE] [--rounds N] [--quick] [--check] [ROW ...]

Both take turns. What is counted is the whole process, from its start to its end, as somebody waits for it; CPU seconds
and the highest RSS come from wait4. The helper is as a board has it, with bytecode. `--check`: exit code 1 where a goal
is missed. agreement.py checks that what is measured so is right.
"""
import argparse
import os
import statistics
import subprocess
import sys

import massif_runs

sys.path.insert(0, os.path.join(massif_runs.HERE, "..", "support"))
sys.path.insert(0, os.path.join(massif_runs.HERE, "..", "peers"))

import peers  # noqa: E402
import result  # noqa: E402

OURS, PLAIN = "massif with Python lines", "plain massif"
AT_MOST = 1.15


class Workload(object):
    def __init__(self, script, title, environment, unit, sizes, quick, rounds):
        self.script = script
        self.title = title
        self.environment = environment
        self.unit = unit
        self.sizes = sizes
        self.quick = quick
        self.rounds = rounds


#: By the row's last part. A step of LeNet takes half a second under massif, and importing PyTorch 25 to 50.
WORKLOADS = {
    "lenet": Workload("lenet.py", "LeNet with PyTorch, imports included", "py-torch", "training steps", (2, 20), (2,), 2),
    "numpy": Workload("arrays.py", "NumPy arrays, import included", "py-old", "turns", (4, 40), (2,), 5),
    "hot": Workload("hot.py", "Hot loop", "py-old", "lines", (30000, 300000), (3000,), 5),
}
MEASURES = {
    "": ("CPU seconds of the whole process under valgrind", "s"),
    "-memory": ("highest resident memory (RSS) of the whole process, valgrind's own included", "MiB"),
}
ROWS = ["massif-frames/%s%s" % (name, kind) for name in WORKLOADS for kind in MEASURES]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="all where none is named: " + ", ".join(ROWS))
    parser.add_argument("--out", help="write the rows there, as JSON")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true", help="one round of little work")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wanted = options.rows or ROWS
    unknown = set(wanted) - set(ROWS)
    if unknown:
        parser.error("no such row: %s" % ", ".join(sorted(unknown)))
    rows = []
    for name, workload in WORKLOADS.items():
        if any(row.split("/")[1] in (name, name + "-memory") for row in wanted):
            rounds = 1 if options.quick else options.rounds or workload.rounds
            rows += [row for row in measured(name, workload, rounds, options.quick) if row["row"] in wanted]
    if options.out:
        result.write_rows(options.out, rows)
    missed = [row["row"] for row in rows if ratio(row) > AT_MOST]
    for row in rows:
        print("%-30s %.3f x plain massif" % (row["row"], ratio(row)))
    return 1 if options.check and missed else 0


def measured(name, workload, rounds, quick):
    """The rows of a workload: of one run come its time and its memory."""
    python = peers.python_of(workload.environment)
    sizes = workload.quick if quick else workload.sizes
    found = {OURS: [[] for _ in sizes], PLAIN: [[] for _ in sizes]}
    for _ in range(rounds):
        for at, size in enumerate(sizes):
            for contestant in (PLAIN, OURS):
                run = massif_runs.MassifRun(python, massif_runs.WORKLOADS, [workload.script, str(size)], contestant == OURS)
                found[contestant][at].append(run)
    options = " ".join(massif_runs.OPTIONS)
    commands = {
        PLAIN: "PYTHONMALLOC=malloc valgrind %s python %s %d" % (options, workload.script, sizes[0]),
        OURS: "jetson-memprof profile --target local --engine massif %s %d" % (workload.script, sizes[0]),
    }
    for kind, (measures, unit) in MEASURES.items():
        figure = (lambda run: run.rss_mib) if kind else (lambda run: run.cpu_seconds)
        yield {
            "row": "massif-frames/" + name + kind,
            "title": workload.title + (": memory" if kind else ""),
            "measures": measures,
            "unit": unit,
            "better": "less",
            "ours": OURS,
            "goal": {"kind": "factor", "than": PLAIN, "atMost": AT_MOST},
            "work": {"unit": workload.unit, "sizes": list(sizes)},
            "contestants": [{
                "name": contestant,
                "version": {PLAIN: "valgrind " + massif_runs.version(), OURS: result.version()}[contestant],
                "command": commands[contestant],
                "runs": [[round(figure(run), 3) for run in runs] for runs in found[contestant]],
            } for contestant in (OURS, PLAIN)],
            "python": subprocess.check_output([python, "-V"]).decode().split()[1],
            "notes": "Both with the product's options (stacks of up to 100 frames, a stack kept with each snapshot) and "
                     "its environment. Plain massif shows no Python line at all.",
        }


def ratio(row):
    ours, plain = (statistics.median(contestant["runs"][0]) for contestant in row["contestants"])
    return ours / plain


if __name__ == "__main__":
    sys.exit(main())
