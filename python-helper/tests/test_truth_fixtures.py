"""Scripts of other people's with the true figures beside their lines (`#@ net=… peak=… hits=…`, MiB), where they are there."""
import os
import re
import subprocess
import sys
import unittest

from massif import harness as massif
from truth import harness
from truth.harness import HELPER

FIXTURES = os.path.join(os.path.dirname(os.path.realpath(HELPER)), "..", "shared", "fixtures", "truth")
#: What a figure may be beside the truth: what the script's own small objects take.
SLACK, SHARE = 0.3, 0.01
HITS, NET, SELF, PEAK, UNCERTAIN, PEAK_UNCERTAIN = 0, 1, 2, 4, 6, 7
FIGURES = {"hits": HITS, "net": NET, "self": SELF, "peak": PEAK}
#: What threads do is never the same twice.
RUNS = 1 if os.environ.get("JETSON_MEMPROF_TESTS") == "short" else 20


def has(module):
    return subprocess.call([sys.executable, "-c", "import " + module], stderr=subprocess.DEVNULL) == 0


def truths(path):
    """[(line, {figure: MiB or times})], without statements that this Python makes no code of."""
    nothing = () if sys.version_info >= (3, 10) else ("pass",) if sys.version_info < (3, 8) else ("pass", "while True:")
    with open(path) as script:
        comments = [(number, re.search(r"#@ (.*)", text)) for number, text in enumerate(script, 1)
                    if text.partition("#")[0].strip() not in nothing]
    return [(number, dict((name, float(value)) for name, value in re.findall(r"(\w+)=(-?[\d.]+)", found.group(1))))
            for number, found in comments if found]


def wrong(path, rows, figures=tuple(FIGURES), uncertain=False, above=0):
    """What of the `figures` is not as promised, in words; `uncertain`: nor by what the row itself calls uncertain.
    A peak may be so many MiB `above`."""
    said = []
    for line, promised in truths(path):
        row = rows.get((os.path.realpath(path), line), (0,) * 8)
        for name in sorted(set(figures) & set(promised)):
            got, true = row[FIGURES[name]], promised[name]
            if name == "hits":
                kept = got == true
            else:
                got = got / (1 << 20)
                doubt = row[PEAK_UNCERTAIN if name == "peak" else UNCERTAIN] / (1 << 20) if uncertain else 0
                doubt += max(SLACK, SHARE * abs(true))
                kept = -doubt <= got - true <= doubt + (above if name == "peak" else 0)
            if not kept:
                said.append("%s:%d %s is %s, not %s" % (os.path.basename(path), line, name, got, true))
    return said


def of_main(run):
    return run.of("main")


def of_all(run):
    """The rows of all processes: what was taken adds up, what was highest stays the highest."""
    found = {}
    for rows in run.rows:
        for key, row in rows.items():
            row = [0 if figure is None else figure for figure in row]
            known = found.setdefault(key, [0] * len(row))
            for column in (HITS, NET, SELF, UNCERTAIN):
                known[column] += row[column]
            if row[PEAK] + row[PEAK_UNCERTAIN] > known[PEAK] + known[PEAK_UNCERTAIN]:
                known[PEAK], known[PEAK_UNCERTAIN] = row[PEAK], row[PEAK_UNCERTAIN]
    return found


@unittest.skipUnless(os.path.isdir(FIXTURES), "SKIPPED: the fixtures are not here")
class Fixtures(unittest.TestCase):
    def check(self, name, status=0, runs=1, rows=of_main, **how):
        path = os.path.join(FIXTURES, name)
        for accelerator in harness.BOTH:
            for exact in (True, False):
                for _ in range(runs):
                    with self.subTest(accelerator=accelerator, exact=exact), \
                            harness.Folder(FIXTURES, exact, accelerator) as folder:
                        run = folder.run([name], FIXTURES)
                        self.assertEqual((status, []), (run.status, run.warnings), run.stderr.decode())
                        self.assertEqual([], wrong(path, rows(run), **how))

    def test_several_code_objects_on_one_line(self):
        self.check("j_same.py")

    def test_how_often_a_statement_begins(self):
        self.check("k_hits.py")

    @unittest.skipUnless(massif.VALGRIND, "valgrind is not installed")
    def test_how_often_a_statement_begins_under_massif(self):
        with massif.MassifRun("k_hits.py", scripts=FIXTURES) as run:
            self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr.decode())
            self.assertEqual([], wrong(os.path.join(FIXTURES, "k_hits.py"), run.run.of("main"), figures=("hits",)))

    def test_threads_that_take_turns(self):
        self.check("c_threads.py", 7, RUNS, uncertain=True)

    @unittest.skipUnless(has("numpy"), "SKIPPED: this Python has no numpy")
    def test_threads_that_run_at_once(self):
        self.check("c2_numpy_threads.py", 0, RUNS, uncertain=True)

    @unittest.skipIf(RUNS == 1, "left to the full run: each of its runs imports torch")
    @unittest.skipUnless(has("torch"), "SKIPPED: this Python has no torch")
    def test_workers_of_a_loader(self):
        # A forked worker maps the code of the libraries it uses anew: some 5 MiB, on the first line that uses it.
        self.check("d2_loader.py", 0, 5, rows=of_all, uncertain=True, above=6)


if __name__ == "__main__":
    unittest.main()
