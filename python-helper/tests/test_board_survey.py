"""The survey of Check Board: of this machine, of simulated boards, and of one whose files are strange."""
import json
import os
import sys
import threading
import unittest
from unittest import mock

from test_board_common import BoardCase
from test_board_system import RootCase

from jetson_memprof.board.system import programs as commands
from jetson_memprof.board.commands import pythons, survey
from jetson_memprof.board.errors import BoardError

PARTS = ["capabilities", "disk", "files", "kernel", "links", "packages", "processes", "programs", "pythons", "schema",
         "unreadable", "user"]


class OfThisMachine(BoardCase):
    def test_all_parts_are_there(self):
        found = self.command("survey", {"packages": ["no-such-package"]})["survey"]
        self.assertEqual([name for name in sorted(found) if name != "memory_limit"], PARTS)
        self.assertEqual(found["packages"], {"no-such-package": None})
        self.assertIn("MemTotal", found["files"]["proc/meminfo"])
        self.assertEqual(found["user"]["uid"], os.getuid())
        self.assertIn(found["user"]["sudo"], ("none", "password", "free"))
        used, = [one for one in found["pythons"] if one.get("used")]
        self.assertEqual(used["version"].split(".")[:2], [str(part) for part in sys.version_info[:2]])
        self.assertTrue(all(len(one) == 10 for one in found["processes"]))
        self.assertEqual(set(found["unreadable"].values()) - {"missing", "permission-denied", "failed"}, set())


class OfARoot(RootCase):
    def survey(self, **request):
        with mock.patch.dict(os.environ, {"JETSON_MEMPROF_SYSTEM_ROOT": self.root}):
            found = survey.survey(request)["survey"]
        return json.loads(json.dumps(found))

    def test_a_simulated_board(self):
        self.put("SIMULATED", "Jetson Nano\n")
        self.put("proc/device-tree/model", b"NVIDIA Jetson Nano Developer Kit\0")
        self.put("proc/version", "Linux version 4.9.253-tegra (builder@x)")
        self.put("proc/77/status", "Name:\tXorg\nUid:\t0\t0\nVmRSS:\t 7 kB\nRssAnon:\t 5 kB\n")
        self.put("sys/block/zram0/mm_stat", "1 2 3\n")
        self.put("sys/devices/gpu.0/load", "5\n")
        self.put("proc/self/cgroup", "0::/job\n")
        self.put("sys/fs/cgroup/job/memory.max", "4294967296\n")
        self.put("var/lib/dpkg/status", "Package: valgrind\nStatus: install ok installed\nVersion: 1:3.13.0-2\n")
        self.put("usr/bin/tegrastats", "#!/bin/sh\n", 0o755)
        self.put("usr/bin/valgrind", "#!/bin/sh\necho valgrind-3.13.0\n", 0o755)
        os.makedirs(os.path.join(self.root, "etc/systemd/system"))
        os.symlink("/lib/systemd/system/graphical.target", os.path.join(self.root, "etc/systemd/system/default.target"))
        found = self.survey(packages=["valgrind", "nvidia-l4t-core", 7])
        self.assertEqual(sorted(found), sorted(PARTS + ["memory_limit", "simulated"]))
        self.assertEqual((found["simulated"], found["memory_limit"], found["kernel"]["release"]),
                         ("Jetson Nano", 4294967296, "4.9.253-tegra"))
        self.assertEqual(found["files"]["proc/device-tree/model"], "NVIDIA Jetson Nano Developer Kit\0")
        self.assertEqual((found["files"]["sys/block/zram0/mm_stat"], found["files"]["sys/devices/gpu.0/load"]),
                         ("1 2 3\n", "5\n"))
        self.assertEqual(found["links"], {"etc/systemd/system/default.target": "/lib/systemd/system/graphical.target"})
        self.assertEqual(found["packages"], {"valgrind": "1:3.13.0-2", "nvidia-l4t-core": None})
        self.assertEqual(found["programs"]["valgrind"], {"path": self.root + "/usr/bin/valgrind", "version": "3.13.0"})
        self.assertEqual(found["programs"]["tegrastats"], {"path": self.root + "/usr/bin/tegrastats"})
        self.assertIsNone(found["programs"]["nvidia-smi"])
        self.assertEqual(found["processes"], [[77, "Xorg", 0, 7 << 10, 5 << 10, None, None, None, None, None]])

    def test_strange_files_do_not_hold_it_up(self):
        for name in ("proc/meminfo", "proc/device-tree/model", "var/lib/dpkg/status", "sys/devices/gpu.0/load"):
            os.makedirs(os.path.dirname(os.path.join(self.root, name)), exist_ok=True)
            os.mkfifo(os.path.join(self.root, name))
        os.mkdir(os.path.join(self.root, "proc/version"))
        os.symlink("/dev/zero", os.path.join(self.root, "proc/cmdline"))
        os.symlink("swaps", os.path.join(self.root, "proc/swaps"))
        self.put("etc/os-release", b"x" * 100000)
        self.put("proc/buddyinfo", b"\xff\0")
        found = {}
        looking = threading.Thread(target=lambda: found.update(self.survey(packages=["valgrind"])), daemon=True)
        looking.start()
        looking.join(120)
        self.assertFalse(looking.is_alive())  # to open a pipe that nobody writes takes for ever
        for name in ("proc/meminfo", "proc/device-tree/model", "proc/version", "proc/cmdline", "proc/swaps"):
            self.assertEqual(found["unreadable"][name], "failed", name)
        self.assertEqual(found["unreadable"]["etc/nv_tegra_release"], "missing")
        self.assertEqual((len(found["files"]["etc/os-release"]), found["files"]["proc/buddyinfo"]), (65536, "\ufffd\0"))
        self.assertEqual(found["packages"], {"valgrind": None})

    def test_what_may_not_be_read_is_told_apart_from_what_is_missing(self):
        self.put("proc/swaps", "x")
        denied = PermissionError(13, "Permission denied")
        real = os.open

        def guarded(path, *more, **named):
            if str(path).endswith("/proc/swaps"):
                raise denied
            return real(path, *more, **named)
        with mock.patch("os.open", guarded):
            self.assertEqual(self.survey()["unreadable"]["proc/swaps"], "permission-denied")

    def test_a_root_that_is_missing(self):
        with mock.patch.dict(os.environ, {"JETSON_MEMPROF_SYSTEM_ROOT": self.root + "/gone"}):
            found = survey.survey({})["survey"]
        self.assertEqual((found["files"], found["processes"], found["simulated"]), ({}, [], "another system"))

    def test_a_request_that_makes_no_sense_is_refused(self):
        with self.assertRaises(BoardError):
            survey.survey({"packages": "valgrind"})


