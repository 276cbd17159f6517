"""The parts of engine massif that need no valgrind: machine code, library, requests, names, budget of snapshots."""
import ctypes
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HELPER)

from jetson_memprof.massif import checkpoints, elf, guard, machine, names, pads, probe, requests, snapshots  # noqa: E402

ASM = os.path.join(os.path.dirname(machine.__file__), "asm")
TOOLS = {"x86_64": "x86_64-linux-gnu-", "aarch64": "aarch64-linux-gnu-"}
HERE = os.uname().machine


class Code(unittest.TestCase):
    def test_is_what_its_source_assembles_to(self):
        for name, prefix in TOOLS.items():
            if not shutil.which(prefix + "as"):
                sys.stderr.write("SKIPPED: machine code of %s; there is no %sas\n" % (name, prefix))
                continue
            for old in (0, 1):
                with self.subTest(machine=name, old=old), tempfile.TemporaryDirectory() as folder:
                    assembled, text = os.path.join(folder, "o"), os.path.join(folder, "text")
                    subprocess.check_call([prefix + "as", "--defsym", "OLD=%d" % old, "--defsym", "DATA=%d" % machine.DATA,
                                           "-o", assembled, os.path.join(ASM, name + ".s")])
                    subprocess.check_call([prefix + "objcopy", "-O", "binary", "-j", ".text", assembled, text])
                    with open(text, "rb") as file:
                        expected = file.read()
                    self.assertEqual(expected[:machine.PADS].hex(), machine.code(name, bool(old)).hex())
                    first = machine.pads(name)[:machine.PAD_BYTES]
                    self.assertEqual(expected[machine.PADS:machine.PADS + len(first)].rstrip(b"\0"),
                                     first[:len(expected.rstrip(b"\0")) - machine.PADS])

    def test_every_pad_jumps_to_the_end(self):
        for name, prefix in TOOLS.items():
            if not shutil.which(prefix + "objdump"):
                continue
            with self.subTest(machine=name), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "library.so")
                with open(path, "wb") as file:
                    file.write(elf.library(name, False))
                listing = subprocess.check_output([prefix + "objdump", "-d", path]).decode()
                jumps = re.findall(r"\s(?:jmp|b)\s+([0-9a-f]+) <py_hook\+0x([0-9a-f]+)>", listing.split("<py_00000>:")[1])
                self.assertEqual({(elf.TEXT + machine._FINISH, machine._FINISH)},
                                 set((int(to, 16), int(offset, 16)) for to, offset in jumps))
                self.assertEqual(machine.PAD_COUNT, len(jumps))
                for number in (0, 1, machine.PAD_COUNT - 1):
                    at = elf.TEXT + machine.PADS + number * machine.PAD_BYTES
                    self.assertIn("%016x <%s>:" % (at, machine.PAD_NAME % number), listing)

    def test_unwind_table_describes_all_of_it(self):
        if not shutil.which("readelf"):
            self.skipTest("there is no readelf")
        for name, target in machine.MACHINES.items():
            with self.subTest(machine=name), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "library.so")
                with open(path, "wb") as file:
                    file.write(elf.library(name, False))
                shown = subprocess.check_output(["readelf", "-W", "--debug-dump=frames", "-S", path],
                                                stderr=subprocess.STDOUT).decode()
                self.assertNotIn("arning", shown)
                end = elf.TEXT + machine.PADS + machine.PAD_COUNT * machine.PAD_BYTES
                self.assertIn("pc=%016x..%016x" % (elf.TEXT, end), shown)
                self.assertIn("Return address column: %d" % target.return_register, shown)
                self.assertIn({"x86_64": "ofs 16", "aarch64": "ofs 96"}[name], shown)


class Requests(unittest.TestCase):
    def test_answers_no_off_valgrind(self):
        asked = requests.in_memory()
        self.assertFalse(asked.under_valgrind())
        self.assertFalse(asked.monitor(b"snapshot /nowhere"))

    def test_from_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertFalse(requests.in_library(pads.Library(folder)).under_valgrind())

    def test_heap_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "snapshot")
            with open(path, "w") as file:
                file.write("desc: x\nsnapshot=0\ntime=1\nmem_heap_B=12345\nmem_heap_extra_B=7\n")
            self.assertEqual(12345, requests.heap_bytes(path))
            with open(path, "w") as file:
                file.write("desc: x\n")
            with self.assertRaises(ValueError):
                requests.heap_bytes(path)


