"""A run under a real memory limit: the kernel's out-of-memory killer ends the script."""
import json
import os
import subprocess
import unittest

from test_board_common import HELPER, BoardCase, python, until

LIMIT = 256 << 20
TRAIN = """\
from data import loader
def epoch(batches):
    for index in range(batches):
        batch = loader.read(
            index)
def main():
    epoch(100)
main()
"""
LOADER = """\
kept = []
def read(index):
    size = 8 << 20
    kept.append(b"x" * size)
    return index
"""


def kills(group):
    """How many of a group's processes the kernel has ran out of memory.

    For some ms an ending process is no candidate any more but still has its memory: who asks for a page of the
    group then makes the kernel choose again among those that are left.
    """
    for name in ("memory.events", "memory.oom_control"):
        if os.path.exists(os.path.join(group, name)):
            with open(os.path.join(group, name)) as file:
                return int(dict(line.split() for line in file)["oom_kill"])
    raise AssertionError("nothing counts the kills in %s" % group)


class Group(object):
    """A memory cgroup of a test's own, below the one it runs in. Raises unittest.SkipTest where none can be made."""

    def __init__(self, limit):
        try:
            self.path = self._make()
            self._limit(limit)
        except OSError as error:
            raise unittest.SkipTest("no memory cgroup can be made here: %s" % error)

    def _make(self):
        with open("/proc/self/cgroup") as file:
            entries = [line.rstrip("\n").split(":", 2) for line in file]
        tops = ["/sys/fs/cgroup/memory" + path for _, kinds, path in entries if "memory" in kinds.split(",")]
        tops += ["/sys/fs/cgroup" + path for number, _, path in entries if number == "0"]
        if not tops:
            raise OSError("this process is in none")
        path = os.path.join(tops[0], "jmp-test-%d" % os.getpid())
        os.mkdir(path)
        return path

    def _limit(self, limit):
        try:
            version1 = os.path.exists(self._file("memory.limit_in_bytes"))
            self._write("memory.limit_in_bytes" if version1 else "memory.max", limit)
            # Else the script would go on in the swap space.
            swap, most = ("memory.memsw.limit_in_bytes", limit) if version1 else ("memory.swap.max", 0)
            if os.path.exists(self._file(swap)):
                self._write(swap, most)
        except OSError:
            os.rmdir(self.path)
            raise

    def _file(self, name):
        return os.path.join(self.path, name)

    def _write(self, name, value):
        with open(self._file(name), "w") as file:
            file.write(str(value))

    def command(self, arguments):
        """A command that runs `arguments` inside, with all that they start."""
        return ["sh", "-c", 'echo $$ > "$0"; exec "$@"', self._file("cgroup.procs")] + arguments

    def remove(self):
        until(self._is_empty, what="the end of the run's processes")
        os.rmdir(self.path)

    def _is_empty(self):
        with open(self._file("cgroup.procs")) as file:
            return not file.read()


class MemoryLimit(BoardCase):
    def test_the_line_and_its_stack_are_named(self):
        group = Group(LIMIT)
        self.addCleanup(group.remove)
        self.addCleanup(self._end_all)  # before that
        self.write("train.py", TRAIN)
        self.write("data/__init__.py", "")
        self.write("data/loader.py", LOADER)
        for run, accelerator in (("fast", True), ("pure", False)):
            with self.subTest(run=run):
                self._runs.append(run)
                before = kills(group.path)
                order = self.order(run, "train.py", accelerator=accelerator)
                started = subprocess.run(group.command(python(os.path.join(HELPER, "board.py"), "start")),
                                         input=json.dumps(order).encode("utf-8") + b"\n", stdout=subprocess.PIPE)
                pid = json.loads(started.stdout.decode("utf-8"))["pid"]
                record = self.attach(run).wait().record
                ended = record["exit"]
                if kills(group.path) == before + 1:
                    self.assertEqual(("out-of-memory", "SIGKILL"), (ended["kind"], ended["signal"]))
                    self.assertIn("this run's memory group", ended["evidence"])
                else:  # the helper's process too, while the script's memory was on its way back (see kills())
                    self.assertEqual({"kind": "lost"}, ended)
                place, = record["last_lines"]
                stack = [["train.py", 8], ["train.py", 7], ["train.py", 4], ["data/loader.py", 4]]
                self.assertEqual({"pid": pid, "thread": "MainThread", "path": "data/loader.py", "line": 4, "stack": stack},
                                 place)


if __name__ == "__main__":
    unittest.main()
