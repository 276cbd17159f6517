"""What the accuracy benchmark makes of the tools' answers (bench/line)."""
import os
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "line")
if sys.version_info >= (3, 8):
    sys.path.insert(0, BENCH)
    import answers
    import judging
    sys.path.remove(BENCH)

SCRIPT = '''
kept = []
for _ in range(N):
    kept.append(bytearray(8 << 20))  #: net=8*N, peak=8, plain
    kept.append(
        bytearray(4 << 20),
    )  #: at=-2, net=4*N
    del kept[0]  #: net=-8*N, peak=0, apart
'''
REPORT = """Filename: loops.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     2   24.441 MiB   24.441 MiB           1   @profile
     3                                         def work():
     4   48.492 MiB    0.004 MiB           6       for i in range(5):
     5   48.492 MiB   24.020 MiB           5           kept.append(bytearray(4 << 20))
     6   36.492 MiB  -12.000 MiB           1       @keep
     7                                             def inner():


Filename: loops.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
    11   24.441 MiB   24.441 MiB           1   @profile
    12   24.441 MiB    1.500 MiB           1   def other(): pass
"""


@unittest.skipIf(sys.version_info < (3, 8), "benchmarks run on 3.8 and later")
class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "case.py")
        with open(self.path, "w") as script:
            script.write(SCRIPT)

    def test_promises_are_of_the_statement_and_grow_with_the_rounds(self):
        self.assertEqual([("case", 4, "net", 80.0, True, False), ("case", 4, "peak", 8.0, True, False),
                          ("case", 5, "net", 40.0, False, False),
                          ("case", 8, "net", -80.0, False, True), ("case", 8, "peak", 0.0, False, True)],
                         [tuple(pair) for pair in judging.promises(self.path, 10)])

    def test_lines_of_a_statement_are_taken_together(self):
        judged = judging.judge(self.path, judging.promises(self.path, 1), {"net": {5: 1.0, 6: 3.0}, "peak": {4: 8.0}})
        self.assertEqual([(4, None), (5, 4.0), (8, None)], [(each.pair.line, each.said) for each in judged["net"]])
        self.assertEqual([(4, 8.0), (8, None)], [(each.pair.line, each.said) for each in judged["peak"]])

    def test_saying_nothing_is_saying_0_and_what_is_apart_is_not_counted(self):
        judged = judging.judge(self.path, judging.promises(self.path, 1), {"net": {4: 8.5}})["net"]
        self.assertEqual({"mean": 2.25, "median": 2.25, "worst": 4.0, "pairs": 2, "missed": 1, "plain": 0.5, "plain_pairs": 1},
                         judging.summary(judged))
        self.assertEqual([(5, 4.0, None, False), (8, -8.0, None, True)],
                         [(each["line"], each["truth"], each["said"], each["apart"]) for each in judging.misses(judged)])

    def test_a_miss_is_more_than_a_mebibyte_and_more_than_a_tenth(self):
        for truth, said, missed in ((4, 5, False), (4, 5.1, True), (100, 109, False), (100, 111, True), (0, -1.1, True)):
            pair = judging.Pair("case", 1, "net", float(truth), False, False)
            self.assertEqual(missed, judging.is_missed(judging.Judged(pair, said)), (truth, said))

    def test_every_promise_of_the_suite_is_on_the_first_line_of_a_statement(self):
        folder = os.path.join(BENCH, "truth")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            with open(path, "rb") as source:
                statement_of = judging.statements.analyse(source.read()).statement_of
            pairs = judging.promises(path, 1)
            self.assertTrue(pairs, name)
            self.assertEqual([], [pair for pair in pairs if statement_of[pair.line] != pair.line], name)


@unittest.skipIf(sys.version_info < (3, 8), "benchmarks run on 3.8 and later")
class Answers(unittest.TestCase):
    def test_memory_profilers_increments_without_what_was_there_at_entry(self):
        self.assertEqual({4: 0.004, 5: 24.02, 6: -12.0, 12: 1.5}, answers.memory_profiler_table(REPORT))

    def test_scalenes_peaks_of_the_script_alone(self):
        profile = {"files": {"/there/case.py": {"lines": [{"lineno": 3, "n_peak_mb": 0}, {"lineno": 4, "n_peak_mb": 8.5}]},
                             "/there/other.py": {"lines": [{"lineno": 9, "n_peak_mb": 1}]}}}
        self.assertEqual({4: 8.5}, answers.scalene_table(profile, "case.py"))
        self.assertEqual({}, answers.scalene_table({}, "case.py"))

    def test_ours_adds_up_nets_of_processes_and_takes_their_highest_peak(self):
        mib = 1 << 20
        records = [
            {"record": "file", "file": 0, "path": "other.py"}, {"record": "file", "file": 1, "path": "case.py"},
            {"record": "rows", "pid": 7, "rows": [[1, 4, 1, mib, 0, 0, 2 * mib, 0, 0], [0, 4, 1, mib, 0, 0, 0, 0, 0]]},
            {"record": "rows", "pid": 7, "rows": [[1, 4, 2, 3 * mib, 0, 0, 2 * mib, 0, 0]]},
            {"record": "rows", "pid": 8, "rows": [[1, 4, 1, mib, 0, 0, 5 * mib, 0, 0], [1, 5, 1, None, 0, 0, None, 0, 0]]}]
        self.assertEqual({"net": {4: 4.0, 5: 0.0}, "peak": {4: 5.0, 5: 0}}, answers.line_table(records, "case.py"))


if __name__ == "__main__":
    unittest.main()
