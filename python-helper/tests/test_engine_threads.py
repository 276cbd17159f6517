"""Threads and interpreters that a program makes in its process, however it comes by `threading`."""
import os
import py_compile
import subprocess
import sys
import threading
import unittest

from truth import harness
from jetson_memprof.engine import sharing, turns
from test_engine_accounts import Project

_THREAD = ("import sys\nimport threading\ndef work():\n    x = 1\n    return x\n"
           "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n%s\n")

#: Line 12 gives 40 MiB back, then line 16 takes 40: RSS is the same at all of their events.
_EXCHANGE = """import ctypes, mmap, threading
libc = ctypes.CDLL(None)
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
N = 40 << 20
areas = [mmap.mmap(-1, N) for _ in range(2)]
old, new = [ctypes.addressof(ctypes.c_char.from_buffer(area)) for area in areas]
libc.memset(old, 1, N)
begun, given, taken = threading.Barrier(2), threading.Event(), threading.Event()
def giver():
    begun.wait()
    libc.madvise(old, N, 4); given.set(); taken.wait()
    return 1
def taker():
    begun.wait()
    given.wait(); libc.memset(new, 1, N)
    taken.set()
threads = [threading.Thread(target=each) for each in (giver, taker)]
for each in threads: each.start()
for each in threads: each.join()
"""
_IMPORTS = """import importlib
def main():
    for number in range(40):
        importlib.import_module("many.m%d" % number)
main()
"""


def has_other_interpreters():
    program = "import _xxsubinterpreters as i; i.run_string(i.create(), 'pass')"
    return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode == 0


def has_threading_at_start(first=""):
    program = "import sys%s; print('threading' in sys.modules)" % first
    return subprocess.check_output([sys.executable, "-c", program]).strip() == b"True"


class Threads(Project):
    def check(self, after, implementations=harness.BOTH):
        for accelerator in implementations:
            with self.subTest(accelerator=accelerator):
                run = self.profile(_THREAD % after, True, accelerator)
                self.assertEqual((0, b"", b"", []), (run.status, run.stdout, run.stderr, run.warnings))
                self.assertEqual(1, run.of("main")[(os.path.join(self.folder, "script.py"), 4)][0])

    @unittest.skipIf(has_threading_at_start(), "SKIPPED: something installed for this Python loads threading at each start")
    def test_of_a_module_without_its_source_are_measured(self):
        py_compile.compile(threading.__file__, os.path.join(self.folder, "threading.pyc"), doraise=True)
        # Pure Python loads ctypes, which on 3.14 brings the module itself.
        by_ctypes = has_threading_at_start(", ctypes")
        self.check("assert threading.__file__.endswith('.pyc')", [each for each in harness.BOTH if each or not by_ctypes])

    def test_of_a_module_that_is_gone_in_the_end_are_measured(self):
        self.check(after="del sys.modules['threading']")


class Figures(Project):
    def check(self, text, check):
        """`check` is given {line: row} of each implementation."""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, []), (run.status, run.warnings), run.stderr.decode())
                check(dict((line, row) for (path, line), row in run.of("main").items() if path.endswith("/script.py")))

    @unittest.skipIf(sharing._libc is None, "SKIPPED: this Python has no ctypes")
    def test_what_one_gave_back_and_another_took_does_not_cancel_out(self):
        def within_what_it_says(rows):
            for line, net in ((12, -40 << 20), (16, 40 << 20)):
                self.assertLessEqual(abs(rows[line][1] - net), rows[line][6] + (1 << 19), rows[line])
        self.check(_EXCHANGE, within_what_it_says)

    def test_what_the_engine_took_for_new_modules_is_in_no_peak(self):
        for number in range(40):
            self.write("many/m%d.py" % number, "".join("x%d = %d\n" % (line, line) for line in range(600)))
            # Compiled, as what that takes and gives back is the program's own: 1 MiB on 3.14.
            py_compile.compile(os.path.join(self.folder, "many", "m%d.py" % number), doraise=True)
        self.check(_IMPORTS, lambda rows: self.assertLess(rows[5][4] - rows[5][1], 1 << 20, rows[5]))


class Reading(unittest.TestCase):
    @unittest.skipIf(sharing._libc is None, "SKIPPED: this Python has no ctypes")
    def test_what_was_read_of_rss_is_not_another_threads_faults(self):
        libc = sharing._libc
        self.addCleanup(setattr, sharing, "_libc", libc)

        class Switching(object):
            """Lets another thread ask for its faults between the kernel's answer and what is made of it."""

            def pread(self, *arguments):
                got = libc.pread(*arguments)
                sharing._libc = libc
                self.faults = sharing.faults_of(sharing.this_thread())
                return got

        sharing._libc = switching = Switching()
        with open("/proc/self/statm", "rb") as statm:
            text = sharing.read_rss(statm.fileno(), 512)
        self.assertGreater(switching.faults, 0)
        self.assertEqual(7, len([int(count) for count in text.split()]), text)


