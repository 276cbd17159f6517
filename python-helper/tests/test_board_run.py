"""Starting a script and how its run ends."""
import contextlib
import importlib.util
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, cpu_share, least, read_records, read_table, runs_now, until
from test_board_memory_limit import kills

from jetson_memprof.board.commands import launch
from jetson_memprof.board import names
from jetson_memprof.board.errors import BoardError
from jetson_memprof.board.system.proc import can_reset_peak
from jetson_memprof.board.run.runs import RunFolder
from jetson_memprof.board.run.statements import with_folder


def state_of_process(pid):
    """A process that is gone is a zombie's equal."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()[0]
    except OSError:
        return "Z"


class Running(BoardCase):
    def test_a_whole_run(self):
        mirror = self.run_script("r1", """\
            import os, sys, time
            kept, samples = [], lambda: open(os.environ["SAMPLES"], "rb").read()
            for i in range(4):
                kept.append(bytearray(4 << 20))
                while samples().count(b"\\n") < i + 3 or b'"at":[0,5]' not in samples(): time.sleep(0.02)
            print("out", sys.argv[1:])
            sys.stderr.write("err\\n")
            sys.exit(3)
            """, args=["a b", "--x='\"", "ü\n"], env={"SAMPLES": self.run_file("r1", "samples.jsonl")})
        record = mirror.record
        self.assertEqual(record["state"], "finished")
        self.assertEqual(record["exit"], {"kind": "exited", "code": 3})
        self.assertEqual(record["command"]["args"], ["a b", "--x='\"", "ü\n"])
        self.assertEqual(record["output"]["stdout"]["bytes"], len(mirror.files["stdout.log"]))
        self.assertEqual(mirror.files["stderr.log"], b"err\n")
        self.assertIn("--x=", mirror.files["stdout.log"].decode("utf-8"))
        self.assertEqual(record["board"], {"cpus": 1})
        self.assertEqual([one["kind"] for one in record["processes"]], ["main"])
        self.assertEqual(record["files"][0]["path"], "script.py")
        self.assertNotIn("last_lines", record)
        with open(os.path.join(self.project, "script.py"), "rb") as file:
            self.assertEqual(mirror.files["sources/script.py"], file.read())
        self.assertEqual(mirror.frames[-1], {"frame": "end", "state": "finished"})
        pid = record["processes"][0]["pid"]
        table = read_table(mirror.files["lines.jsonl"])
        hits, net = table[(pid, "script.py", 4)][:2]
        self.assertEqual(hits, 4)
        self.assertGreater(net, 15 << 20)
        self.assertEqual(read_records(mirror.files["lines.jsonl"])[-1]["record"], "end")
        header, *samples = read_records(mirror.files["samples.jsonl"])
        self.assertEqual((header["schema"], header["interval_ms"]), (1, 100))
        self.assertGreaterEqual(len(samples), 4)
        self.assertGreater(samples[-1]["rss_peak"], 16 << 20)
        self.assertNotIn("nvmap_used", samples[0])
        self.assertGreater(samples[0]["mem_available"], 0)
        self.assertIn([0, 5], [one.get("at") for one in samples])
        # Everything at home is what lies on the board.
        for name, data in mirror.files.items():
            self.assertEqual(self.contents("r1", name), data, name)
        until(lambda: not os.path.exists(self.shared_folder("r1")), what="removal of the counters")
        self.assertEqual(self.contents("r1", "helper.log"), b"")

    def test_the_script_sees_what_plain_python_shows(self):
        text = """\
            import os, signal, sys
            print(sys.argv, __file__, __name__, sys.path[0], os.getcwd(), sys.flags.dont_write_bytecode)
            print([signal.getsignal(n) for n in (signal.SIGINT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM)])
            print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), os.umask(0o22) == 0o22)
            print(sorted(os.listdir("/proc/self/fd"))[:3], os.environ["GREETING"], os.environ.get("PYTHONPATH"))
            """
        self.write("script.py", text)
        env = dict(os.environ, GREETING=names.native("hallo ü"), PYTHONUNBUFFERED="1", PYTHONPATH="/nowhere")
        # As from a terminal, also where these tests were started by nohup or in the background.
        usual = lambda: [signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)]
        plain = subprocess.run([sys.executable, "script.py", "x"], cwd=self.project, env=env, preexec_fn=usual,
                               stdout=subprocess.PIPE).stdout.decode("utf-8")
        mirror = self.run_script("r1", text, args=["x"], env={"GREETING": "hallo ü", "PYTHONPATH": "/nowhere"})
        boot = os.path.join(HELPER, "boot")
        self.assertEqual(mirror.files["stdout.log"].decode("utf-8").replace(boot + ":", ""), plain)

    def test_module_cwd_and_names_like_options(self):
        self.write("pkg/__init__.py", "")
        self.write("pkg/__main__.py", "import sys, os\nprint(sys.argv[1:], os.getcwd())\n")
        self.start("m", Ellipsis, module="pkg", args=["-v"])
        mirror = self.attach("m").wait()
        self.assertEqual(mirror.files["stdout.log"].decode(), "['-v'] %s\n" % self.project)
        self.assertEqual(mirror.record["command"]["module"], "pkg")
        self.assertNotIn("script", mirror.record["command"])
        mirror = self.run_script("o", "import os\nprint(os.getcwd(), __file__)\n", name="-c odd 'name\n.py")
        self.assertIn("./-c odd 'name\n.py", mirror.files["stdout.log"].decode())
        mirror = self.run_script("c", "import os\nprint(os.getcwd())\n", cwd="pkg")
        self.assertEqual(mirror.files["stdout.log"].decode(), os.path.join(self.project, "pkg") + "\n")

    def test_a_name_that_is_not_ascii_without_a_locale(self):
        self.write("größe.py", "import sys\nsys.stdout.buffer.write(sys.argv[1].encode('utf-8', 'surrogateescape'))\n")
        self._runs.append("r1")
        env = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        env["LC_ALL"] = "C"
        self.command("start", self.order("r1", "größe.py", args=["ß"]), env=env)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.files["stdout.log"].decode("utf-8"), "ß")
        self.assertEqual(mirror.record["command"]["script"], "größe.py")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})

    def test_syntax_error(self):
        mirror = self.run_script("r1", "x = 1\ndef broken(:\n")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 1})
        self.assertIn(b"SyntaxError", mirror.files["stderr.log"])
        self.assertIn(b"script.py\", line 2", mirror.files["stderr.log"])

    def test_missing_script(self):
        reply = self.start("r1", "nothing.py", check=False)
        self.assertEqual(reply["error"]["code"], "script-missing")
        self.assertIn("nothing.py", reply["error"]["message"])
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"]["kind"], "not-started")
        self.assertIn("nothing.py", mirror.record["exit"]["message"])
        self.assertEqual(mirror.frames[-1], {"frame": "end", "state": "finished"})

    def test_bad_orders(self):
        self.write("script.py", "pass")
        for changes in ({"id": "../x"}, {"id": ".x"}, {"script": "../script.py"}, {"script": "/etc/passwd"},
                        {"engine": "none"}, {"args": [1]}, {"env": {"A": 1}}, {"env": {"A=B": "x"}},
                        {"output_limit": -1}, {"interval_ms": 0}, {"root": "relative"}, {"script": "a\0b"},
                        {"project": "a/b"}, {"module": "a.b;c"}):
            self.assertEqual(self.refused(launch.start, dict(self.order("r1", "script.py"), **changes)), "bad-request")
        self.assertEqual(self.command("start", {}, check=False)["error"]["code"], "bad-request")
        self.assertFalse(os.path.exists(os.path.join(self.root, "runs")))
        self.assertEqual(self.start("r1", "script.py", check=False, cwd="nowhere")["error"]["code"], "no-folder")
        self.assertEqual(self.start("r1", "script.py", check=False)["error"]["code"], "run-exists")
        self.assertEqual(self.command("dance", {}, check=False)["error"]["code"], "bad-request")
        self.assertEqual(self.command("attach", {"root": self.root, "id": "none"}, check=False)["error"]["code"],
                         "no-such-run")

    def test_script_deleted_meanwhile(self):
        mirror = self.run_script("r1", """\
            import os
            os.unlink(__file__)
            print("gone")
            """)
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertIn(b"os.unlink", mirror.files["sources/script.py"])

    def test_signalled_names_the_line(self):
        mirror = self.run_script("r1", """\
            import os, signal
            big = bytearray(8 << 20)
            os.kill(os.getpid(), signal.SIGSEGV)
            """)
        self.assertEqual(mirror.record["exit"], {"kind": "signalled", "signal": "SIGSEGV"})
        last = mirror.record["last_lines"]
        self.assertEqual([(one["path"], one["line"], one["thread"]) for one in last],
                         [("script.py", 3, "MainThread")])
        pid = mirror.record["processes"][0]["pid"]
        self.assertGreater(read_table(mirror.files["lines.jsonl"])[(pid, "script.py", 2)][1], 7 << 20)

    def test_sigkill_without_evidence_is_signalled(self):
        mirror = self.run_script("r1", "import os\nos.kill(os.getpid(), 9)\n")
        self.assertEqual(mirror.record["exit"], {"kind": "signalled", "signal": "SIGKILL"})
        self.assertEqual(mirror.record["last_lines"][0]["line"], 2)

    def test_the_end_of_input_comes_while_the_process_that_looks_at_sources_goes_on(self):
        self.write("script.py", "import sys\nprint('ready')\nsys.stdin.read()\nprint('over')\n")
        self.start("r1", "script.py")
        attached = self.attach("r1")
        until(lambda: b"ready\n" in attached.mirror.files.get("stdout.log", b""), what="the script's first words")
        worker = self.stopped_worker("r1")
        attached.send({"close_input": True})
        until(lambda: b"over" in attached.mirror.files["stdout.log"], what="the end of input")
        self.assertEqual(state_of_process(worker), "T")
        os.kill(worker, signal.SIGCONT)
        attached.wait()

    def stopped_worker(self, run):
        """The pid of the process that looks at sources, stopped: it is there as long as somebody may ask it."""
        noted = self.load(run, "supervisor.json")

        def go_on(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

        def stopped():
            with contextlib.closing(socket.socket(socket.AF_UNIX)) as asking:
                asking.settimeout(600)
                asking.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                with_folder(os.path.join(noted["shared"], "s"), asking.connect)
                asking.sendall(os.fsencode(os.path.join(self.project, "script.py")) + b"\n")
                # The supervisor has other children too, as those that ask the board's servers: who answered is the one.
                answer, told, *_ = asking.recvmsg(4, socket.CMSG_SPACE(12))
                if not answer:
                    return None
                pid = struct.unpack("3i", told[0][2])[0]
                self.addCleanup(go_on, pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                until(lambda: state_of_process(pid) in "TZ", what="a stopped worker")
                return pid if state_of_process(pid) == "T" else None
        return until(stopped, what="a process that looks at sources")

    def test_a_run_appears_with_its_record_and_its_lock(self):
        folder = RunFolder(self.root, "r1")
        seen = []
        rename = os.rename

        def renaming(source, target):
            if target == folder.path:
                seen.append((os.path.exists(target), sorted(os.listdir(source))))
            rename(source, target)
        with mock.patch("os.rename", renaming):
            lock = launch._make(folder, {"id": "r1", "state": "running"})
        self.addCleanup(os.close, lock)
        self.assertEqual(seen, [(False, ["lock", "run.json"])])
        self.assertTrue(folder.is_held())
        self.assertEqual(folder.run_record()["state"], "running")
        with self.assertRaises(BoardError) as caught:
            launch._make(folder, {"id": "r1"})
        self.assertEqual(caught.exception.code, "run-exists")
        self.assertEqual(os.listdir(os.path.dirname(folder.path)), ["r1"])

    def test_a_worker_has_its_own_rows(self):
        mirror = self.run_script("r1", """\
            import os, sys, time
            pid = os.fork()
            held = bytearray(6 << 20)
            while b"[%d," % os.getpid() not in open(sys.argv[1], "rb").read(): time.sleep(0.01)
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
            """, args=[self.run_file("r1", "samples.jsonl")])
        labels = {one["label"]: one["pid"] for one in mirror.record["processes"]}
        self.assertEqual(sorted(labels), ["main", "worker 1"])
        table = read_table(mirror.files["lines.jsonl"])
        for pid in labels.values():
            self.assertGreater(table[(pid, "script.py", 3)][1], 5 << 20)
        samples = read_records(mirror.files["samples.jsonl"])
        self.assertEqual(max(len(one.get("processes", ())) for one in samples), 2)

    @unittest.skipUnless(can_reset_peak(), "SKIPPED: this kernel does not let the high-water mark be reset")
    def test_the_peak_of_a_line_that_ran_more_than_once(self):
        """Between two samples, and gone from the kernel's mark before the next."""
        mirror = self.run_script("r1", """\
            import sys, time
            def work(size):
                return len(b"x" * size)
            while b'"rss":' not in open(sys.argv[1], "rb").read(): time.sleep(0.01)  # the only one before the last
            for size in (96 << 20, 1 << 20):
                work(size)
                time.sleep(0.05)
            """, interval_ms=60000, args=[self.run_file("r1", "samples.jsonl")])
        samples = read_records(mirror.files["samples.jsonl"])
        self.assertGreater(samples[-1]["rss_peak"], 96 << 20)
        self.assertLess(max(one.get("rss", 0) for one in samples), 96 << 20)

    def test_two_runs_at_once(self):
        self.write("script.py", "import sys\nprint(sys.argv[1])\nsys.stdin.read()\n")
        self.start("a", "script.py", args=["one"])
        self.start("b", "script.py", args=["two"])
        found = self.command("runs", {"root": self.root})["runs"]
        self.assertEqual([(one["id"], one["state"], one["script"]) for one in found],
                         [("a", "running", "script.py"), ("b", "running", "script.py")])
        self.assertEqual(len({one["pid"] for one in found}), 2)
        alive = self.command("probe", {"root": self.root})["runs"]
        self.assertEqual([sorted(one) for one in alive], [["id", "pid", "script"]] * 2)
        self.assertEqual(self.command("remove", {"root": self.root, "id": "a"}, check=False)["error"]["code"],
                         "still-running")
        for run, text in (("a", b"one\n"), ("b", b"two\n")):
            attached = self.attach(run)
            attached.send({"close_input": True})
            self.assertEqual(attached.wait().files["stdout.log"], text)
        self.assertEqual(self.command("remove", {"root": self.root, "id": "a"}), {})
        self.assertEqual([one["id"] for one in self.command("runs", {"root": self.root})["runs"]], ["b"])
        self.assertEqual(os.listdir(os.path.join(self.root, "runs")), ["b"])

    def test_a_run_folder_removed_meanwhile_leaves_nothing_behind(self):
        self.write("script.py", """\
            import os, time
            print("ready")
            while not os.path.exists("go"):
                time.sleep(0.01)
            """)
        self.start("r1", "script.py")
        until(lambda: b"ready\n" in self.contents("r1", "stdout.log"), what="the script's first words")
        noted = self.load("r1", "supervisor.json")
        os.rename(self.run_file("r1", "").rstrip("/"), os.path.join(self.top, "gone"))
        self.write("go", "")
        until(lambda: not runs_now(noted["pid"]), what="the supervisor's end")
        self.assertFalse(os.path.exists(noted["shared"]))

    def test_the_supervisor_is_small_and_idle(self):
        self.write("script.py", "import time\nwhile True:\n    time.sleep(0.02)\n")
        self.start("r1", "script.py", interval_ms=200)
        until(lambda: self.load("r1").get("processes"), what="the first process")
        pid = self.load("r1", "supervisor.json")["pid"]
        time.sleep(0.3)
        share = least(lambda: cpu_share(pid), 0.03)
        private = 0
        with open("/proc/%d/smaps_rollup" % pid) as file:
            for line in file:
                if line.startswith("Private"):
                    private += int(line.split()[1])
        self.assertLess(share, 0.03)
        self.assertLess(private, 6 * 1024)


