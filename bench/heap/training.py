#!/usr/bin/env python3
"""What native stacks add to training with torch on the CPU, beside the bare script, Memray and Scalene, in turns.

    python3 bench/heap/training.py [--rounds N] [--quick] [--check] [--out FILE] [ROW ...]

A LeNet and a small ResNet-18 (../line/workloads), one thread, in the environment py-torch of ../peers. Ours is a run as it
is started on a board: the line engine, the sampler at 512 KiB, and what the helper makes of the logs at the end. Two rows
for each: heap/NAME-steady, the CPU seconds of the training steps alone, and heap/NAME, those of all processes from the
start of the command to the end of the last of them. `--check`: exit code 1 where the steps take more than 1.05 times the
bare script's, in the medians, or where a peer that ran is faster.
"""
import collections
import json
import os
import shutil
import statistics
import sys
import tempfile

import taking_turns

LINE = os.path.join(taking_turns.HERE, "..", "line")
sys.path[:0] = [LINE, os.path.join(LINE, "..", "peers")]

import contestants  # noqa: E402
import peers  # noqa: E402
from process import Process, TookTooLong  # noqa: E402

ENVIRONMENT, MEAN, BAR, LIMIT_S = "py-torch", 512 << 10, 1.05, 900.0
#: Its name, script, and how many steps.
Workload = collections.namedtuple("Workload", "name title script steps")
WORKLOADS = (Workload("lenet", "LeNet", "lenet.py", 600), Workload("resnet", "ResNet-18, small", "resnet.py", 80))
Time = collections.namedtuple("Time", "steps whole")


class NativeStacks(contestants.Ours):
    name = "native stacks"
    notes = "lines and sampled native stacks, as a run is started on a board: the helper's processes and the run's files included"

    def given(self, script, argument):
        request = json.loads(super().given(script, argument).decode())
        return json.dumps(dict(request, heap={"mean": MEAN})).encode() + b"\n"

    def as_typed(self, script, argument):
        return "jetson-memprof profile --target local --native-stacks %s %s" % (script, argument)

    def check(self, script, line, output):
        super().check(script, line, output)
        run = os.path.join(self.folder, "root", "runs", "bench")
        with open(os.path.join(run, "run.json")) as file:
            heap = json.load(file)["engine"].get("heap", {})
        if heap.get("state") != "sampled" or not any(name.startswith("massif.out.") for name in os.listdir(run)):
            raise contestants.Unnamed("it has no native stacks: %s" % heap)


class SamplerAlone(contestants.Bare):
    """Which part of it is the library's."""
    name, peer = "sampler alone", None
    notes = "the library preloaded into the bare script: native stacks without Python's lines, nothing is made of its log"

    def __init__(self, python, folder):
        super().__init__(python, folder)
        self._logs = os.path.join(folder, "logs")
        library = os.path.join(folder, "helper", "accel", "heap-%s.so" % os.uname().machine)
        self.environment = {"LD_PRELOAD": library, "JETSON_MEMPROF_HEAP": self._logs, "JETSON_MEMPROF_HEAP_MEAN": str(MEAN)}

    def as_typed(self, script, argument):
        return "LD_PRELOAD=heap.so JETSON_MEMPROF_HEAP=FOLDER %s" % super().as_typed(script, argument)

    def check(self, script, line, output):
        if not os.listdir(self._logs):
            raise contestants.Unnamed("it left no log")

    def clean(self):
        shutil.rmtree(self._logs, ignore_errors=True)
        os.mkdir(self._logs)


class MemrayNative(contestants.Memray):
    name = "Memray, native"
    options = ("--native",)
    notes = "recording with native stacks alone; lines and names are told only by a reporter, which is run afterwards (not counted)"


class Failed(Exception):
    pass


