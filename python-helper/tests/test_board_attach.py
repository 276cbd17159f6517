"""Mirroring a run folder: offsets, many hosts, hosts that stop reading."""
import json
import os
import subprocess
import tempfile
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, cpu_share, least, python, read_records, until

from jetson_memprof.board.commands import attach
from jetson_memprof.board.wire.frames import Frames

SCRIPT = """\
import time
for i in range(25):
    print("line", i)
    time.sleep(0.04)
"""


class Attaching(BoardCase):
    def test_goes_on_where_the_host_was(self):
        self.write("script.py", SCRIPT)
        self.start("r1", "script.py", interval_ms=50)
        first = self.attach("r1")
        until(lambda: b"line 8" in first.mirror.files.get("stdout.log", b""), what="some output")
        first.process.kill()
        first.close()
        # A host cut off in the middle of a frame has any number of its bytes.
        files = {name: data[:len(data) * 2 // 3] if name.endswith((".log", ".jsonl")) else data
                 for name, data in first.mirror.files.items()}
        second = self.attach("r1", files)
        mirror = second.wait()
        self.assertEqual(mirror.frames[-1], {"frame": "end", "state": "finished"})
        for name, data in mirror.files.items():
            self.assertEqual(self.contents("r1", name), data, name)
        self.assertGreater(mirror.frames[0].get("offset", 1), 0)
        # Once all is at home, only the record and the end are sent.
        third = self.attach("r1", mirror.files).wait()
        self.assertEqual([(one["frame"], one.get("file")) for one in third.frames],
                         [("replace", "run.json"), ("end", None)])

    def test_once_it_ends_with_what_there_is(self):
        self.write("script.py", """\
            import os, time
            kept = bytearray(6 << 20)
            print("ready", flush=True)
            while not os.path.exists("end"):
                time.sleep(0.02)
            """)
        self.start("r1", "script.py", interval_ms=50)
        until(lambda: b"ready" in self.contents("r1", "stdout.log") and self.contents("r1", "samples.jsonl"),
              what="the script's output")
        first = self.attach("r1", once=True).wait()
        self.assertEqual(first.frames[-1], {"frame": "end", "state": "running"})
        self.assertEqual(first.files["stdout.log"], b"ready\n")
        self.assertEqual(first.record["state"], "running")
        self.write("end", "")
        until(lambda: self.load("r1")["state"] == "finished", what="the run's end")
        second = self.attach("r1", first.files, once=True).wait()
        self.assertEqual(second.frames[-1], {"frame": "end", "state": "finished"})
        self.assertEqual(second.files["samples.jsonl"], self.contents("r1", "samples.jsonl"))

    def test_a_host_with_more_than_the_board(self):
        mirror = self.run_script("r1", "print('short')\n")
        again = self.attach("r1", dict(mirror.files, **{"stdout.log": b"x" * 500})).wait()
        self.assertEqual(again.files["stdout.log"], b"short\n")

    def test_a_run_without_its_record(self):
        self.run_script("r1", "x = 1\n")
        with open(self.run_file("r1", "run.json"), "w") as file:
            file.write("{")
        until(lambda: not self._held("r1"), what="the supervisor's end")
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.frames[-1]["error"]["code"], "damaged-run")
        self.assertEqual(read_records(mirror.files["lines.jsonl"])[-1]["record"], "end")  # what can be read came first

    def _held(self, run):
        from jetson_memprof.board.run.runs import RunFolder
        return RunFolder(self.root, run).is_held()

    def test_half_a_record_stays_on_the_board(self):
        mirror = self.run_script("r1", "x = 1\n")
        with open(self.run_file("r1", "samples.jsonl"), "ab") as file:
            file.write(b'{"t":12345,"hi')
        again = self.attach("r1").wait()
        self.assertEqual(again.files["samples.jsonl"], mirror.files["samples.jsonl"])

    def test_many_hosts_and_one_that_does_not_read(self):
        self.write("script.py", """\
            import time
            print("x" * (1 << 20))
            for i in range(30):
                time.sleep(0.02)
            print("done")
            """)
        self.start("r1", "script.py", output_limit=4 << 20)
        stuck = subprocess.Popen(python(os.path.join(HELPER, "board.py"), "attach"),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stuck.stdin.write(json.dumps({"root": self.root, "id": "r1", "have": {}}).encode() + b"\n")
        stuck.stdin.flush()
        others = [self.attach("r1") for _ in range(3)]
        for one in others:
            mirror = one.wait()
            self.assertTrue(mirror.files["stdout.log"].endswith(b"x\ndone\n"))
        self.assertIsNone(stuck.poll())
        stuck.stdout.close()
        self.assertEqual(stuck.wait(60), 0)  # it noticed that nobody reads
        stuck.stdin.close()

    def test_a_host_that_goes_away_leaves_the_run_alone(self):
        self.write("script.py", """\
            import os, time
            while not os.path.exists("go"):
                time.sleep(0.02)
            print("survived")
            """)
        self.start("r1", "script.py")
        one = self.attach("r1")
        until(lambda: one.mirror.frames, what="a frame")
        one.process.stdin.close()
        known = len(one.mirror.frames)
        until(lambda: len(one.mirror.frames) > known + 3, what="more frames")
        self.assertIsNone(one.process.poll())  # no more input is not the end of the mirror
        one.process.kill()
        self.write("go", "")
        self.assertEqual(self.attach("r1").wait().files["stdout.log"], b"survived\n")

    def test_its_own_cost(self):
        self.write("script.py", "import time\ntime.sleep(1000)\n")
        self.start("r1", "script.py", interval_ms=200)
        one = self.attach("r1")
        until(lambda: [frame for frame in one.mirror.frames if frame["frame"] == "append"], what="a sample")
        self.assertLess(least(lambda: cpu_share(one.process.pid), 0.05), 0.05)
        self.command("cancel", {"root": self.root, "id": "r1"})
        one.wait()

    def test_alive_while_nothing_happens(self):
        self.write("script.py", "import time\ntime.sleep(1000)\n")
        self.start("r1", "script.py", interval_ms=60000)
        one = self.attach("r1")
        alive = until(lambda: [frame for frame in one.mirror.frames if frame["frame"] == "alive"], what="a word")
        self.assertGreater(alive[-1]["t"], 500)
        self.command("cancel", {"root": self.root, "id": "r1"})
        one.wait()

    def test_a_cut_at_any_byte_still_reads(self):
        """What lies in the folder at any moment of writing can be read by a plain reader."""
        mirror = self.run_script("r1", """\
            import sys, time
            kept = []
            def take(n):
                kept.append(bytearray(n))
            for i in range(12):
                take(100000)
                time.sleep(0.05)
                while open(sys.argv[1], "rb").read().count(b"\\n") < min(i, 6):  # the disk may hold up who writes them
                    time.sleep(0.05)
            """, interval_ms=50, args=[self.run_file("r1", "samples.jsonl")])
        for name in ("lines.jsonl", "samples.jsonl"):
            data = mirror.files[name]
            whole = read_records(data)
            self.assertGreater(len(whole), 5)
            for cut in range(len(data) + 1):
                part = read_records(data[:cut])
                self.assertEqual(part, whole[:len(part)])
                self.assertEqual(len(part), data[:cut].count(b"\n"))
        # Cumulative: at any cut a line's hits only ever grow, and rows name files already told.
        seen, files = {}, set()
        for record in read_records(mirror.files["lines.jsonl"]):
            if record["record"] == "file":
                files.add(record["file"])
            for row in record["rows"] if record["record"] == "rows" else ():
                self.assertIn(row[0], files)
                self.assertGreaterEqual(row[2], seen.get(tuple(row[:2]), 0))
                seen[tuple(row[:2])] = row[2]


class Following(unittest.TestCase):
    """How often attach looks and says something, by a clock of the test's own."""

    def test_it_looks_often_and_says_each_second_that_the_run_lives(self):
        clock, looks = [100.0], []

        class Control(object):
            unsaved = None

            def wait(self, seconds):
                clock[0] += seconds

        class Mirror(object):
            record = None

            def look(self):
                looks.append(clock[0])
                if clock[0] > 105.5:
                    self.record = {"state": "finished", "exit": {"kind": "exited", "code": 0}}

        folder = mock.Mock(supervisor=lambda: {"started_monotonic": 90.0})
        with tempfile.TemporaryFile() as out, mock.patch("time.monotonic", lambda: clock[0]), \
                mock.patch.object(attach, "rescue"):
            attach._follow(folder, Mirror(), Control(), Frames(out.fileno()))
            out.seek(0)
            frames = [json.loads(line.decode("ascii")) for line in out]
        # What is new is sent at the next look, so it is at home within 150 ms.
        self.assertLess(max(later - earlier for earlier, later in zip(looks, looks[1:])), 0.1)
        self.assertEqual([frame["frame"] for frame in frames], ["alive"] * 5 + ["end"])
        times = [10000] + [frame["t"] for frame in frames[:-1]]
        self.assertTrue(all(1000 <= later - earlier <= 1100 for earlier, later in zip(times, times[1:])), times)


if __name__ == "__main__":
    unittest.main()
