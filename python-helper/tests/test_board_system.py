"""What is read of a board below any root: files that are odd, devices, packages, groups, the kernel's log."""
import os
import shutil
import tempfile
import unittest
from unittest import mock

import test_board_common  # noqa: F401  (makes the helper importable)

from jetson_memprof.board.commands import access
from jetson_memprof.board.system import programs as commands, debian, devices, kernel_log, memory
from jetson_memprof.board.system.system import System, here


class RootCase(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="jmp-test-"))
        self.addCleanup(shutil.rmtree, self.root, True)
        self.system = System(self.root)

    def put(self, path, content=b"", mode=None):
        where = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        if mode is not None:
            os.chmod(where, mode)
        return where


class Roots(RootCase):
    def test_the_name_of_what_stands_for_a_board(self):
        self.assertIsNone(System("/").simulated)
        self.assertIsNone(System("//.").simulated)
        self.assertEqual(self.system.simulated, "another system")
        self.put("SIMULATED", "Jetson \x1b[1mNano\nmore\n")
        self.assertEqual(System(self.root).simulated, "Jetson [1mNano")
        self.put("SIMULATED", "\n")
        self.assertEqual(System(self.root).simulated, "another system")
        self.put("SIMULATED", b"\xff" * 5000)
        self.assertEqual(len(System(self.root).simulated), 100)

    def test_the_variable_names_the_root(self):
        for value, root in ((self.root, self.root), ("", "/"), ("/", "/")):
            with mock.patch.dict(os.environ, {"JETSON_MEMPROF_SYSTEM_ROOT": value}):
                self.assertEqual(here().root, root)

    def test_a_root_that_is_missing_has_nothing(self):
        gone = System(self.root + "/gone")
        self.assertEqual((gone.simulated, gone.text("proc/version"), gone.entries("proc"), gone.program("sudo")),
                         ("another system", None, [], None))
        self.assertEqual(memory.MeminfoReader(gone).read(), b"")

    def test_odd_files_are_not_waited_for(self):
        os.mkfifo(os.path.join(self.root, "pipe"))
        os.mkdir(os.path.join(self.root, "folder"))
        os.symlink("/dev/zero", os.path.join(self.root, "endless"))
        os.symlink("loop", os.path.join(self.root, "loop"))
        for name in ("pipe", "folder", "endless", "loop", "missing"):
            with self.assertRaises(OSError, msg=name):
                self.system.read(name)
            self.assertIsNone(self.system.text(name))
        self.put("long", b"x" * 200000)
        self.assertEqual(len(self.system.read("long")), 65536)

    def test_programs_are_looked_for_below_the_root(self):
        self.put("usr/bin/tegrastats", mode=0o644)
        self.assertIsNone(self.system.program("tegrastats"))
        os.chmod(os.path.join(self.root, "usr/bin/tegrastats"), 0o755)
        self.assertEqual(self.system.program("tegrastats"), os.path.join(self.root, "usr/bin/tegrastats"))
        self.assertIsNone(self.system.program("sh"))
        self.assertIsNotNone(System("/").program("sh"))


class Meminfo(RootCase):
    def test_fields_as_the_kernel_prints_them(self):
        self.put("proc/meminfo", "MemTotal:  100 kB\nMemAvailable: 40 kB\nNew(thing): 7 kB\nHugePages_Total: 2\n"
                                 "Odd: x kB\nNegative: -5 kB\nnothing\n\nCut: 12")
        data = memory.MeminfoReader(self.system).read()
        self.assertEqual(memory.fields(data), (
            ["MemTotal", "MemAvailable", "New(thing)", "HugePages_Total", "Cut"], [100, 40, 7, 2, 12]))
        self.assertEqual(memory.used(data), (60 << 10, 100 << 10))
        for text in ("", "MemTotal: 100 kB\n", "MemAvailable: 4 kB\n"):
            self.put("proc/meminfo", text)
            self.assertIsNone(memory.used(memory.MeminfoReader(self.system).read()))

    def test_this_machines_own_is_read_anew_each_time(self):
        reader = memory.MeminfoReader(System("/"))
        self.addCleanup(reader.close)
        first, second = memory.fields(reader.read()), memory.fields(reader.read())
        self.assertEqual(first[0], second[0])
        self.assertGreater(memory.total(reader.read()), 0)

    def test_a_simulated_one_may_be_replaced(self):
        reader = memory.MeminfoReader(self.system)
        for text in ("MemTotal: 1 kB\n", "MemTotal: 2 kB\n"):
            self.put("proc/new", text)
            os.rename(os.path.join(self.root, "proc/new"), os.path.join(self.root, "proc/meminfo"))
            self.assertEqual(reader.read(), b"\n" + text.encode())