class Bench(object):
    """One workload by all contestants; `times` is {contestant: [Time of each round]}, None where a peer failed."""

    def __init__(self, folder, workload, steps):
        self._folder = folder
        self.workload = workload
        self.steps = steps
        self.versions, self.absent, self.times = peers.versions_of(ENVIRONMENT), [], collections.OrderedDict()
        missing = peers.absent_of(ENVIRONMENT)
        for kind in (contestants.Bare, NativeStacks, contestants.Ours, SamplerAlone, MemrayNative, contestants.Scalene):
            if kind.peer is None or kind.peer in self.versions:
                self._try(kind(peers.python_of(ENVIRONMENT), folder))
            else:
                self.absent.append({"name": kind.name, "why": missing.get(kind.peer, "not installed")})

    def _try(self, contestant):
        """A short run that does not count, whose report is read. A peer that fails is absent, with the reason."""
        script = self.workload.script
        try:
            _, output = self._run(contestant, 2)
            contestant.check(script, contestants.line_of(script), output)
        except (Failed, TookTooLong, contestants.Unnamed) as error:
            if isinstance(contestant, (MemrayNative, contestants.Scalene)) and not isinstance(error, contestants.Unnamed):
                self.absent.append({"name": contestant.name, "why": str(error)})
                return
            if isinstance(contestant, NativeStacks):
                raise SystemExit("%s: %s" % (script, error))
        self.times[contestant] = []

    def turn(self):
        for contestant, times in self.times.items():
            try:
                times.append(self._run(contestant, self.steps)[0])
            except (Failed, TookTooLong) as error:
                if isinstance(contestant, (contestants.Ours,)) or type(contestant) is contestants.Bare:
                    raise SystemExit("%s: %s" % (contestant.name, error))
                times.append(None)

    def _run(self, contestant, steps):
        """(Time, what was printed)"""
        contestant.clean()
        spent = os.path.join(self._folder, "spent")
        if os.path.exists(spent):
            os.unlink(spent)
        environment = dict(os.environ, JMP_BENCH_SPENT=spent, **contestant.environment)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        script = self.workload.script
        ended = Process(contestant.command(script, str(steps)), os.path.join(self._folder, "project"), environment, LIMIT_S,
                        contestant.given(script, str(steps))).wait()
        if ended.status != 0 or not os.path.exists(spent):
            raise Failed("the script did not end well under it: %s" % ended.output[-300:].strip())
        with open(spent) as file:
            return Time(float(file.read()), ended.cpu), ended.output

    def figures(self, which):
        """{contestant: [seconds of each round]}"""
        return collections.OrderedDict((contestant, [time and getattr(time, which) for time in times])
                                       for contestant, times in self.times.items())

    def row(self, which):
        figures, listed = self.figures(which), []
        argument = str(self.steps)
        for contestant, runs in figures.items():
            version = self.versions[contestant.peer] if contestant.peer else taking_turns.version()
            listed.append({"name": contestant.name, "version": version, "notes": contestant.notes, "runs": [runs],
                           "command": contestant.as_typed(self.workload.script, argument)})
        names = [contestant.name for contestant in self.times if isinstance(contestant, (MemrayNative, contestants.Scalene))]
        goals = [{"kind": "factor", "than": contestants.Bare.name, "atMost": BAR}] + ([{"kind": "ahead", "of": names}] if names else [])
        is_steady = which == "steps"
        return {"row": "heap/%s%s" % (self.workload.name, "-steady" if is_steady else ""), "unit": "s", "better": "less",
                "title": "%s with native stacks%s" % (self.workload.title, ", once it runs" if is_steady else ""),
                "measures": "CPU seconds of the training steps alone" if is_steady else
                            "CPU seconds of all processes, from the start of the command to the end of the last",
                "ours": NativeStacks.name, "goal": goals if is_steady else goals[1:], "contestants": listed, "absent": self.absent,
                "work": {"unit": "steps", "sizes": [self.steps]}, "python": self.versions["python"]}


def show(row):
    """The table of a row; whether its goals are kept in the medians."""
    print("%s: %s (%d steps)" % (row["row"], row["measures"], row["work"]["sizes"][0]))
    medians = {}
    for one in row["contestants"]:
        known = [figure for figure in one["runs"][0] if figure is not None]
        if known:
            medians[one["name"]] = statistics.median(known)
            print("  %-16s %-8s %9.3f s   (%.3f to %.3f, %d rounds)   %6.3f x bare" % (
                one["name"], one["version"], medians[one["name"]], min(known), max(known), len(known),
                medians[one["name"]] / medians[contestants.Bare.name]))
    for one in row["absent"]:
        print("  %-16s %s" % (one["name"], one["why"]))
    sys.stdout.flush()
    ours, kept = medians[NativeStacks.name], True
    for goal in row["goal"]:
        others = [goal["than"]] if goal["kind"] == "factor" else goal["of"]
        kept = kept and all(ours <= medians[name] * goal.get("atMost", 1) for name in others if name in medians)
    return kept


def main():
    options = taking_turns.arguments(__doc__, 7)
    wanted = [workload for workload in WORKLOADS if not options.rows or
              any(row.startswith("heap/" + workload.name) or "heap/".startswith(row) for row in options.rows)]
    folder = tempfile.mkdtemp(prefix="jmp-training-")
    try:
        contestants.install(folder, [peers.python_of(ENVIRONMENT)])
        rows = []
        for workload in wanted:
            bench = Bench(folder, workload, max(2, workload.steps // 50) if options.quick else workload.steps)
            for _ in range(1 if options.quick else options.rounds):
                bench.turn()
            rows += [bench.row("steps"), bench.row("whole")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kept = [show(row) for row in rows]
    taking_turns.finish(options, rows, all(kept[::2]))


if __name__ == "__main__":
    main()
