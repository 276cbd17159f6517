"""Runs scripts under the line engine as the supervisor would, and reads what their comments promise.

A comment `#: hits=2, net=4*M` states figures of its own line (`at=-1`: of the line above; `child`: in the forked
child). Sizes are bytes; `M` is a MiB, `PY` 309 on
Python 3.9.
"""
import functools
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

TRUTH = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.dirname(os.path.dirname(TRUTH))
SCRIPTS = os.path.join(TRUTH, "scripts")
LIBRARY = os.path.join(TRUTH, "lib")


def as_if(what):
    """The environment in which the engine believes that of this machine: see as_if/sitecustomize.py."""
    folders = os.path.join(TRUTH, "as_if"), os.path.join(HELPER, "boot"), LIBRARY
    return {"PYTHONPATH": os.pathsep.join(folders), "ENGINE_AS_IF": what}


sys.path.insert(0, HELPER)

from jetson_memprof.engine import statements  # noqa: E402
from jetson_memprof.engine.counters import Reader  # noqa: E402

#: With and without the accelerator; only without where it was not built.
BOTH = (False, True)
if not os.path.exists(os.path.join(HELPER, "accel", "linetrace-%s.so" % os.uname().machine)):
    if os.environ.get("CI") == "true":
        raise RuntimeError("the accelerator is not built; run: node scripts/build-accel.mjs")
    sys.stderr.write("SKIPPED: all tests of the accelerator; build it with: node scripts/build-accel.mjs\n")
    BOTH = (False,)

M = 1 << 20
PY = sys.version_info[0] * 100 + sys.version_info[1]
#: Starts the script from a process as small as the supervisor's starter, so that its peaks have no floor.
_SHELL = 'cd "$1" || exit 99; shift; "$@"; exit $?'


class Run(object):
    """What a finished run left: `processes` [ProcessView], their last rows, and the script's own output."""

    def __init__(self, status, stdout, stderr, processes):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        # The main one first: found all at once they are in the order of their names, which begin with the pid.
        self.processes = sorted(processes, key=lambda view: view.kind != "main")
        self.rows = [dict(((view.files[row[0]], row[1]), row[2:]) for row in view.changed_rows())
                     for view in self.processes]
        self.functions = [dict(((view.files[row[0]], row[1]), row[2:]) for row in view.changed_functions())
                          for view in self.processes]
        self.warnings = [code for view in self.processes for code, _ in view.warnings]

    def of(self, kind):
        """Rows by (path, line) of the only process of that kind."""
        found = [rows for view, rows in zip(self.processes, self.rows) if view.kind == kind]
        if len(found) != 1:
            raise AssertionError("%d processes are %s" % (len(found), kind))
        return found[0]


class Folder(object):
    """A private folder with a specification and an answering statements socket, as the supervisor makes it."""

    def __init__(self, project, exact=True, accelerator=False, engine="line", **more):
        self.path = tempfile.mkdtemp(prefix="jmp-test-")
        self.spec = os.path.join(self.path, "spec.json")
        spec = {"schema": 1, "project_root": project, "engine": engine, "exact": exact, "accelerator": accelerator,
                "counters": self.path, "statements_socket": os.path.join(self.path, "s")}
        spec.update(more)
        with open(self.spec, "w") as file:
            json.dump(spec, file)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(os.path.join(self.path, "s"))
        self._server.listen(8)
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def environment(self, **more):
        env = dict(os.environ, JETSON_MEMPROF_SPEC=self.spec)
        env["PYTHONPATH"] = os.pathsep.join([os.path.join(HELPER, "boot"), LIBRARY])
        env.update(more)
        return env

    def command(self, arguments, cwd, python=None):
        return ["sh", "-c", _SHELL, "sh", cwd, python or sys.executable] + list(arguments)

    def run(self, arguments, cwd, stdin=b"", env=None, python=None):
        done = subprocess.Popen(self.command(arguments, cwd, python), env=self.environment(**(env or {})),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        stdout, stderr = done.communicate(stdin, timeout=600)
        return Run(done.returncode, stdout, stderr, Reader(self.path).poll())

    def _serve(self):
        while True:
            try:
                connection = self._server.accept()[0]
            except OSError:
                return
            with connection, connection.makefile("rb") as asked:
                path = asked.readline()[:-1]
                with open(path, "rb") as source:
                    found = statements.analyse(source.read())
                try:
                    for row in (found.statement_of, found.resumed):
                        connection.sendall(struct.pack("<I", len(row)) + row.tobytes())
                except BrokenPipeError:  # the process was killed meanwhile
                    pass


@functools.lru_cache(maxsize=None)
def run_script(name, exact, accelerator, python=None, machine=None, preload=None):
    """One run serves all tests that look at it."""
    env = as_if(machine) if machine else {"LD_PRELOAD": preload} if preload else None
    with Folder(SCRIPTS, exact, accelerator) as folder:
        return folder.run([name], SCRIPTS, python=python, env=env)


def promises(name):
    """[(line, in the child?, {figure: value})] of the script's `#:` comments."""
    found = []
    with open(os.path.join(SCRIPTS, name)) as script:
        for number, text in enumerate(script, 1):
            comment = re.search(r"#: (.*)", text)
            if comment:
                words = [word.strip() for word in comment.group(1).split(",")]
                figures = dict(word.split("=", 1) for word in words if "=" in word)
                figures = dict((key, eval(value, {"M": M, "PY": PY})) for key, value in figures.items())
                found.append((number + figures.pop("at", 0), "child" in words, figures))
    return found


_COLUMNS = {"hits": 0, "net": 1, "self": 2, "max": 3, "peak": 4}


def broken_promises(name, run, open_bytes=0):
    """What of `promises(name)` the run does not keep, in words. So many bytes a change may be off besides, where its row
    says that they are uncertain."""
    path = os.path.realpath(os.path.join(SCRIPTS, name))
    wrong = []
    for line, child, figures in promises(name):
        row = run.of("fork" if child else "main").get((path, line), (0,) * 8)
        for figure, expected in sorted(figures.items()):
            got = row[_COLUMNS[figure]]
            if figure == "hits":
                kept = got == expected
            elif figure == "peak":
                kept = abs(got - expected) <= max(256 << 10, abs(expected) * 0.02, row[7])
            else:
                kept = abs(got - expected) <= max(64 << 10, abs(expected) * 0.01, min(row[6], open_bytes))
            if not kept:
                wrong.append("%s:%d %s is %s, not %s, uncertain by %s" % (
                    name, line, figure, got, expected, row[7 if figure == "peak" else 6]))
    if wrong:
        # Where it went, or came from.
        wrong.append("; ".join("line %d self %d, uncertain by %d" % (line, row[2], row[6])
                               for view in run.rows for (_, line), row in sorted(view.items()) if abs(row[2]) >= M))
    return wrong
