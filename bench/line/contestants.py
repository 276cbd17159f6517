"""Who is measured by cost.py: how each runs a script, and whether its report names the script's line."""
import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python-helper")


class Unnamed(Exception):
    """What is wrong with a contestant's report."""


class Bare(object):
    name, peer = "bare", "python"
    environment = {}
    notes = "the script alone"

    def __init__(self, python, folder):
        self.python = python
        self.folder = folder

    def command(self, script, argument):
        return [self.python, script, argument]

    def given(self, script, argument):
        """What it reads from standard input."""
        return b""

    def as_typed(self, script, argument):
        shown = [os.path.basename(part) if part.startswith(os.sep) else part for part in self.command(script, argument)]
        return " ".join(shown)

    def check(self, script, line, output):
        """Raises Unnamed where the report does not name the line."""

    def clean(self):
        """Takes away what a run has written."""


class Ours(Bare):
    name, peer = "line engine", None
    notes = "as a run is started on a board: the helper's two processes and the run's files on the disk included"
    accelerator = True

    def command(self, script, argument):
        return [self.python, "-I", "-B", os.path.join(self.folder, "helper", "board.py"), "start"]

    def given(self, script, argument):
        return json.dumps({
            "root": os.path.join(self.folder, "root"), "id": "bench", "project_root": os.path.join(self.folder, "project"),
            "script": script, "args": [argument], "engine": "line", "exact": False, "accelerator": self.accelerator,
            "output_limit": 1 << 20}).encode() + b"\n"

    def as_typed(self, script, argument):
        return "jetson-memprof profile --target local %s %s" % (script, argument)

    def check(self, script, line, output):
        run = os.path.join(self.folder, "root", "runs", "bench")
        with open(os.path.join(run, "run.json")) as file:
            record = json.load(file)
        if record["state"] != "finished" or record["exit"] != {"kind": "exited", "code": 0} or record["warnings"]:
            raise Unnamed("the run ended so: %s %s" % (record.get("exit"), record["warnings"]))
        used = record["processes"][0]["implementation"]
        if used != ("accelerator" if self.accelerator else "pure"):
            raise Unnamed("it ran as %s" % used)
        with open(os.path.join(run, "lines.jsonl")) as file:
            records = [json.loads(text) for text in file]
        hits = [row[2] for one in records if one["record"] == "rows" for row in one["rows"] if row[1] == line]
        if not hits:
            raise Unnamed("line %d has no row" % line)

    def clean(self):
        shutil.rmtree(os.path.join(self.folder, "root"), ignore_errors=True)


class OursPure(Ours):
    name = "line engine, pure Python"
    notes = "as where no accelerator fits: the same figures"
    accelerator = False

    def as_typed(self, script, argument):
        return "jetson-memprof profile --target local --no-accelerator %s %s" % (script, argument)


class MemoryProfiler(Bare):
    name = peer = "memory_profiler"
    environment = {"JMP_BENCH_DECORATED": "1"}
    notes = "the functions that work are decorated with @profile"

    def command(self, script, argument):
        return [self.python, "-m", "memory_profiler", script, argument]

    def check(self, script, line, output):
        if not re.search(r"^ *%d +-?[\d.]+ MiB" % line, output, re.MULTILINE):
            raise Unnamed("line %d is not in its report" % line)


class Scalene(Bare):
    name, peer = "Scalene", "scalene"
    notes = "memory on; it samples, so short lines may be missing from its report; CPU sampling cannot be switched off"

    def command(self, script, argument):
        if sys_version(self.python) < (3, 9):
            return [self.python, "-m", "scalene", "--json", "--outfile", self._profile, "--memory", script, argument]
        return [self.python, "-m", "scalene", "run", "--memory", "-o", self._profile, script, argument]

    @property
    def _profile(self):
        return os.path.join(self.folder, "scalene.json")

    def check(self, script, line, output):
        try:
            with open(self._profile) as file:
                files = json.load(file)["files"]
        except (OSError, ValueError, KeyError) as error:
            raise Unnamed("it wrote no profile (%s)" % type(error).__name__)
        if not any(os.path.basename(name) == script for name in files):
            raise Unnamed("the script is not in its profile")

    def clean(self):
        if os.path.exists(self._profile):
            os.unlink(self._profile)


class Memray(Bare):
    name, peer = "Memray", "memray"
    notes = "recording alone; lines are told only by a reporter, which is run afterwards (not counted here)"
    options = ()

    def command(self, script, argument):
        return [self.python, "-m", "memray", "run", "-q", "-f"] + list(self.options) + ["-o", self._recording, script, argument]

    @property
    def _recording(self):
        return os.path.join(self.folder, "memray.bin")

    def check(self, script, line, output):
        if not os.path.exists(self._recording):
            raise Unnamed("it wrote no recording")

    def clean(self):
        for name in ("memray.bin", "memray.html"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.unlink(os.path.join(self.folder, name))


class MemrayReported(Memray):
    name = "Memray with its table"
    notes = "aggregated recording, then the reporter that lists lines"
    options = ("--aggregate",)

    def command(self, script, argument):
        table = [self.python, "-m", "memray", "table", "-f", "-o", os.path.join(self.folder, "memray.html"), self._recording]
        return ["sh", "-c", "%s && %s" % (" ".join(super().command(script, argument)), " ".join(table))]

    def as_typed(self, script, argument):
        return "python -m memray run --aggregate -o FILE %s %s && python -m memray table FILE" % (script, argument)

    def check(self, script, line, output):
        if not os.path.exists(os.path.join(self.folder, "memray.html")):
            raise Unnamed("its reporter wrote nothing: %s" % output[-200:])


class Tracemalloc(Bare):
    name, peer = "tracemalloc", "python"
    notes = "1 frame, a snapshot grouped by line at the end; counts what Python's allocators hand out, not RSS"

    def command(self, script, argument):
        return [self.python, "-X", "tracemalloc", os.path.join(HERE, "traced.py"), script, argument]

    def check(self, script, line, output):
        if script not in output:
            raise Unnamed("the script is not in its snapshot")


PEERS = (MemoryProfiler, Scalene, Memray, MemrayReported, Tracemalloc)


def sys_version(python, _known={}):
    if python not in _known:
        text = subprocess.check_output([python, "-c", "import sys; print('%d %d' % sys.version_info[:2])"])
        _known[python] = tuple(map(int, text.split()))
    return _known[python]


def install(folder, pythons):
    """The helper and the workloads as they lie on a board, with the bytecode that is made there for each Python."""
    place = os.path.join(folder, "helper")
    os.mkdir(place)
    for name in ("accel", "boot", "jetson_memprof"):
        shutil.copytree(os.path.join(HELPER, name), os.path.join(place, name), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(os.path.join(HELPER, "board.py"), place)
    project = os.path.join(folder, "project")
    shutil.copytree(os.path.join(HERE, "workloads"), project, ignore=shutil.ignore_patterns("__pycache__"))
    for python in pythons:
        subprocess.check_call([python, "-m", "compileall", "-q", place, project])


def line_of(script):
    """The line that each report is to name."""
    with open(os.path.join(HERE, "workloads", script)) as file:
        return next(number for number, text in enumerate(file, 1) if text.endswith("# the line\n"))