class DeviceFiles(RootCase):
    def test_gpu_load_of_several_releases(self):
        for name in ("sys/devices/gpu.0/load", "sys/class/devfreq/17000000.ga10b/device/load",
                     "sys/devices/platform/bus@0/17000000.gpu/load", "sys/devices/57000000.gpu/load"):
            with self.subTest(name=name):
                where = self.put(name, "123\n")
                self.assertEqual(devices.gpu_load_file(self.system), name)
                self.assertEqual(devices.Devices(self.system).gpu_load(), 123)
                os.unlink(where)
        self.assertIsNone(devices.Devices(self.system).gpu_load())

    def test_a_load_that_makes_no_sense_is_unknown(self):
        for text in ("", "x", "-1", "1001", "1 2"):
            self.put("sys/devices/gpu.0/load", text)
            self.assertIsNone(devices.Devices(self.system).gpu_load(), text)

    def test_compressed_swap_over_all_devices(self):
        self.assertIsNone(devices.Devices(self.system).zram())
        self.put("sys/block/zram0/mm_stat", " 16384 4096 8192 0 8192 0 0\n")
        self.put("sys/block/zram1/mm_stat", " 100 50 70 0 70 0 0 1 2\n")
        self.put("sys/block/zram2/mm_stat", "broken\n")
        self.assertEqual(devices.Devices(self.system).zram(), [8262, 16484])

    def test_free_pages_that_the_cores_keep(self):
        self.assertIsNone(devices.Devices(self.system).pagesets())
        page = os.sysconf("SC_PAGE_SIZE")
        core = "    cpu: 0\n              count:    %s\n              high:     2152\n              batch:    63\n"
        tuned = core + "              high_min: 2152\n              high_max: 48307\n"
        # Before Linux 6.7 they keep little, which nobody is told.
        for text, kept in (("", None), (core % 300, None), (tuned % 0, 0), (tuned % 16067 + tuned % 8194, 24261 * page),
                           (tuned % "x" + tuned % 5, 5 * page), ("high_max: count:", 0)):
            self.put("proc/zoneinfo", "Node 0, zone Normal\n  pages free 5\n  pagesets\n" + text)
            self.assertEqual(kept, devices.Devices(self.system).pagesets(), text)

    def test_nvmaps_table(self):
        self.assertIsNone(devices.Devices(self.system).nvmap())
        self.put(devices.NVMAP, b"CLIENT \xff\n")
        self.assertEqual(devices.Devices(self.system).nvmap(), "CLIENT \ufffd\n")


class Packages(RootCase):
    def test_only_what_is_installed(self):
        self.put("var/lib/dpkg/status",
                 "Package: first\nStatus: install ok installed\nVersion: 1:2-3\n\n"
                 "Package: held\nStatus: hold ok installed\nVersion: 5\n\n"
                 "Package: removed\nStatus: deinstall ok config-files\nVersion: 4\n\n"
                 "Package: two\nArchitecture: arm64\nStatus: deinstall ok config-files\nVersion: 1\n\n"
                 "Package: two\nArchitecture: armhf\nStatus: install ok installed\nVersion: 2\n\n"
                 "Package: unversioned\nStatus: install ok installed\n\nPackage: last\nStatus: install ok installed\nVersion: 9")
        self.assertEqual(debian.installed(self.system, ["first", "held", "removed", "two", "unversioned", "last", "fir"]),
                         {"first": "1:2-3", "held": "5", "two": "2", "last": "9"})
        self.assertEqual(debian.installed(System("/gone"), ["first"]), {})


