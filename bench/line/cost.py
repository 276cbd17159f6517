#!/usr/bin/env python3
"""What profilers by line cost: CPU time and memory beyond the bare script, all of them in turn, round by round.

    python3 bench/line/cost.py --out FILE [--rounds N] [--quick] [ROW ...]

The rows are line-time/WORKLOAD (of all processes, from the start of the command to the end of the last of them),
line-time/WORKLOAD-steady (of the workload alone, as the script itself reads it) and line-memory/… (see memory.py).
Memory has rounds of its own, as reading it takes time.
"""
import argparse
import collections
import os
import shutil
import statistics
import sys
import tempfile
from time import monotonic

import contestants
from contestants import Bare, Ours, OursPure, Unnamed
from memory import Account
from process import Process, TookTooLong

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "peers"), os.path.join(HERE, "..", "support")]
import peers  # noqa: E402
from result import write_rows  # noqa: E402

#: `size`: the script's argument, and how many `unit` of work that is; also measured at ten times as much.
Workload = collections.namedtuple("Workload", "name title script unit size environment")
WORKLOADS = (
    Workload("hot", "Hot loop", "hot.py", "lines", 1000000, "py-new"),
    Workload("numpy", "NumPy arrays", "arrays.py", "turns", 30, "py-new"),
    Workload("lenet", "LeNet", "lenet.py", "steps", 30, "py-torch"),
    Workload("dataset", "Data set in Python", "dataset.py", "items", 1000, "py-torch"),
    Workload("recursion", "Deep recursion", "recursion.py", "lines", 300000, "py-new"),
    Workload("generators", "Generators", "generators.py", "lines", 300000, "py-new"),
    Workload("threads", "8 threads", "threads.py", "lines", 1000000, "py-new"),
    Workload("hot-py38", "Hot loop, Python 3.8", "hot.py", "lines", 1000000, "py-old"),
    Workload("numpy-py38", "NumPy arrays, Python 3.8", "arrays.py", "turns", 30, "py-old"),
)
QUICK = ("hot", "threads", "lenet", "hot-py38")
MEMORY_ROUNDS = 3
#: A share of a few parts in a hundred stands out of a machine's unrest only where the shortest of many short goes is taken.
SHARE_ROUNDS, SHARE_STEPS = 9, "5x40"
#: A contestant gets no further round of time of a size once it has had so many seconds, and no size that would take longer.
PATIENCE_S = 12.0
#: Nor does it get longer for anything.
LIMIT_S = 240.0
MIB = 1 << 20
NO_CUDA = "it measures CUDA memory only, and this machine has none that PyTorch could use"

class Failed(Exception):
    """Why a contestant did not run the script."""


#: One run: CPU seconds of all processes, of the workload alone, and seconds by the clock.
Time = collections.namedtuple("Time", "cpu spent clock")


class Measured(object):
    """One workload: `times` and `memories` are {contestant: [[figures of each round] for each size]}, figures None where
    there was no such round; `notes` say why. `shares` is {contestant: [Time of each round]} of one size."""

    def __init__(self, workload, sizes):
        self.workload = workload
        self.sizes = sizes
        self.contestants = []
        self.absent = []
        self.times = {}
        self.memories = {}
        self.shares = {}
        self.notes = collections.defaultdict(list)


