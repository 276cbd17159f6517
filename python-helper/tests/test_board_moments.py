"""moments.jsonl: the processes of a board, when moments are taken and what stands in them."""
import json
import mmap
import os
import subprocess
import time
import unittest
from unittest import mock

from test_board_common import BoardCase, read_records, runs_now, until
from test_board_system import RootCase

from jetson_memprof.board import files
from jetson_memprof.board.system import moments, processes, proc
from jetson_memprof.board.run import timeline
from jetson_memprof.board.system.system import System

STATUS = """Name:\t%(name)s
State:\tS (sleeping)
Pid:\t%(pid)d
Uid:\t%(uid)s\t1000\t1000\t1000
VmHWM:\t  999999 kB
VmRSS:\t  %(rss)d kB
RssAnon:\t  %(anon)d kB
RssFile:\t  200 kB
RssShmem:\t  30 kB
VmSwap:\t  4 kB
"""
SMAPS = """00400000-00500000 r-xp 00000000 b3:01 12 /usr/bin/python3
Rss:                 400 kB
Pss:                 100 kB
Shared_Clean:        300 kB
Private_Clean:        40 kB
Private_Dirty:        20 kB
SwapPss:               7 kB
7f0000000000-7f0000100000 rw-p 00000000 00:00 0
Pss:                  50 kB
Pss_Dirty:            50 kB
Private_Clean:         0 kB
Private_Dirty:        50 kB
"""


