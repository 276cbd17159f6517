"""Cancelling in every phase ends everything that belongs to the run."""
import os
import threading
import time
import unittest

from test_board_common import BoardCase, least, read_records, runs_now, until


class Cancelling(BoardCase):
    def cancel(self, run):
        return self.command("cancel", {"root": self.root, "id": run})["state"]

    def numbers(self, run):
        return [int(word) for word in self.contents(run, "stdout.log").split()]

    def test_sigint_first(self):
        self.write("script.py", """\
            import time
            try:
                print("ready")
                time.sleep(60)
            except KeyboardInterrupt:
                print("interrupted")
                raise
            """)
        numbers = iter(range(10))
        self.assertLess(least(lambda: self.interrupted("r%d" % next(numbers)), 2.5), 2.5)
        self.assertEqual(self.cancel("r0"), "cancelled")

    def interrupted(self, run):
        """How long it took to cancel a script that ends at SIGINT."""
        self.start(run, "script.py")
        until(lambda: b"ready\n" in self.contents(run, "stdout.log"), what="ready")
        attached = self.attach(run)
        began = time.monotonic()
        self.assertEqual(self.cancel(run), "cancelled")
        took = time.monotonic() - began
        mirror = attached.wait()
        self.assertEqual(mirror.record["exit"], {"kind": "cancelled", "signal": "SIGINT"})
        self.assertEqual(mirror.files["stdout.log"], b"ready\ninterrupted\n")
        self.assertEqual(mirror.frames[-1]["state"], "finished")
        return took

    def test_what_takes_patience(self):
        """Two waits of 5 s at once: for processes that outlive their script, and for those that will not end."""
        self.write("outlived.py", """\
            import os, time
            if os.fork() == 0:
                time.sleep(60)
            print("parent ends")
            """)
        self.start("r2", "outlived.py")
        outlived = self.attach("r2")
        self._sigterm_then_sigkill_and_who_left_the_group()
        mirror = outlived.wait()
        # By the supervisor's own clock; a wait for the child itself would be one of 60 s.
        waited = read_records(mirror.files["lines.jsonl"])[-1]["t"] - mirror.record["elapsed_ms"]
        self.assertTrue(4900 < waited < 20000, waited)
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
                subprocess.Popen(["sh", "-c", "setsid sh -c 'echo $$; exec sleep 61' & wait"])
            os.write(1, b"%d\\n" % os.getpid())
            time.sleep(60)
            """)
        self.start("r1", "script.py")
        pids = until(lambda: len(self.numbers("r1")) == 3 and self.numbers("r1"), what="three processes")
        self.assertTrue(all(runs_now(pid) for pid in pids))
        began = time.monotonic()
        self.assertEqual(self.cancel("r1"), "cancelled")
        took = time.monotonic() - began
        self.assertTrue(4.5 < took < 20, took)  # to wait for their own ends would take 60 s
        self.assertEqual([pid for pid in pids if runs_now(pid)], [])
        self.assertEqual(self.load("r1")["exit"], {"kind": "cancelled", "signal": "SIGKILL"})

    def test_at_once_after_the_start(self):
        self.write("script.py", "import time\ntime.sleep(60)\n")
        for number in range(4):
            run = "r%d" % number
            self.start(run, "script.py")
            time.sleep(0.02 * number)
            self.assertEqual(self.cancel(run), "cancelled")
            record = self.load(run)
            self.assertEqual((record["state"], record["exit"]["kind"]), ("finished", "cancelled"))
            self.assertIn(record["exit"]["signal"], ("SIGINT", "SIGTERM"))

    def test_while_it_starts(self):
        self.write("script.py", "import time\ntime.sleep(60)\n")
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
        self.write("script.py", """\
            import os, time
            if os.fork() == 0:
                time.sleep(60)
            print(os.getpid())
            """)
        pid = self.start("r1", "script.py")["pid"]
        # Not a zombie either: the supervisor has seen its end.
        until(lambda: not os.path.exists("/proc/%d" % pid), what="the script's end")
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
