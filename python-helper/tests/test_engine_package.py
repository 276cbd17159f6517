"""The memory_profiler engine, with the real package where this Python has it, and the line engine beside it."""
import os
import re
import sys
import unittest

from truth import harness
from test_engine_accounts import Project


class Package(Project):
    TEXT = ("from known import M, take\n@profile\ndef work():\n    a = take(8 * M)\n    b = bytearray(40 * M)\n"
            "    del b\n    return a\nwork()\n")

    def run_package(self, text):
        report = os.path.join(self.folder, "memory_profiler.txt")
        self.write("script.py", text)
        with harness.Folder(self.folder, engine="memory_profiler", report=report) as folder:
            run = folder.run(["script.py"], self.folder)
        return run, report

    def setUp(self):
        super(Package, self).setUp()
        try:
            import memory_profiler  # noqa: F401
            self.installed = True
        except ImportError:
            self.installed = False

    def need_package(self):
        if not self.installed:
            self.skipTest("this Python has no memory_profiler package")

    def test_missing_package(self):
        if self.installed:
            self.skipTest("this Python has the memory_profiler package")
        run, _ = self.run_package(self.TEXT)
        (code, message), = run.processes[0].warnings
        self.assertEqual((0, "memory-profiler-missing"), (run.status, code), run.stderr)
        self.assertIn("%s -m pip install memory_profiler" % sys.executable, message)

    def test_report_and_figures(self):
        self.need_package()
        run, report = self.run_package(self.TEXT)
        self.assertEqual((0, []), (run.status, run.warnings), run.stderr)
        rows = dict((line, row) for (_, line), row in run.of("main").items())
        with open(report) as file:
            printed = dict((int(m.group(1)), (float(m.group(3)), int(m.group(4)))) for m in re.finditer(
                r"^ *(\d+) +([\d.]+) MiB +(-?[\d.]+) MiB +(\d+) ", file.read(), re.M))
        self.assertEqual(sorted(printed), sorted(rows))
        for line, (increment, occurrences) in printed.items():
            self.assertEqual(occurrences, rows[line][0])
            self.assertLess(abs(rows[line][1] / harness.M - increment), 0.01)
        self.assertEqual((None,) * 5, rows[4][2:5] + rows[4][6:])

    def test_the_imported_decorator_is_measured_too(self):
        self.need_package()
        for head, decorator in (("from memory_profiler import profile", "@profile"),
                                ("import memory_profiler", "@memory_profiler.profile(precision=4)")):
            with self.subTest(decorator=decorator):
                run, _ = self.run_package("%s; from known import M, take\n%s\ndef work():\n"
                                          "    return take(8 * M)\nwork()\n" % (head, decorator))
                self.assertEqual((0, b"", []), (run.status, run.stdout, run.warnings), run.stderr)
                row = run.of("main")[(os.path.join(self.folder, "script.py"), 4)]
                self.assertEqual(1, row[0])
                self.assertLess(abs(row[1] - 8 * harness.M), 64 << 10)

    def test_the_line_engine_says_the_same_where_the_packages_method_is_sound(self):
        # Straight lines and loops that give nothing back: there every change is above the highest so far.
        self.need_package()
        scripts = {
            "straight": "    a = take(8 * M)\n    b = bytearray(40 * M)\n    del b\n    return a\n",
            "one by one": "    a = take(3 * M)\n    b = take(5 * M)\n    c = bytearray(16 * M)\n    d = take(M)\n"
                          "    return a, b, c, d\n",
            "for": "    kept = []\n    for i in range(12):\n        kept.append(take(2 * M))\n    return kept\n",
            "while": "    kept = []\n    i = 0\n    while i < 9:\n        kept.append(bytearray(3 * M))\n        i += 1\n"
                     "    return kept\n",
            "branches": "    kept = []\n    for i in range(10):\n        if i %% 3:\n            kept.append(take(M))\n"
                        "        else:\n            kept.append(bytearray(2 * M))\n    return kept\n",
            "nested": "    kept = []\n    for i in range(4):\n        for j in range(3):\n            kept.append(take(M))\n"
                      "        kept.append(take(4 * M))\n    return kept\n",
            "mapped, then written": "    m = mmap.mmap(-1, 24 * M)\n    m[:8 * M] = b'x' * (8 * M)\n"
                                    "    for at in range(8 * M, 24 * M, M):\n        m[at:at + M] = page\n    return m\n",
        }
        path = os.path.join(self.folder, "script.py")
        for name, body in sorted(scripts.items()):
            text = "import mmap\nfrom known import M, take\npage = b'y' * M\n%s\ndef work():\n" + body + "work()\n"
            theirs = self.run_package(text % "@profile")[0].of("main")
            self.assertGreaterEqual(len([row for row in theirs.values() if row[0]]), 3, name)
            for accelerator in harness.BOTH:
                mine = self.profile(text % "", True, accelerator).of("main")
                for line in range(6, 6 + body.count("\n")):
                    with self.subTest(script=name, accelerator=accelerator, line=line):
                        if (path, line) in theirs:
                            self.assertLess(abs(mine[(path, line)][1] - theirs[(path, line)][1]), 64 << 10)

    def test_nothing_decorated(self):
        self.need_package()
        run, _ = self.run_package("x = 1\n")
        self.assertEqual(["nothing-decorated"], run.warnings)

    def test_the_line_engine_says_where_the_packages_decorator_was_in_its_way(self):
        self.need_package()
        text = self.TEXT.replace("from known", "from memory_profiler import profile; from known")
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile(text, True, accelerator)
                monitored = hasattr(sys, "monitoring") and not accelerator
                self.assertEqual([] if monitored else ["measuring-interrupted"], run.warnings)


if __name__ == "__main__":
    unittest.main()
