"""tegrastats beside us: odd lines, one that dies, hangs, floods or is silent, and its end in every case."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from test_board_common import HELPER, python, read_records, runs_now, until
from test_board_system import RootCase

from jetson_memprof.board.system import tegrastats
from jetson_memprof.board.system.system import System

LINE = "RAM 944/3963MB (lfb 471x4MB) SWAP 0/1981MB (cached 0MB) IRAM 0/252kB(lfb 252kB) CPU [6%@518,off]"


class Case(RootCase):
    def tegrastats(self, script):
        self.put("usr/bin/tegrastats", "#!/bin/sh\necho $$ >> %s/pids\n%s\n" % (self.root, script), 0o755)
        one = tegrastats.Tegrastats(self.system, 1000)
        self.addCleanup(one.close)
        return one

    def pids(self):
        try:
            with open(os.path.join(self.root, "pids")) as file:
                return [int(line) for line in file.read().split("\n")[:-1]]
        except OSError:
            return []

    def newest(self, one):
        def look():
            one.drain(time.monotonic())
            return one.newest()
        return until(look, what="a line")


class Lines(Case):
    def taken(self, *pieces):
        one = tegrastats.Tegrastats(System(self.root + "/gone"), 1000)
        for piece in pieces:
            one._take(piece.encode("utf-8") if isinstance(piece, str) else piece)
        return one.newest()

    def test_the_newest_whole_line_is_kept(self):
        self.assertEqual(self.taken(LINE + "\r\n"), LINE)
        self.assertEqual(self.taken(LINE + "\nRAM 945/3963MB x\nRAM 94"), "RAM 945/3963MB x")
        self.assertEqual(self.taken("RAM 94", "6/3963MB y\n"), "RAM 946/3963MB y")
        self.assertEqual(self.taken("11-21-2026 10:00:00 " + LINE + "\n"), "11-21-2026 10:00:00 " + LINE)

    def test_a_line_is_given_once(self):
        one = tegrastats.Tegrastats(System(self.root + "/gone"), 1000)
        one._take(LINE.encode() + b"\n")
        self.assertEqual((one.newest(), one.newest()), (LINE, None))

    def test_odd_lines_are_passed_over(self):
        for text in (LINE, "", "\n\n", "\n63MB (lfb 1x4MB)\n", "usage: tegrastats\n", LINE + " " + LINE + "\n",
                     LINE[:30] + LINE + "\n", b"\xff\xfe\n", "RAM x/3963MB\n", "IRAM 0/252kB\n"):
            self.assertIsNone(self.taken(text), text)
        self.assertEqual(self.taken(LINE + "\n" + LINE + LINE + "\n"), LINE)

    def test_a_line_without_end_is_dropped_to_its_end(self):
        self.assertIsNone(self.taken("x" * 5000, LINE, LINE + "\n"))
        self.assertEqual(self.taken("x" * 5000, "x" * 90000, "RAM 1/2MB\nRAM 2/3MB\n"), "RAM 2/3MB")
        self.assertIsNone(self.taken("RAM 1/2MB" + "x" * 4096 + "\n"))


class Life(Case):
    def wait_for_end(self, one, now):
        def ended():
            one.drain(now)
            return not one._program.is_on
        until(ended, what="its end")

    def test_none_where_it_is_not_installed(self):
        one = tegrastats.Tegrastats(self.system, 1000)
        one.start()
        one.drain(time.monotonic())
        self.assertIsNone(one.newest())
        one.close()

    def test_it_runs_with_the_interval_in_a_session_of_its_own_and_is_ended(self):
        one = self.tegrastats("while :; do echo RAM 1/2MB $1 $2; sleep 0.05; done")
        one.start()
        self.assertEqual(self.newest(one), "RAM 1/2MB --interval 1000")
        pid, = self.pids()
        self.assertEqual(os.getsid(pid), pid)
        one.close()
        until(lambda: not runs_now(pid), what="its end")
        with self.assertRaises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)

    def test_one_that_ignores_signals_is_ended_with_its_children(self):
        one = self.tegrastats("trap '' TERM INT HUP PIPE\nsleep 1000 &\necho $! >> %s/pids\necho RAM 1/2MB\nwait"
                              % self.root)
        one.start()
        self.newest(one)
        pids = self.pids()
        one.close()
        self.assertEqual(len(pids), 2)
        until(lambda: not any(map(runs_now, pids)), what="their end")

    def test_one_that_died_is_started_again_a_few_times_after_a_pause(self):
        one = self.tegrastats("echo RAM 1/2MB\nexit 3")
        one.start()
        now = 1000.0
        for started in range(1, 6):
            self.wait_for_end(one, now)
            self.assertEqual(len(self.pids()), min(started, 4))
            one.drain(now + 4.9)
            self.assertFalse(one._program.is_on)
            now += 5.0
            one.drain(now)
        self.assertFalse(one._program.is_on)
        self.assertEqual(one.newest(), "RAM 1/2MB")

    def test_one_that_is_silent_or_cannot_run_costs_its_lines_only(self):
        one = self.tegrastats("exec sleep 1000")
        one.start()
        until(self.pids)
        one.drain(time.monotonic())
        self.assertIsNone(one.newest())
        one.close()
        until(lambda: not runs_now(self.pids()[0]), what="its end")
        self.put("usr/bin/tegrastats", b"\x7fELF not a program", 0o755)
        one = tegrastats.Tegrastats(self.system, 1000)
        one.start()
        self.wait_for_end(one, time.monotonic())
        self.assertIsNone(one.newest())

    def test_one_that_floods_takes_little_time(self):
        one = self.tegrastats("exec yes RAM 7/8MB")
        one.start()
        self.assertEqual(self.newest(one), "RAM 7/8MB")
        before = time.process_time()
        for _ in range(20):
            one.drain(time.monotonic())
        self.assertLess(time.process_time() - before, 1.0)

    def test_no_more_processes_or_descriptors(self):
        one = self.tegrastats("echo RAM 1/2MB")
        descriptors = len(os.listdir("/proc/self/fd"))
        for name in ("os.pipe", "os.fork"):
            with mock.patch(name, side_effect=OSError(11, "Resource temporarily unavailable")):
                one.start()
            one.drain(time.monotonic())
        self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)

    def test_a_number_that_is_another_process_by_now_is_left_alone(self):
        one = self.tegrastats("exec sleep 1000")
        one.start()
        until(self.pids)
        one._program._start_time += 1
        with mock.patch("time.monotonic", side_effect=[0.0, 9.0]):
            one.close()
        pid, = self.pids()
        self.assertTrue(runs_now(pid))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def test_it_is_ended_by_a_python_without_resource(self):
        one = self.tegrastats("exec sleep 1000")
        one.start()
        until(self.pids)
        pid, = self.pids()
        with mock.patch.dict(sys.modules, {"resource": None}):
            self.assertGreater(one._program.end(), 0.0)
        self.assertFalse(runs_now(pid))
        self.assertRaises(ChildProcessError, os.waitpid, pid, os.WNOHANG)

    def test_it_is_waited_for_although_the_machine_paused(self):
        one = self.tegrastats("exec sleep 1000")
        one.start()
        until(self.pids)
        pid, = self.pids()
        sleep = time.sleep

        def pause(_):
            while runs_now(pid):
                sleep(0.01)
        with mock.patch("time.sleep", pause), mock.patch("time.monotonic", side_effect=[0.0, 0.5, 9.0]):
            one.close()
        with self.assertRaises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)

    def test_it_does_not_outlive_a_process_that_was_killed(self):
        self.tegrastats("trap '' HUP TERM PIPE\nexec sleep 1000")
        code = ("import sys, time; sys.path.insert(0, %r)\n"
                "from jetson_memprof.board.system import system, tegrastats\n"
                "one = tegrastats.Tegrastats(system.System(%r), 1000); one.start(); time.sleep(1000)" % (HELPER, self.root))
        holder = subprocess.Popen([sys.executable, "-I", "-S", "-c", code])
        try:
            until(self.pids)
        finally:
            holder.kill()
            holder.wait()
        until(lambda: not runs_now(self.pids()[0]), what="its end")


class Watching(Case):
    """The `watch` command as the host runs it."""

    def watch(self, request, **streams):
        self.put("SIMULATED", "Jetson Test\n")
        self.put("pids")
        self.put("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n")
        self.put("usr/bin/tegrastats", "#!/bin/sh\necho $$ >> %s/pids\nwhile :; do echo RAM 1/2MB; sleep 0.05; done\n"
                 % self.root, 0o755)
        watching = subprocess.Popen(
            python(os.path.join(HELPER, "board.py"), "watch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(os.environ, JETSON_MEMPROF_SYSTEM_ROOT=self.root))
        self.addCleanup(watching.stderr.close)
        self.addCleanup(watching.stdout.close)
        self.addCleanup(watching.stdin.close)
        self.addCleanup(watching.wait)
        self.addCleanup(watching.kill)
        watching.stdin.write(json.dumps(request).encode() + b"\n")
        watching.stdin.flush()
        return watching

    def read(self, watching, number):
        """So many records, once tegrastats runs."""
        until(lambda: self.pids() and runs_now(self.pids()[-1]), what="tegrastats")
        return read_records(b"".join(watching.stdout.readline() for _ in range(number)))

    def test_records_come_until_the_input_ends(self):
        watching = self.watch({"interval_ms": 200})
        header, first, second = self.read(watching, 3)
        self.assertEqual((header["simulated"], header["interval_ms"], first["m"]), ("Jetson Test", 200, [4000000, 3000000]))
        self.assertTrue(0 <= first["t"] < second["t"])
        self.assertFalse({"baseline", "run", "at"} & set(first))
        until(lambda: self.read(watching, 1)[0].get("tegrastats") == "RAM 1/2MB", what="a line of tegrastats")
        watching.stdin.close()
        self.assertEqual(watching.wait(60), 0)
        read_records(watching.stdout.read())
        self.assertEqual(watching.stderr.read(), b"")
        until(lambda: not runs_now(self.pids()[0]), what="the end of tegrastats")

    def test_a_jump_of_memory_in_use_is_told_at_once(self):
        watching = self.watch({"interval_ms": 60000})
        _, first = self.read(watching, 2)
        self.put("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 2900000 kB\n")
        found, = self.read(watching, 1)
        self.assertLess(found["t"], first["t"] + 60000)  # it is not the one that was due
        self.assertEqual(found["m"], [4000000, 2900000])

    def test_nobody_reads_any_more(self):
        watching = self.watch({"interval_ms": 200})
        self.read(watching, 2)
        watching.stdout.close()
        self.assertEqual(watching.wait(60), 0)
        self.assertEqual(watching.stderr.read(), b"")
        until(lambda: not runs_now(self.pids()[0]), what="the end of tegrastats")

    def test_signals_end_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            watching = self.watch({"interval_ms": 200})
            self.read(watching, 2)
            watching.send_signal(number)
            self.assertEqual(watching.wait(60), 0)
            self.assertEqual(watching.stderr.read(), b"")
            until(lambda: not runs_now(self.pids()[-1]), what="the end of tegrastats")

    def test_an_interval_that_makes_no_sense_is_refused(self):
        watching = self.watch({"interval_ms": 0})
        self.assertIn("bad-request", watching.stdout.readline().decode())
        self.assertEqual(watching.wait(60), 1)


if __name__ == "__main__":
    unittest.main()