class Access(RootCase):
    def test_groups_of_a_simulated_board_are_its_own(self):
        self.put("etc/passwd", "nano:x:%d:1000:Nano\n" % os.getuid())
        self.put("etc/group", "sudo:x:27:other,nano\nvideo:x:44:nano\njtop:x:999:\nbroken\n")
        found = access.user(self.system)
        self.assertEqual((found["uid"], found["name"], found["groups"]), (os.getuid(), "nano", ["sudo", "video"]))

    def sudo(self, script, groups=("sudo",)):
        if script is not None:
            self.put("usr/bin/sudo", "#!/bin/sh\n" + script, 0o755)
        with mock.patch.object(access, "ask", lambda arguments: commands.ask(arguments, 60)):
            return access._sudo(self.system, 1000, list(groups))

    def test_sudo_is_found_out_without_asking(self):
        self.assertEqual(access._sudo(self.system, 0, []), "free")
        self.assertEqual(self.sudo(None), "none")
        denied = "echo 'sudo: a password is required' >&2; exit 1"
        self.assertEqual(self.sudo(denied), "password")
        self.assertEqual(self.sudo(denied, ["video"]), "none")
        self.assertEqual(self.sudo("echo '    (ALL : ALL) NOPASSWD: ALL'"), "free")
        self.assertEqual(self.sudo("echo '    (ALL : ALL) ALL'"), "password")
        self.assertEqual(self.sudo("echo 'Sorry, user x may not run sudo on y.' >&2; exit 1"), "none")
        self.assertEqual(self.sudo('[ "$1 $2" = "-n -l" ] && [ ! -t 0 ] && echo "(root) NOPASSWD: ALL"'), "free")

    def test_limits_of_memory_groups(self):
        self.assertIsNone(access.memory_limit(self.system))
        self.put("proc/self/cgroup", "0::/user.slice/user-1000.slice/../x\n")
        self.put("sys/fs/cgroup/user.slice/memory.max", "4000\n")
        self.put("sys/fs/cgroup/user.slice/user-1000.slice/memory.max", "max\n")
        self.assertEqual(access.memory_limit(self.system), 4000)
        self.put("proc/self/cgroup", "9:cpu,memory:/job/step\n8:cpuset:/\nbroken\n")
        self.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        self.assertIsNone(access.memory_limit(self.system))
        self.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3000\n")
        self.put("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "5000\n")
        self.assertEqual(access.memory_limit(self.system), 3000)

    def test_a_program_that_hangs_is_ended_with_what_it_started(self):
        path = self.put("hang", "#!/bin/sh\ncd %s\nsleep 1000 &\necho $! > pid\n: > started\nwait\n" % self.root, 0o755)
        for patience in (0.5, 5.0, 60.0):  # until it had the time to start something; it would hang for 1000 s
            self.assertIsNone(commands.ask([path], patience).status)
            if os.path.exists(os.path.join(self.root, "started")):
                break
        with open(os.path.join(self.root, "pid")) as file:
            pid = int(file.read())
        test_board_common.until(lambda: not test_board_common.runs_now(pid), what="the end of what it started")
        self.assertIsNone(commands.ask([self.root + "/none"]).status)

    def test_a_program_that_says_too_much_is_ended(self):
        self.assertIsNone(commands.ask(["yes"], 1e6).status)

    def test_what_a_program_says(self):
        said = commands.ask(["sh", "-c", "echo out; echo err >&2; printf '\\377'; exit 3"], 60)
        self.assertEqual((said.status, said.output, said.errors), (3, "out\n\ufffd", "err\n"))


REPORT = """\
python3 invoked oom-killer: gfp_mask=0x24280ca, order=0, oom_score_adj=0
python3 cpuset=/ mems_allowed=0
CPU: 2 PID: %(pid)d Comm: python3 Not tainted
Call trace:
[<ffffff8>] dump_backtrace
Mem-Info:
active_anon:700000 inactive_anon:5\\x0a active_file:10 inactive_file:12\\x0a free:6000 free_pcp:0
[  %(pid)d]  1000  %(pid)d  1200000  900000  2100  6  0  0 python3
Free swap  = 0kB
Total swap = 2029616kB
1048576 pages RAM
Out of memory: Kill process %(pid)d (python3) score 800 or sacrifice child
Killed process %(pid)d (python3) total-vm:4800000kB, anon-rss:3600000kB, file-rss:0kB
unrelated: usb 1-1 went away
"""


class KernelLog(unittest.TestCase):
    def test_the_report_that_names_the_process_is_taken(self):
        lines = [line for pid in (11, 12, 13) for text in (REPORT % {"pid": pid}).splitlines()
                 for line in text.split("\\x0a")]
        found = kernel_log.kill_report(lines, 12)
        self.assertEqual(found[0], "python3 invoked oom-killer: gfp_mask=0x24280ca, order=0, oom_score_adj=0")
        self.assertEqual(found[-1], "Killed process 12 (python3) total-vm:4800000kB, anon-rss:3600000kB, file-rss:0kB")
        self.assertIn("active_anon:700000 inactive_anon:5", found)
        self.assertNotIn("Call trace:", found)
        self.assertFalse([line for line in found if "usb" in line or "[  12]" in line])
        self.assertIn("Killed process 13 ", kernel_log.kill_report(lines, 99)[-1])  # a container's own pids

    def test_newer_kernels_and_memory_groups(self):
        lines = ["x invoked oom-killer: gfp_mask=0xcc0", "memory: usage 102400kB, limit 102400kB, failcnt 5",
                 "oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/job,task=python3,pid=7,uid=0",
                 "Memory cgroup out of memory: Killed process 7 (python3) total-vm:1kB"]
        self.assertEqual(kernel_log.kill_report(lines, 7), lines)
        self.assertEqual(kernel_log.kill_report(lines[3:], 7), lines[3:])
        self.assertEqual(kernel_log.kill_report(["nothing of the kind"], 7), [])

    def test_lines_are_few_short_and_printable(self):
        lines = ["a invoked oom-killer"] + ["Mem-Info:\x07" + "x" * 900] * 100 + ["Killed process 7 (a)"]
        found = kernel_log.kill_report(lines, 7)
        self.assertEqual((len(found), max(map(len, found)), found[-1]), (20, 500, "Killed process 7 (a)"))
        self.assertTrue(all(line.isprintable() for line in found))

    def test_a_log_that_may_not_be_read_is_empty(self):
        self.assertEqual(kernel_log.KernelLog("/proc/none").lines(), [])


if __name__ == "__main__":
    unittest.main()
