"""The heap sampler with the line engine: known allocations stand on the lines that made them."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import heap_harness as heap
from heap_harness import M
from massif import reader
from truth import harness

#: Under valgrind every byte has a line; here small objects come in arenas, whose line is that of the one that needed a new one.
PLAIN = {"PYTHONMALLOC": "malloc"}
#: Each block is mapped and given back by itself. glibc else keeps one or two of the largest below its heap's top, by what else
#: was taken in between, and that is memory of a line.
GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072"}
#: `stacks(begin, count)` allocates by so many stacks, for which the sampler takes 220 bytes each.
STACKS = """def f0(n): return bytearray(600000) if n < 2 else (f1(n >> 1) if n & 1 else f2(n >> 1))
def f1(n): return bytearray(600000) if n < 2 else (f2(n >> 1) if n & 1 else f0(n >> 1))
def f2(n): return bytearray(600000) if n < 2 else (f0(n >> 1) if n & 1 else f1(n >> 1))
def stacks(begin, count):
    for i in range(begin, begin + count): f0(1 << 15 | i)
"""
#: Of a bytearray, by its name, or of a Python whose functions have none.
_OF_PYTHON = re.compile(r"PyByteArray_Resize|\?\?\? \(in .*python")


def huge_pages():
    """That all programs got so far."""
    with open("/proc/vmstat") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("thp_fault_alloc "))


@unittest.skipUnless(heap.IS_BUILT, heap.WHY_NOT)
class Lines(unittest.TestCase):
    def setUp(self):
        self.project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, self.project)

    def brought(self, text, accelerator, **more):
        found = heap.Brought(self.project, text, accelerator, **more)
        self.addCleanup(found.close)
        return found

    def near(self, expected, found, slack=65536):
        self.assertLessEqual(abs(found - expected), slack)

    def test_known_lines_have_their_bytes(self):
        text = """M = 1 << 20
def big():
    return bytearray(24 * M)
def small(n):
    kept = []
    for _ in range(n):
        kept.append(bytes(1033))
    return kept
a = big()
b = bytearray(40 * M)
c = small(8000)
d = bytearray(40 * M)
del b
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr)
                self.assertEqual([], run.left)
                held = run.at_peak(run.main)
                self.near(24 * M, held[3])
                self.near(40 * M, held[10])
                self.near(40 * M, held[12])
                # 8,000 blocks of 1,033 bytes and their headers, p = 1.6 %.
                self.assertLess(abs(held[7] - 8000 * 1066), 5 * (8000 / 0.0161) ** 0.5 * 1066)
                self.assertTrue(run.main.python and run.main.finished)

    def test_what_the_sampler_takes_for_itself_is_on_no_line(self):
        text = STACKS + """stacks(0, 200)
stacks(200, 10000)
import os
if not os.fork():
    stacks(0, 200)
    stacks(200, 10000)
    os._exit(0)
os.wait()
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator, env=GIVEN_BACK)
                self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr)
                for kind, line, summary in (("main", 7, run.main), ("fork", 11, next(each for each in run.summaries if each != run.main))):
                    # Of 10,000 stacks the log has more than 2 MiB.
                    self.assertGreater(summary.samples, 10000)
                    net, = (row[1] for (path, number), row in run.run.of(kind).items() if number == line)
                    self.near(0, net, 256 * 1024)

    def test_nor_what_it_knows_of_places_that_are_new(self):
        """Those have no tables, which it would read."""
        source = "#include <stdlib.h>\n" + "".join("static void f%d(size_t n) { free(malloc(n)); }\n" % at for at in range(7000))
        source += "void all(size_t n) {\n" + "".join("    f%d(n);\n" % at for at in range(7000)) + "}\n"
        path = os.path.join(self.project, "places.c")
        with open(path, "w") as file:
            file.write(source)
        subprocess.check_call([heap.NATIVE.compiler, "-shared", "-fPIC", "-O0", "-fno-builtin", "-fno-omit-frame-pointer",
                               "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-o", path[:-2] + ".so", path])
        text = """import ctypes
