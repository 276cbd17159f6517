"""What the script writes and reads, and a disk that fills up."""
import base64
import os
import shutil
import subprocess
import time
import unittest

from test_board_common import BoardCase, least, read_records, read_table, until


class Output(BoardCase):
    def test_100_mb_does_not_hold_up_the_script(self):
        self.write("script.py", """\
            import os, time
            block = b"x" * 99 + b"\\n"
            block *= 1 << 12
            times = []
            for part in range(8):
                began, left = time.monotonic(), 32 * len(block)
                while left:
                    left -= os.write(1, block[:left])
                times.append(time.monotonic() - began)
            os.write(2, b"%.1f" % (8 * sorted(times)[4]))  # one that the machine held up does not count
            """)
        self.start("r1", "script.py", output_limit=1 << 20)
        mirror = self.attach("r1").wait()
        record = mirror.record
        self.assertEqual(record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(record["output"]["stdout"], {"bytes": 100 << 20, "kept": 1 << 20})
        log = mirror.files["stdout.log"]
        self.assertEqual(log[:1 << 20], (b"x" * 99 + b"\n") * 10485 + b"x" * 76)
        self.assertIn(b"longer than the 1048576 bytes", log[1 << 20:])
        self.assertLess(len(log), (1 << 20) + 300)
        self.assertLess(float(mirror.files["stderr.log"]), 10)

    def test_exactly_the_limit_is_not_marked(self):
        mirror = self.run_script("r1", "import os\nos.write(1, b'y' * 1000)\n", output_limit=1000)
        self.assertEqual(mirror.files["stdout.log"], b"y" * 1000)

    def test_live_within_150_ms(self):
        """From the script's write to the frame at the host, the clock being the same."""
        self.write("script.py", """\
            import time
            for i in range(15):
                print(time.monotonic(), flush=True)
                time.sleep(0.07)
            """)
        numbers = iter(range(10))
        self.assertLess(least(lambda: self.usual_delay("r%d" % next(numbers)), 0.15), 0.15)

    def usual_delay(self, run):
        self.start(run, "script.py")
        attached = self.attach(run)
        mirror = attached.wait()
        arrivals = [at for at, frame in attached.arrivals if frame.get("file") == "stdout.log"]
        sizes = [frame for _, frame in attached.arrivals if frame.get("file") == "stdout.log"]
        written = [float(word) for word in mirror.files["stdout.log"].split()]
        delays, text = [], mirror.files["stdout.log"]
        for at, frame in zip(arrivals, sizes):
            words = text[frame["offset"]:frame["offset"] + frame["length"]].split()
            delays.extend(at - float(word) for word in words)
        # The first may have been written before anyone was attached.
        delays = sorted(delays[5:])
        self.assertEqual(len(written), 15)
        return delays[len(delays) // 2]

    def test_input_goes_to_the_script_until_it_is_closed(self):
        self.write("script.py", """\
            import sys
            name = input("name? ")
            print("hello", name)
            rest = sys.stdin.buffer.read()
            print(len(rest), rest[:3], rest[-3:])
            """)
        self.start("r1", "script.py")
        attached = self.attach("r1")
        until(lambda: attached.mirror.files.get("stdout.log") == b"name? ", what="the question")
        attached.send({"input": base64.b64encode("Ada ü\n".encode("utf-8")).decode()})
        until(lambda: b"hello" in attached.mirror.files["stdout.log"], what="the answer")
        attached.send({"nonsense": 1})
        attached.send({"input": "not base64!"})
        for _ in range(30):
            attached.send({"input": base64.b64encode(b"abc" * 30000).decode()})
        attached.send({"close_input": True})
        mirror = attached.wait()
        self.assertEqual(mirror.files["stdout.log"].decode(),
                         "name? hello Ada ü\n2700000 b'abc' b'abc'\n")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})

    def test_input_stays_open_and_silent_without_a_host(self):
        self.write("script.py", "import select\nprint(select.select([0], [], [], 0.5)[0])\n")
        self.start("r1", "script.py")
        self.assertEqual(self.attach("r1").wait().files["stdout.log"], b"[]\n")

    def test_a_script_that_does_not_read_its_input(self):
        self.write("script.py", """\
            import os, time
            os.close(0)
            print("closed")
            while not os.path.exists("sent"):
                time.sleep(0.01)
            time.sleep(0.3)
            """)
        self.start("r1", "script.py")
        attached = self.attach("r1")
        until(lambda: b"closed" in attached.mirror.files.get("stdout.log", b""))
        for _ in range(3):
            attached.send({"input": base64.b64encode(b"x" * 50000).decode()})
        self.write("sent", "")
        self.assertEqual(attached.wait().record["exit"], {"kind": "exited", "code": 0})


