#!/usr/bin/env python3
"""How far each tool's figures by line are from the truth, on scripts whose allocations are known (truth/).

    python3 bench/line/accuracy.py [accuracy/net] [accuracy/peak] [--out FILE] [--rounds N] [--quick]
                                   [--environment py-new|py-old|py-torch]
"""
import argparse
import collections
import ctypes
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "peers")]

import answers  # noqa: E402
import judging  # noqa: E402
import peers  # noqa: E402
from result import write_rows  # noqa: E402

SCRIPTS = sorted(glob.glob(os.path.join(HERE, "truth", "*.py")))
QUICK = ("calls", "growth", "transient")
#: How often each script does its work.
SIZES = (1, 10)
_PR_SET_THP_DISABLE = 41

NO_FIGURE = {
    "net": {
        "Scalene": "It has no figure of what a line left: n_malloc_mb is all that a line ever allocated, freed or not, and "
                   "n_growth_mb is n_peak_mb under an older name.",
    },
    "peak": {
        "memory_profiler": "It reads memory between lines: what a line takes and gives back meanwhile it cannot see, and it "
                           "prints no such figure.",
        "tracemalloc": "It knows the peak of the whole process only, not of a line.",
    },
}
MEMLAB = "It measures CUDA memory alone; the suite is about the memory of the process."
MEANS = {
    "line engine": "Memory of the process (RSS) before, after and at its highest during the line.",
    "memory_profiler": "RSS between lines: Increment. Every function with a known line has @profile.",
    "Scalene": "n_peak_mb: the most that was allocated on the line itself, sampled about once a MiB; what was allocated in "
               "a function that the line calls is on that function's lines only.",
    "Memray": "Bytes allocated, not memory in use. Net is what was never freed, on each line that was open when it was "
              "allocated; a line that frees is not seen. Peak is what was there at the process's one highest moment.",
    "tracemalloc": "Bytes that Python's and NumPy's allocators gave out and that are there at the end, with the 25 innermost "
                   "lines of each block; a line that frees, and memory of native code, are not seen.",
}
NOTES = (
    "The error of each (script, line) whose truth is known, in MiB; the figure is their mean. A tool that says nothing of a "
    "line has said 0. At 10 × each script does its work ten times over. `Missed` is a line that is off by more than a tenth of "
    "the truth and more than 1 MiB. "
    "The truth is memory that the line touched: what a tool counts as allocated but nobody has written to takes none. "
    "All processes run with huge pages off and with malloc told to give back blocks of 128 KiB and more at once, so what "
    "is freed is free; the script `reuse` undoes that and is listed, but not counted. "
    "On `plain` lines (taken by Python's or NumPy's allocator, kept to the end) all tools mean the same by net: there the "
    "tools that count bytes are exact to the byte, and those that read RSS to the page and to what an allocator rounds up to."
)


class Scores:
    """What one contestant said: `errors` {figure: {size: [mean error of each round]}}, `first` {figure: [Judged]} of
    the first round at the first size, `failed` the reason why it has no more figures."""

    def __init__(self, name, package, command, ask):
        self.name, self.package, self.command, self.ask = name, package, command, ask
        self.errors = dict((figure, dict((size, []) for size in SIZES)) for figure in judging.FIGURES)
        self.first = {}
        self.failed = {}
        self._judged = collections.defaultdict(list)  # {figure: [Judged]} of the scripts so far

    def answer(self, size, script):
        if size in self.failed:
            return
        try:
            said = self.ask(script, size)
        except answers.NoAnswer as reason:
            self.failed[size] = "%s at %d ×: %s" % (os.path.basename(script), size, reason)
            return
        for figure, judged in judging.judge(script, judging.promises(script, size), said).items():
            self._judged[figure].extend(judged)

    def end_of_scripts(self, size):
        if size not in self.failed:
            for figure, judged in self._judged.items():
                self.errors[figure][size].append(judging.summary(judged)["mean"])
                if size == SIZES[0]:
                    self.first.setdefault(figure, judged)
        self._judged = collections.defaultdict(list)

    def notes(self, figure):
        told = [MEANS[self.name]] if self.name in MEANS else []
        if figure in self.first:
            each = judging.summary(self.first[figure])
            told.append("At 1 ×: median error %.3f MiB, worst %.1f MiB, %d of %d lines missed." %
                        (each["median"], each["worst"], each["missed"], each["pairs"]))
            if figure == "net":
                told.append("On the %d plain lines: mean error %.3f MiB." % (each["plain_pairs"], each["plain"]))
        return " ".join(told + list(self.failed.values()))


