"""Rescuers that are killed at any step, several at once, and what a power cut leaves: all of it comes out as one run."""
import json
import os
import random
import shutil
import signal
import unittest
from unittest import mock

from test_board_common import BoardCase, read_records, read_table, runs_now, until

from jetson_memprof.board.system import proc
from jetson_memprof.board.errors import BoardError
from jetson_memprof.board.run.rescue import rescue
from jetson_memprof.board.run.runs import RunFolder, listing

SCRIPT = """\
import time
kept = []
def take():
    kept.append(bytearray(1 << 20))
for _ in range(300):
    take()
    if len(kept) == 20:
        print("ready")
    time.sleep(0.005)
time.sleep(30)
"""
STEPS = ("write", "rename", "unlink", "rmdir", "ftruncate", "fdatasync", "fsync")


class Killed(BaseException):
    """Ends a rescuer as a SIGKILL would: nothing that only errors clean up is cleaned up."""


class KilledAt(object):
    """Lets so many steps that change a disk happen, then ends the rescuer; `happened` counts them."""

    def __init__(self, steps):
        self._left = steps
        self.happened = 0

    def __enter__(self):
        self._patches = [mock.patch("os." + name, self._counting(getattr(os, name))) for name in STEPS]
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_):
        for patch in self._patches:
            patch.stop()

    def _counting(self, real):
        def step(*arguments, **more):
            if self.happened == self._left:
                raise Killed()
            self.happened += 1
            return real(*arguments, **more)
        return step


class LostRun(BoardCase):
    """A run whose supervisor and script were killed, and a way to have it again as it was then."""

    def setUp(self):
        BoardCase.setUp(self)
        self.write("script.py", SCRIPT)
        # Appended so seldom that nearly everything is in the counters alone.
        self.pid = self.start("r1", "script.py", interval_ms=30000)["pid"]
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="the script's first words")
        supervisor = self.load("r1", "supervisor.json")["pid"]
        for pid in (supervisor, self.pid):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not runs_now(supervisor) and not runs_now(self.pid), what="both ends")
        self.folder = RunFolder(self.root, "r1")
        self.shared = self.shared_folder("r1")
        self.addCleanup(shutil.rmtree, self.shared, True)
        self.kept = os.path.join(self.top, "kept")
        os.mkdir(self.kept)
        for name, path in (("run", self.folder.path), ("shared", self.shared)):
            # Its sockets cannot be copied, and nobody needs them.
            shutil.copytree(path, os.path.join(self.kept, name), ignore=shutil.ignore_patterns("s", "c"))

    def as_it_was(self):
        for name, path in (("run", self.folder.path), ("shared", self.shared)):
            shutil.rmtree(path, True)
            shutil.copytree(os.path.join(self.kept, name), path)

    def rescued(self):
        """What came of it: (run.json, {(pid, path, line): figures}, records that may be there once each)."""
        record = self.load("r1")
        records = read_records(self.contents("r1", "lines.jsonl"))
        for name in ("samples.jsonl", "moments.jsonl"):
            read_records(self.contents("r1", name))
        once = [(one["record"], one.get("file"), one.get("pid")) for one in records
                if one["record"] in ("header", "file", "process")]
        return record, read_table(self.contents("r1", "lines.jsonl")), once


