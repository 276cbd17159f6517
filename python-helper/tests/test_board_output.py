"""What the script writes and reads, and a disk that fills up."""
import base64
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios
import unittest

from test_board_common import BoardCase, read_records, read_table, until


def stopped(pid):
    with open("/proc/%d/stat" % pid, "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] == b"T"


def unread(pid):
    """How many bytes of a process's standard output wait in its pipe."""
    pipe = os.open("/proc/%d/fd/1" % pid, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
    finally:
        os.close(pipe)


class Output(BoardCase):
    def test_100_mb_does_not_hold_up_the_script(self):
        self.write("script.py", """\
            import os, time
            def supervisor():
                with open("/proc/%d/schedstat" % os.getppid()) as file:
                    return int(file.read().split()[0]) / 1e9
            block = b"x" * 99 + b"\\n"
            block *= 1 << 12
            began = supervisor()
            left = 100 << 20
            while left:
                left -= os.write(1, block[:left])
            os.write(2, b"%.1f %.1f" % (supervisor() - began, time.process_time()))
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
        # CPU time of both: the one takes the output as fast as the other writes it.
        self.assertLess(sum(map(float, mirror.files["stderr.log"].split())), 10)

    def test_exactly_the_limit_is_not_marked(self):
        mirror = self.run_script("r1", "import os\nos.write(1, b'y' * 1000)\n", output_limit=1000)
        self.assertEqual(mirror.files["stdout.log"], b"y" * 1000)

    def test_each_line_comes_by_itself(self):
        """Not with the next, nor with a sample, of which one a minute is taken. How long it takes: bench/board/live.py."""
        self.write("script.py", """\
            import sys
            for i in range(15):
                print(i, flush=True)
                sys.stdin.readline()
            """)
        self.start("r1", "script.py", interval_ms=60000)
        attached = self.attach("r1")
        for number in range(15):
            expected = "".join("%d\n" % i for i in range(number + 1)).encode("ascii")
            until(lambda: attached.mirror.files.get("stdout.log") == expected, what="line %d" % number)
            attached.send({"input": base64.b64encode(b"\n").decode()})
        self.assertEqual(attached.wait().record["exit"], {"kind": "exited", "code": 0})

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
            pipe = os.readlink("/proc/self/fd/0")
            os.close(0)
            print(pipe)
            while not os.path.exists("sent"):
                time.sleep(0.01)
            """)
        self.start("r1", "script.py")
        attached = self.attach("r1")
        until(lambda: b"]\n" in attached.mirror.files.get("stdout.log", b""))
        pipe, supervisor = attached.mirror.files["stdout.log"].decode().strip(), self.load("r1", "supervisor.json")["pid"]
        self.assertIn(pipe, self.descriptors(supervisor))
        for _ in range(3):
            attached.send({"input": base64.b64encode(b"x" * 50000).decode()})
        until(lambda: pipe not in self.descriptors(supervisor), what="the end of the input that nobody reads")
        self.write("sent", "")
        self.assertEqual(attached.wait().record["exit"], {"kind": "exited", "code": 0})

    @staticmethod
    def descriptors(pid):
        found, folder = set(), "/proc/%d/fd" % pid
        for name in os.listdir(folder):
            try:
                found.add(os.readlink(os.path.join(folder, name)))
            except OSError:
                pass  # closed meanwhile
        return found


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
        with open(os.path.join(self.root, "filler"), "ab", buffering=0) as file:
            for piece in (4096, 1):
                try:
                    while True:
                        file.write(b"z" * piece)
                except OSError:
                    pass

    def fill_beside(self, run):
        """Fill the disk while the supervisor replaces no file: the room of the old one would be free again."""
        pid, folder = self.load(run, "supervisor.json")["pid"], self.run_file(run, "")

        def filled():
            os.kill(pid, signal.SIGSTOP)
            try:
                until(lambda: stopped(pid), what="the supervisor's stop")
                whole = not any(name.endswith(".tmp") for name in os.listdir(folder))
                if whole:
                    self.fill()
                return whole
            finally:
                os.kill(pid, signal.SIGCONT)
        until(filled, what="a moment in which no file is replaced")

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
            open("all", "w").close()
            sys.stdin.readline()
            print("the end")
            """)
        pid = self.start("r1", "script.py", interval_ms=50)["pid"]
        attached = self.attach("r1")
        until(lambda: b"line 1 " in self.contents("r1", "stdout.log"), what="output")
        self.fill_beside("r1")
        self.write("full", "")
        warned = lambda: [one for one in attached.mirror.frames if one.get("file") == "run.json"] and any(
            one["code"] == "no-space" for one in attached.mirror.record["warnings"])
        until(warned, what="the warning at the host")
        self.assertEqual(self.load("r1")["warnings"], [])  # the disk could not take it
        until(lambda: os.path.exists(os.path.join(self.project, "all")) and not unread(pid), what="all of the output")
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
        self.fill_beside("r1")
        attached.send({"close_input": True})
        mirror = attached.wait()
        # The reserve was given up for the last records.
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        until(lambda: self.load("r1") == mirror.record, what="run.json on the board")
        self.assertEqual(read_records(mirror.files["lines.jsonl"])[-1]["record"], "end")


if __name__ == "__main__":
    unittest.main()
