"""The helper's own processes are killed, and memory runs out for them: the run goes on, or what it had is told."""
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, python, read_table, runs_now, until
from test_board_memory_limit import LIMIT, Group, kills

from jetson_memprof.board.run import oom, shared
from jetson_memprof.board.errors import log_fault
from jetson_memprof.board.run.record import RunRecord

WAITS = """\
import sys
import second
kept = second.take()
print("ready")
sys.stdin.readline()
"""
SECOND = "def take():\n    return bytearray(4 << 20)\n"
FORKS = """\
import os
kept = bytearray(8 << 20)
def fill():
    held = []
    while True:
        held.append(b"x" * (8 << 20))
def child():
    pid = os.fork()
    if pid == 0:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # so that nobody else is chosen
        fill()
        os._exit(0)
    return os.waitpid(pid, 0)
print(child()[1])
"""
GROWS = """\
held = []
while True:
    held.append(b"x" * (4 << 20))
"""
# RSS has pages of the interpreter's files too. Where another group runs out of memory, the kernel takes back those that it
# was the first to use, from everybody.
FILE_PAGES = 256 << 10


def score(pid):
    """None where the process has ended."""
    try:
        with open("/proc/%d/oom_score_adj" % pid) as file:
            return int(file.read())
    except (FileNotFoundError, ProcessLookupError):
        return None


def children_of(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name, "rb") as file:
                if name.isdigit() and int(file.read().rsplit(b")", 1)[1].split()[1]) == pid:
                    found.append(int(name))
        except OSError:
            pass
    return found


class Processes(BoardCase):
    def test_the_worker_that_looks_at_sources_is_killed(self):
        """Whoever asked it finds out by itself or asks the next one; every file is there in the end."""
        self.write("script.py", WAITS)
        self.write("second.py", SECOND)
        for delay in (0.0, 0.02):
            run = "r%d" % int(delay * 100)
            script = self.start(run, "script.py")["pid"]
            supervisor = self.load(run, "supervisor.json")["pid"]
            until(lambda: [pid for pid in children_of(supervisor) if pid != script] or self.load(run)["files"],
                  what="the worker")
            time.sleep(delay)
            for pid in children_of(supervisor):
                if pid != script:
                    with contextlib.suppress(ProcessLookupError):  # it ends by itself when nobody asks any more
                        os.kill(pid, signal.SIGKILL)
            attached = self.attach(run)
            attached.send({"close_input": True})
            mirror = attached.wait()
            self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
            self.assertEqual(sorted(one["path"] for one in mirror.record["files"]), ["script.py", "second.py"])
            table = read_table(mirror.files["lines.jsonl"])
            self.assertLess(abs(table[(script, "second.py", 2)][2] - (4 << 20)), FILE_PAGES)

    def test_a_supervisor_that_was_stopped_takes_nothing_twice(self):
        # In the end it waits, so that its supervisor is still there however long each step takes here.
        self.write("script.py", "import sys, time\nfor number in range(30):\n    print(number)\n    time.sleep(0.02)\n"
                                "sys.stdin.readline()\n")
        self.start("r1", "script.py", interval_ms=50)
        attached = self.attach("r1")
        supervisor = self.load("r1", "supervisor.json")["pid"]
        for _ in range(3):
            os.kill(supervisor, signal.SIGSTOP)
            time.sleep(0.15)
            os.kill(supervisor, signal.SIGCONT)
            time.sleep(0.05)
        attached.send({"close_input": True})
        mirror = attached.wait()
        self.assertEqual(mirror.files["stdout.log"], b"".join(b"%d\n" % number for number in range(30)))
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})


class ShutDown(BoardCase):
    """A board that is shut down in order tells everyone to end; that is no cancel, and nothing is lost."""

    def end(self, run, script):
        self.write("script.py", script)
        self.start(run, "script.py")
        until(lambda: b"ready\n" in self.contents(run, "stdout.log"), what="the script's first words")
        os.kill(self.load(run, "supervisor.json")["pid"], signal.SIGTERM)
        return self.attach(run).wait().record

    def test_says_so(self):
        record = self.end("r1", "import time\nprint('ready')\ntime.sleep(60)\n")
        self.assertEqual(record["exit"]["kind"], "cancelled")
        self.assertIn("ended-from-outside", [one["code"] for one in record["warnings"]])

    def test_a_cancel_does_not(self):
        self.write("script.py", "import time\nprint('ready')\ntime.sleep(60)\n")
        self.start("r1", "script.py")
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="the script's first words")
        self.command("cancel", {"root": self.root, "id": "r1"})
        self.assertEqual(self.load("r1")["exit"]["kind"], "cancelled")
        self.assertEqual(self.load("r1")["warnings"], [])


@unittest.skipUnless(os.getuid() == 0, "SKIPPED: only root may protect a process")
class Protected(BoardCase):
    def test_the_supervisor_alone(self):
        self.write("script.py", WAITS)
        self.write("second.py", SECOND)
        script = self.start("r1", "script.py")["pid"]
        supervisor = self.load("r1", "supervisor.json")["pid"]
        try:
            if score(supervisor) == score(os.getpid()):
                self.skipTest("SKIPPED: no process may be protected here")
            self.assertLess(score(supervisor), -500)
            until(lambda: score(script) == score(os.getpid()), what="the script's own score")
            for pid in children_of(supervisor):
                until(lambda: not runs_now(pid) or score(pid) in (score(os.getpid()), None), what="a child's own score")
        finally:
            attached = self.attach("r1")
            attached.send({"close_input": True})
            attached.wait()


