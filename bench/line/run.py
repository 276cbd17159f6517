#!/usr/bin/env python3
"""What the line engine costs, beside the bare script and memory_profiler, all in one interleaved run.

    python3 bench/line/run.py [--python PYTHON] [--rounds N] [--quick] [--check]

CPU seconds of the workload itself, the least of the rounds. `--check` compares with the bars: exit code 1 where one
is missed, 2 where a bar could not be measured because a package is missing.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "workloads")
sys.path.insert(0, os.path.join(HERE, "..", "..", "python-helper", "tests"))

from truth import harness  # noqa: E402

ENGINES = {  # name: (exact, accelerator)
    "pure exact": (True, False),
    "pure default": (False, False),
    "accelerator exact": (True, True),
    "accelerator default": (False, True),
}
#: workload: (argument, quick argument, packages it needs)
WORK = {
    "hot": (1000000, 150000, ()),
    "lenet": (150, 40, ("torch",)),
    "dataset": (9600, 2400, ("torch",)),
    "arrays": (60, 20, ("numpy",)),
}
MIB = 1 << 20


def has(python, package):
    return subprocess.call([python, "-c", "import " + package], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def measured(stderr, what):
    found = re.search(rb"MEASURED ([\d.]+) (\d+)", stderr)
    if not found:
        raise SystemExit("%s did not finish:\n%s" % (what, stderr.decode("utf-8", "replace")[-2000:]))
    return float(found.group(1)), int(found.group(2))


def run_once(python, mode, workload, argument):
    """(CPU seconds, RSS in bytes at the end) of one run."""
    arguments = [workload + ".py", str(argument)]
    if mode in ENGINES:
        with harness.Folder(WORKLOADS, *ENGINES[mode]) as folder:
            run = folder.run(arguments, WORKLOADS, python=python)
            expected = "accelerator" if ENGINES[mode][1] else "pure"
            if run.processes[0].implementation != expected or run.warnings:
                raise SystemExit("%s ran as %s: %s" % (mode, run.processes[0].implementation, run.processes[0].warnings))
            return measured(run.stderr, mode)
    prefix = ["-m", "memory_profiler"] if mode == "memory_profiler" else []
    done = subprocess.Popen([python] + prefix + arguments, cwd=WORKLOADS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return measured(done.communicate()[1], mode)


def measure(options):
    """{workload: {mode: (least CPU seconds, least RSS)}} and the packages that are missing."""
    missing = [package for package in ("memory_profiler", "torch", "numpy") if not has(options.python, package)]
    results = {}
    for workload, (full, quick, needs) in WORK.items():
        if any(package in missing for package in needs):
            continue
        modes = ["bare"] + list(ENGINES) + (["memory_profiler"] if "memory_profiler" not in missing else [])
        runs = dict((mode, []) for mode in modes)
        for _ in range(options.rounds):
            for mode in modes:
                runs[mode].append(run_once(options.python, mode, workload, quick if options.quick else full))
        results[workload] = dict((mode, (min(t for t, _ in each), min(rss for _, rss in each))) for mode, each in runs.items())
    return results, missing


def show(results):
    for workload, modes in results.items():
        bare, rss = modes["bare"]
        reference = modes.get("memory_profiler")
        print("%s: %.3f s bare" % (workload, bare))
        for mode, (spent, held) in modes.items():
            if mode == "bare":
                continue
            less = ""
            if reference and mode != "memory_profiler":
                less = "  adds %.0f x less than memory_profiler" % ((reference[0] - bare) / max(spent - bare, 1e-6))
            print("  %-20s %8.3f s  %7.3f x bare  %+6.1f MiB%s" % (mode, spent, spent / bare, (held - rss) / MIB, less))


def bars(results):
    """[(what, figure, kept?)] of the bars that could be measured."""
    found = []
    hot = results["hot"]
    if "memory_profiler" in hot:
        added = dict((mode, hot[mode][0] - hot["bare"][0]) for mode in hot)
        for mode, bar in (("pure exact", 20), ("accelerator default", 200)):
            ratio = added["memory_profiler"] / max(added[mode], 1e-6)
            found.append(("hot loop, %s: at least %d x less added than memory_profiler" % (mode, bar), ratio, ratio >= bar))
    for workload, bar in (("lenet", 1.05), ("dataset", 1.15), ("arrays", 1.03)):
        if workload in results:
            ratio = results[workload]["accelerator default"][0] / results[workload]["bare"][0]
            found.append(("%s, accelerator default: at most %.2f x bare" % (workload, bar), ratio, ratio <= bar))
    for workload in results:
        for mode in ENGINES:
            more = (results[workload][mode][1] - results[workload]["bare"][1]) / MIB
            found.append(("%s, %s: at most 8 MiB of its own" % (workload, mode), more, more <= 8))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python to measure (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="smaller workloads")
    parser.add_argument("--check", action="store_true", help="compare with the bars")
    options = parser.parse_args()
    results, missing = measure(options)
    show(results)
    for package in missing:
        print("not measured: %s is missing for %s" % (package, options.python))
    if not options.check:
        return 0
    outcome = bars(results)
    for what, figure, kept in outcome:
        print("%s  %s (%.2f)" % ("kept  " if kept else "MISSED", what, figure))
    if not all(kept for _, _, kept in outcome):
        return 1
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
