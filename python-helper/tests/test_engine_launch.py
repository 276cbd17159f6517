"""A profiled script behaves as under plain python, byte for byte."""
import os
import shutil
import subprocess
import sys
import unittest

from truth import harness
from test_engine_accounts import Project

_INSPECT = r'''
import inspect, os, pickle, sys, warnings
class Thing:
    def __init__(self): self.x = 1
print(sys.argv, __name__, __file__, __spec__ and __spec__.name, __package__, sorted(globals()))
print([p for p in sys.path if "truth" not in p], sys.flags, sys.stdin.read())
print(pickle.loads(pickle.dumps(Thing())).__class__, inspect.getsource(Thing).count("\n"), sys.gettrace is None)
print("sitecustomize" in sys.modules, "__mp_main__" in sys.modules, sys.modules["__main__"].__dict__ is globals())
warnings.warn("careful")
def f(n):
    if n == 0: raise KeyError("deep")
    f(n - 1)
'''
_ENDS = {
    "returns": "",
    "raises": "f(3)",
    "chains": "try:\n    f(1)\nexcept KeyError as e:\n    raise ValueError('again') from e",
    "exits": "sys.exit(5)",
    "exits with words": "sys.exit('no more')",
    "interrupts itself": "raise KeyboardInterrupt",
    "runs at exit": "import atexit\natexit.register(print, 'bye')",
    "syntax error": "def (:",
    "recursion": "def g(): return g()\ntry:\n    g()\nexcept RecursionError:\n    print('caught')",
    # Where the engine's own calls meet the limit, in the middle of a reading.
    "recursion that takes memory": "def g(): x = b'x' * (1 << 18); return g()\ntry:\n    g()\nexcept RecursionError:\n    print('caught')",
    "generator cleanup": "def g():\n    try: yield 1\n    finally: print('closed')\nx = g(); next(x); del x",
}
#: Modules of the standard library that take more than a page or two, or bring such along.
_LARGE = ["array", "ast", "asyncio", "collections", "contextlib", "ctypes", "dataclasses", "datetime", "decimal", "enum",
          "functools", "inspect", "json", "logging", "multiprocessing", "pickle", "random", "re", "socket", "subprocess",
          "tempfile", "threading", "traceback", "typing", "warnings", "weakref"]


def _there_anyway(first):
    """Of those, what this Python has loaded once it starts, as a virtual environment or its site-packages may bring some, and
    has imported `first`."""
    program = "import sys%s; print([n for n in %r if n in sys.modules])" % ("".join(", " + name for name in first), _LARGE)
    return set(eval(subprocess.check_output([sys.executable, "-c", program]).decode()))