class Rescuers(LostRun):
    def test_killed_at_every_step_and_done_again(self):
        self.as_it_was()
        with KilledAt(-1) as whole:
            self.assertTrue(rescue(self.folder))
        expected = self.rescued()
        self.assertEqual(expected[0]["exit"], {"kind": "lost"})
        self.assertGreaterEqual(expected[1][(self.pid, "script.py", 4)][0], 20)
        self.assertFalse(os.path.exists(self.shared))
        self.assertGreater(whole.happened, 5)
        for steps in range(whole.happened):
            self.as_it_was()
            with KilledAt(steps), self.assertRaises(Killed):
                rescue(self.folder)
            with KilledAt(steps // 2) as again:  # the next one too, where it gets that far
                try:
                    rescue(self.folder)
                except Killed:
                    pass
            self.assertTrue(rescue(self.folder))
            found = self.rescued()
            self.assertEqual(found, expected, "killed after %d steps, then after %d" % (steps, again.happened))
            self.assertFalse(os.path.exists(self.shared), "after %d steps" % steps)

    def test_killed_while_others_rescue_too(self):
        """Attached hosts all get the same, whichever of the processes that look for the run is killed."""
        chance = random.Random(11)
        for _ in range(3):
            self.as_it_was()
            attached = [self.attach("r1") for _ in range(3)]
            try:
                # As soon as one of them begins, and a little later.
                until(lambda: not os.path.exists(self.shared) or self.contents("r1", "lines.jsonl"), what="a rescuer")
                victim = attached.pop(chance.randrange(3))
                victim.process.kill()
                first, second = [one.wait() for one in attached]
            finally:
                victim.close()
            self.assertEqual(first.files, second.files)
            self.assertEqual(first.frames[-1], {"frame": "end", "state": "lost"})
            self.assertGreaterEqual(read_table(first.files["lines.jsonl"])[(self.pid, "script.py", 4)][0], 20)

    def test_a_disk_that_is_full_loses_nothing(self):
        """What cannot be written is not called finished; the counters stay until it can be."""
        real = os.write

        def full_after(room):
            left = [room]

            def write(fd, data):
                if not os.readlink("/proc/self/fd/%d" % fd).startswith(self.folder.path):
                    return real(fd, data)
                taken = min(len(data), left[0])
                left[0] -= taken
                if taken == 0:
                    raise OSError(28, "No space left on device")
                return real(fd, memoryview(data)[:taken])
            return write
        rescue(self.folder)
        expected = self.rescued()
        size = len(self.contents("r1", "lines.jsonl")) + len(self.contents("r1", "run.json"))
        for room in range(0, size, max(1, size // 12)):
            self.as_it_was()
            with mock.patch("os.write", full_after(room)):
                try:
                    rescue(self.folder)
                except BoardError as error:
                    self.assertEqual(error.code, "no-space")
                    self.assertEqual(self.load("r1")["state"], "running", room)
                    self.assertTrue(os.path.exists(self.shared), room)
            self.assertTrue(rescue(self.folder))
            self.assertEqual(self.rescued(), expected, room)


class PowerCut(LostRun):
    ANOTHER = "00000000-1111-2222-3333-444444444444"

    def cut_power(self, supervisor_json):
        shutil.rmtree(self.shared, True)
        with open(self.run_file("r1", "lock"), "w") as file:
            file.write(self.ANOTHER)
        with open(self.run_file("r1", "supervisor.json"), "w") as file:
            file.write(supervisor_json)

    def test_files_cut_at_any_byte_and_filled_with_nuls(self):
        chance = random.Random(3)
        noted = self.contents("r1", "supervisor.json").decode()
        for number in range(25):
            self.as_it_was()
            self.cut_power("\0" * 90 if number % 3 else noted.replace(proc.boot_id(), self.ANOTHER))
            before = {}
            for name in ("lines.jsonl", "samples.jsonl", "moments.jsonl", "stdout.log"):
                data = self.contents("r1", name)
                at = chance.randrange(len(data) + 1)
                before[name] = data[:at]
                with open(self.run_file("r1", name), "wb") as file:
                    file.write(data[:at] + b"\0" * chance.choice((0, 1, len(data) - at, 4096)))
            self.assertEqual([one["state"] for one in listing(self.root)], ["lost"])
            record = self.load("r1")
            self.assertEqual(record["exit"], {"kind": "lost", "restarted": True})
            self.assertGreaterEqual(record["ended"], record["started"])
            self.assertEqual(self.contents("r1", "stdout.log"), before["stdout.log"])
            for name in ("lines.jsonl", "samples.jsonl", "moments.jsonl"):
                kept = self.contents("r1", name)
                self.assertEqual(kept, before[name][:before[name].rfind(b"\n") + 1], name)
                read_records(kept)

    def test_pids_that_others_have_now_are_left_alone(self):
        noted = json.loads(self.contents("r1", "supervisor.json").decode())
        own = [os.getpid(), proc.status_of(os.getpid())[3]]
        self.cut_power(json.dumps(dict(noted, boot_id=self.ANOTHER, pid=own[0], start_time=own[1],
                                       script_pid=own[0], processes=[own])))
        self.assertEqual([(one["state"], one["pid"]) for one in listing(self.root)], [("lost", None)])
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r1"}), {"state": "finished"})
        self.assertEqual(self.load("r1")["exit"], {"kind": "lost", "restarted": True})

    def test_counters_that_outlived_it_are_not_believed(self):
        """They lie on the disk where there was no shared memory; newer figures must not be replaced by theirs."""
        self.cut_power(json.dumps(dict(self.load("r1", "supervisor.json"), boot_id=self.ANOTHER)))
        shutil.copytree(os.path.join(self.kept, "shared"), self.shared)
        before = self.contents("r1", "lines.jsonl")
        self.assertTrue(rescue(self.folder))
        self.assertEqual(self.contents("r1", "lines.jsonl"), before)
        self.assertFalse(os.path.exists(self.shared))

    def test_a_profile_of_massif_whose_pid_somebody_has_now_is_taken_too(self):
        """And one of which the power cut left NULs is not sent over the host's."""
        exit_file, out = "massif.exit.%d" % os.getpid(), "massif.out.%d" % os.getpid()
        with open(self.run_file("r1", exit_file), "w") as file:
            file.write("desc: --time-unit=ms\n")
        with open(self.run_file("r1", "massif.out.77"), "w") as file:
            file.write("\0" * 4096)
        record = self.load("r1")
        record["engine"] = {"name": "massif", "exact": False, "peak": False, "accelerator": False}
        with open(self.run_file("r1", "run.json"), "w") as file:
            json.dump(record, file)
        self.cut_power("{}")
        mirror = self.attach("r1", {"massif.out.77": b"the one that came home"}).wait()
        self.assertEqual(mirror.files[out], b"desc: --time-unit=ms\n")
        self.assertEqual(mirror.files["massif.out.77"], b"the one that came home")

    def test_a_host_that_has_more_keeps_it(self):
        lines = self.contents("r1", "lines.jsonl")
        more = {"lines.jsonl": lines + b'{"record":"rows"}\n', "stdout.log": b"ready\nand more\n"}
        self.cut_power("{}")
        mirror = self.attach("r1", more).wait()
        self.assertEqual({name: mirror.files[name] for name in more}, more)
        self.assertEqual(mirror.record["exit"], {"kind": "lost", "restarted": True})

    def test_a_damaged_description_hides_nothing(self):
        self.cut_power("{}")
        with open(self.run_file("r1", "run.json"), "w") as file:
            file.write("\0" * 500)
        self.assertEqual(listing(self.root), [{"id": "r1", "state": "lost", "pid": None, "script": None}])
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.frames[-1]["error"]["code"], "damaged-run")
        self.assertEqual(mirror.files["stdout.log"], b"ready\n")
        self.assertEqual(self.command("remove", {"root": self.root, "id": "r1"}), {})


if __name__ == "__main__":
    unittest.main()
