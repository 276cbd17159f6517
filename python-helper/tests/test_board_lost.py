"""The supervisor is killed: what it had and what the counters hold is brought together."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, changed_helper, python, read_records, read_table, runs_now, until

from jetson_memprof.board.system import proc
from jetson_memprof.board.run import runs
from jetson_memprof.board.errors import BoardError

SCRIPT = """\
import time
kept = []
print("ready")
for number in range(3000):  # a test that fails leaves it behind
    kept.append(bytearray(1 << 20 if number < 300 else 1))
    time.sleep(0.01)
time.sleep(1000)
"""


# Silent from then on; the child is no process that the kernel ends with the supervisor.
FAMILY = """\
import os, time
child = os.fork()
if child:
    print(child)
    print("ready")
time.sleep(1000)
"""


class Lost(BoardCase):
    def test_a_supervisor_that_fails_says_in_its_log_why(self):
        for number, fault in enumerate(("import no_such_module", "raise OSError(5, 'no_such_device')",
                                        "raise ValueError('no_such_value')")):
            with self.subTest(fault):
                run = "r%d" % number
                self.helper = changed_helper(os.path.join(self.top, run), (
                    "run/supervisor.py", r"(    def _finish\(self\):\n)", r"\g<1>        %s\n" % fault))
                self.assertEqual(self.run_script(run, "pass").record["exit"], {"kind": "lost"})
                self.assertEqual(self.contents(run, "helper.log").count(b"no_such_"), 2)  # the line, and what it raises

    def start_and_wait(self, run, script=SCRIPT, **changes):
        self.write("script.py", script)
        pid = self.start(run, "script.py", **changes)["pid"]
        # With the line's end, which it writes separately: a script that writes to nobody ends by itself.
        until(lambda: b"ready\n" in self.contents(run, "stdout.log"), what="the script's first words")
        return pid, self.load(run, "supervisor.json")["pid"]

    def start_family(self, run):
        """The pids of script, child and supervisor, of which the last has noted all."""
        pid, supervisor = self.start_and_wait(run, FAMILY)
        child = int(self.contents(run, "stdout.log").split()[0])
        until(lambda: child in [one[0] for one in self.load(run, "supervisor.json")["processes"]], what="a note of it")
        return pid, child, supervisor

    def kill(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def check_lost(self, run, mirror):
        record = mirror.record
        self.assertEqual((record["state"], record["exit"]), ("finished", {"kind": "lost"}))
        self.assertEqual(mirror.frames[-1], {"frame": "end", "state": "lost"})
        self.assertIn("lost", [one["code"] for one in record["warnings"]])
        self.assertFalse(os.path.exists(self.shared_folder(run)))
        self.assertEqual(read_records(mirror.files["lines.jsonl"])[-1]["record"], "end")
        for name, data in mirror.files.items():
            self.assertEqual(self.contents(run, name), data, name)

    def test_supervisor_and_group_at_random_moments(self):
        """Nothing the counters held is lost, whenever the kill comes."""
        chance = random.Random(5)
        for number in range(3):
            run = "r%d" % number
            # Appended so seldom that almost everything is in the counters alone.
            pid, supervisor = self.start_and_wait(run, interval_ms=100 if number % 2 else 30000)
            attached = self.attach(run)
            until(lambda: self.rss(pid) > 40 << 20, what="some turns of the loop")
            time.sleep(chance.random() * 0.4)
            held = self.rss(pid)
            self.kill(supervisor, pid)
            mirror = attached.wait()
            self.check_lost(run, mirror)
            table = read_table(mirror.files["lines.jsonl"])
            hits, net = table[(pid, "script.py", 5)][:2]
            self.assertGreater(hits, 5)
            self.assertGreater(net, held - (30 << 20))
            last = mirror.record["last_lines"]
            self.assertEqual([one["path"] for one in last], ["script.py"])
            self.assertIn(last[0]["line"], (4, 5, 6))
            self.assertEqual([["script.py", last[0]["line"]]], last[0]["stack"])
            self.assertEqual(mirror.record["files"][0]["source"], "sources/script.py")
            self.assertIn(b"kept.append", mirror.files["sources/script.py"])
            self.assertEqual([one["pid"] for one in mirror.record["processes"]], [pid])

    @staticmethod
    def rss(pid):
        with open("/proc/%d/statm" % pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_a_connection_lost_while_it_starts(self):
        """`start` is killed at any moment: the run goes on, or says that it is lost; it never hangs."""
        self.write("script.py", "print('done')\n")
        ends = []
        for number in range(6):
            run = "s%d" % number
            self._runs.append(run)
            process = subprocess.Popen(python(os.path.join(HELPER, "board.py"), "start"), stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            process.stdin.write(json.dumps(self.order(run, "script.py")).encode("utf-8") + b"\n")
            process.stdin.close()
            process.stdout.close()  # nor does anyone hear the reply
            time.sleep(0.03 * number)
            process.kill()
            process.wait()
            if not os.path.isdir(self.run_file(run, "")):
                continue
            mirror = self.attach(run).wait()
            if "error" in mirror.frames[-1]:
                self.assertEqual(mirror.frames[-1]["error"]["code"], "damaged-run")
                continue
            ends.append(mirror.record["exit"]["kind"])
            if ends[-1] == "exited":
                self.assertEqual(mirror.files["stdout.log"], b"done\n")
        self.assertTrue(set(ends) <= {"exited", "lost"}, ends)

    def test_runs_finds_it_and_cancel_ends_what_is_left(self):
        pid, child, supervisor = self.start_family("r1")
        self.kill(supervisor)
        until(lambda: not runs_now(supervisor), what="the supervisor's end")
        until(lambda: not runs_now(pid), what="the script's end with it")
        found = self.command("runs", {"root": self.root})["runs"]
        self.assertEqual(found, [{"id": "r1", "state": "lost", "pid": None, "script": "script.py"}])
        warnings = {one["code"]: one["message"] for one in self.load("r1")["warnings"]}
        self.assertIn("%d (" % child, warnings["processes-left"])
        self.assertIn("jetson-memprof cancel r1", warnings["processes-left"])
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r1"}), {"state": "cancelled"})
        self.assertFalse(runs_now(child))
        self.assertEqual(self.load("r1")["exit"], {"kind": "lost"})
        self.assertEqual(self.command("remove", {"root": self.root, "id": "r1"}), {})

    def test_killed_while_it_starts(self):
        self.write("script.py", "import time\nprint('ready')\ntime.sleep(1000)\n")
        self._runs.append("r1")
        process = subprocess.Popen(python(os.path.join(HELPER, "board.py"), "start"), stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL)
        process.stdin.write(json.dumps(self.order("r1", "script.py")).encode("utf-8") + b"\n")
        process.stdin.close()
        noted = self.run_file("r1", "supervisor.json")
        until(lambda: os.path.exists(noted), what="the supervisor's note")
        self.kill(self.load("r1", "supervisor.json")["pid"])
        process.wait()
        mirror = self.attach("r1").wait()
        self.assertIn(mirror.record["exit"]["kind"], ("not-started", "lost"))
        shared = self.shared_folder("r1")
        self.assertFalse(os.path.exists(shared))
        self.command("cancel", {"root": self.root, "id": "r1"})
        left = proc.ProcessTree(-1, -1)
        left.scan_environments(os.fsencode(shared))
        self.assertEqual(left.alive(), [])

    def test_processes_that_nobody_noted_are_ended_too(self):
        _, child, supervisor = self.start_family("r1")
        self.kill(supervisor)
        until(lambda: not runs_now(supervisor))
        noted = self.load("r1", "supervisor.json")
        with open(self.run_file("r1", "supervisor.json"), "w") as file:
            json.dump(dict(noted, processes=[]), file)
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r1"}), {"state": "cancelled"})
        self.assertFalse(runs_now(child))

    def test_who_asks_whether_a_run_is_held_makes_no_file(self):
        """A folder that is just being removed must not get another file."""
        folder = runs.RunFolder(self.root, "r1")
        self.assertFalse(folder.is_held())
        os.makedirs(folder.path)
        self.assertFalse(folder.is_held())
        self.assertEqual(os.listdir(folder.path), [])
        lock = folder.take_lock()
        self.assertTrue(folder.is_held())
        os.close(lock)
        self.assertFalse(folder.is_held())
        self.assertEqual(os.listdir(folder.path), ["lock"])

    def test_one_that_is_removed_while_runs_looks_at_it_is_not_listed(self):
        folder = runs.RunFolder(self.root, "r1")
        os.makedirs(folder.path)
        with open(folder.file("run.json"), "w") as file:
            json.dump({"id": "r1", "state": "running"}, file)
        read = runs.RunFolder.run_record

        def removed_after(this):
            record = read(this)
            shutil.rmtree(this.path)
            return record

        with mock.patch.object(runs.RunFolder, "run_record", removed_after):
            self.assertEqual(runs.listing(self.root), [])

    def test_one_that_cannot_be_rescued_does_not_hide_the_others(self):
        pid, supervisor = self.start_and_wait("r1")
        self.kill(supervisor, pid)
        until(lambda: not runs_now(supervisor))
        with mock.patch("jetson_memprof.board.run.rescue.rescue", side_effect=BoardError("no-space", "Full.", "Free.")):
            found = runs.listing(self.root)
        self.assertEqual([(one["id"], one["state"]) for one in found], [("r1", "lost")])
        self.assertEqual(self.load("r1")["state"], "running")  # the figures still wait to be rescued

    def test_cancel_of_a_lost_run(self):
        pid, child, supervisor = self.start_family("r1")
        self.kill(supervisor)
        until(lambda: not runs_now(supervisor))
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r1"}), {"state": "cancelled"})
        self.assertEqual([], [one for one in (pid, child) if runs_now(one)])

    def test_cancel_while_somebody_else_rescues_the_run(self):
        import jetson_memprof.board.commands.cancel as module
        _, child, supervisor = self.start_family("r1")
        self.kill(supervisor)
        until(lambda: not runs_now(supervisor))
        real, busy = module.rescue, [True, True]

        def held_twice(folder):
            return False if busy and busy.pop() else real(folder)
        with mock.patch.object(module, "rescue", held_twice):
            self.assertEqual(module.cancel({"root": self.root, "id": "r1"}), {"state": "cancelled"})
        self.assertFalse(runs_now(child))

    def test_a_supervisor_that_hangs_does_not_hold_up_cancel(self):
        import jetson_memprof.board.commands.cancel as module
        from jetson_memprof.board.commands.cancel import cancel
        pid, supervisor = self.start_and_wait("r1")
        os.kill(supervisor, signal.SIGSTOP)
        patience, module._PATIENCE_S = module._PATIENCE_S, 0.5
        try:
            self.assertEqual(cancel({"root": self.root, "id": "r1"}), {"state": "cancelled"})
        finally:
            module._PATIENCE_S = patience
        self.assertFalse(runs_now(pid))
        until(lambda: not runs_now(supervisor), what="the supervisor's end")

    def test_after_a_restart_of_the_board(self):
        pid, supervisor = self.start_and_wait("r1")
        until(lambda: {"file", "at"} <= {one["record"] for one in read_records(self.contents("r1", "lines.jsonl"))},
              what="the script's place in the table")
        shared = self.shared_folder("r1")
        self.kill(supervisor, pid)
        until(lambda: not runs_now(supervisor))
        # What a restart leaves: another boot id, no shared memory, half a record.
        path = self.run_file("r1", "supervisor.json")
        with open(path) as file:
            text = file.read()
        boot = self.load("r1", "supervisor.json")["boot_id"]
        with open(path, "w") as file:
            file.write(text.replace(boot, "another"))
        for name in os.listdir(shared):
            os.unlink(os.path.join(shared, name))
        os.rmdir(shared)
        with open(self.run_file("r1", "lines.jsonl"), "ab") as file:
            file.write(b'{"record":"file","path":7}\n{"record":"at","pid":1}\n')
        before = self.contents("r1", "lines.jsonl")
        for name in ("lines.jsonl", "samples.jsonl"):
            with open(self.run_file("r1", name), "ab") as file:
                file.write(b'{"record":"rows","t":9')
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "lost", "restarted": True})
        # Nothing is added, so that a host that has more of it can keep that.
        self.assertEqual(mirror.files["lines.jsonl"], before)
        self.assertEqual(self.contents("r1", "lines.jsonl"), before)
        self.assertIn("restarted", " ".join(one["message"] for one in mirror.record["warnings"]))
        self.assertEqual(mirror.record["last_lines"][0]["path"], "script.py")
        read_records(mirror.files["samples.jsonl"])

    def test_attached_twice_to_a_dying_run(self):
        pid, supervisor = self.start_and_wait("r1")
        both = [self.attach("r1"), self.attach("r1")]
        until(lambda: all(one.mirror.frames for one in both), what="what both are sent")
        self.kill(pid, supervisor)
        first, second = [one.wait() for one in both]
        self.check_lost("r1", first)
        self.assertEqual(first.files, second.files)


if __name__ == "__main__":
    unittest.main()