class Pythons(RootCase):
    def setUp(self):
        RootCase.setUp(self)
        # A busy machine may take long to start even these.
        for name, patience in (("_ALL_S", 300.0), ("ask", lambda arguments, seconds: commands.ask(arguments, 60))):
            patched = mock.patch.object(pythons, name, patience)
            patched.start()
            self.addCleanup(patched.stop)

    def interpreter(self, name, says, then="exit 0"):
        self.put(name, "#!/bin/sh\ncat <<'END'\n%s\nEND\n%s\n" % (says, then), 0o755)

    def find(self):
        return [one for one in pythons.pythons(self.system) if not one.get("used")]

    def test_only_those_that_start_and_each_once(self):
        self.interpreter("usr/bin/python3.6", '{"version":"3.6.9","torch":"1.10.0","torch_cuda":"10.2","pip":true}')
        os.symlink("python3.6", os.path.join(self.root, "usr/bin/python3"))
        self.interpreter("usr/local/bin/python3.9", "Segmentation fault")
        self.interpreter("usr/local/bin/python3.8", '{"version":"3.6.9","executable":"%s/usr/bin/python3.6"}' % self.root)
        self.interpreter("usr/local/bin/python3-config", '{"version":"1"}')
        self.interpreter("usr/local/bin/python2.7", '{"version":"2.7.17"}')
        self.assertEqual(self.find(), [{"path": self.root + "/usr/bin/python3", "version": "3.6.9", "torch": "1.10.0",
                                        "memory_profiler": None, "psutil": None, "torch_cuda": "10.2", "pip": True}])

    def test_virtual_environments_of_one_python_are_several(self):
        self.interpreter("usr/bin/python3", '{"version":"3.6.9"}')
        self.put("venv/pyvenv.cfg")
        os.mkdir(os.path.join(self.root, "venv/bin"))
        os.symlink(self.root + "/usr/bin/python3", os.path.join(self.root, "venv/bin/python3"))
        paths = [self.root + "/usr/bin/python3", self.root + "/venv/bin/python3"]
        with mock.patch.object(pythons, "_candidates", return_value=paths * 2):
            self.assertEqual([one["path"] for one in self.find()], paths)

    def test_one_that_hangs_is_left_out_in_time(self):
        for number in range(6):
            self.put("usr/bin/python3.%d" % number, "#!/bin/sh\nexec sleep 1000\n", 0o755)
        clock, waits = [100.0], []

        def hangs(arguments, seconds):
            clock[0] += seconds
            waits.append(seconds)
            return commands.Answer(None)
        with mock.patch("time.monotonic", lambda: clock[0]), mock.patch.object(pythons, "_ALL_S", 12.0), \
                mock.patch.object(pythons, "ask", hangs):
            self.assertEqual(self.find(), [])
        self.assertEqual(waits, [5.0, 5.0, 2.0])  # the first of them is the one in use
        with mock.patch.object(pythons, "_ALL_S", 2.0), mock.patch.object(pythons, "ask", commands.ask):
            self.assertEqual(self.find(), [])  # and really, where each would take 1000 s

    def test_there_are_not_too_many(self):
        for number in range(30):
            self.interpreter("usr/bin/python3.%d" % number, '{"version":"3.%d"}' % number)
        self.assertEqual(len(pythons.pythons(self.system)), 16)

    def test_the_one_in_use_with_its_packages(self):
        used, = [one for one in pythons.pythons(self.system) if one.get("used")]
        self.assertEqual(used["path"], sys.executable)
        self.assertEqual(used["version"].split(".")[:2], [str(part) for part in sys.version_info[:2]])


if __name__ == "__main__":
    unittest.main()