class Score(BoardCase):
    def test_a_child_has_what_its_parent_had_before(self):
        path = os.path.join(self.top, "oom_score_adj")
        with open(path, "w") as file:
            file.write("100\n")
        with mock.patch.object(oom, "_SCORE", path), mock.patch.object(oom, "_before", None):
            oom.give_up()
            with open(path) as file:
                self.assertEqual(file.read(), "100\n")
            oom.protect()
            with open(path) as file:
                self.assertEqual(file.read(), "-900")
            oom.give_up()
            with open(path) as file:
                self.assertEqual(int(file.read()[:3]), 100)

    def test_a_user_who_may_not_goes_on(self):
        with mock.patch.object(oom, "_SCORE", "/proc/self/nothing"):
            oom.protect()
            oom.give_up()


class MemoryRunsOut(BoardCase):
    def run_in_group(self, text, script="script.py"):
        group = Group(LIMIT)
        self.addCleanup(group.remove)
        self.addCleanup(self._end_all)  # before that
        self.write(script, text)
        self._runs.append("r1")
        order = json.dumps(self.order("r1", script)).encode("utf-8") + b"\n"
        started = subprocess.Popen(group.command(python(os.path.join(HELPER, "board.py"), "start")),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return group, json.loads(started.communicate(order)[0].decode("utf-8"))["pid"]

    def test_for_a_child_process(self):
        """The script continues; the run says that the kernel ended a process, and has what it took."""
        group, script = self.run_in_group(FORKS)
        mirror = self.attach("r1").wait()
        ended = kills(group.path)
        if ended == 1:
            self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
            self.assertEqual(mirror.files["stdout.log"], b"9\n")
            self.assertIn("out-of-memory", [one["code"] for one in mirror.record["warnings"]])
        else:  # the script too, the helper last (see kills())
            self.assertEqual(mirror.record["exit"]["kind"], "out-of-memory" if ended == 2 else "lost")
        child, = [one["pid"] for one in mirror.record["processes"] if one["kind"] == "fork"]
        table = read_table(mirror.files["lines.jsonl"])
        self.assertGreater(table[(child, "script.py", 6)][2], 100 << 20)
        self.assertLess(abs(table[(child, "script.py", 4)][2]), 1 << 20)
        self.assertLess(abs(table[(script, "script.py", 2)][2] - (8 << 20)), FILE_PAGES)

    def test_for_the_helper_itself(self):
        """It is the last that the kernel takes; where it does, all that the counters held comes home."""
        _, script = self.run_in_group("import sys\nsys.stdin.readline()\n" + GROWS)
        supervisor = self.load("r1", "supervisor.json")["pid"]
        try:
            with open("/proc/%d/oom_score_adj" % supervisor, "w") as file:
                file.write("1000")
        except OSError as error:
            self.skipTest("SKIPPED: %s" % error)
        attached = self.attach("r1")
        attached.send({"close_input": True})
        mirror = attached.wait()
        self.assertEqual(mirror.record["exit"], {"kind": "lost"})
        table = read_table(mirror.files["lines.jsonl"])
        self.assertGreater(table[(script, "script.py", 5)][2], 100 << 20)
        self.assertEqual({one["path"] for one in mirror.record["last_lines"]}, {"script.py"})


class NowhereToWrite(BoardCase):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    def test_a_fault_whose_traceback_finds_no_room_is_no_second_fault(self):
        with mock.patch.object(sys, "stderr", self.Full()):
            try:
                raise ValueError("a fault of ours")
            except ValueError:
                log_fault()

    def test_shared_memory_without_room_is_passed_by(self):
        run = os.path.join(self.top, "run")
        os.mkdir(run)
        real, full = os.posix_fallocate, ["/dev/shm/"]

        def allocate(fd, offset, size):
            if any(os.readlink("/proc/self/fd/%d" % fd).startswith(one) for one in full):
                raise OSError(28, "No space left on device")
            real(fd, offset, size)
        with mock.patch("os.posix_fallocate", allocate):
            made = shared.make(run)
            self.addCleanup(shutil.rmtree, made, True)
            self.assertTrue(made.startswith("/tmp/jmp-"), made)
            full.append("/tmp/")
            with self.assertRaises(OSError):
                shared.make(run)
            self.assertEqual(os.listdir(run), [])

    def test_warnings_that_matter_are_never_crowded_out(self):
        record = RunRecord(os.path.join(self.top, "run.json"), {})
        for number in range(500):
            record.warn("source-not-kept", "file %d" % number)
        record.warn("lost", "The helper was ended.")
        codes = [one["code"] for one in record.values["warnings"]]
        self.assertLess(len(codes), 110)
        self.assertEqual(codes[-1], "lost")
        for number in range(500):
            record.warn("clock-set", "%d hours forward" % number)
        self.assertEqual([one["code"] for one in record.values["warnings"]], codes + ["clock-set"])


if __name__ == "__main__":
    unittest.main()
