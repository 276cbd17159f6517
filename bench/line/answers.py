"""What each tool says of the lines of a script: asked as its documentation says, with its best options for that.

An answer is {line: MiB} for each figure that the tool gives, `net` and `peak`, by physical lines: which lines make a
statement is the judge's part. A line that is missing is one of which the tool says nothing.
"""
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, "..", "..", "python-helper")
MIB = 1 << 20
#: Blocks of 128 KiB and more are given back to the system at once, by every contestant's process: what was taken and
#: given back is then what the process has, and not malloc's choice.
ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": str(128 << 10), "MALLOC_TRIM_THRESHOLD_": str(128 << 10)}
_LONGEST_S = 180


class NoAnswer(Exception):
    """The tool did not run to its end, or what it wrote could not be read; says why in a sentence."""


def run(arguments, cwd, **environment):
    """The standard output of a command. @throws NoAnswer"""
    try:
        ended = subprocess.run(arguments, cwd=cwd, env=dict(os.environ, **ENVIRONMENT, **environment), timeout=_LONGEST_S,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        raise NoAnswer("it had not ended after %d s" % _LONGEST_S) from None
    if ended.returncode != 0:
        told = (ended.stderr + ended.stdout).decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        raise NoAnswer("exit code %d: %s" % (ended.returncode, told[-1][:200]))
    return ended.stdout.decode("utf-8", "replace")


class Board:
    """The helper as it lies on a board, with its bytecode, and a folder for its runs."""

    def __init__(self, python):
        self._python = python
        self._top = tempfile.mkdtemp(prefix="jmp-bench-")
        self._helper = os.path.join(self._top, "helper")
        shutil.copytree(HELPER, self._helper, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        run([python, "-m", "compileall", "-q", self._helper], self._top)
        self._runs = 0

    def close(self):
        shutil.rmtree(self._top, ignore_errors=True)

    def ask(self, script, rounds, exact, accelerator):
        """Through the same command that a run from the editor uses."""
        self._runs += 1
        order = {"root": os.path.join(self._top, "board"), "id": "20260101-000000-truth-%04x" % self._runs,
                 "project_root": os.path.dirname(script), "script": os.path.basename(script), "args": [str(rounds)],
                 "cwd": None, "engine": "line", "exact": exact, "accelerator": accelerator, "env": ENVIRONMENT,
                 "output_limit": MIB, "interval_ms": 200, "moments_interval_ms": 1000, "versions": {}, "board": {}}
        asked = subprocess.run([self._python, "-I", "-B", os.path.join(self._helper, "board.py"), "start"],
                               input=json.dumps(order).encode() + b"\n", stdout=subprocess.PIPE, check=False, cwd=self._top)
        try:
            reply = json.loads(asked.stdout.decode())
        except ValueError:
            raise NoAnswer("its start was not answered") from None
        if "error" in reply:
            raise NoAnswer(reply["error"]["message"])
        record = self._finished(reply["folder"])
        expected = "accelerator" if accelerator else "pure"
        with open(os.path.join(reply["folder"], "lines.jsonl")) as file:
            records = [json.loads(line) for line in file]
        # A process's later record replaces an earlier one.
        ways = set(dict((each["pid"], each["implementation"]) for each in records if each["record"] == "process").values())
        if record["exit"].get("code") != 0 or ways != {expected} or record["warnings"]:
            raise NoAnswer("it ended with %s, measured by %s: %s" % (record["exit"], ", ".join(sorted(ways)), record["warnings"]))
        return line_table(records, os.path.basename(script))

    @staticmethod
    def _finished(folder):
        until = time.monotonic() + _LONGEST_S
        while time.monotonic() < until:
            with open(os.path.join(folder, "run.json")) as file:
                record = json.load(file)
            if record["state"] != "running":
                return record
            time.sleep(0.02)
        raise NoAnswer("the run had not ended after %d s" % _LONGEST_S)


def line_table(records, path):
    """lines.jsonl: what all processes' lines left and the most that one of them held."""
    files, rows = {}, {}
    for record in records:
        if record["record"] == "file":
            files[record["file"]] = record["path"]
        elif record["record"] == "rows":
            rows.update(((record["pid"], row[0], row[1]), row) for row in record["rows"])
    net, peak = {}, {}
    for (_, file, line), row in rows.items():
        if files[file] == path:
            net[line] = net.get(line, 0) + (row[3] or 0) / MIB
            peak[line] = max(peak.get(line, 0), (row[6] or 0) / MIB)
    return {"net": net, "peak": peak}


def memory_profiler(python, script, rounds):
    """The functions are decorated, as `#@profile` in the scripts says where."""
    with tempfile.TemporaryDirectory(prefix="jmp-bench-") as folder:
        decorated = os.path.join(folder, os.path.basename(script))
        with open(script) as source, open(decorated, "w") as out:
            out.write(source.read().replace("#@profile", "@profile"))
        report = run([python, "-m", "memory_profiler", "--precision", "3", decorated, str(rounds)], folder)
    return {"net": memory_profiler_table(report)}


_MEMORY_PROFILER_ROW = re.compile(r"^ *(\d+) +-?[\d.]+ MiB +(-?[\d.]+) MiB +\d+ ")


def memory_profiler_table(report):
    """`Increment` by line. That of a function's own first line is what the process had when it was entered: left out."""
    net, is_first = {}, False
    for text in report.splitlines():
        row = _MEMORY_PROFILER_ROW.match(text)
        if row and not is_first:
            net[int(row.group(1))] = net.get(int(row.group(1)), 0) + float(row.group(2))
        is_first = text.startswith("=====")
    return net


def scalene(python, script, rounds):
    with tempfile.TemporaryDirectory(prefix="jmp-bench-") as folder:
        out = os.path.join(folder, "profile.json")
        version = run([python, "-c", "import importlib.metadata as m; print(m.version('scalene'))"], folder)
        asked = ["run", "--memory", "-o", out, script] if int(version.split(".")[0]) >= 2 else \
            ["--cpu", "--memory", "--json", "--outfile", out, script]
        run([python, "-m", "scalene"] + asked + ["---", str(rounds)], os.path.dirname(script))
        try:
            with open(out) as file:
                profile = json.load(file)
        except (OSError, ValueError):
            raise NoAnswer("it wrote no profile") from None
    return {"peak": scalene_table(profile, os.path.basename(script))}


def scalene_table(profile, name):
    """`n_peak_mb` by line."""
    return dict((line["lineno"], line["n_peak_mb"]) for path, file in profile.get("files", {}).items()
                if os.path.basename(path) == name for line in file["lines"] if line["n_peak_mb"])


def memray(python, script, rounds):
    """With forked children, and with the objects that Python's own allocator hands out."""
    with tempfile.TemporaryDirectory(prefix="jmp-bench-") as folder:
        out = os.path.join(folder, "memray.bin")
        run([python, "-m", "memray", "run", "-q", "--follow-fork", "--trace-python-allocators", "-o", out, script, str(rounds)],
            os.path.dirname(script))
        read = [python, os.path.join(HERE, "memray_lines.py"), script]
        return _by_line(run(read + [os.path.join(folder, name) for name in sorted(os.listdir(folder))], folder))


def tracemalloc(python, script, rounds):
    """With 25 callers of each block, so that a line has what was allocated for it further in."""
    reader = os.path.join(HERE, "tracemalloc_lines.py")
    return _by_line(run([python, "-X", "tracemalloc=25", reader, script, str(rounds)], os.path.dirname(script)))


def _by_line(printed):
    """The last line that was printed, as JSON: its keys are lines, its values bytes."""
    answer = ast.literal_eval(printed.splitlines()[-1])
    return dict((figure, dict((line, size / MIB) for line, size in lines.items())) for figure, lines in answer.items())


def contestants(python, board):
    """[(name, package, command, ask(script, rounds) -> answer)], ours first."""
    def ours(exact, accelerator):
        return lambda script, rounds: board.ask(script, rounds, exact, accelerator)

    def theirs(ask):
        return lambda script, rounds: ask(python, script, rounds)

    start = "jetson-memprof profile --target local %sSCRIPT.py N"
    return [
        ("line engine", None, start % "", ours(False, True)),
        ("line engine, exact", None, start % "--exact ", ours(True, True)),
        ("line engine, pure Python", None, start % "--no-accelerator ", ours(False, False)),
        ("memory_profiler", "memory_profiler", "python -m memory_profiler --precision 3 SCRIPT.py N", theirs(memory_profiler)),
        ("Scalene", "scalene", "python -m scalene run --memory -o PROFILE.json SCRIPT.py --- N", theirs(scalene)),
        ("Memray", "memray", "python -m memray run --follow-fork --trace-python-allocators SCRIPT.py N", theirs(memray)),
        ("tracemalloc", "python", "python -X tracemalloc=25 bench/line/tracemalloc_lines.py SCRIPT.py N", theirs(tracemalloc)),
    ]