@unittest.skipUnless(os.getuid() == 0 and shutil.which("mount"),
                     "SKIPPED: a small file system can be mounted by root only")
class FullDisk(BoardCase):
    def setUp(self):
        BoardCase.setUp(self)
        os.mkdir(self.root)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "jmp-test", self.root],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            self.skipTest("SKIPPED: no file system may be mounted here: %s" % done.stderr.decode())
        self.addCleanup(subprocess.call, ["umount", "-l", self.root])
        self.addCleanup(self._end_all)  # before the file system goes

    def fill(self):
        with open(os.path.join(self.root, "filler"), "wb", buffering=0) as file:
            for _ in range(3):  # again, as a file that was just being replaced leaves a little room
                try:
                    while True:
                        file.write(b"z" * 4096)
                except OSError:
                    time.sleep(0.02)

    def test_full_from_the_start(self):
        self.write("script.py", "pass")
        self.fill()
        error = self.start("r1", "script.py", check=False)["error"]
        self.assertEqual(error["code"], "no-space")
        self.assertIn("Free some space", error["hint"])

    def test_full_at_the_start_of_recording(self):
        self.write("script.py", "pass")
        with open(os.path.join(self.root, "filler"), "wb") as file:
            file.write(b"z" * (940 << 10))
        self.assertEqual(self.start("r1", "script.py", check=False)["error"]["code"], "no-space")
        self.assertEqual(self.load("r1")["exit"]["kind"], "not-started")

    def test_full_in_the_middle_and_free_again(self):
        self.write("script.py", """\
            import os, sys, time
            kept = []
            for i in range(12):
                kept.append(bytearray(1 << 20))
                print("line %d " % i + "x" * 1000)
                while time.sleep(0.1) or i == 1 and not os.path.exists("full"): pass
            sys.stdin.readline()
            print("the end")
            """)
        self.start("r1", "script.py", interval_ms=50)
        attached = self.attach("r1")
        until(lambda: b"line 1 " in self.contents("r1", "stdout.log"), what="output")
        self.fill()
        self.write("full", "")
        warned = lambda: [one for one in attached.mirror.frames if one.get("file") == "run.json"] and any(
            one["code"] == "no-space" for one in attached.mirror.record["warnings"])
        until(warned, what="the warning at the host")
        self.assertEqual(self.load("r1")["warnings"], [])  # the disk could not take it
        time.sleep(0.6)
        os.unlink(os.path.join(self.root, "filler"))
        attached.send({"input": base64.b64encode(b"\n").decode()})
        mirror = attached.wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        until(lambda: self.load("r1") == mirror.record, what="run.json on the board")
        self.assertIn("no-space", [one["code"] for one in mirror.record["warnings"]])
        pid = mirror.record["processes"][0]["pid"]
        table = read_table(mirror.files["lines.jsonl"])
        self.assertEqual(table[(pid, "script.py", 4)][0], 12)
        self.assertGreater(table[(pid, "script.py", 4)][1], 11 << 20)
        read_records(mirror.files["samples.jsonl"])
        log, counted = mirror.files["stdout.log"], mirror.record["output"]["stdout"]
        self.assertTrue(log.endswith(b"the end\n"))
        self.assertIn(b"bytes of output are missing here", log)
        self.assertLess(counted["kept"], counted["bytes"])

    def test_full_until_after_the_end(self):
        self.write("script.py", """\
            import sys, time
            kept = bytearray(5 << 20)
            print("ready")
            sys.stdin.readline()
            """)
        self.start("r1", "script.py")
        attached = self.attach("r1")
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"))
        self.fill()
        attached.send({"close_input": True})
        mirror = attached.wait()
        # The reserve was given up for the last records.
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        until(lambda: self.load("r1") == mirror.record, what="run.json on the board")
        self.assertEqual(read_records(mirror.files["lines.jsonl"])[-1]["record"], "end")


if __name__ == "__main__":
    unittest.main()
