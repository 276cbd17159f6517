"""Runs scripts under valgrind massif as the supervisor would.

A comment `#: bytes=4*M` states what a line of the script, called itself or by code that is not the project's, holds when
the script comes to its line `#: end`.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from truth import harness as truth

from jetson_memprof.massif import pads

from . import reader

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "scripts")
VALGRIND = shutil.which("valgrind")
REFUSED = os.path.join(HERE, "refused")
M = 1 << 20
#: Under valgrind, on a machine that does other things too.
_LONGEST_SECONDS = 900


class MassifRun(object):
    """`run` is a truth.harness.Run of the script in `scripts`, `folder` holds the run's files until close();
    `arguments`: the script is told it."""

    def __init__(self, script, lines=(), frames=True, checkpoint_s=60, max_hits=3, first_path=(), arguments=False,
                 scripts=SCRIPTS, **env):
        self.folder = tempfile.mkdtemp(prefix="jmp-massif-")
        settings = {"folder": self.folder, "frames": frames, "checkpoint_s": checkpoint_s, "max_hits": max_hits,
                    "lines": [["%s" % script, line] for line in lines]}
        options = ["--tool=massif", "--depth=100", "--threshold=0.01", "--vgdb=no", "--trace-children=yes",
                   "--massif-out-file=%s/massif.exit.%%p" % self.folder, "--log-file=%s/log.%%p" % self.folder]
        with truth.Folder(scripts, False, False, "massif", massif=settings) as folder:
            pads.write_library(folder.path)
            env["PYTHONMALLOC"] = "malloc"
            env["PYTHONPATH"] = os.pathsep.join(list(first_path) + [os.path.join(truth.HELPER, "boot")])
            program = [sys.executable, script] + ([self.folder] if arguments else [])
            command = folder.command(options + program, scripts, VALGRIND)
            started = subprocess.Popen(command, env=folder.environment(**env), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            try:
                output = started.communicate(timeout=_LONGEST_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                raise
            self.run = truth.Run(started.returncode, output[0], output[1], truth.Reader(folder.path).poll())

    def close(self):
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def of(self, kind):
        """The only process of that kind."""
        found = [view for view in self.run.processes if view.kind == kind]
        if len(found) != 1:
            raise AssertionError("%d processes are %s: %s" % (len(found), kind, self.run.stderr.decode()))
        return found[0]

    def hits(self, kind, script):
        """{line: hits} of a process."""
        return dict((line, row[0]) for (path, line), row in self.run.of(kind).items() if os.path.basename(path) == script)

    def path(self, pattern, pid):
        return os.path.join(self.folder, pattern % pid)

    def names(self, pid):
        return reader.frames(self.path("massif.frames.%d.jsonl", pid))

    def measured(self, pid):
        """(header, hit records, {line: last line record}) of the chosen lines."""
        records = reader.records(self.path("massif.lines.%d.jsonl", pid))
        return (records[0], [record for record in records if record["record"] == "hit"],
                dict((record["line"], record) for record in records if record["record"] == "line"))

    def tree(self, pid, number, side):
        snapshot, = reader.snapshots(os.path.join(self.folder, "massif-lines", str(pid), "%d.%s" % (number, side)))
        return snapshot["tree"]


def bare(script):
    """(status, output) of a script that nothing measures."""
    done = subprocess.Popen([sys.executable, script], cwd=SCRIPTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = done.communicate()
    return (done.returncode,) + output


def promised(script):
    """({line: bytes}, the line of `#: end`)."""
    held, end = {}, None
    with open(os.path.join(SCRIPTS, script)) as source:
        for number, text in enumerate(source, 1):
            comment = re.search(r"#: (?:bytes=(.*)|end)$", text.rstrip())
            if comment and comment.group(1):
                held[number] = eval(comment.group(1), {"M": M})
            elif comment:
                end = number
    return held, end