class FakeProc(RootCase):
    def process(self, pid, name="desktop", uid="1000", rss=1000, anon=770, folder="proc"):
        fields = {"name": name, "pid": pid, "uid": uid, "rss": rss, "anon": anon}
        text = (STATUS % fields).encode("utf-8", "surrogateescape")
        self.put("%s/%d/status" % (folder, pid), text)
        self.put("%s/%d/statm" % (folder, pid), "5000 %d 57 1 0 100 0\n" % (rss * 1024 // proc.PAGE))

    def gone(self, pid):
        for name in ("status", "statm"):
            os.unlink(os.path.join(self.root, "proc/%d/%s" % (pid, name)))

    def endless(self):
        return processes.Budget(share=1e9)


class ProcessTable(FakeProc):
    def table(self, **budgets):
        return processes.Processes(self.system, budgets.get("others", self.endless()), budgets.get("smaps", self.endless()))

    def look(self, table, run, now):
        table.look(run, now)
        table.look_at_shares(now)

    def test_an_entry_is_in_bytes_and_unknown_is_none(self):
        self.process(42)
        table = self.table()
        self.look(table, (), 1.0)
        self.assertEqual(table.entries(), [[42, "desktop", 1000, 1000 << 10, 770 << 10, 200 << 10, 30 << 10, 4 << 10,
                                            None, None]])
        self.assertEqual(table.read_at, 1.0)

    def test_odd_names_and_texts(self):
        for pid, name, shown in ((1, "a (b) c", "a (b) c"), (2, "tab\\nline", "tab\\nline"), (3, "VmRSS: 5 kB", "VmRSS: 5 kB"),
                                 (4, b"\xff\xe9".decode("utf-8", "surrogateescape"), "\ufffd\ufffd"), (5, "", "")):
            self.process(pid, name)
        self.put("proc/6/status", "Name:\tkthread\nUid:\t0\t0\n")        # a kernel thread has no memory
        self.put("proc/6/statm", "0 0 0 0 0 0 0\n")
        self.put("proc/7/status", "VmRSS:\t 7 kB\nVmRSS:\t x kB\nUid:\tx\n")  # begins with it: not a field of its own line
        self.put("proc/8/status", b"\0\xff")
        self.put("proc/9/status", "Name:\tx\nVmRSS:\t lots kB\n")
        self.put("proc/self/status", "Name:\tself\nVmRSS:\t 7 kB\n")
        os.mkfifo(os.path.join(self.root, "proc/8/statm"))
        table = self.table()
        self.look(table, (), 1.0)
        self.assertEqual([entry[:2] for entry in table.entries()],
                         [[1, "a (b) c"], [2, "tab\\nline"], [3, "VmRSS: 5 kB"], [4, "\ufffd\ufffd"], [5, ""]])

    def test_kernels_before_4_5_tell_anonymous_memory_in_statm(self):
        self.put("proc/5/status", "Name:\told\nUid:\t0\nVmRSS:\t 400 kB\n")
        self.put("proc/5/statm", "500 100 30 0 0 0 0\n")
        table = self.table()
        self.look(table, (), 1.0)
        self.assertEqual(table.entries(), [[5, "old", 0, 400 << 10, 70 * proc.PAGE, None, None, None, None, None]])

    def test_pss_and_uss_from_smaps_where_there_is_no_rollup(self):
        self.process(42)
        self.put("proc/42/smaps", SMAPS)
        table = self.table()
        self.look(table, (), 1.0)
        self.assertEqual(table.entries()[0][8:], [150 << 10, 110 << 10])
        self.put("proc/42/smaps_rollup", "0-1 ---p 00000000 00:00 0 [rollup]\nPss: 9 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 2 kB\n")
        self.look(table, (), 2.0)
        self.assertEqual(table.entries()[0][8:], [9 << 10, 3 << 10])

    def test_long_smaps_are_read_in_pieces(self):
        self.process(42)
        self.put("proc/42/smaps", SMAPS * 3000)
        self.assertEqual(processes.read_shares(os.path.join(self.root, "proc/42")), (3000 * 150 << 10, 3000 * 110 << 10))
        self.put("proc/42/status", "Name:\tx\nState:\tD (disk sleep)\n")
        self.assertEqual(processes.read_shares(os.path.join(self.root, "proc/42")), (None, None))

    def test_only_what_changed_is_told_until_it_is_written(self):
        self.process(1, rss=100000)
        self.process(2, rss=1000)
        table = self.table()
        self.look(table, (), 1.0)
        changed, gone = table.changes()
        self.assertEqual(([entry[0] for entry in sorted(changed)], gone), ([1, 2], []))
        self.assertEqual(len(table.changes()[0]), 2)  # not written yet
        table.written(changed, gone)
        self.assertEqual(table.changes(), ([], []))
        self.process(1, rss=100900)   # less than 1 %
        self.process(2, rss=1060)     # less than 64 KiB
        self.look(table, (), 2.0)
        self.assertEqual(table.changes(), ([], []))
        self.process(1, rss=101100)
        self.process(2, rss=1004, name="another")
        self.look(table, (), 3.0)
        changed, gone = table.changes()
        self.assertEqual([entry[:2] for entry in sorted(changed)], [[1, "desktop"], [2, "another"]])
        table.written(changed, gone)
        self.gone(1)
        self.look(table, (), 5.0)
        self.assertEqual(table.changes(), ([], [1]))
        table.written([], [1])
        self.assertEqual(table.changes(), ([], []))

    def test_the_runs_own_are_told_more_closely(self):
        """What the ledger says of the run may be compared with what the script is known to hold."""
        held = b"\1" * (128 << 20)
        table = self.table()
        self.look(table, (os.getpid(),), 1.0)
        table.written(*table.changes())
        little = mmap.mmap(-1, len(held) >> 7)  # less than 1 %; of still less the kernel may not tell at once
        self.addCleanup(little.close)
        little.write(held[:len(little)])
        self.look(table, (os.getpid(),), 2.0)
        self.assertEqual([os.getpid()], [entry[0] for entry in table.changes()[0]])

    def test_a_pid_that_another_program_has_now_loses_its_shares(self):
        self.process(42)
        self.put("proc/42/smaps", SMAPS)
        table = self.table()
        self.look(table, (), 1.0)
        os.unlink(os.path.join(self.root, "proc/42/smaps"))
        self.process(42, name="other", rss=2000)
        with mock.patch.object(table._smaps_budget, "allows", return_value=False):
            self.look(table, (), 2.0)
        self.assertEqual(table.entries()[0][8:], [None, None])

    def test_shares_are_void_while_the_process_holds_more_or_less_than_when_they_were_read(self):
        self.process(42, rss=10000)
        self.put("proc/42/smaps", SMAPS)
        table = self.table()
        self.look(table, (), 1.0)
        with mock.patch.object(table._smaps_budget, "allows", return_value=False):
            for rss, told in ((10090, [150 << 10, 110 << 10]), (20000, [None, None]), (10000, [150 << 10, 110 << 10])):
                self.process(42, rss=rss)
                self.look(table, (), 2.0)
                self.assertEqual(table.entries()[0][8:], told, rss)

    def test_the_runs_processes_are_the_real_ones_and_read_each_time(self):
        me = os.getpid()
        self.process(me, name="captured")
        table = self.table(others=processes.Budget(share=0))
        self.look(table, [me, 2 ** 22 + 5], 1.0)
        entry, = table.entries()
        self.assertEqual((entry[0], entry[2]), (me, os.getuid()))
        self.assertNotEqual(entry[1], "captured")
        self.assertGreater(entry[8], 0)
        self.assertEqual(table.known([2 ** 22 + 5, me]), [me])
        self.assertIsNone(table.read_at)
        self.look(table, [], 2.0)
        self.assertEqual(table.entries(), [])

    def test_the_shares_of_a_run_are_read_together_and_void_when_it_gains_or_loses_a_process(self):
        children = [subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
        try:
            for one in children:  # as long as a program is being loaded its memory grows
                one.stdin.write(b"x\n")
                one.stdin.flush()
                one.stdout.readline()
            pids = [os.getpid()] + [one.pid for one in children]
            table = self.table()
            self.look(table, pids[:2], 1.0)
            self.assertTrue(all(entry[8] and entry[9] for entry in table.entries()))
            with mock.patch.object(table._smaps_budget, "allows", return_value=False):
                self.look(table, pids, 2.0)
            self.assertEqual([entry[8:] for entry in table.entries()], [[None, None]] * 3)
            self.look(table, pids, 3.0)
            self.assertTrue(all(entry[8] and entry[9] for entry in table.entries()))
            with mock.patch.object(table._smaps_budget, "allows", return_value=False):
                self.look(table, pids[:1], 4.0)
            self.assertEqual([entry[8:] for entry in table.entries()], [[None, None]])
            with mock.patch("jetson_memprof.board.system.processes.read_shares", side_effect=[(5, 4), (None, None)]):
                with mock.patch.object(table._smaps_budget, "allows", side_effect=[True, False]):
                    self.look(table, pids[:2], 5.0)
            self.assertEqual([entry[8:] for entry in table.entries()], [[None, None]] * 2)
        finally:
            for one in children:
                one.kill()
                one.communicate()

    def test_one_that_vanishes_while_it_is_read(self):
        for pid in (1, 2, 3):
            self.process(pid)
        table = self.table()
        read = table._read

        def vanish(path, limit):
            if path.endswith("/2/status"):
                raise ProcessLookupError(3, "No such process")
            return read(path, limit)
        table._read = vanish
        self.look(table, (), 1.0)
        self.assertEqual([entry[0] for entry in table.entries()], [1, 3])

    def test_no_proc_at_all(self):
        table = processes.Processes(System(self.root + "/gone"))
        self.look(table, (), 1.0)
        self.assertEqual(table.entries(), [])


class Budgets(unittest.TestCase):
    def test_what_was_spent_must_be_earned(self):
        budget = processes.Budget(share=0.003, now=100.0)
        self.assertTrue(budget.allows(100.0))
        with mock.patch("time.clock_gettime", side_effect=[5.0, 5.6]):
            self.assertEqual(budget.spend(lambda one: one + 1, 2), 3)
        self.assertFalse(budget.allows(100.0))       # 0.03 s were there, 0.6 s were spent
        self.assertFalse(budget.allows(289.0))
        self.assertFalse(budget.allows(280.0))       # a clock that went back earns nothing
        self.assertTrue(budget.allows(291.0))
        self.assertTrue(budget.allows(1e6))
        with mock.patch("time.clock_gettime", side_effect=[5.0, 5.031]):
            budget.spend(int)
        self.assertFalse(budget.allows(1e6))         # savings are ten seconds' at most


class Records(FakeProc):
    MEMINFO = "MemTotal: %d kB\nMemFree: 100 kB\nMemAvailable: %d kB\n"

    def setUp(self):
        FakeProc.setUp(self)
        self.put("SIMULATED", "Jetson Nano\n")
        self.system = System(self.root)
        self.out = []
        self.full = False
        self.moments = moments.Moments(self.system, self.write, 1000)
        self.addCleanup(self.moments.close)

    def write(self, data):
        if not self.full:
            self.out.append(data)
        return not self.full

    def meminfo(self, available=500000, total=1000000):
        return b"\n" + (self.MEMINFO % (total, available)).encode()

    def records(self):
        return read_records(b"".join(self.out))

    def test_header_and_baseline(self):
        self.process(42)
        self.put("proc/buddyinfo", "Node 0, zone DMA 1 2\n")
        before = time.time()
        began, unix_s = self.moments.begin(self.meminfo())
        header, baseline = self.records()
        self.assertEqual(header, {"schema": 1, "record": "header", "unix_ms": int(unix_s * 1000), "interval_ms": 1000,
                                  "meminfo": ["MemTotal", "MemFree", "MemAvailable"], "simulated": "Jetson Nano"})
        self.assertTrue(before <= unix_s <= time.time() and began <= time.monotonic())
        self.assertLess(baseline["t"], 0)
        self.assertEqual(baseline["p_t"], baseline["t"])
        self.assertEqual((baseline["baseline"], baseline["m"], baseline["p"][0][0], baseline["buddyinfo"]),
                         (True, [1000000, 100, 500000], 42, "Node 0, zone DMA 1 2\n"))
        self.assertFalse({"run", "cuda", "at", "nvmap", "tegrastats", "gpu_load", "zram", "pagesets"} & set(baseline))

    def test_a_moment_of_a_run(self):
        self.moments.begin(self.meminfo())
        self.put("sys/kernel/debug/nvmap/iovmm/clients", "CLIENT\n")
        self.put("proc/zoneinfo", "    cpu: 0\n        count: 2\n        high_max: 9\n")
        cuda = {"pid": os.getpid(), "age_ms": 5, "allocated": 1, "reserved": 2, "allocated_peak": 3}
        self.moments.take(1000, self.meminfo(), [os.getpid()], cuda, ["train.py", 33])
        found = self.records()[-1]
        self.assertEqual((found["t"], found["run"], found["cuda"], found["at"], found["nvmap"], found["p"][0][0]),
                         (1000, [os.getpid()], cuda, ["train.py", 33], "CLIENT\n", os.getpid()))
        self.assertEqual(2 * os.sysconf("SC_PAGE_SIZE"), found["pagesets"])
        self.moments.take(2000, self.meminfo())
        self.assertNotIn("nvmap", self.records()[-1])      # as before
        self.assertEqual((self.records()[-1]["gone"], "run" in self.records()[-1]), ([os.getpid()], False))
        os.unlink(os.path.join(self.root, "sys/kernel/debug/nvmap/iovmm/clients"))
        for expected in ("", None):
            self.moments.take(3000, self.meminfo())
            self.assertEqual(self.records()[-1].get("nvmap"), expected)

    def test_the_drivers_list_of_processes_is_told_as_it_changes(self):
        self.moments.begin(self.meminfo())
        told = []
        for text in (None, "1, 2\n", "1, 2\n", "1, 3\n", None, None):
            self.moments._apps.text = text
            self.moments.take(1000, self.meminfo())
            told.append(self.records()[-1].get("gpu_apps"))
        self.assertEqual([None, "1, 2\n", None, "1, 3\n", "", None], told)

    def test_what_the_driver_says_of_the_gpus_memory_is_told_once(self):
        self.moments.begin(self.meminfo())
        told = []
        for text in (None, "[N/A]\n", "[N/A]\n"):
            self.moments._apps.sizes = text
            self.moments.take(1000, self.meminfo())
            told.append(self.records()[-1].get("gpu_memory"))
        self.assertEqual([None, "[N/A]\n", None], told)
        self.moments._apps.sizes = ""

    def test_what_could_not_be_written_is_told_again(self):
        self.moments.begin(self.meminfo())
        self.process(42)
        self.put("sys/kernel/debug/nvmap/iovmm/clients", "CLIENT\n")
        self.full = True
        with mock.patch.object(self.moments._processes, "_budget", self.endless()):
            self.moments.take(1000, self.meminfo())
            self.full = False
            self.moments.take(2000, self.meminfo())
        last = self.records()[-1]
        self.assertEqual((last["t"], last["p"][0][0], last["nvmap"]), (2000, 42, "CLIENT\n"))

    def test_a_full_disk_leaves_no_broken_record(self):
        out = files.AppendFile(os.path.join(self.root, "moments.jsonl"))
        self.addCleanup(out.close)
        one = moments.Moments(self.system, out.append, 1000)
        one.begin(self.meminfo())
        real, room = os.write, [25]

        def small_disk(fd, data):
            done = min(room[0], len(data))
            room[0] -= done
            if not done:
                raise OSError(28, "No space left on device")
            return real(fd, bytes(data[:done]))
        with mock.patch("os.write", small_disk):
            for t in (1000, 2000, 3000):
                one.take(t, self.meminfo())
        one.take(4000, self.meminfo())
        with open(os.path.join(self.root, "moments.jsonl"), "rb") as file:
            found = read_records(file.read())
        self.assertEqual([record.get("t") for record in found[2:]], [1000, 4000])

    def test_other_fields_get_another_header(self):
        self.moments.begin(self.meminfo())
        self.moments.take(1000, b"")
        self.moments.take(2000, b"\nMemTotal: 5 kB\nNew: 1 kB\n")
        self.moments.take(3000, b"\nMemTotal: 6 kB\nNew: 1 kB\n")
        found = self.records()
        self.assertEqual([record.get("meminfo") or record.get("m") for record in found], [
            ["MemTotal", "MemFree", "MemAvailable"], [1000000, 100, 500000], None, ["MemTotal", "New"], [5, 1], [6, 1]])
        self.assertEqual(found[0]["unix_ms"], found[3]["unix_ms"])

    def test_meminfo_that_cannot_be_read_leaves_the_rest(self):
        self.process(42)
        self.moments.begin(b"")
        header, baseline = self.records()
        self.assertEqual((header["meminfo"], "m" in baseline, baseline["p"][0][0]), ([], False, 42))
        self.assertTrue(self.moments.due(1000, b""))

    def test_moments_are_due_at_intervals_and_when_memory_in_use_jumps(self):
        self.moments.begin(self.meminfo(500000))
        self.assertFalse(self.moments.due(199, self.meminfo(500000)))
        self.assertTrue(self.moments.due(201, self.meminfo(500000)))    # soon, as a run may end within its first second
        self.assertFalse(self.moments.due(300, self.meminfo(480000)))   # 2 % exactly
        self.assertTrue(self.moments.due(400, self.meminfo(479999)))
        self.moments.take(400, self.meminfo(479999))
        self.assertFalse(self.moments.due(600, self.meminfo(479999)))
        self.assertFalse(self.moments.due(800, self.meminfo(900000)))   # less is no jump
        self.assertFalse(self.moments.due(900, b""))
        self.assertTrue(self.moments.due(1003, self.meminfo(479999)))
        self.assertFalse(self.moments.due(1999, self.meminfo(479999)))
        self.assertTrue(self.moments.due(2004, self.meminfo(479999)))   # lateness does not add up
        self.assertTrue(self.moments.due(9000, self.meminfo(479999)))
        self.assertFalse(self.moments.due(9999, self.meminfo(479999)))  # nothing is caught up

    def test_they_get_rarer_as_the_file_grows(self):
        mib = 1 << 20
        for size, interval in ((0, 1000), (4 * mib - 1, 1000), (4 * mib, 2000), (8 * mib, 4000), (64 * mib, 32000)):
            one = moments.Moments(self.system, self.write, 1000)
            self.assertTrue(one.due(0, b"", size))
            self.assertEqual(one.wait_ms(0), interval)


class Cuda(unittest.TestCase):
    def test_the_process_that_holds_most_of_the_gpus_memory_is_told(self):
        def view(pid, reserved):
            figures = None if reserved is None else {"age_ms": 1, "allocated": 1, "reserved": reserved, "allocated_peak": 2}
            return mock.Mock(pid=pid, cuda=figures)
        self.assertIsNone(timeline._cuda([]))
        self.assertIsNone(timeline._cuda([view(1, None)]))
        self.assertEqual(timeline._cuda([view(1, 5), view(2, None), view(3, 9)]),
                         {"pid": 3, "age_ms": 1, "allocated": 1, "reserved": 9, "allocated_peak": 2})


class OfARun(BoardCase):
    def test_a_run_that_dies_long_before_its_first_interval_is_over_has_a_moment_with_its_memory(self):
        mirror = self.run_script("r1", """\
            import os, sys, time
            until = time.monotonic() + 60
            while b'"run":[' not in open(sys.argv[1], "rb").read() and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(os.getpid(), 9)
            """, moments_interval_ms=60000, args=[self.run_file("r1", "moments.jsonl")])
        first = [one for one in read_records(mirror.files["moments.jsonl"])[1:] if one.get("run")][0]
        pid = mirror.record["processes"][0]["pid"]
        self.assertGreater([entry for entry in first["p"] if entry[0] == pid][0][3], 0)

    def test_the_moments_of_a_run(self):
        root = os.path.join(self.top, "simulated")
        for name, text in (("SIMULATED", "Jetson Test\n"), ("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n"),
                           ("proc/77/status", STATUS % {"name": "Xorg", "pid": 77, "uid": "0", "rss": 50000, "anon": 20000})):
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w") as file:
                file.write(text)
        tegrastats = os.path.join(root, "usr/bin/tegrastats")
        os.makedirs(os.path.dirname(tegrastats))
        with open(tegrastats, "w") as file:
            file.write("#!/bin/sh\necho $$ > %s/pid\nwhile :; do echo RAM 900/3900MB SWAP 0/0MB; sleep 0.1; done\n" % root)
        os.chmod(tegrastats, 0o755)
        environment = {"JETSON_MEMPROF_SYSTEM_ROOT": root}
        # Two moments in which it waits on its third line, and one after tegrastats' first.
        self.write("script.py", """\
            import sys, time
            def moments(): return open(sys.argv[1], "rb").read()
            while moments().count(b'"at":["script.py",3]') < 2 or b"RAM 900" not in moments(): time.sleep(0.1)
            """)
        with mock.patch.dict(os.environ, environment):
            pid = self.start("r1", "script.py", moments_interval_ms=500, args=[self.run_file("r1", "moments.jsonl")], env={
                "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64", "SECRET": "s"})["pid"]
            mirror = self.attach("r1").wait()
        header, baseline, *rest = read_records(mirror.files["moments.jsonl"])
        self.assertEqual((header["simulated"], header["interval_ms"], header["meminfo"]),
                         ("Jetson Test", 500, ["MemTotal", "MemAvailable"]))
        self.assertTrue(baseline["baseline"] and baseline["t"] < 0 and "run" not in baseline)
        self.assertEqual([entry[1] for entry in baseline["p"]], ["Xorg"])
        during = [one for one in rest if one.get("run")]
        self.assertGreaterEqual(len(during), 2)
        self.assertEqual({one["run"][0] for one in during}, {pid})
        self.assertIn(["script.py", 3], [one.get("at") for one in during])
        self.assertIn("RAM 900/3900MB SWAP 0/0MB", {one.get("tegrastats") for one in rest})
        self.assertEqual([one["t"] for one in rest], sorted(one["t"] for one in rest))
        self.assertTrue(any(pid in one.get("gone", ()) for one in rest))
        samples = read_records(mirror.files["samples.jsonl"])
        self.assertEqual(samples[1]["mem_available"], 3000000 << 10)
        self.assertEqual([entry["pid"] for entry in mirror.record["processes"]], [pid])
        self.assertFalse([one for one in samples[1:] if [entry for entry in one["processes"] if entry[0] != pid]])
        recorded = mirror.record["environment"]
        self.assertEqual(recorded["PYTORCH_CUDA_ALLOC_CONF"], "max_split_size_mb:64")
        self.assertNotIn("SECRET", json.dumps(mirror.record))
        with open(os.path.join(root, "pid")) as file:
            tegrastats_pid = int(file.read())
        until(lambda: not runs_now(tegrastats_pid), what="the end of tegrastats")

    def test_a_lost_runs_moments_are_whole_records(self):
        self.write("script.py", "import time\nprint('ready')\ntime.sleep(1000)\n")
        began = time.monotonic()
        pid = self.start("r1", "script.py")["pid"]
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"))
        supervisor = self.load("r1", "supervisor.json")["pid"]
        for one in (supervisor, pid):
            os.kill(one, 9)
        until(lambda: not runs_now(supervisor))
        with open(self.run_file("r1", "moments.jsonl"), "ab") as file:
            file.write(b'{"t":999999999,"m":[1,')
        mirror = self.attach("r1").wait()
        self.assertTrue(self.contents("r1", "moments.jsonl").endswith(b"}\n"))
        self.assertEqual(mirror.files["moments.jsonl"], self.contents("r1", "moments.jsonl"))
        self.assertLess(mirror.record["elapsed_ms"], (time.monotonic() - began) * 1000)


if __name__ == "__main__":
    unittest.main()