def measure(scores, scripts, rounds, sizes):
    """The larger size in the first round only: it takes most of the time, and the errors hardly change."""
    for done in range(rounds):
        for size in sizes[:1] if done else sizes:
            for script in scripts:
                for each in scores:
                    each.answer(size, script)
            for each in scores:
                each.end_of_scripts(size)


def case_of(script):
    return os.path.basename(script)[:-len(".py")]


def title_of(script):
    with open(script) as file:
        return file.readline().strip().strip('"')


def missed_table(figure, scores, scripts):
    """What of which script each contestant missed, at the first size."""
    rows = []
    for script in scripts:
        case, cells = case_of(script), []
        for each in scores:
            judged = [one for one in each.first.get(figure, []) if one.pair.case == case]
            missed = judging.misses(judged)
            lines = ", ".join("line %d: %s, is %g" % (one["line"], "–" if one["said"] is None else "%g" % one["said"], one["truth"])
                              for one in missed)
            cells.append(lines or ("" if judged else "–"))
        counted = "" if figure_counts(figure, script) else " Not counted."
        rows.append([case, title_of(script) + counted] + cells)
    return {"title": "What was missed at 1 ×, in MiB; an empty cell: nothing", "head": ["script", "what it does"] +
            [each.name for each in scores], "rows": rows}


def figure_counts(figure, script):
    return any(not pair.apart for pair in judging.promises(script, 1) if pair.figure == figure)


def row_of(figure, scores, scripts, absent, sizes, versions):
    answering = [each for each in scores if each.errors[figure][SIZES[0]] or each is scores[0]]
    others = [each.name for each in answering if each.package]
    ours = scores[0].name
    failed = [{"name": each.name, "why": each.failed[SIZES[0]]} for each in scores if each not in answering and each.failed]
    none = [{"name": name, "why": why} for name, why in NO_FIGURE[figure].items()]
    pairs = [pair for script in scripts for pair in judging.promises(script, 1) if pair.figure == figure and not pair.apart]
    return {
        "row": "accuracy/" + figure,
        "title": {"net": "What a line left in memory", "peak": "The most that a line held"}[figure],
        "measures": "mean absolute error of %s over %d lines of %d scripts whose allocations are known" %
                    ({"net": "a line's net", "peak": "a line's peak above its start"}[figure], len(pairs), len(scripts)),
        "unit": "MiB",
        "better": "less",
        "ours": ours,
        "goal": {"kind": "ahead", "of": others},
        "work": {"unit": "times each script does its work", "sizes": list(sizes)},
        "contestants": [{
            "name": each.name,
            "version": versions[each.package] if each.package else "",
            "command": each.command,
            "runs": [each.errors[figure][size] or [None] for size in sizes],
            "notes": each.notes(figure),
        } for each in answering],
        "absent": none + failed + absent,
        "python": versions["python"],
        "notes": NOTES,
        "table": missed_table(figure, answering, scripts),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", help="accuracy/net, accuracy/peak; both where none is named")
    parser.add_argument("--out", help="where the rows are written, as JSON")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="one round, each script's work once")
    parser.add_argument("--environment", default="py-new", help="which of the peers' environments (default: %(default)s)")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)  # children inherit it
    python, versions = peers.python_of(options.environment), peers.versions_of(options.environment)
    missing = peers.absent_of(options.environment)
    sizes, scripts, rounds = SIZES, SCRIPTS, options.rounds
    if options.quick:
        sizes, scripts, rounds = SIZES[:1], [script for script in SCRIPTS if case_of(script) in QUICK], 1
    board = answers.Board(python)
    try:
        scores = [Scores(*each) for each in answers.contestants(python, board) if each[1] not in missing]
        measure(scores, scripts, rounds, sizes)
    finally:
        board.close()
    absent = [{"name": name, "why": why} for name, why in missing.items()] + [{"name": "pytorch_memlab", "why": MEMLAB}]
    wanted = [figure for figure in judging.FIGURES if not options.rows or "accuracy/" + figure in options.rows]
    rows = [row_of(figure, scores, scripts, absent, sizes, versions) for figure in wanted]
    if options.out:
        write_rows(options.out, rows)
    for row in rows:
        print("%s: %s" % (row["row"], row["measures"]))
        for each in row["contestants"]:
            print("  %-38s %s  %s" % (each["name"], each["runs"], each["notes"]))


if __name__ == "__main__":
    main()
