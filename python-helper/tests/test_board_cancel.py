"""Cancelling in every phase ends everything that belongs to the run."""
import os
import signal
import threading
import time
import unittest
from unittest import mock

from test_board_common import BoardCase, patient_helper, read_records, runs_now, until

from jetson_memprof.board.run import stopping
from jetson_memprof.board.run.runs import RunFolder
from jetson_memprof.board.run.script import Directly
from jetson_memprof.board.run.supervisor import Supervisor


class Tree(object):
    """Stands for the processes of a run."""

    def __init__(self, *pids):
        self.pids = list(pids)
        self.scans = 0

    def alive(self):
        return list(self.pids)

    def scan_environments(self, marker):
        self.scans += 1


class Steps(unittest.TestCase):
    """When each signal is due and when a run is over, by a clock of the test's own."""

    def setUp(self):
        self.sent = []
        killing = mock.patch("os.kill", lambda pid, number: self.sent.append((pid, number)))
        killing.start()
        self.addCleanup(killing.stop)
        self.tree = Tree(7)

    def stopping(self, steps=stopping.STEPS, begin=100.0):
        one = stopping.Stopping(self.tree, b"marker", steps)
        one.advance(99.0)
        self.assertEqual((one.begun, self.sent), (False, []))
        one.begin(begin)
        return one

    def test_each_signal_has_its_time(self):
        for steps, term, kill, given_up in ((stopping.STEPS, 103.0, 105.0, 110.0),
                                            (stopping.UNDER_VALGRIND, 108.0, 123.0, 128.0)):
            self.tree, self.sent = Tree(7), []
            one = self.stopping(steps)
            for now, expected in ((100.0, signal.SIGINT), (term - 0.01, None), (term, signal.SIGTERM),
                                  (kill - 0.01, None), (kill, signal.SIGKILL)):
                del self.sent[:]
                one.begin(now)  # to ask again changes nothing
                one.advance(now)
                self.assertEqual(self.sent, [] if expected is None else [(7, expected)], now)
                self.assertEqual(one.last_signal, (expected or number).name)
                self.assertFalse(one.gave_up(now))
                number = expected or number
            self.assertEqual(self.tree.scans, 3)
            self.assertEqual([one.gave_up(now) for now in (given_up - 0.01, given_up)], [False, True])

    def test_one_that_is_found_late_is_killed_at_the_last_step(self):
        one = self.stopping()
        for now in (100.0, 103.0, 105.0):
            one.advance(now)
        self.tree.pids = [8]
        del self.sent[:]
        one.advance(105.1)
        self.assertEqual(self.sent, [(8, signal.SIGKILL)])

    def test_a_long_pause_skips_no_step(self):
        one = self.stopping()
        for now in (100.0, 200.0, 200.1, 202.0):
            one.advance(now)
        self.assertEqual(self.sent, [(7, signal.SIGINT), (7, signal.SIGTERM), (7, signal.SIGKILL)])

    def supervisor(self):
        """One whose script ended at 100.0; its output is still open."""
        one = Supervisor(None, RunFolder("/nowhere", "r1"), {"id": "r1"}, -1)
        one._way, one._tree, one._logs = Directly(), self.tree, {"stdout": mock.Mock(fd=5)}
        one._stopping = stopping.Stopping(self.tree, b"marker", stopping.STEPS)
        self.assertFalse(one._is_over(1e9))
        one._ended = 100.0
        one._loop.listen(5, None)
        return one

    def test_processes_that_outlive_their_script_have_five_seconds(self):
        one = self.supervisor()
        self.assertEqual([one._is_over(now) for now in (100.0, 104.99, 105.0)], [False, False, True])
        del self.tree.pids[:]
        self.assertEqual([one._is_over(now) for now in (104.99, 105.0)], [False, True])  # somebody has its output
        one._loop.ignore(5)
        self.assertTrue(one._is_over(100.0))

    def test_a_cancelled_run_is_over_when_its_last_process_is_or_none_can_be_ended(self):
        one = self.supervisor()
        one._stopping.begin(100.0)
        for now in (100.0, 103.0, 105.0):
            one._stopping.advance(now)
            self.assertFalse(one._is_over(now))
        self.assertEqual([one._is_over(now) for now in (109.99, 110.0)], [False, True])
        del self.tree.pids[:]
        self.assertTrue(one._is_over(100.0))


