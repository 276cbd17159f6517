#!/usr/bin/env python3
"""Whether sampled live bytes by line are massif's, and how often the truth lies as near as each run says.

    python3 bench/heap/agreement.py [--rounds 100] [--quick] [--check] [--out FILE]

Scripts with known allocations (truth/, ../line/truth, ../../python-helper/tests/massif/scripts/allocations.py and, where
they are there, ../shared/fixtures/truth) run once under valgrind's massif and 100 times sampled at 512 KiB, each time with
another seed; then what lives at their end is compared by line. `--check`: exit code 1 where one of these is missed:

- a line's mean of all runs is massif's, within three of its standard errors and 1 %;
- of all lines' runs 99 in 100 lie within 3 sigma, of each line's 95, and 95 of all within the +- that people are shown;
- a script's total, in the mean of all runs, is within 2 % of massif's: that of its lines, as the rest is the interpreter's
  and that of the two engines, which are not the same.

Sigma is that of docs/run-folder.md, "Native stacks": the square root of what the run itself says is its variance, and of
four more samples' worth. A line whose runs all say 0 has large blocks alone: that one is to be massif's to 1 %.
"""
import glob
import os
import statistics
import sys

import both_ways
import taking_turns
from both_ways import HERE, ROOT, Script
from result import version

MEAN = 512 << 10
MORE_SAMPLES = 4
#: A line that holds less than one sample's worth is not judged.
SHARE, SLACK, LEAST = 0.01, 4096, MEAN
TOTAL_SHARE, WITHIN_3, EACH_WITHIN_3, WITHIN_SHOWN = 0.02, 0.99, 0.95, 0.95
OWN, LINES = os.path.join(HERE, "truth"), os.path.join(HERE, "..", "line", "truth")
PARTS = os.path.join(ROOT, "python-helper", "tests", "massif", "scripts", "allocations.py")
#: Nothing lives at their ends, or what malloc does with it is what they are about.
LEFT_OUT = ("transient.py", "handover.py", "reuse.py")
K = 1024.0


class Line(object):
    """One line's figures: `truth` by massif, `said` [(bytes, variance)] of all runs."""

    def __init__(self, script, number, truth, said):
        self.place = "%s:%s" % (script.name, number)
        self.truth = truth
        self.said = said
        self.mean = statistics.mean(held for held, _ in said)
        self.spread = statistics.pstdev([held for held, _ in said])
        self.by_chance = any(variance for _, variance in said)

    def within(self, sigmas, more):
        """How many runs have the truth within so many sigma, with so many more samples' worth."""
        return sum(abs(held - self.truth) <= sigmas * (variance + more * MEAN ** 2) ** 0.5 for held, variance in self.said)

    def shown(self):
        """(how many runs show it, of these how many have the truth within the +- beside it)."""
        there = [(held, variance) for held, variance in self.said if variance]
        return len(there), sum(abs(held - self.truth) <= 2 * (variance + MORE_SAMPLES * MEAN ** 2) ** 0.5 for held, variance in there)

    def missed(self):
        """What of the bars is missed, in words."""
        slack = SHARE * self.truth + SLACK
        if self.by_chance:
            slack += 3 * self.spread / len(self.said) ** 0.5
        wrong = []
        if abs(self.mean - self.truth) > slack:
            wrong.append("the mean is off")
        if self.by_chance and self.within(3, MORE_SAMPLES) < EACH_WITHIN_3 * len(self.said):
            wrong.append("more lie beyond 3 sigma")
        return ", ".join(wrong)


class Result(object):
    """A script's lines, and its totals: by massif and of each run."""

    def __init__(self, path, rounds, runs):
        script = Script(path, rounds)
        try:
            counted = script.counted()
            sampled = [script.sampled(MEAN, seed) for seed in range(1, runs + 1)]
        finally:
            script.close()
        numbers = set(counted).union(*sampled)
        compared = sorted(filter(script.is_compared, numbers))
        lines = [Line(script, number, counted.get(number, 0), [run.get(number, (0, 0)) for run in sampled]) for number in compared]
        self.name = script.name
        self.lines = [line for line in lines if max(line.truth, line.mean) >= LEAST]
        self.total = sum(counted.get(number, 0) for number in compared)
        self.totals = [sum(run.get(number, (0, 0))[0] for number in compared) for run in sampled]

    def off(self):
        return statistics.mean(self.totals) / self.total - 1 if self.total > MEAN else 0.0


def scripts(quick):
    """[(path, how often it does its work)]"""
    if quick:
        return [(os.path.join(LINES, "shapes.py"), 1), (os.path.join(OWN, "small.py"), 1)]
    known = sorted(path for path in glob.glob(os.path.join(LINES, "*.py")) if os.path.basename(path) not in LEFT_OUT)
    return ([(path, 1) for path in sorted(glob.glob(os.path.join(OWN, "*.py")))] + [(PARTS, 1)] + [(path, 2) for path in known] +
            [(path, 1) for path in both_ways.fixtures()])