def try_out(python):
    """What a process says that runs the guard's trials off valgrind: in one of its own, because what is wrong ends it."""
    with tempfile.TemporaryDirectory() as folder:
        program = ("import os, sys; sys.path.insert(0, %r)\n"
                   "from jetson_memprof.massif import guard, pads, probe, requests\n"
                   "probe.check_interpreter()\n"
                   "offsets = probe.frame_offsets()\n"
                   "library = pads.Library(%r)\n"
                   "guard.try_functions(library, offsets)\n"
                   "guard.try_lines(library, offsets)\n"
                   "assert not requests.in_memory().under_valgrind()\n"
                   "print(os.uname().machine, 'passed')\n" % (HELPER, folder))
        return subprocess.check_output([python, "-c", program], stderr=subprocess.STDOUT)


class Probe(unittest.TestCase):
    def test_whatever_lay_in_memory_before(self):
        """Parts of a frame are never written to: what an earlier object left there is no field of it."""
        chance, held, found = random.Random(1), [], set()
        for _ in range(1000):
            held.extend(bytearray(chance.randrange(16, 600)) for _ in range(chance.randrange(20)))
            del held[:max(0, len(held) - 200)]
            chance.shuffle(held)
            offsets = probe.frame_offsets()
            found.add((offsets.code_at, offsets.position_at, offsets.frame_at))
        self.assertEqual(1, len(found), found)


class Trial(unittest.TestCase):
    def test_this_interpreter_passes(self):
        self.assertEqual(("%s passed\n" % HERE).encode(), try_out(sys.executable))

    def test_other_interpreters_are_refused(self):
        known = probe.sys
        try:
            class Other(object):
                version, version_info, abiflags = "3.16.0", (3, 16, 0), ""
                implementation = sys.implementation
            probe.sys = probe.tried.sys = Other
            with self.assertRaises(machine.Unsupported):
                probe.check_interpreter()
            Other.version_info, Other.abiflags = (3, 13, 0), "t"
            with self.assertRaises(machine.Unsupported):
                probe.check_interpreter()
        finally:
            probe.sys = probe.tried.sys = known

    def test_expected_lines_are_those_of_the_source(self):
        lines = guard._SOURCE.split("\n")
        for function, line in guard._EXPECTED:
            self.assertIn("look(", lines[line - 1], function)


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.warnings = []
        self.names = names.FrameNames(self.folder, "lines", "/project", "/project",
                                      lambda code, message: self.warnings.append(code))
        self.path = os.path.join(self.folder, "massif.frames.%d.jsonl" % os.getpid())

    def records(self):
        with open(self.path) as file:
            return [json.loads(line) for line in file]

    def test_one_number_for_one_name(self):
        self.assertEqual([1, 2, 1], [self.names.number("a.py", line, "f", "line") for line in (5, 6, 5)])
        self.assertEqual(3, self.names.number("/usr/lib/b.py", 1, "g\udcff", "function"))
        self.assertEqual(["header", "a.py", "a.py", "/usr/lib/b.py"],
                         [record.get("path", record["record"]) for record in self.records()])
        self.assertEqual("py_00003", self.records()[-1]["name"])

    def test_when_all_are_used(self):
        self.names._next = machine.PAD_COUNT - 1
        numbers = [self.names.number("a.py", line, "f", "line") for line in range(3)]
        self.assertEqual([machine.PAD_COUNT - 1, 0, 0], numbers)
        self.assertEqual(["massif-names-used-up"], self.warnings)

    def test_mappings_are_noted_once(self):
        self.names.note_mappings()
        first = self.records()
        self.assertTrue(any(record["record"] == "mapped" for record in first))
        self.names.note_mappings()
        self.assertEqual(first, self.records())

    def test_what_cannot_be_written_is_said(self):
        shutil.rmtree(self.folder)
        self.names.number("a.py", 1, "f", "line")
        self.names.finish()
        self.assertEqual(["massif-names-lost"], self.warnings)
        os.mkdir(self.folder)


