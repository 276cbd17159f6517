"""Native stacks over the board's commands: what is in the run's folder, however the run ends."""
import json
import os
import re
import signal
import sys
import unittest

from test_board_common import BoardCase, until

from heap_harness import IS_BUILT, WHY_NOT
from test_heap_gpu import Cuda

M = 1 << 20
MEAN = {"mean": 64 << 10}
HOLD = """\
    import sys, time
    kept = [bytearray(1 << 20) for _ in range(24)]
    print("ready") or time.sleep(1000)  # one line: what is ready is on it
    """


@unittest.skipUnless(IS_BUILT, WHY_NOT)
class Heap(BoardCase):
    def ready(self, run):
        until(lambda: b"ready\n" in self.contents(run, "stdout.log"), 120, "the script's first words")

    def gone(self, run):
        """What the run's processes share goes as its supervisor ends, which those who follow the run do not wait for."""
        until(lambda: not os.path.exists(self.shared_folder(run)), what="the end of what the run's processes share")

    def names(self, mirror, pattern):
        return sorted(name for name in mirror.files if re.match(pattern, name))

    def lines_at_peak(self, mirror, pid):
        """{(path, line): bytes} of the innermost lines of the peak's tree."""
        frames = {}
        for line in mirror.files["massif.frames.%d.jsonl" % pid].splitlines():
            record = json.loads(line.decode("utf-8"))
            if record["record"] == "frame":
                frames[record["name"]] = (record["path"], record["line"])
        found, above, in_peak = {}, [], False
        for line in mirror.files["massif.out.%d" % pid].decode("utf-8").splitlines():
            if line.startswith("heap_tree="):
                in_peak = line == "heap_tree=peak"
                above = []
            node = re.match(r"( *)n\d+: (\d+) (?:0x[0-9A-F]+: )?(\S+)", line)
            if not in_peak or node is None:
                continue
            depth, held, place = len(node.group(1)), int(node.group(2)), frames.get(node.group(3))
            del above[depth:]
            if place is not None and not any(above):
                found[place] = found.get(place, 0) + held
            above.append(place is not None)
        return found

    def check(self, mirror, pid, line, held):
        """That the run has a profile of the process in which so many bytes are of that line of the script."""
        heap = mirror.record["engine"]["heap"]
        self.assertEqual((heap["mean"], heap["state"]), (MEAN["mean"], "sampled"))
        found = self.lines_at_peak(mirror, pid)
        # Blocks of a MiB are counted whole.
        self.assertAlmostEqual(found.get(("script.py", line), 0) / M, held, delta=1.0, msg=found)

    def test_from_start_to_end(self):
        """Beside the lines' own figures; in a child too; LD_PRELOAD is passed on."""
        mirror = self.run_script("r", """\
            import os
            kept = [bytearray(1 << 20) for _ in range(24)]
            print(os.environ["LD_PRELOAD"].split(":")[1:], os.getpid(), flush=True)
            child = os.fork()
            if child == 0:
                more = bytearray(16 << 20)
                os._exit(0)
            print(child)
            os.wait()
            """, heap=MEAN, env={"LD_PRELOAD": "libm.so.6"})
        first, child = mirror.files["stdout.log"].decode().splitlines()
        preloaded, pid = first.rsplit(" ", 1)
        self.assertEqual(preloaded, "['libm.so.6']")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.record["warnings"], [])
        self.check(mirror, int(pid), 2, 24)
        self.check(mirror, int(child), 6, 16)
        self.assertEqual(self.names(mirror, r"heap\."), sorted("heap.%d.json" % one for one in (int(pid), int(child))))
        self.gone("r")

    def test_marked_lines_are_measured_before_and_after(self):
        heap = dict(MEAN, lines=[["script.py", 2], ["other.py", 1]], max_hits=2)
        mirror = self.run_script("r", """\
            import os
            for n in (4, 8, 16): kept = bytearray(n << 20)
            print(os.getpid())
            """, heap=heap)
        pid = int(mirror.files["stdout.log"])
        self.assertEqual(mirror.record["warnings"], [])
        self.assertEqual(mirror.record["engine"]["heap"], dict(heap, state="sampled"))
        records = [json.loads(line.decode()) for line in mirror.files["massif.lines.%d.jsonl" % pid].splitlines()]
        (hit,) = [record for record in records if record["record"] == "hit"]
        self.assertAlmostEqual((hit["after"] - hit["before"]) / M, 16, delta=1.0)
        self.assertEqual(("script.py", 2, 1), (hit["path"], hit["line"], hit["tree"]))
        for side in ("before", "after"):
            text = mirror.files["massif-lines/%d/1.%s" % (pid, side)].decode()
            self.assertTrue(text.startswith("desc: --jetson-memprof-heap mean=65536 ") and "heap_tree=detailed" in text, text[:200])

    def test_killed_cancelled_and_lost_runs_have_theirs(self):
        self.write("script.py", HOLD)
        for run in ("killed", "cancelled", "lost"):
            with self.subTest(run):
                pid = self.start(run, "script.py", heap=MEAN)["pid"]
                self.ready(run)
                attached = self.attach(run)
                if run == "cancelled":
                    self.command("cancel", {"root": self.root, "id": run})
                elif run == "killed":
                    os.kill(pid, signal.SIGKILL)
                else:
                    os.kill(self.load(run, "supervisor.json")["pid"], signal.SIGKILL)
                mirror = attached.wait(600)
                self.assertEqual(mirror.record["exit"]["kind"], {"killed": "signalled"}.get(run, run))
                self.check(mirror, pid, 2, 24)
                self.gone(run)

    def test_a_processs_logs_do_not_remain_where_it_lives_on(self):
        self.write("script.py", """\
            import os, sys, time
            kept = [bytearray(1 << 20) for _ in range(24)]
            if os.fork() == 0:
                print(os.getpid(), flush=True)
                for fd in (0, 1, 2):
                    os.close(fd)
                time.sleep(1000)
            """)
        pid = self.start("r", "script.py", heap=MEAN)["pid"]
        mirror = self.attach("r").wait()
        self.check(mirror, pid, 2, 24)
        self.assertIn("processes-left", [warning["code"] for warning in mirror.record["warnings"]])
        self.gone("r")

    def test_without_being_asked_nothing_is_loaded(self):
        mirror = self.run_script("r", "import os\nprint(os.environ.get('LD_PRELOAD'))\n")
        self.assertEqual(mirror.files["stdout.log"], b"None\n")
        self.assertNotIn("heap", mirror.record["engine"])
        self.assertEqual(self.names(mirror, r"massif|heap"), [])

    def test_a_script_that_resets_its_environment_is_sampled_and_its_children_are_not(self):
        mirror = self.run_script("r", """\
            import os, subprocess, sys
            os.environ.clear()
            kept = [bytearray(1 << 20) for _ in range(24)]
            print(os.getpid(), flush=True)
            subprocess.check_call([sys.executable, "-c", "held = bytearray(8 << 20)"])
            """, heap=MEAN)
        pid = int(mirror.files["stdout.log"])
        self.check(mirror, pid, 3, 24)
        self.assertEqual(self.names(mirror, r"massif\.out"), ["massif.out.%d" % pid])

    def test_a_library_that_was_changed_is_not_loaded(self):
        library = os.path.join(self.helper, "accel", "heap-%s.so" % os.uname().machine)
        with open(library, "rb") as file:
            before = file.read()
        with open(library, "ab") as file:
            file.write(b"x")
        self.addCleanup(self.put_back, library, before)
        mirror = self.run_script("r", "import os\nprint(os.environ.get('LD_PRELOAD'))\nkept = bytearray(9 << 20)\n", heap=MEAN)
        self.assertEqual(mirror.files["stdout.log"], b"None\n")
        heap = mirror.record["engine"]["heap"]
        self.assertEqual(heap["state"], "refused")
        self.assertIn("SHA-256", heap["reason"])
        self.assertIn("heap-refused", [warning["code"] for warning in mirror.record["warnings"]])
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertIn(b'"rows"', mirror.files["lines.jsonl"])

    def test_what_cuda_was_asked_for_comes_home(self):
        """By stand-ins for its libraries."""
        cuda = Cuda()
        self.addCleanup(cuda.close)
        mirror = self.run_script("r", """\
            import ctypes, os
            print(os.getpid(), flush=True)
            p = ctypes.c_void_p()
            assert not ctypes.CDLL("libcudart.so.12").cudaMalloc(ctypes.byref(p), ctypes.c_size_t(24 << 20))
            assert not ctypes.CDLL("libc10_cuda.so").reserve(ctypes.byref(p), ctypes.c_size_t(8 << 20))
            """, heap=MEAN, env={"LD_LIBRARY_PATH": cuda.search})
        pid = int(mirror.files["stdout.log"])
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.record["warnings"], [])
        self.assertEqual(mirror.record["engine"]["heap"], {"mean": MEAN["mean"], "state": "sampled",
                                                           "gpu": {"peak": 32 * M, "past_pytorch": 24 * M}})
        beside = json.loads(mirror.files["gpu.%d.json" % pid].decode("ascii"))
        self.assertEqual({(4, False): 24, (5, True): 8},
                         dict(((row["line"], row["pytorch"]), row["peak"] // M) for row in beside["rows"] if row["kind"] == "device"))
        self.assertIn(b"(GPU memory allocation calls)", mirror.files["gpu.out.%d" % pid])

    def put_back(self, path, data):
        with open(path, "wb") as file:
            file.write(data)

    def test_what_the_loader_says_is_the_reason(self):
        """As of a Python that takes no preloaded library: a stand-in in its place."""
        stand_in = os.path.join(self.top, "python3")
        with open(stand_in, "w") as file:
            file.write("#!/bin/sh\nunset LD_PRELOAD\nexec %s \"$@\"\n" % sys.executable)
        os.chmod(stand_in, 0o755)
        sys.path.insert(0, self.helper)
        self.addCleanup(sys.path.remove, self.helper)
        from jetson_memprof.heap import start
        refused = start.environment("/dev/shm", 65536, {b"PATH": b"/usr/bin:/bin"}, stand_in)
        self.assertIsInstance(refused, start.Refused)
        self.assertIn(stand_in, refused.reason)


if __name__ == "__main__":
    unittest.main()