class Package(BoardCase):
    @unittest.skipUnless(importlib.util.find_spec("memory_profiler"), "SKIPPED: memory_profiler is not installed here")
    def test_the_packages_own_report_comes_home(self):
        mirror = self.run_script("r1", """\
            @profile
            def work():
                held = bytearray(20 << 20)
                return len(held)
            work()
            """, engine="memory_profiler")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.record["engine"],
                         {"name": "memory_profiler", "exact": False, "peak": False, "accelerator": False})
        self.assertEqual(["memory_profiler"], [one["implementation"] for one in mirror.record["processes"]])
        self.assertIn(b"held = bytearray", mirror.files["memory_profiler.txt"])
        pid = mirror.record["processes"][0]["pid"]
        table = read_table(mirror.files["lines.jsonl"])
        self.assertGreater(table[(pid, "script.py", 3)][1], 19 << 20)


class OutOfMemory(BoardCase):
    def test_the_kernel_ends_it(self):
        """A real out-of-memory kill, where this user may make a memory group."""
        group = self._memory_group()
        self.write("script.py", """\
            import time
            held = []
            while True:
                held.append(bytearray(b"x") * (8 << 20))
            """)
        procs = os.path.join(group, "cgroup.procs")
        with open("/proc/self/cgroup") as file:
            home = self._home(file.read())
        try:
            with open(procs, "w") as file:
                file.write(str(os.getpid()))
            self.start("r1", "script.py")
        finally:
            with open(os.path.join(home, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))
        mirror = self.attach("r1").wait()
        if kills(group) == 1:
            self.assertEqual(mirror.record["exit"]["kind"], "out-of-memory", mirror.record["exit"])
            self.assertEqual(mirror.record["exit"]["signal"], "SIGKILL")
            self.assertIn("rose from", mirror.record["exit"]["evidence"])
        else:  # the helper's process too (see there)
            self.assertEqual(mirror.record["exit"], {"kind": "lost"})
        self.assertEqual(mirror.record["last_lines"][0]["line"], 4)

    @staticmethod
    def _home(text):
        for line in text.splitlines():
            number, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                return "/sys/fs/cgroup/memory" + path
            if number == "0" and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
                return "/sys/fs/cgroup" + path
        raise unittest.SkipTest("no memory group here")

    @staticmethod
    def _remove(group):
        try:
            os.rmdir(group)
            return True
        except OSError:
            return False  # the supervisor is about to end

    def _memory_group(self):
        with open("/proc/self/cgroup") as file:
            home = self._home(file.read())
        group = os.path.join(home, "jmp-test-%d" % os.getpid())
        try:
            os.mkdir(group)
        except OSError as error:
            raise unittest.SkipTest("no memory group may be made here: %s" % error)
        self.addCleanup(until, lambda: self._remove(group), what="the end of the memory group")
        self.addCleanup(self._end_all)  # before that
        for name, value in (("memory.limit_in_bytes", 96 << 20), ("memory.max", 96 << 20)):
            if os.path.exists(os.path.join(group, name)):
                with open(os.path.join(group, name), "w") as file:
                    file.write(str(value))
                return group
        raise unittest.SkipTest("the memory group has no limit here")


if __name__ == "__main__":
    unittest.main()