class Cancelling(BoardCase):
    def cancel(self, run):
        return self.command("cancel", {"root": self.root, "id": run})["state"]

    def numbers(self, run):
        return [int(word) for word in self.contents(run, "stdout.log").split()]

    def test_sigint_first(self):
        self.helper = patient_helper(self.top)  # and the next signal does not come, so no wait is for it
        self.write("script.py", """\
            import time
            try:
                print("ready")
                time.sleep(60)
            except KeyboardInterrupt:
                print("interrupted")
                raise
            """)
        self.start("r1", "script.py")
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="ready")
        attached = self.attach("r1")
        self.assertEqual(self.cancel("r1"), "cancelled")
        mirror = attached.wait()
        self.assertEqual(mirror.record["exit"], {"kind": "cancelled", "signal": "SIGINT"})
        self.assertEqual(mirror.files["stdout.log"], b"ready\ninterrupted\n")
        self.assertEqual(mirror.frames[-1]["state"], "finished")
        self.assertEqual(self.cancel("r1"), "cancelled")

    def test_what_takes_patience(self):
        """Two waits of 5 s at once: for processes that outlive their script, and for those that will not end."""
        self.write("outlived.py", """\
            import os, time
            if os.fork() == 0:
                time.sleep(1000)
            print("parent ends")
            """)
        self.start("r2", "outlived.py")
        outlived = self.attach("r2")
        self._sigterm_then_sigkill_and_who_left_the_group()
        mirror = outlived.wait()
        # By the supervisor's own clock; that it waited no longer than for that, the living child shows.
        waited = read_records(mirror.files["lines.jsonl"])[-1]["t"] - mirror.record["elapsed_ms"]
        self.assertGreater(waited, 4900)
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertIn("processes-left", [one["code"] for one in mirror.record["warnings"]])
        self.assertEqual(sorted(one["kind"] for one in mirror.record["processes"]), ["fork", "main"])
        left = [one["pid"] for one in mirror.record["processes"] if one["kind"] == "fork"][0]
        self.assertTrue(runs_now(left))
        self.cancel("r2")
        until(lambda: not runs_now(left), what="the end of the child")

    def _sigterm_then_sigkill_and_who_left_the_group(self):
        self.write("script.py", """\
            import os, signal, subprocess, sys, time
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
            else:
                # Its own session, no parent that is known, and the engine not in it.
                subprocess.Popen(["sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait"])
            os.write(1, b"%d\\n" % os.getpid())
            time.sleep(1000)
            """)
        self.start("r1", "script.py")
        pids = until(lambda: len(self.numbers("r1")) == 3 and self.numbers("r1"), what="three processes")
        self.assertTrue(all(runs_now(pid) for pid in pids))
        began = time.monotonic()
        self.assertEqual(self.cancel("r1"), "cancelled")
        self.assertGreater(time.monotonic() - began, 4.5)
        self.assertEqual([pid for pid in pids if runs_now(pid)], [])
        self.assertEqual(self.load("r1")["exit"], {"kind": "cancelled", "signal": "SIGKILL"})

    def test_at_once_after_the_start(self):
        self.helper = patient_helper(self.top, sigint_s=3)  # which a Python that only just starts may not heed
        self.write("script.py", "import time\ntime.sleep(1000)\n")
        for number in range(4):
            run = "r%d" % number
            self.start(run, "script.py")
            time.sleep(0.02 * number)
            self.assertEqual(self.cancel(run), "cancelled")
            record = self.load(run)
            self.assertEqual((record["state"], record["exit"]["kind"]), ("finished", "cancelled"))
            self.assertIn(record["exit"]["signal"], ("SIGINT", "SIGTERM"))

    def test_while_it_starts(self):
        self.write("script.py", "import time\ntime.sleep(1000)\n")
        reply = {}
        starting = threading.Thread(target=lambda: reply.update(self.start("r1", "script.py", check=False)))
        starting.start()
        until(lambda: os.path.isdir(self.run_file("r1", "")), what="the run's folder")
        state = self.cancel("r1")
        starting.join()
        if "pid" in reply:
            self.assertFalse(runs_now(reply["pid"]))
        self.assertEqual(state, "cancelled")
        self.assertEqual(self.load("r1")["state"], "finished")

    def test_while_processes_outlive_the_script(self):
        self.helper = patient_helper(self.top)
        self.write("script.py", """\
            import os, time
            if os.fork() == 0:
                time.sleep(1000)
            print(os.getpid())
            """)
        pid = self.start("r1", "script.py")["pid"]
        # Not a zombie either: the supervisor has seen its end.
        until(lambda: not os.path.exists("/proc/%d" % pid), what="the script's end")
        self.assertEqual(self.load("r1")["state"], "running")
        # The script had ended by itself: that is what the run says.
        self.assertEqual(self.cancel("r1"), "finished")
        record = self.load("r1")
        self.assertEqual(record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual([one["pid"] for one in record["processes"] if runs_now(one["pid"])], [])

    def test_after_the_end(self):
        self.run_script("r1", "pass\n")
        self.assertEqual(self.cancel("r1"), "finished")
        self.assertEqual(self.load("r1")["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r9"}, check=False)["error"]["code"],
                         "no-such-run")


if __name__ == "__main__":
    unittest.main()