class Launch(Project):
    def plain(self, arguments):
        """(status, stdout, stderr) of what nothing measures."""
        with harness.Folder(self.folder) as folder:
            plain = subprocess.Popen(folder.command(arguments, self.folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=harness.LIBRARY))
            stdout, stderr = plain.communicate(b"input", timeout=600)
        return plain.returncode, stdout, stderr

    def profiled(self, arguments, accelerator):
        """The same of a Run, and the Run."""
        with harness.Folder(self.folder, False, accelerator) as folder:
            run = folder.run(arguments, self.folder, b"input")
        return (run.status, run.stdout, run.stderr), run

    def test_scripts_end_as_always(self):
        for name, end in sorted(_ENDS.items()):
            self.write("script.py", _INSPECT + end + "\n")
            arguments = ["-W", "always", "script.py", "a b", "--c"]
            plain = self.plain(arguments)
            for accelerator in harness.BOTH:
                with self.subTest(end=name, accelerator=accelerator):
                    profiled, run = self.profiled(arguments, accelerator)
                    self.assertEqual(plain, profiled)
                    if name not in ("syntax error",):
                        self.assertGreater(run.processes[0].total_hits, 5)

    def test_what_a_script_imports_is_not_there_before(self):
        # What such an import takes would else be missing on the script's line.
        self.write("script.py", "import sys\nprint([n for n in %r if n in sys.modules])\n" % (_LARGE,))
        for accelerator in harness.BOTH:
            for env in ({}, harness.as_if("batches")):
                with self.subTest(accelerator=accelerator, env=env):
                    with harness.Folder(self.folder, False, accelerator) as folder:
                        run = folder.run(["script.py"], self.folder, env=env)
                    self.assertEqual(0, run.status, run.stderr)
                    # Pure Python asks the kernel through it where several threads run.
                    self.assertLessEqual(set(eval(run.stdout.decode())), _there_anyway([] if accelerator else ["ctypes"]))

    def test_modules_and_packages_start_as_always(self):
        self.write("pkg/__init__.py", "import sys\n")
        self.write("pkg/mod.py", "from . import other\n" + _INSPECT)
        self.write("pkg/other.py", "print(__name__, __package__, __file__)\n")
        self.write("pkg/__main__.py", "from .other import __name__ as n\nprint(n)\n" + _INSPECT)
        for arguments in (["-m", "pkg.mod", "x"], ["-m", "pkg", "y"], ["pkg"], ["-m", "pkg.missing"]):
            plain = self.plain(arguments)
            for accelerator in harness.BOTH:
                with self.subTest(arguments=arguments, accelerator=accelerator):
                    self.assertEqual(plain, self.profiled(arguments, accelerator)[0])

    def test_the_systems_own_sitecustomize_still_runs(self):
        self.write("site/sitecustomize.py", "import sys\nprint('custom', __name__, __file__)\nsys.custom = 1\n")
        self.write("script.py", "import sys\nprint(sys.custom, sys.modules['sitecustomize'].__file__)\n")
        with harness.Folder(self.folder) as folder:
            extra = os.path.join(self.folder, "site")
            run = folder.run(["script.py"], self.folder, env={"PYTHONPATH": os.pathsep.join(
                [os.path.join(harness.HELPER, "boot"), extra])})
        path = os.path.join(extra, "sitecustomize.py")
        self.assertEqual("custom sitecustomize %s\n1 %s\n" % (path, path), run.stdout.decode())

    def test_a_program_that_traces_itself_is_left_alone_and_said(self):
        text = ("import sys\nseen = []\ndef tracer(frame, event, arg):\n    seen.append(event)\n    return tracer\n"
                "def work():\n    x = 1\n    return x\nsys.settrace(tracer)\nwork()\nprint(len(seen) >= 4)\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, b"True\n", b""), (run.status, run.stdout, run.stderr))
                if hasattr(sys, "monitoring") and not accelerator:  # nothing stopped
                    self.assertEqual([], run.warnings)
                    self.assertEqual(1, run.of("main")[(os.path.join(self.folder, "script.py"), 7)][0])
                    continue
                (code, message), = run.processes[0].warnings
                self.assertEqual("measuring-stopped", code)
                if accelerator:  # pure Python still hears of the frames that were open then
                    self.assertIn("line 9 of %s" % os.path.join(self.folder, "script.py"), message)

    def test_a_defect_of_the_engine_ends_the_measuring_and_not_the_program(self):
        # From 3.12 on Python warns of a fork while the kernel may still be ending a thread that was joined.
        text = ("import os, sys, threading, warnings; warnings.simplefilter('ignore')\nkept = bytearray(3 << 20)\n"
                "sys.modules['jetson_memprof.engine.sharing']._along = None; sys.modules['memory_profiler'] = sys\n"
                "def work():\n    held = [bytearray(1 << 16) for _ in range(64)]\n    return len(held)\n"
                "threads = [threading.Thread(target=work) for _ in range(2)]\n"
                "for thread in threads:\n    thread.start()\nwork()\nfor thread in threads:\n    thread.join()\n"
                "child = os.fork()\nif not child:\n    work()\n    sys.exit(3)\n"
                "print(work(), os.waitpid(child, 0)[1] >> 8)\n")
        run = self.profile(text, True, False)
        self.assertEqual((0, b"64 3\n", b""), (run.status, run.stdout, run.stderr))
        (code, message), (left, child) = [warning for process in run.processes for warning in process.warnings]
        self.assertEqual(("measuring-stopped", "process-not-measured"), (code, left))
        self.assertRegex(message, "TypeError: 'NoneType' object is not callable, line [0-9]+ of its sharing.py")
        self.assertIn("measuring had ended in that one", child)
        net = run.of("main")[(os.path.join(self.folder, "script.py"), 2)][1]
        self.assertLess(abs(net - (3 << 20)), 64 << 10)

    def test_a_programs_own_profiler_works_beside(self):
        text = ("import cProfile\ndef work():\n    x = 1\n    return x\nprofile = cProfile.Profile()\n"
                "profile.runcall(work)\nprint([len(profile.getstats()) > 0])\nwork()\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, b"[True]\n", b"", []), (run.status, run.stdout, run.stderr, run.warnings))
                self.assertEqual(2, run.of("main")[(os.path.join(self.folder, "script.py"), 3)][0])

    def test_a_tracer_that_puts_the_old_one_back_interrupts_only_itself(self):
        text = ("import sys\ndef quiet():\n    old = sys.gettrace()\n    sys.settrace(lambda *a: None)\n"
                "    sys.settrace(old)\ndef work():\n    x = 1\n    return x\nquiet()\nwork()\nwork()\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                if accelerator:  # pure Python does not notice
                    self.assertEqual(["measuring-interrupted"], run.warnings)
                else:
                    self.assertEqual([], run.warnings)
                self.assertEqual(2, run.of("main")[(os.path.join(self.folder, "script.py"), 7)][0])

    def test_ctrl_c_is_no_other_tracer(self):
        text = ("import os, signal\nsignal.signal(signal.SIGALRM, signal.default_int_handler)\n"
                "signal.setitimer(signal.ITIMER_REAL, 0.2)\ni = 0\nwhile True:\n    i += 1\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, False, accelerator)
                self.assertIn(b"KeyboardInterrupt", run.stderr)
                self.assertEqual([], run.processes[0].warnings)
                self.assertTrue(run.processes[0].finished)

    def test_ctrl_c_at_any_moment_leaves_the_script_running(self):
        # Thousands of times, so that it comes at each of the engine's own instructions too.
        text = """\
import signal, time
signal.signal(signal.SIGALRM, signal.default_int_handler)
interrupted = 0
while interrupted < 2000:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0003 + interrupted % 97 * 1e-6)
        while True:
            i = 0
            i += 1
    except KeyboardInterrupt:
        interrupted += 1
held = bytearray(4 << 20)
"""
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, False, accelerator)
                self.assertEqual((0, b""), (run.status, run.stderr))
                if harness.PY < 312:  # an exception in a tracer ends it, which is said
                    self.assertLessEqual(set(run.warnings), {"measuring-stopped"})
                    continue
                self.assertEqual([], run.warnings)
                row = run.of("main")[(os.path.join(self.folder, "script.py"), 12)]
                self.assertTrue(3 << 20 < row[1] < 5 << 20, row)

    def test_a_thread_whose_run_is_the_users(self):
        text = ("import threading\nclass Mine(threading.Thread):\n    def run(self):\n        self.x = 1\n"
                "t = Mine()\nt.start()\nt.join()\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual(1, run.of("main")[(os.path.join(self.folder, "script.py"), 4)][0])

    @unittest.skipUnless(len(harness.BOTH) == 2, "the accelerator is not built")
    def test_no_accelerator_for_a_changed_library(self):
        self.write("script.py", "x = 1\n")
        copy = os.path.join(self.folder, "helper")
        for part in ("boot", "accel", "jetson_memprof"):
            shutil.copytree(os.path.join(harness.HELPER, part), os.path.join(copy, part))
        for name in os.listdir(os.path.join(copy, "accel")):
            if name.endswith(".so"):
                with open(os.path.join(copy, "accel", name), "ab") as file:
                    file.write(b"\0")
        with harness.Folder(self.folder, True, True) as folder:
            run = folder.run(["script.py"], self.folder, env={"PYTHONPATH": os.path.join(copy, "boot")})
        self.assertEqual(["accelerator-refused"], run.warnings)
        self.assertEqual("pure", run.processes[0].implementation)
        self.assertIn("SHA-256", run.processes[0].warnings[0][1])

    def test_a_python_that_was_never_tried_is_measured_by_pure_python_which_is_said(self):
        self.write("script.py", "x = 1\n")
        for what, said, more in (("newer", "never tried with Python %d" % sys.version_info[0], []),
                                 ("no-global-lock", "never tried with a free-threaded Python", ["accelerator-refused"])):
            with self.subTest(what=what), harness.Folder(self.folder, True, True) as folder:
                run = folder.run(["script.py"], self.folder, env=harness.as_if(what))
                self.assertEqual((0, more + ["python-untried"]), (run.status, run.warnings), run.stderr)
                self.assertEqual("pure", run.processes[0].implementation)
                self.assertIn(said, run.processes[0].warnings[-1][1])

    def test_a_bad_specification_is_said_and_does_no_harm(self):
        self.write("script.py", "print('ran')\n")
        with harness.Folder(self.folder, schema=99) as folder:
            run = folder.run(["script.py"], self.folder)
        self.assertEqual((0, b"ran\n"), (run.status, run.stdout))
        self.assertRegex(run.stderr.decode(), "schema 99.*update the helper")

    def test_no_answer_about_statements_is_said(self):
        self.write("script.py", "x = (1 +\n     2)\n")
        with harness.Folder(self.folder, statements_socket="/nonexistent/s") as folder:
            run = folder.run(["script.py"], self.folder)
        self.assertEqual(["parsed-in-process"], run.warnings)
        self.assertEqual([1], [row[0] for row in run.of("main").values()])

    def test_a_script_that_closes_every_descriptor(self):
        self.write("late.py", "x = bytearray(40 << 20)\n")
        text = ("import os, time\nos.closerange(3, 4096)\nx = open(os.devnull)\ny = bytearray(40 << 20)\n"
                "z = len(bytearray(60 << 20))\nimport late\nprint(3)\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                self.assertEqual((0, b"3\n", b"", []), (run.status, run.stdout, run.stderr, run.warnings))
                rows = dict(((os.path.basename(path), line), row) for (path, line), row in run.of("main").items())
                for place, column, size in ((("script.py", 4), 1, 40), (("script.py", 5), 4, 60), (("late.py", 1), 1, 40)):
                    self.assertLess(abs(rows[place][column] - size * harness.M), 512 << 10, place)


class Torch(Project):
    def test_data_loader_workers(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("this Python has no torch")
        text = ("import torch\nfrom torch.utils.data import DataLoader, Dataset\nclass Data(Dataset):\n"
                "    def __len__(self):\n        return 24\n    def __getitem__(self, i):\n"
                "        x = torch.zeros(64)\n        return x\n"
                "def main():\n    total = 0\n    for batch in DataLoader(Data(), batch_size=4, num_workers=2):\n"
                "        total += batch.shape[0]\n    print(total)\n"
                "if __name__ == '__main__':\n    main()\n")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, False, accelerator)
                self.assertEqual((0, b"24\n"), (run.status, run.stdout), run.stderr)
                path = os.path.join(self.folder, "script.py")
                workers = [rows[(path, 7)][0] for view, rows in zip(run.processes, run.rows) if view.kind == "fork"]
                self.assertEqual([12, 12], workers)


if __name__ == "__main__":
    unittest.main()