class Bench(object):
    def __init__(self, folder, rounds, quick):
        self._folder = folder
        self._rounds = rounds
        self._quick = quick

    def measure(self, workload, what):
        """`what`: a set of `time` and `memory`."""
        size = workload.size // 100 or 1 if self._quick else workload.size
        measured = Measured(workload, (size, 10 * size))
        python = peers.python_of(workload.environment)
        versions = peers.versions_of(workload.environment)
        absent = peers.absent_of(workload.environment)
        for kind in (Bare, Ours, OursPure) + contestants.PEERS:
            if kind.peer is None or kind.peer in versions:
                measured.contestants.append(kind(python, self._folder))
            elif kind is not contestants.MemrayReported:
                measured.absent.append({"name": kind.name, "why": absent.get(kind.peer, "not installed")})
        if workload.environment == "py-torch":
            measured.absent.append({"name": "pytorch_memlab", "why": NO_CUDA})
        self._try(measured)
        if "time" in what:
            self._take_times(measured)
        if "share" in what:
            self._take_shares(measured)
        if "memory" in what:
            self._take_memories(measured)
        return measured

    def _try(self, measured):
        """One run each that does not count, of very little work. Who fails is absent, with the reason."""
        for contestant in measured.contestants[:]:
            try:
                self._run(contestant, measured.workload.script, measured.sizes[0] // 10 or 1)
            except (Failed, TookTooLong) as error:
                if isinstance(contestant, contestants.PEERS):
                    measured.contestants.remove(contestant)
                    measured.absent.append({"name": contestant.name, "why": str(error)})
                else:
                    raise SystemExit("%s could not run %s: %s" % (contestant.name, measured.workload.script, error))

    def _take_times(self, measured):
        for at, size in enumerate(measured.sizes):
            taken = collections.defaultdict(float)
            for number in range(self._rounds):
                for contestant in measured.contestants:
                    rounds = measured.times.setdefault(contestant, [[] for _ in measured.sizes])
                    due = self._is_due(measured, contestant, at, taken[contestant])
                    time = self._time(measured, contestant, size, number == at == 0) if due else None
                    rounds[at].append(time)
                    taken[contestant] += time.clock if time else 0.0

    def _take_shares(self, measured):
        for _ in range(1 if self._quick else SHARE_ROUNDS):
            for contestant in measured.contestants:
                if type(contestant) in (Bare, Ours, OursPure):
                    time, _ = self._run(contestant, measured.workload.script, SHARE_STEPS)
                    measured.shares.setdefault(contestant, []).append(time)

    def _is_due(self, measured, contestant, at, taken):
        rounds = measured.times[contestant]
        if not any(rounds[0]) and (at or rounds[0]):
            return False  # it failed at once
        if rounds[at]:
            return rounds[at][0] is not None and taken + rounds[at][0].clock <= PATIENCE_S
        expected = min(time.clock + 9 * time.spent for time in rounds[0] if time) if at else 0.0
        if expected > PATIENCE_S:
            measured.notes[contestant].append("not at %d %s: would take some %d s"
                                              % (measured.sizes[at], measured.workload.unit, expected))
        return expected <= PATIENCE_S

    def _time(self, measured, contestant, size, is_first):
        """The time of one run, None where it failed, with a note. What the first one reports is read."""
        script = measured.workload.script
        try:
            time, output = self._run(contestant, script, size)
            if is_first:
                contestant.check(script, contestants.line_of(script), output)
            return time
        except Unnamed as error:
            if isinstance(contestant, Ours) and not self._quick:
                raise SystemExit("%s: %s" % (script, error))
            measured.notes[contestant].append(str(error))
            return time
        except (Failed, TookTooLong) as error:
            measured.notes[contestant].append("not at %d %s: %s" % (size, measured.workload.unit, error))
            return None

    def _run(self, contestant, script, size):
        """(Time, what was printed) of one run. Raises Failed or TookTooLong."""
        contestant.clean()
        spent = os.path.join(self._folder, "spent")
        if os.path.exists(spent):
            os.unlink(spent)
        ended = self._start(contestant, script, size, {"JMP_BENCH_SPENT": spent}).wait()
        if ended.status != 0 or not os.path.exists(spent):
            raise Failed("the script did not end well under it: %s" % ended.output[-300:].strip())
        with open(spent) as file:
            return Time(ended.cpu, float(file.read()), ended.clock), ended.output

    def _start(self, contestant, script, size, more):
        environment = dict(os.environ, **contestant.environment)
        environment.update(more)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return Process(contestant.command(script, str(size)), os.path.join(self._folder, "project"), environment, LIMIT_S,
                       contestant.given(script, str(size)))

    def _take_memories(self, measured):
        size, taken = measured.sizes[0], {}
        for number in range(1 if self._quick else MEMORY_ROUNDS):
            for contestant in measured.contestants:
                rounds = measured.memories.setdefault(contestant, [[], [None]])
                began = monotonic()
                rounds[0].append(self._memory(measured, contestant, size) if None not in rounds[0] else None)
                taken.setdefault(contestant, monotonic() - began)
        if self._quick:
            return
        for contestant in measured.contestants:
            expected = taken[contestant] * measured.sizes[1] / size
            if expected > LIMIT_S:
                measured.notes[contestant].append("no memory at %d %s: would take some %d s" % (
                    measured.sizes[1], measured.workload.unit, expected))
            elif None not in measured.memories[contestant][0]:
                measured.memories[contestant][1] = [self._memory(measured, contestant, measured.sizes[1])]

    def _memory(self, measured, contestant, size):
        """Figures of one run, None where a peer failed, with a note."""
        try:
            return self._figures(contestant, measured.workload.script, size)
        except (Failed, TookTooLong) as error:
            if not isinstance(contestant, contestants.PEERS):
                raise SystemExit("%s: memory of %s: %s" % (contestant.name, measured.workload.script, error))
            measured.notes[contestant].append("no memory at %d %s: %s" % (size, measured.workload.unit, error))
            return None

    def _figures(self, contestant, script, size):
        contestant.clean()
        with Account() as account:
            process = self._start(contestant, script, size, account.environment)
            figures = account.follow(process.is_over)
            ended = process.ended()
        if ended.status != 0 or figures.at_end is None:
            raise Failed("the script did not end well under it: %s" % ended.output[-300:].strip())
        return figures


def rows_of(measured):
    """All rows that can be made of what was measured."""
    name, title = measured.workload.name, measured.workload.title
    if measured.times:
        yield _beyond(measured, "line-time/%s" % name, title, "s", measured.times, lambda time: time.cpu,
                      "CPU seconds of all processes beyond the bare script's, from the start of the command to the end of the last")
        yield _beyond(measured, "line-time/%s-steady" % name, "%s, once it runs" % title, "s", measured.times, lambda time: time.spent,
                      "CPU seconds of the workload alone beyond the bare script's: no start, no report", is_part=True)
    if measured.shares:
        yield _over_bare(measured)
    if measured.memories:
        yield _beyond(measured, "line-memory/%s" % name, title, "MiB", measured.memories, lambda figures: figures.highest / MIB,
                      "PSS of all processes at its highest, beyond the bare script's")
        yield _beyond(measured, "line-memory/%s-end" % name, "%s, at the script's end" % title, "MiB", measured.memories,
                      lambda figures: figures.at_end / MIB,
                      "PSS of all processes when the script's last line is reached, beyond the bare script's", is_part=True)
        if name == "hot":
            yield _helper_process(measured)


def _row(measured, name, title, unit, measures, goal, listed):
    python = peers.versions_of(measured.workload.environment)["python"]
    return {
        "row": name, "title": title, "measures": measures, "unit": unit, "better": "less", "ours": Ours.name, "goal": goal,
        "work": {"unit": measured.workload.unit, "sizes": list(measured.sizes)}, "contestants": listed,
        "absent": measured.absent, "python": python}


def _listed(measured, contestant, runs, argument=None):
    version = _version(contestant, peers.versions_of(measured.workload.environment))
    notes = "; ".join([contestant.notes] + measured.notes[contestant])
    return {"name": contestant.name, "version": version, "notes": notes, "runs": runs,
            "command": contestant.as_typed(measured.workload.script, argument or str(measured.sizes[0]))}


def _version(contestant, versions):
    if contestant.peer is not None:
        return versions[contestant.peer]
    with open(os.path.join(contestants.HELPER, "jetson_memprof", "__init__.py")) as file:
        return file.read().split('VERSION = "')[1].split('"')[0]


def _beyond(measured, name, title, unit, all_figures, figure, measures, is_part=False):
    """A part of a row's figure is shown for information: the goal is for the whole."""
    bare = [None if not any(rounds) else [one and figure(one) for one in rounds] for rounds in _of_bare(measured, all_figures)]

    def beyond(rounds, at):
        return [None if one is None or not bare[at] or bare[at][number] is None else figure(one) - bare[at][number]
                for number, one in enumerate(rounds)]

    listed = [_listed(measured, contestant, [beyond(rounds, at) for at, rounds in enumerate(sizes)])
              for contestant, sizes in all_figures.items() if type(contestant) is not Bare]
    ahead = [one["name"] for one in listed if one["name"] not in (Ours.name, OursPure.name) and _has_any(one["runs"][0])]
    row = _row(measured, name, title, unit, measures, [{"kind": "ahead", "of": ahead}] if ahead and not is_part else [], listed)
    row["reference"] = {"name": Bare.name, "runs": [rounds or [None] for rounds in bare]}
    return row


def _has_any(rounds):
    return any(one is not None for one in rounds)


def _of_bare(measured, all_figures):
    return next(sizes for contestant, sizes in all_figures.items() if type(contestant) is Bare)


def _over_bare(measured):
    bare = next(rounds for contestant, rounds in measured.shares.items() if type(contestant) is Bare)
    listed = [_listed(measured, contestant, [[(one.spent / beside.spent - 1) * 100 for one, beside in zip(rounds, bare)]],
                      SHARE_STEPS)
              for contestant, rounds in measured.shares.items() if type(contestant) is not Bare]
    row = _row(measured, "line-time/lenet-share", "LeNet, share of its time", "%",
               "CPU seconds of the shortest of 40 goes of 5 training steps beyond the bare script's, in parts of a hundred of those",
               {"kind": "bound", "atMost": 5}, listed)
    return dict(row, work={"unit": "run", "sizes": [1]}, absent=[])


def _helper_process(measured):
    listed = [_listed(measured, contestant, [[one and one.beside / MIB for one in rounds] for rounds in sizes])
              for contestant, sizes in measured.memories.items() if any(one and one.beside for one in sizes[0])]
    return _row(measured, "line-memory/helper-process", "Processes beside the script", "MiB",
                "PSS of the processes beside the script's when its last line is reached", {"kind": "bound", "atMost": 16}, listed)


def _wanted(names, workload):
    """Which kinds of rows of the workload are asked for."""
    kinds = {"time": "line-time/", "memory": "line-memory/"}
    share = "line-time/lenet-share"
    if workload.name == "lenet" and names == [share]:
        return {"share"}
    asked = {kind for kind, start in kinds.items() for name in names or [start]
             if (start + workload.name).startswith(name) or name.startswith(start + workload.name + "-") or name == start + workload.name}
    if "line-memory/helper-process" in names and workload.name == "hot":
        asked.add("memory")
    if workload.name == "lenet" and any(share.startswith(name) for name in names or [share]):
        asked.add("share")
    return asked


def _show(row):
    print("%s (%s)" % (row["row"], row["unit"]))
    for one in row["contestants"]:
        medians = [statistics.median(known) if known else None
                   for known in ([figure for figure in rounds if figure is not None] for rounds in one["runs"])]
        print("  %-26s %s" % (one["name"], "  ".join("%10s" % ("-" if value is None else "%.3f" % value) for value in medians)))
    for one in row["absent"]:
        print("  %-26s %s" % (one["name"], one["why"]))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", help="where the rows go, as JSON")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round of little work")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="the beginning of rows' names")
    options = parser.parse_args()
    rows = []
    folder = tempfile.mkdtemp(prefix="jmp-bench-")
    try:
        wanted = [(workload, _wanted(options.rows, workload)) for workload in WORKLOADS
                  if options.rows or not options.quick or workload.name in QUICK]
        contestants.install(folder, {peers.python_of(workload.environment) for workload, what in wanted if what})
        bench = Bench(folder, 1 if options.quick else options.rounds, options.quick)
        for workload, what in wanted:
            if what:
                for row in rows_of(bench.measure(workload, what)):
                    if not options.rows or any(row["row"].startswith(name) for name in options.rows):
                        rows.append(row)
                        _show(row)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.out:
        write_rows(options.out, rows)


if __name__ == "__main__":
    main()
