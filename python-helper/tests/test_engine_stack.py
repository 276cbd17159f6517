"""The lines that are open, in the counters: live, and after a kill at any moment."""
import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
import unittest

from test_engine_accounts import Project
from truth import harness
from jetson_memprof.engine import layout
from jetson_memprof.engine.counters import Reader

#: Goes up and down between random depths, over 100 lines deep, in every way in which a line can be open.
WALK = """\
import random, sys
from marks import stop
chance = random.Random(int(sys.argv[1]))
left, goal = 250, 40
def walk(deep):
    while left and deep <= goal:
        if deep == goal:
            halt()
        else:
            list(chance.choice((walk, aside, steps, Within))(deep + 1) or ())
def aside(deep):
    return [walk(deep) for _ in range(2)] and None
def steps(deep):
    yield walk(deep)
    halt()
    yield walk(deep)
class Within(object):
    def __init__(self, deep):
        try:
            walk(deep)
            raise KeyError
        except KeyError:
            walk(deep)
    def __iter__(self):
        return iter(())
def halt():
    global left, goal
    if left:
        left, goal = left - 1, chance.randrange(70)
        stop()
while left:
    walk(0)
"""

#: Every line that takes long says which it is; LINES has the open lines for each.
HELD = """\
import sys
from marks import Marks
hold = Marks(sys.argv[1]).hold
def inner(way):
    hold(way + 1)
    [hold(way + 2) for _ in range(2)]
    hold(
        way + 3)
def outer():
    hold(1)
    inner(10)
    hold(2)
class Model(object):
    def __call__(self):
        hold(3)
        outer()
        inner(20)
while True:
    hold(4)
    Model()()
    inner(30)
"""
LINES = {1: [20, 16, 10], 2: [20, 16, 12], 3: [20, 15], 4: [19]}
for _way, _outer in ((10, [20, 16, 11]), (20, [20, 17]), (30, [21])):
    LINES.update({_way + 1: _outer + [5], _way + 2: _outer + [6], _way + 3: _outer + [7]})
#: Fewer in a whole `npm test`.
TRIALS = int(os.environ.get("JETSON_MEMPROF_TRIALS", "100"))


class Stack(Project):
    def start(self, folder, arguments):
        return subprocess.Popen([sys.executable, "script.py"] + arguments, cwd=self.folder, env=folder.environment(),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def test_it_is_pythons_own_wherever_the_script_stops(self):
        self.write("script.py", WALK)
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator), harness.Folder(self.folder, False, accelerator) as folder:
                process, reader, deepest, stops = self.start(folder, ["7"]), Reader(folder.path), 0, 0
                for printed in process.stdout:
                    expected = json.loads(printed.decode())
                    (_, _, line, _, _, stack), = reader.poll()[0].threads()
                    self.assertEqual(expected[-layout.STACK_SHOWN - 1:], [line for _, line in stack])
                    self.assertEqual(line, stack[-1][1])
                    deepest, stops = max(deepest, len(expected)), stops + 1
                    process.stdin.write(b"\n")
                    process.stdin.flush()
                process.communicate()
                self.assertEqual((0, 250), (process.returncode, stops))
                self.assertGreater(deepest, 2 * layout.STACK_WORDS)

    def test_a_forked_child_and_a_thread_have_their_own(self):
        deep = "def down(n):\n    if n:\n        return down(n - 1)\n    end()\n"
        text = ("import os, signal, threading\n%sdef end():\n    if os.fork():\n        os.wait()\n"
                "    os.kill(os.getpid(), signal.SIGKILL)\n"
                "def begin():\n    joined.wait() and down(40)\n"
                "t, joined = threading.Thread(target=begin, name='loader'), threading.Event()\n"
                "t.start()\njoined.set() or t.join()\n" % deep)
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                threads = dict(((view.kind, thread[0]), [line for _, line in thread[5]])
                               for view in run.processes for thread in view.threads())
                self.assertEqual({("main", "MainThread"): [14], ("main", "loader"): [4] * 22 + [5, 9],
                                  ("fork", "loader"): [4] * 22 + [5, 9]}, threads)

    def test_a_run_killed_at_any_moment_names_its_line(self):
        self.write("script.py", HELD)
        marks = os.path.join(self.folder, "marks")
        chance, wrong, judged, trial = random.Random(4), [], 0, 0
        while judged < TRIALS:
            trial += 1
            self.assertLessEqual(trial, 2 * TRIALS)
            accelerator = harness.BOTH[trial % len(harness.BOTH)]
            with open(marks, "wb") as file:
                file.write(bytes(8))
            with harness.Folder(self.folder, trial % 4 > 1, accelerator) as folder, open(marks, "rb", 0) as file:
                process = self.start(folder, [marks])
                while not any(os.pread(file.fileno(), 8, 0)):
                    self.assertIsNone(process.poll())
                    time.sleep(0.001)
                time.sleep(chance.random() * 0.08)  # the moment
                process.kill()
                process.communicate()
                self.assertEqual(-signal.SIGKILL, process.returncode)
                mark, = struct.unpack("=q", os.pread(file.fileno(), 8, 0))
                (_, _, line, _, _, stack), = Reader(folder.path).poll()[0].threads()
                shown = [line for _, line in stack]
                self.assertEqual(line, shown[-1])
                if mark > 0:  # else it was on its way from one line to the next, and another trial takes its place
                    judged += 1
                    if shown != LINES[mark]:
                        wrong.append((accelerator, mark, shown, LINES[mark]))
        self.assertEqual([], wrong)


if __name__ == "__main__":
    unittest.main()