places = ctypes.CDLL("./places.so").all
places(ctypes.c_size_t(0))
places(ctypes.c_size_t(600000))
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr)
                self.assertGreater(run.main.samples, 7000)
                net, = (row[1] for (_, number), row in run.run.of("main").items() if number == 4)
                self.near(0, net, 64 * 1024)

    def test_nor_in_what_threads_took_that_a_reading_finds_together(self):
        text = STACKS + """import threading
M, kept = 1 << 20, []
mine, others = threading.Semaphore(0), threading.Semaphore(0)
def one():
    for _ in range(16):
        kept.append((bytearray(M), others.release(), mine.acquire()))
def two():
    for _ in range(16):
        others.acquire()
        kept.append(bytearray(M))
        mine.release()
stacks(0, 10000)
all = [threading.Thread(target=one), threading.Thread(target=two)]
for thread in all: thread.start()
for thread in all: thread.join()
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                before = huge_pages()
                run = self.brought(text, accelerator)
                self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr)
                rows = dict((number, row) for (_, number), row in run.run.of("main").items())
                # Up to Linux 6.1 256 KiB a time are not known; and a huge page of any program may have been this one's.
                most = 5 * M + 2 * M * (huge_pages() - before)
                for line in (11, 15):
                    self.near(16 * M, rows[line][1], 2 * M)
                    self.assertLess(rows[line][6], most)

    def test_stacks_lead_from_the_allocation_to_the_outermost_line(self):
        text = "def inner():\n    return bytearray(16 << 20)\ndef outer():\n    return inner()\nkept = outer()\n"
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                snapshots, names = run.of(run.main)
                peak = max((row for row in snapshots if row["tree"]), key=lambda row: row["mem_heap_B"])
                path, _ = max(reader.leaves(peak["tree"]), key=lambda leaf: leaf[1])
                python = [names[found.group()] for found in map(reader._PAD.search, path) if found]
                self.assertEqual([(5, "<module>"), (4, "outer"), (2, "inner")],
                                 [(row["line"], row["function"]) for row in python])
                self.assertEqual({"script.py"}, set(row["path"] for row in python))
                self.assertTrue(any(map(_OF_PYTHON.search, path)), path)
                self.assertFalse(any("_PyEval_Eval" in label for label in path), path)

    def test_native_frames_are_those_of_the_innermost_line(self):
        """Where the loop is not met, those of all that called it stand there too."""
        # Called before, so that it has made its instructions special.
        text = ("def inner(size):\n    return bytearray(size)\nfor _ in range(99):\n    inner(9)\nkept = inner(16 << 20)\n"
                "more = list(map(inner, [16 << 20]))\n")
        run = self.brought(text, harness.BOTH[-1])
        snapshots, _ = run.of(run.main)
        peak = max((row for row in snapshots if row["tree"]), key=lambda row: row["mem_heap_B"])
        native = [[label for label in path[:-1] if not reader._PAD.search(label)]
                  for path, held in reader.leaves(peak["tree"]) if held >= 16 * M]
        self.assertEqual(2, len(native), native)
        self.assertEqual(native[0], native[1])

    def test_threads_have_their_own_lines(self):
        text = """import threading
M = 1 << 20
kept = []
def one():
    for _ in range(10):
        kept.append(bytearray(M))
def two():
    for _ in range(20):
        kept.append(bytearray(M))
all = [threading.Thread(target=one), threading.Thread(target=two)]
for thread in all:
    thread.start()
for thread in all:
    thread.join()
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                held = run.at_peak(run.main)
                self.near(10 * M, held[6], 2 * 65536)
                self.near(20 * M, held[9], 2 * 65536)

    def test_forked_children_begin_with_nothing(self):
        text = """import os
M = 1 << 20
a = bytearray(8 * M)
if os.fork() == 0:
    b = bytearray(4 * M)
    os._exit(0)
os.wait()
c = bytearray(2 * M)
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                child = next(summary for summary in run.summaries if summary.ppid == run.main.pid)
                mine, childs = run.at_peak(run.main), run.at_peak(child)
                self.near(8 * M, mine[3])
                self.near(2 * M, mine[8])
                self.near(4 * M, childs[5])
                self.assertFalse({3, 8} & set(childs))
                self.assertNotIn(5, mine)

    def test_many_forks_with_many_functions(self):
        """What a child allocates before it has counters of its own is on nobody's line, and reads nothing of its parent's."""
        text = "import os\n" + "".join("def f%d():\n    return [%d] * 2000\n" % (at, at) for at in range(120))
        text += """kept = [f() for name, f in sorted(globals().items()) if name.startswith("f")]
