"""The heap sampler at marked lines: what lives before and after each execution, by stack."""
import os
import shutil
import sys
import tempfile
import types
import unittest

import heap_harness as heap
from heap_harness import M, layout
from truth import harness

from jetson_memprof.heap.executions import Executions

SLACK = 65536

#: Before a script's first statement: pools for its small objects, so that Python takes no new arena at a line that is measured.
ROOM = "room = [bytes(400) for _ in range(8000)]; room = room[::50]; "


class Marked(object):
    def setUp(self):
        if not heap.IS_BUILT or self.accelerator not in harness.BOTH:
            self.skipTest(heap.WHY_NOT)
        self.project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, self.project)

    def brought(self, text, warnings=(), **more):
        found = heap.Brought(self.project, ROOM + text, self.accelerator, **more)
        self.addCleanup(found.close)
        self.assertEqual((0, list(warnings)), (found.run.status, found.run.warnings), found.run.stderr)
        self.assertEqual([], [note for summary in found.summaries if summary.samples is None for note in summary.notes])
        return found

    def near(self, expected, found, slack=SLACK):
        self.assertLessEqual(abs(found - expected), slack, (expected, found))

    def test_the_difference_is_what_the_line_took(self):
        text = """M = 1 << 20
def make(n):
    return bytearray(n * M)
kept = []
for n in (2, 4, 8, 16):
    kept.append(make(n))
other = bytearray(32 * M)
del kept[3]
"""
        # No larger than the least of these; a small block is hardly ever sampled then, and each one that is would be a mean.
        run = self.brought(text, lines=(3, 6, 8), mean=2 << 20)
        found, sums = run.executions(run.main.pid)
        self.assertEqual([(3, 1), (6, 1), (3, 2), (6, 2), (3, 3), (6, 3), (8, 1)], [row[:2] for row in found])
        for (line, hit, thread, change, by_line, error), size in zip(found, (2, 2, 4, 4, 8, 8, -16)):
            self.near(size * M, change)
            self.near(size * M, by_line[3])
            self.assertEqual("MainThread", thread)
            self.assertLess(error, SLACK)
        self.assertEqual([(3, 4), (3, 4), (1, 1)], [(sums[line]["measured"], sums[line]["hits"]) for line in (3, 6, 8)])
        self.near(14 * M, sums[6]["net"])
        self.near(-16 * M, sums[8]["net"])

    def test_nothing_of_what_was_sampled_lives_before(self):
        # Whatever Python took to start is hardly ever sampled at this mean; the line's block always is.
        run = self.brought("M = 1 << 20\nkept = bytearray(1024 * M)\n", lines=(2,), mean=256 << 20)
        (_, _, _, change, by_line, _), = run.executions(run.main.pid)[0]
        self.near(1 << 30, change)
        self.near(1 << 30, by_line[2])

    def test_the_timeline_names_them(self):
        run = self.brought("a = 1\nkept = bytearray(8 << 20)\n", lines=(2,))
        with open(os.path.join(run.out, "heap.%d.json" % run.main.pid)) as file:
            rows = harness.json.load(file)["snapshots"]
        self.assertEqual(["before script.py:2, 1", "after script.py:2, 1"], [row["mark"] for row in rows if "mark" in row])

    def test_small_blocks_lie_within_their_error(self):
        text = "kept = []\nfor _ in range(3):\n    kept.append([bytes(1033) for _ in range(8000)])\n"
        run = self.brought(text, lines=(3,), env={"PYTHONMALLOC": "malloc"})
        found, sums = run.executions(run.main.pid)
        self.assertEqual(3, len(found))
        for _, _, _, change, _, error in found:
            self.assertGreater(error, 0)
            self.assertLess(abs(change - 8000 * 1066), 5 * error)
        self.assertLess(abs(sums[3]["net"] - 3 * 8000 * 1066), 5 * sums[3]["error"])

    def test_no_more_than_there_is_room_for(self):
        lines = "".join("kept.append(bytearray(1 << 20))\n" for _ in range(60))
        run = self.brought("kept = []\n" + lines, lines=range(2, 62), hits=1)
        found, _ = run.executions(run.main.pid)
        self.assertEqual(list(range(2, 50)), [row[0] for row in found])
        self.assertEqual(layout.MARKS // 2, len(found))
        run = self.brought("kept = []\nfor _ in range(100):\n    kept.append(bytearray(1 << 20))\n", lines=(3,), hits=5)
        found, sums = run.executions(run.main.pid)
        self.assertEqual(([1, 2, 3, 4, 5], 100), ([row[1] for row in found], sums[3]["hits"]))

    def test_generators_recursion_and_exceptions(self):
        text = """M = 1 << 20
def each(n):
    for at in range(n):
        kept = bytearray(4 * M)
        yield (kept,
               at)
def deep(n):
    kept.append(bytearray(M))
    return deep(n - 1) if n else 0
def fails():
    held = bytearray(2 * M)
    raise ValueError(
        held)
kept = []
for one in each(3):
    kept.append(one)
deep(5)
for _ in range(3):
    try:
        fails()
    except ValueError as error:
        kept.append(error)
"""
        run = self.brought(text, lines=(4, 5, 9, 17, 12), hits=3)
        found, sums = run.executions(run.main.pid)
        by_line = dict((line, [row for row in found if row[0] == line]) for line in (4, 5, 9, 17, 12))
        self.assertEqual([3, 3, 1, 1, 3], [len(by_line[line]) for line in (4, 5, 9, 17, 12)])
        # The statement was begun once in each round, and has ended where the generator yields.
        for row in by_line[5]:
            self.near(0, row[3])
        for row in by_line[4]:
            self.near(4 * M, row[3])
        self.near(5 * M, by_line[9][0][3])
        self.near(6 * M, by_line[17][0][3])
        for row in by_line[12]:
            self.near(0, row[3])

    def test_threads_have_pairs_of_their_own(self):
        text = """import threading
M = 1 << 20
kept = []
first, second = threading.Event(), threading.Event()
def one():
    kept.append((bytearray(4 * M), first.set(), second.wait()))
def two():
    first.wait()
    kept.append(bytearray(8 * M))
    second.set()
threads = [threading.Thread(target=one, name="one"), threading.Thread(target=two, name="two")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
        run = self.brought(text, lines=(6, 9))
        found, _ = run.executions(run.main.pid)
        changes = dict((row[:3], row[3]) for row in found)
        self.assertEqual({(6, 1, "one"), (9, 1, "two")}, set(changes))
        self.near(8 * M, changes[9, 1, "two"])
        self.near(12 * M, changes[6, 1, "one"])
        self.assertEqual(["massif-lines-overlapped"], [code for code, _ in run.main.notes])

    def test_children_have_their_own(self):
        text = """import os
M = 1 << 20
def take(n):
    return bytearray(n * M)
def child():
    more = take(4)
    os._exit(0)
a = take(2)
if os.fork() == 0: child()
os.wait()
b = take(8)
"""
        run = self.brought(text, lines=(4, 9), hits=2)
        child = next(summary for summary in run.summaries if summary.ppid == run.main.pid)
        mine, childs = run.executions(run.main.pid)[0], run.executions(child.pid)[0]
        self.assertEqual([(4, 1), (9, 1), (4, 2)], [row[:2] for row in mine])
        self.assertEqual([(4, 1)], [row[:2] for row in childs])
        self.near(8 * M, mine[2][3])
        self.near(4 * M, childs[0][3])

    def test_what_a_mark_takes_is_on_no_line(self):
        text = """kept = [[bytes(5000 + at)] for at in range(4000)]
for n in range(3):
    kept.append(bytearray(4 << 20))
    kept.append(n)
"""
        run = self.brought(text, mean=4096, lines=(2, 3, 4))
        nets = dict((line, row[1]) for (_, line), row in run.run.rows[0].items())
        # The marks' own pages, of some thousand stacks' parts, would be on the lines after them.
        self.near(12 * M, nets[3], 3 * SLACK)
        self.near(0, nets[4])

    def test_a_process_without_the_sampler_goes_on(self):
        run = self.brought("a = 1\nb = 2\n", ["heap-not-loaded"], lines=(1, 2), env={"LD_PRELOAD": ""})
        self.assertEqual([], run.summaries)


class Pure(Marked, unittest.TestCase):
    accelerator = False


class Accelerated(Marked, unittest.TestCase):
    accelerator = True


class Labels(unittest.TestCase):
    """Whatever the marks of a log are called."""

    def executions(self, *labels):
        marks = [(at, at * 1000, 0, label, {}) for at, label in enumerate(labels)]
        functions = types.SimpleNamespace(relative=lambda path: path[3:], function=lambda path, line: "f")
        return Executions(types.SimpleNamespace(pid=7, last_mean=524288, counters="/nowhere/7", marks=marks), ["/p/a.py", "/p/b.py"], functions)

    def records(self, found):
        texts = found.texts(lambda mark: b"")
        return [harness.json.loads(line) for line in texts[-1][1].decode().splitlines()] if texts else []

    def test_what_is_none_of_a_line_is_left_alone(self):
        found = self.executions("before", "before 2 1 1 1 x", "after 0 1 1 1 x", "before 0 99999999999 1 1 x", "before a", "")
        self.assertEqual([None, None, "after a.py:1, 1"], [found.name(at) for at in range(3)])
        self.assertEqual([], self.records(found))

    def test_one_that_did_not_end_is_left_out(self):
        found = self.executions("before 0 1 1 1 x", "before 1 2 2 1 x", "after 1 2 2 1 x")
        hits = [record for record in self.records(found) if record["record"] == "hit"]
        self.assertEqual([("b.py", 2, 1000, 2000)], [(row["path"], row["line"], row["before"], row["after"]) for row in hits])


if __name__ == "__main__":
    sys.exit(unittest.main())
