"""Scripts of other people's with the true figures beside their lines (`#@ net=… peak=… hits=…`, MiB), where they are there."""
import os
import re
import sys
import unittest

from truth import harness
from truth.harness import HELPER

FIXTURES = os.path.join(os.path.dirname(os.path.realpath(HELPER)), "..", "shared", "fixtures", "truth")
#: What a figure may be beside the truth: what the script's own small objects take.
SLACK, SHARE = 0.3, 0.01
FIGURES = {"hits": 0, "net": 1, "self": 2, "peak": 4}


def truths(path):
    """[(line, {figure: MiB or times})], without statements that this Python makes no code of."""
    nothing = () if sys.version_info >= (3, 10) else ("pass",) if sys.version_info < (3, 8) else ("pass", "while True:")
    with open(path) as script:
        comments = [(number, re.search(r"#@ (.*)", text)) for number, text in enumerate(script, 1)
                    if text.partition("#")[0].strip() not in nothing]
    return [(number, dict((name, float(value)) for name, value in re.findall(r"(\w+)=(-?[\d.]+)", found.group(1))))
            for number, found in comments if found]


def wrong(path, rows):
    said = []
    for line, figures in truths(path):
        row = rows.get((os.path.realpath(path), line), (0,) * 7)
        for name, true in sorted(figures.items()):
            got = row[FIGURES[name]]
            if name == "hits":
                kept = got == true
            else:
                got = got / (1 << 20)
                kept = abs(got - true) <= max(SLACK, SHARE * abs(true))
            if not kept:
                said.append("%s:%d %s is %s, not %s" % (os.path.basename(path), line, name, got, true))
    return said


@unittest.skipUnless(os.path.isdir(FIXTURES), "SKIPPED: the fixtures are not here")
class Fixtures(unittest.TestCase):
    def check(self, name):
        path = os.path.join(FIXTURES, name)
        for accelerator in harness.BOTH:
            for exact in (True, False):
                with self.subTest(accelerator=accelerator, exact=exact), harness.Folder(FIXTURES, exact, accelerator) as folder:
                    run = folder.run([name], FIXTURES)
                    self.assertEqual((0, []), (run.status, run.warnings), run.stderr.decode())
                    self.assertEqual([], wrong(path, run.of("main")))

    def test_several_code_objects_on_one_line(self):
        self.check("j_same.py")

    def test_how_often_a_statement_begins(self):
        self.check("k_hits.py")


if __name__ == "__main__":
    unittest.main()