def print_lines(result, runs):
    for line in result.lines:
        if line.by_chance:
            told = "%4d %4d %4d  %4d of %d" % (line.within(1, 0), line.within(2, 0), line.within(3, 0), line.shown()[1], line.shown()[0])
        else:
            told = "large blocks alone"
        print("%-26s %10.1f %10.1f %+7.2f %% %9.1f  %s  %s" % (
            line.place, line.truth / K, line.mean / K, 100 * (line.mean / line.truth - 1) if line.truth else 0, line.spread / K,
            told, line.missed() and "MISSED: " + line.missed()))
    print("%-26s %10.1f %10.1f %+7.2f %% %9.1f  %d of %d runs within 2 %%" % (
        result.name + ", all", result.total / K, statistics.mean(result.totals) / K, 100 * result.off(),
        statistics.pstdev(result.totals) / K,
        sum(abs(total - result.total) <= TOTAL_SHARE * result.total for total in result.totals), runs))
    sys.stdout.flush()


def row(name, title, measures, goal, figures, **more):
    command = "python3 bench/heap/agreement.py"
    return dict({"row": name, "title": title, "measures": measures, "unit": "%", "better": more.pop("better"), "ours": "native stacks",
                 "goal": goal, "work": {"unit": "runs", "sizes": [1]}, "contestants": [
                     {"name": "native stacks", "version": version(), "command": command, "runs": [figures]}]}, **more)


def rows_of(results, shown, held):
    table = {"title": "Each line, in KiB", "head": ["line", "massif", "mean of the runs", "spread", "within 1, 2, 3 sigma as said", "within ±"],
             "rows": [[line.place, "%.0f" % (line.truth / K), "%.0f" % (line.mean / K), "%.0f" % (line.spread / K),
                       "%d, %d, %d" % tuple(line.within(sigmas, 0) for sigmas in (1, 2, 3)) if line.by_chance else "exact",
                       "%d of %d" % (line.shown()[1], line.shown()[0]) if line.by_chance else ""]
                      for result in results for line in result.lines]}
    return [
        row("heap/totals", "Sampled totals beside massif's", "how far a script's live bytes, in the mean of all runs, are from massif's",
            {"kind": "bound", "atMost": 100 * TOTAL_SHARE}, [100 * abs(result.off()) for result in results], better="less",
            notes="One figure for each script."),
        row("heap/certainty", "Sampled lines: how often ± holds", "of the lines shown, in how many the truth lies within the ± beside it",
            {"kind": "bound", "atLeast": 100 * WITHIN_SHOWN}, [100.0 * held / shown], better="more", table=table),
    ]


def main():
    options = taking_turns.arguments(__doc__, 100)
    runs = 20 if options.quick else options.rounds
    print("%-26s %10s %10s %9s %9s  runs within 1, 2, 3 sigma as said, within the +- shown" % (
        "KiB live at the end", "massif", "mean", "off by", "spread"))
    results = []
    for path, rounds in scripts(options.quick):
        results.append(Result(path, rounds, runs))
        print_lines(results[-1], runs)
    chance = [line for result in results for line in result.lines if line.by_chance]
    shown, held = (sum(line.shown()[at] for line in chance) for at in (0, 1))
    said = [100.0 * sum(line.within(sigmas, 0) for line in chance) / (len(chance) * runs) for sigmas in (1, 2, 3)]
    within = sum(line.within(3, MORE_SAMPLES) for line in chance) / (len(chance) * float(runs))
    missed = [line.place for result in results for line in result.lines if line.missed()]
    off = [result.name for result in results if abs(result.off()) > TOTAL_SHARE]
    print("of %d lines by chance x %d runs: %.1f, %.1f, %.1f %% within 1, 2, 3 sigma as said; where shown %.1f %% within +- (bar: %d %%)" % (
        len(chance), runs, said[0], said[1], said[2], 100.0 * held / shown, 100 * WITHIN_SHOWN))
    print("with four more samples' worth %.2f %% within 3 sigma (bar: %d %%)" % (100 * within, 100 * WITHIN_3))
    print("lines that miss their bar: %s; totals beyond %d %%: %s" % (", ".join(missed) or "none", 100 * TOTAL_SHARE, ", ".join(off) or "none"))
    taking_turns.finish(options, rows_of(results, shown, held),
                        not missed and not off and held >= WITHIN_SHOWN * shown and within >= WITHIN_3)


if __name__ == "__main__":
    main()