#: As a thread enters its first function, and as one returns to a caller in another file, another thread takes memory
#: and charges what both have taken.
_SWITCHING = """import threading
from known import M, take
from jetson_memprof.engine.registry import SourceFile
import far
kept, words, armed = [], SourceFile.words, []
asked, charged = threading.Event(), threading.Event()
def other():
    for _ in range(2):
        asked.wait()
        asked.clear()
        kept.append(take(8 * M))
        charged.set()
def get(source):
    if armed and source.path.endswith(armed[0]):
        armed.clear()
        kept.append(take(4 * M))
        asked.set()
        charged.wait(20)  # not for ever, should the other thread have failed
        charged.clear()
    return words.__get__(source)
SourceFile.words = property(get, words.__set__)
helper = threading.Thread(target=other)
helper.start()
armed.append("far.py")
thread = threading.Thread(target=far.function)
thread.start()
thread.join()
armed.append("script.py")
far.function()
helper.join()
SourceFile.words = words
print(len(kept))
"""


class Switches(Project):
    def test_a_thread_is_not_charged_between_two_of_its_functions(self):
        self.write("far.py", "def function():\n    return 1\n")
        run = self.profile(_SWITCHING)
        self.assertEqual((0, b"4\n", b"", []), (run.status, run.stdout, run.stderr, run.warnings))
        taken = sum(row[2] for row in run.of("main").values())
        self.assertGreaterEqual(taken, 24 * harness.M)
        self.assertLess(taken, 32 * harness.M)


class Interpreters(Project):
    @unittest.skipUnless(has_other_interpreters(), "SKIPPED: this Python makes no other interpreters")
    def test_another_one_in_the_process_leaves_the_first_ones_figures_alone(self):
        text = ("import _xxsubinterpreters as interpreters\nfrom known import M, take\nkept = []\ndef work():\n"
                "    kept.append(take(8 * M))\nwork()\n"
                "interpreters.run_string(interpreters.create(), 'def g():\\n    return 1\\ng()')\nwork()\nwork()\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, b"", b""), (run.status, run.stdout, run.stderr))
                self.assertLessEqual(set(run.warnings), {"accelerator-refused"})
                row = run.of("main")[(os.path.join(self.folder, "script.py"), 5)]
                self.assertEqual(3, row[0])
                self.assertAlmostEqual(24 * harness.M, row[1], delta=harness.M)


class Turns(unittest.TestCase):
    """Of a Python without a global lock."""

    def started(self, local):
        def enter(frame, event, arg):
            return local
        return turns.in_turns({}, lambda: (enter, local), lambda: None, None)

    def test_events_do_not_run_into_each_other(self):
        count = 0

        def local(frame, event, arg):
            nonlocal count
            before = count
            for _ in range(20):
                pass  # where threads may change
            count = before + 1

        def work():
            entered, happened = start()
            self.assertIs(happened, entered(sys._getframe(), "call", None))
            for _ in range(500):
                happened(None, "line", None)

        start = self.started(local)[0]
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(2000, count)

    def test_one_that_waits_for_another_threads_event_is_not_waited_for(self):
        self.addCleanup(setattr, turns, "_STUCK_SECONDS", turns._STUCK_SECONDS)
        turns._STUCK_SECONDS = 0.01
        events = []

        def local(frame, event, arg):
            events.append(event)
            if event == "line":  # and then a handler of a signal, which does this
                other = threading.Thread(target=lambda: start()[1](None, "return", None))
                other.start()
                other.join()

        start = self.started(local)[0]
        start()[1](None, "line", None)
        start()[1](None, "return", None)
        self.assertEqual(["line", "return", "return"], events)

    def test_a_forked_child_does_not_wait_for_threads_that_it_has_not(self):
        said, answer = os.pipe()

        def local(frame, event, arg):
            if event == "line" and os.fork() == 0:  # held by whoever forked: as by a thread that is not there any more
                happened(None, "return", None)
                rebase()
                happened(None, "return", None)
                os.write(answer, b".")
                os._exit(0)
            if os.getpid() != parent:
                os.write(answer, event.encode())

        parent = os.getpid()
        start, rebase, _ = self.started(local)
        happened = start()[1]
        happened(None, "line", None)
        os.close(answer)
        os.wait()
        with open(said, "rb") as file:
            self.assertEqual(b"return.", file.read())


class Names(Project):
    def test_code_of_an_empty_file_name_runs_as_always(self):
        text = ("scope = {}\nexec(compile('def f():\\n    return 7\\n', '', 'exec'), scope)\n"
                "print([scope['f']() for _ in range(3)])\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, b"[7, 7, 7]\n", b"", []), (run.status, run.stdout, run.stderr, run.warnings))


if __name__ == "__main__":
    unittest.main()