class FakeValgrind(object):
    """Writes what massif would, after a while on a clock of its own; the heap grows by 100 bytes with each snapshot."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.now = 100.0
        self.heap = 0
        self.commands = []

    def monitor(self, command):
        self.now += self.seconds
        what, path = command.decode().split(" ")
        self.commands.append(what)
        self.heap += 100
        with open(path, "w") as file:
            file.write("snapshot=0\nmem_heap_B=%d\n" % self.heap)
        return True


class Snapshots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.warnings = []

    def make(self, valgrind, max_hits):
        chosen = snapshots.ChosenLine("a.py", 7)
        return chosen, snapshots.LineSnapshots(valgrind, self.folder, [chosen], max_hits,
                                               lambda code, message: self.warnings.append(code))

    def records(self):
        with open(os.path.join(self.folder, "massif.lines.%d.jsonl" % os.getpid())) as file:
            return [json.loads(line) for line in file]

    def test_detailed_first_then_plain(self):
        valgrind = FakeValgrind()
        chosen, measured = self.make(valgrind, 1)
        measured._since -= 1000  # there is time enough
        self.assertEqual({"noise_bytes": 100}, {"noise_bytes": self.records()[0]["noise_bytes"]})
        del valgrind.commands[:]
        for key in range(3):
            measured.begin(key, chosen)
            measured.end(key)
        measured.finish()
        self.assertEqual(["detailed_snapshot"] * 2 + ["snapshot"] * 4, valgrind.commands)
        hits = [record for record in self.records() if record["record"] == "hit"]
        self.assertEqual([(1, 1), (2, None), (3, None)], [(hit["hit"], hit["tree"]) for hit in hits])
        self.assertEqual({"record": "line", "path": "a.py", "line": 7, "hits": 3, "measured": 3, "net": 300},
                         self.records()[-1])
        pairs = os.path.join(self.folder, "massif-lines", str(os.getpid()))
        self.assertEqual(["1.after", "1.before"], sorted(os.listdir(pairs)))
        self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith(".")])

    def test_no_more_than_a_tenth_of_the_time(self):
        valgrind = FakeValgrind(0.02)

        def hits(number):
            for key in range(number):
                measured.begin(key, chosen)
                measured.end(key)
        with mock.patch.object(snapshots, "perf_counter", lambda: valgrind.now):
            chosen, measured = self.make(valgrind, 2)
            hits(5)
            self.assertEqual((5, 2), (chosen.hits, chosen.measured))
            valgrind.now += 0.5  # it has spent 0.08 s
            hits(5)
            self.assertEqual((10, 2), (chosen.hits, chosen.measured))
            valgrind.now += 0.25
            hits(5)
            self.assertEqual((15, 3), (chosen.hits, chosen.measured))
            measured.finish()
        self.assertEqual((15, 3, 300), tuple(self.records()[-1][key] for key in ("hits", "measured", "net")))

    def test_a_recursion_is_measured_at_its_outermost(self):
        chosen, measured = self.make(FakeValgrind(), 9)
        measured.begin(1, chosen)
        measured.begin(2, chosen)
        measured.end(2)
        measured.end(1)
        self.assertEqual((2, 1, 100, []), (chosen.hits, chosen.measured, chosen.net, self.warnings))

    def test_threads_at_once_are_kept_apart_and_said(self):
        chosen, measured = self.make(FakeValgrind(), 9)
        measured.begin(1, chosen)
        thread = threading.Thread(target=lambda: (measured.begin(2, chosen), measured.end(2)))
        thread.start()
        thread.join()
        measured.end(1)
        self.assertEqual((2, 2, 100 + 300), (chosen.hits, chosen.measured, chosen.net))
        self.assertEqual(["massif-lines-overlapped"], self.warnings)


class Checkpoints(unittest.TestCase):
    def test_each_is_whole_and_they_end(self):
        valgrind, noted, threads = FakeValgrind(), [], threading.active_count()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "massif.out.%d" % os.getpid())

            def beside():
                noted.append(os.path.exists(path))
                running.stop()  # here, so that the thread is not in the middle of the next one when the folder is looked at

            running = checkpoints.Checkpoints(valgrind, folder, 0, beside)
            running.start()
            deadline = time.monotonic() + 60
            while not os.path.exists(path) and time.monotonic() < deadline:
                time.sleep(0.01)
            running.stop()
            self.assertEqual([os.path.basename(path)], os.listdir(folder))
            self.assertEqual((["all_snapshots"], [False]), (valgrind.commands, noted))
            self.assertEqual(threads, threading.active_count())


@unittest.skipIf(sys.version_info < (3, 12), "earlier ones do not warn")
class ForkWarning(unittest.TestCase):
    def warned(self, threads, before="leave_out()"):
        program = ("import _thread, os, sys; sys.path.insert(0, %r)\n"
                   "from jetson_memprof.massif.fork_warning import leave_out\n"
                   "%s\n"
                   "wait = _thread.allocate_lock(); wait.acquire()\n"
                   "for _ in range(%d): _thread.start_new_thread(wait.acquire, ())\n"
                   "pid = os.fork()\n"
                   "if pid == 0: os._exit(0)\n"
                   "os.waitpid(pid, 0)\n"
                   "os._exit(0)\n" % (HELPER, before, threads))
        return subprocess.check_output([sys.executable, "-W", "always", "-c", program], stderr=subprocess.STDOUT)

    def test_is_left_out_for_our_own_thread_only(self):
        self.assertIn(b"multi-threaded", self.warned(1, before=""))
        self.assertEqual(b"", self.warned(1))
        self.assertIn(b"multi-threaded", self.warned(2))


if __name__ == "__main__":
    unittest.main()
