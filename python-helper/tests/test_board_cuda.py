"""CUDA and board figures and phases of a real run, as they come home; the memory is a stand-in's for torch."""
import os
import signal
import textwrap
import unittest

from test_board_common import BoardCase, read_records, until

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")
MIB = 1 << 20
SCRIPT = textwrap.dedent("""\
    import time
    import torch
    from torch import standin

    def build():
        return standin.alloc(100 << 20)

    def step():
        standin.brief(40 << 20)

    standin.start()
    turn = 0
    while standin.warm_up(turn):
        turn += 1
    build()
    step()
    print("ready", flush=True)
    """)
LINE = {text: number for number, text in enumerate((one.strip() for one in SCRIPT.splitlines()), 1)}


def newest(records, name):
    """{line: figures} of the rows of `name`, the newest of each; the script is the only file."""
    return {row[1]: row[2:] for one in records if one["record"] == name for row in one["rows"]}


class Cuda(BoardCase):
    def check(self, records):
        notices = [one for one in records if one["record"] == "cuda-on"]
        self.assertEqual({one["peaks"] for one in notices}, {"bounds"})
        cuda = newest(records, "cuda")
        net, own, largest, peak, peak_most = cuda[LINE["return standin.alloc(100 << 20)"]][:5]
        self.assertEqual((net, own, largest, peak), (100 * MIB, 100 * MIB, 100 * MIB, 100 * MIB))
        self.assertGreaterEqual(peak_most, peak)
        self.assertEqual(cuda[LINE["build()"]][:2], [100 * MIB, 0])
        # The selves of the lines are the change of memory_allocated over the run.
        self.assertEqual(sum(figures[1] for figures in cuda.values()), 100 * MIB)
        phases = [one for one in records if one["record"] == "phase"]
        self.assertEqual([(one["phase"], one["line"]) for one in phases],
                         [("import-torch", LINE["import torch"]), ("cuda", LINE["standin.start()"])])
        self.assertTrue(all(one["file"] == 0 and 0 <= one["t"] <= records[-1]["t"] for one in phases))
        self.assertTrue(all(one["rss"] > 0 and one["mem_available"] > 0 for one in phases))
        return phases

    def test_lines_and_phases_come_home(self):
        mirror = self.run_script("r1", SCRIPT, env={"PYTHONPATH": STANDIN})
        phases = self.check(read_records(mirror.files["lines.jsonl"]))
        # Before CUDA is up nothing can be allocated or reserved: that is known.
        self.assertEqual([(one["allocated"], one["reserved"]) for one in phases], [(0, 0), (0, 0)])
        self.assertLessEqual({"rss", "cuda"}, set(mirror.record["metrics"]))

    def test_what_the_counters_hold_outlives_a_kill_of_the_supervisor_and_the_script(self):
        self.write("script.py", SCRIPT + "time.sleep(1000)\n")
        # Appended so seldom that nearly everything is in the counters alone.
        pid = self.start("r1", "script.py", env={"PYTHONPATH": STANDIN}, interval_ms=30000)["pid"]
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="the script's words")
        for one in (self.load("r1", "supervisor.json")["pid"], pid):
            os.kill(one, signal.SIGKILL)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "lost"})
        self.check(read_records(mirror.files["lines.jsonl"]))
        self.assertLessEqual({"rss", "cuda"}, set(mirror.record["metrics"]))

    def test_what_was_written_before_such_a_kill_is_not_written_again(self):
        self.write("script.py", SCRIPT + "time.sleep(1000)\n")
        pid = self.start("r1", "script.py", env={"PYTHONPATH": STANDIN}, interval_ms=100)["pid"]
        until(lambda: self.contents("r1", "lines.jsonl").count(b'{"record":"phase"') == 2, what="both phases")
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="the script's words")
        for one in (self.load("r1", "supervisor.json")["pid"], pid):
            os.kill(one, signal.SIGKILL)
        self.check(read_records(self.attach("r1").wait().files["lines.jsonl"]))

    def test_a_run_that_does_not_use_cuda_has_no_figures_of_it(self):
        mirror = self.run_script("r1", "import torch\nkept = bytearray(1 << 20)\n", env={"PYTHONPATH": STANDIN})
        records = read_records(mirror.files["lines.jsonl"])
        self.assertEqual([one["record"] for one in records if one["record"] in ("cuda-on", "cuda")], [])
        self.assertEqual([one["phase"] for one in records if one["record"] == "phase"], ["import-torch"])
        self.assertNotIn("cuda", mirror.record["metrics"])


if __name__ == "__main__":
    unittest.main()