for _ in range(40):
    child = os.fork()
    if child == 0:
        more = [f() for name, f in sorted(globals().items()) if name.startswith("f") and callable(f)]
        os._exit(7)
    status = os.waitpid(child, 0)[1]
    assert status == 7 << 8, status
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator, mean=4096, env=PLAIN)
                self.assertEqual(0, run.run.status, run.run.stderr)

    def test_a_killed_process_keeps_its_stacks(self):
        text = "import os, signal\na = bytearray(16 << 20)\nos.kill(os.getpid(), signal.SIGKILL)\n"
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.brought(text, accelerator)
                self.assertIn(run.run.status, (-signal.SIGKILL, 128 + signal.SIGKILL))
                self.near(16 * M, run.at_peak(run.main)[2])
                self.assertFalse(run.main.finished)

    def test_a_process_that_becomes_another_keeps_the_one_with_lines(self):
        text = "import os, sys\na = bytearray(16 << 20)\nos.execv(sys.executable, [sys.executable, '-S', '-E', '-c', 'b = bytearray(24 << 20)'])\n"
        run = self.brought(text, harness.BOTH[-1])
        self.near(16 * M, run.at_peak(run.main)[2])
        self.assertIn("heap-replaced", [code for code, _ in run.main.notes])

    def test_marks_by_python(self):
        text = """import sys
sys.path.insert(0, %r)
from jetson_memprof.heap.lines import mark
a = bytearray(16 << 20)
assert mark("with both")
del a
""" % harness.HELPER
        run = self.brought(text, harness.BOTH[-1])
        self.assertEqual(0, run.run.status, run.run.stderr)
        with open(os.path.join(run.out, "heap.%d.json" % run.main.pid)) as file:
            beside = harness.json.load(file)
        marked, = [row for row in beside["snapshots"] if "mark" in row]
        self.assertEqual("with both", marked["mark"])
        snapshots, names = run.of(run.main)
        tree = snapshots[marked["snapshot"]]["tree"]
        by_line = dict((owner and owner[1], held) for owner, held in reader.by_owner(tree, names).items())
        self.near(16 * M, by_line[4])

    def test_errors_stand_beside_each_line_of_the_trees(self):
        run = self.brought("kept = [bytes(1033) for _ in range(20000)]\nbig = bytearray(16 << 20)\n", harness.BOTH[-1])
        with open(os.path.join(run.out, "heap.%d.json" % run.main.pid)) as file:
            beside = harness.json.load(file)
        snapshots, _ = run.of(run.main)
        self.assertTrue(beside["trees"])
        for tree in beside["trees"]:
            self.assertEqual(len(snapshots[tree["snapshot"]]["tree"]), len(tree["errors"]))
        at_peak = next(tree for tree in beside["trees"]
                       if snapshots[tree["snapshot"]]["mem_heap_B"] == beside["peak"]["bytes"])
        rows = [(held, label, error) for (_, held, label), error in zip(snapshots[at_peak["snapshot"]]["tree"], at_peak["errors"])]
        self.assertLess(min(error for held, _, error in rows if held >= 16 * M), 0.01 * 16 * M)
        self.assertLessEqual(abs(rows[0][2] - beside["peak"]["error"]), 1)
        self.assertGreater(beside["peak"]["error"], 100000)

    def test_without_the_library_the_run_says_so(self):
        run = self.brought("a = 1\n", harness.BOTH[-1], env={"LD_PRELOAD": ""})
        self.assertEqual(["heap-not-loaded"], run.run.warnings)
        self.assertEqual([], run.summaries)

    def test_pure_python_of_other_kinds_is_on_the_line_that_called_it(self):
        """Code that is not the project's has no lines: what it takes is its caller's."""
        text = "import json\nkept = json.loads('[' + ','.join(['\"%s\"' % ('x' * 2000)] * 8000) + ']')\n"
        run = self.brought(text, harness.BOTH[-1])
        held = run.at_peak(run.main)
        self.assertGreater(held[2], 8000 * 2000 * 0.8)


if __name__ == "__main__":
    sys.exit(unittest.main())
