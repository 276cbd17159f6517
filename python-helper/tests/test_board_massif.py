"""A script under valgrind massif: what is in the run's folder however it ends."""
import gzip
import os
import random
import shutil
import signal
import tempfile
import unittest
from unittest import mock

from test_board_common import BoardCase, patient_helper, read_records, runs_now, until

from jetson_memprof.board.massif import massif_files, valgrind_log
from jetson_memprof.board.massif.massif_mirror import MassifMirror
from jetson_memprof.board.massif.massif_settings import MassifSettings
from jetson_memprof.board.run.record import RunRecord
from jetson_memprof.board.run.runs import RunFolder
from jetson_memprof.board.massif.valgrind import UnderValgrind

MASSIF = {"threshold": 1.0, "depth": 30, "pages_as_heap": False, "gpu": False, "frames": False,
          "checkpoint_s": 3600, "max_hits": 0, "lines": []}
#: More than the kernel's highest pid.
NOBODY = 2 ** 22 + 1
HOLD = """\
    import sys, time
    held = bytearray(9000000)
    print("ready") or time.sleep(1000)  # one line: what is ready is on it
    """


def peak(data):
    """The highest mem_heap_B of a massif.out."""
    return max(int(line[11:]) for line in data.split(b"\n") if line.startswith(b"mem_heap_B="))


@unittest.skipUnless(shutil.which("valgrind"), "SKIPPED: valgrind is not installed here")
class Massif(BoardCase):
    def start_massif(self, run, script="script.py", massif=MASSIF, **changes):
        return self.start(run, script, engine="massif", massif=massif, **changes)

    def ready(self, run):
        until(lambda: b"ready\n" in self.contents(run, "stdout.log"), 120, "the script's first words")

    def outs(self, run):
        return sorted(name for name in os.listdir(self.run_file(run, "")) if name.startswith("massif."))

    def test_from_start_to_end(self):
        """In a folder whose name massif's own commands could not take, with children of every kind."""
        self.root = os.path.join(self.top, "root 100%p of board")
        self.write("script.py", """\
            import os, subprocess, sys
            print(os.environ["PYTHONMALLOC"], repr(os.environ["CUDA_VISIBLE_DEVICES"]), os.environ["OMP_NUM_THREADS"])
            print(os.getpid(), sys.argv[1:])
            sys.stdout.flush()
            held = bytearray(30000000)
            if os.fork() == 0:
                more = bytearray(20000000)
                os._exit(0)
            os.wait()
            subprocess.check_call([sys.executable, "-c", "held = bytearray(15000000)"])
            os.system("true")
            """)
        # From 3.12 on Python warns a program that forks beside another thread, as that of the checkpoints is.
        env = {"OMP_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore::DeprecationWarning"}
        reply = self.start_massif("r1", args=["a b"], env=env)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.files["stdout.log"].decode(), "malloc '' 2\n%d ['a b']\n" % reply["pid"])
        self.assertEqual(mirror.files.get("stderr.log", b""), b"")
        engine = mirror.record["engine"]
        self.assertEqual((engine["name"], engine["massif"]["threshold"], engine["massif"]["lines"]), ("massif", 1.0, []))
        self.assertEqual(mirror.record["warnings"], [])
        main = "massif.out.%d" % reply["pid"]
        self.assertTrue(30000000 <= peak(mirror.files[main]) < 45000000, peak(mirror.files[main]))
        # The forked one, the new interpreter; and not the shell.
        peaks = sorted(peak(data) for name, data in mirror.files.items() if name.startswith("massif.out."))
        self.assertEqual(len(peaks), 3, sorted(mirror.files))
        self.assertTrue(15000000 <= peaks[0] < 30000000 and peaks[2] >= 50000000, peaks)
        for name in self.outs("r1"):
            self.assertEqual(mirror.files[name], self.contents("r1", name))
            self.assertEqual([one["encoding"] for one in mirror.frames if one.get("file") == name], ["gzip"])

    def test_a_cancelled_run_has_its_profile(self):
        self.helper = patient_helper(self.top)
        self.write("script.py", HOLD)
        pid = self.start_massif("r1")["pid"]
        self.ready("r1")
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "r1"})["state"], "cancelled")
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "cancelled", "signal": "SIGINT"})
        self.assertGreaterEqual(peak(mirror.files["massif.out.%d" % pid]), 9000000)

    def test_what_sigkill_leaves(self):
        self.write("script.py", HOLD)
        pid = self.start_massif("r1")["pid"]
        self.ready("r1")
        os.kill(pid, signal.SIGKILL)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "signalled", "signal": "SIGKILL"})
        self.assertIn("massif-no-profile", [one["code"] for one in mirror.record["warnings"]])

    def test_a_killed_run_shows_its_last_checkpoint(self):
        self.write("script.py", HOLD)
        pid = self.start_massif("r1", massif=dict(MASSIF, frames=True, checkpoint_s=1))["pid"]
        self.ready("r1")
        out = "massif.out.%d" % pid
        until(lambda: self.contents("r1", out) and peak(self.contents("r1", out)) >= 9000000, what="a checkpoint")
        os.kill(pid, signal.SIGKILL)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "signalled", "signal": "SIGKILL"})
        self.assertGreaterEqual(peak(mirror.files[out]), 9000000)
        self.assertEqual(mirror.record["warnings"], [])
        self.assertEqual([(one["path"], one["line"]) for one in mirror.record["last_lines"]], [("script.py", 3)])

    def test_measured_lines_come_home_with_their_trees(self):
        self.write("script.py", "kept = []\nfor n in range(3):\n    kept.append(bytearray(3000000))\n")
        pid = self.start_massif("r1", massif=dict(MASSIF, frames=True, max_hits=2, lines=[["script.py", 3]]))["pid"]
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        lines = mirror.files["massif.lines.%d.jsonl" % pid]
        trees = [one["tree"] for one in read_records(lines) if one["record"] == "hit" and one["tree"] is not None]
        self.assertEqual(len(trees), 2)
        order = [frame["file"] for frame in mirror.frames if "file" in frame]
        for tree in trees:
            for side in ("before", "after"):
                name = "massif-lines/%d/%d.%s" % (pid, tree, side)
                self.assertEqual(mirror.files[name], self.contents("r1", name))
                self.assertLess(order.index(name), len(order) - order[::-1].index("massif.lines.%d.jsonl" % pid))
        self.assertEqual(mirror.files["massif.frames.%d.jsonl" % pid], self.contents("r1", "massif.frames.%d.jsonl" % pid))
        # Again, from what is at home: nothing that is there is sent twice but what a size says nothing of.
        again = self.attach("r1", mirror.files).wait()
        self.assertEqual({frame["file"] for frame in again.frames if "file" in frame},
                         {"run.json", "massif.out.%d" % pid})
        self.assertEqual(again.files, mirror.files)

    def test_a_lost_run_has_its_profile_as_its_script_ends_with_the_helper(self):
        self.write("script.py", HOLD)
        pid = self.start_massif("r1")["pid"]
        self.ready("r1")
        noted = self.load("r1", "supervisor.json")
        os.kill(noted["pid"], signal.SIGKILL)
        until(lambda: not runs_now(noted["pid"]), what="the supervisor's end")
        until(lambda: not runs_now(pid), what="the end of valgrind, which writes its profile")
        self.assertEqual(self.attach("r1").wait().record["exit"]["kind"], "lost")
        self.assertGreaterEqual(peak(self.attach("r1").wait().files["massif.out.%d" % pid]), 9000000)
        self.assertFalse(os.path.exists(noted["shared"]))

    def test_pages_and_a_machine_of_ones_own(self):
        self.write("script.py", "import os\nprint(os.environ.get('PYTHONMALLOC'), os.environ['OPENBLAS_CORETYPE'])\n")
        self.start_massif("r1", massif=dict(MASSIF, pages_as_heap=True, gpu=True), env={"OPENBLAS_CORETYPE": "Haswell"})
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.files["stdout.log"], b"None Haswell\n")
        data = mirror.files[self.outs("r1")[0]]
        self.assertIn(b"(page allocation syscalls)", data)

    def test_valgrinds_refusals_are_in_words(self):
        self.write("script.py", "pass")
        for changes in ({"threshold": 0}, {"threshold": "1"}, {"depth": 0}, {"lines": [["../a.py", 1]]},
                        {"lines": [["a.py", 0]]}, {"lines": [3]}, {"frames": 1}, {"checkpoint_s": 0}, {"max_hits": -1}):
            reply = self.start_massif("r0", massif=dict(MASSIF, **changes), check=False)
            self.assertEqual(reply["error"]["code"], "bad-request", changes)

    def test_without_valgrind(self):
        self.write("script.py", "pass")
        tools = tempfile.mkdtemp(dir=self.top)
        self._runs.append("r1")
        reply = self.command("start", self.order("r1", "script.py", engine="massif", massif=MASSIF,
                                                 board={"l4t": "32.7.1"}),
                             check=False, env=dict(os.environ, PATH=tools))
        self.assertEqual(reply["error"]["code"], "valgrind-missing")
        self.assertIn("sudo apt-get install valgrind", reply["error"]["hint"])
        self.assertIn("3.13", reply["error"]["hint"])
        self.assertEqual(self.load("r1")["exit"]["kind"], "not-started")


class Way(unittest.TestCase):
    """What the script is started with, and what is said of its end."""

    def setUp(self):
        self.top = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.top)
        self.folder = RunFolder(self.top, "r1")
        os.makedirs(self.folder.path)
        self.record = RunRecord(self.folder.file("run.json"), {"engine": {"massif": {"valgrind": "3.13.0"}}})

    def way(self, machine="aarch64", **changes):
        shared = tempfile.mkdtemp(dir=self.top)
        return UnderValgrind(MassifSettings({"massif": dict(MASSIF, **changes)}), self.folder, shared, machine)

    def finish(self, ended, last_line_ms=0, **changes):
        way = self.way(**changes)
        way.environment({b"PYTHONMALLOC": b"pymalloc"} if changes.get("pages_as_heap") is False else {})
        way.finish(7, ended, last_line_ms, self.record)
        return [warning["code"] for warning in self.record.values["warnings"]]

    def test_the_library_of_python_frames_is_there_before_the_script(self):
        for frames, expected in ((True, 1), (False, 0)):
            self.way(frames=frames)
            made = max((os.path.join(self.top, name) for name in os.listdir(self.top) if name != "runs"), key=os.path.getmtime)
            self.assertEqual(expected, len([name for name in os.listdir(made) if name.endswith(".so")]))
            shutil.rmtree(made)

    def test_the_kernels_of_numeric_libraries_fit_the_machine(self):
        self.assertEqual(self.way().environment({}), {
            b"OPENBLAS_CORETYPE": b"ARMV8", b"OMP_NUM_THREADS": b"1", b"PYTHONMALLOC": b"malloc",
            b"CUDA_VISIBLE_DEVICES": b""})
        self.assertEqual(self.way("x86_64", gpu=True, pages_as_heap=True).environment({b"OMP_NUM_THREADS": b"4"}), {
            b"OPENBLAS_CORETYPE": b"Sandybridge", b"ATEN_CPU_CAPABILITY": b"default", b"DNNL_MAX_CPU_ISA": b"SSE41",
            b"OMP_NUM_THREADS": b"4", b"MALLOC_ARENA_MAX": b"1"})
        self.assertEqual(self.way().environment({b"CUDA_VISIBLE_DEVICES": b"0"})[b"CUDA_VISIBLE_DEVICES"], b"")

    def test_an_end_for_want_of_memory_is_explained(self):
        with open(self.folder.file("massif.out.7"), "wb") as file:
            file.write(HEAD)
        self.assertEqual(self.finish({"kind": "out-of-memory", "signal": "SIGKILL"}), ["massif-out-of-memory"])
        self.assertIn("fewer or smaller batches", self.record.values["warnings"][0]["message"])

    def test_a_script_that_hangs_on_arm64(self):
        with open(self.folder.file("massif.out.7"), "wb") as file:
            file.write(HEAD)
        cancelled = {"kind": "cancelled", "signal": "SIGTERM"}
        self.assertEqual(self.finish(cancelled, 299000), [])
        self.assertEqual(self.finish(cancelled, 720000, machine="x86_64"), [])
        self.assertEqual(self.finish(cancelled, 720000), ["massif-stuck"])
        self.assertIn("12 minutes", self.record.values["warnings"][0]["message"])

    def test_pythons_own_allocator_hides_objects(self):
        with open(self.folder.file("massif.out.7"), "wb") as file:
            file.write(HEAD)
        self.assertEqual(self.finish({"kind": "exited", "code": 0}, pages_as_heap=False), ["massif-allocator"])

    def test_profiles_that_there_is_no_room_for_are_counted(self):
        for pid in range(200):
            with open(self.folder.file("massif.out.%d" % (NOBODY + pid)), "wb") as file:
                file.write(HEAD)
        for count, said in ((1, "one more process than profiles are kept of; that of"),
                            (2, "2 more processes than profiles are kept of; those of")):
            for pid in range(count):
                with open(self.folder.file("massif.exit.%d" % (NOBODY + 300 + pid)), "wb") as file:
                    file.write(HEAD + snapshot(0, 5, b"empty\n"))
            self.finish({"kind": "exited", "code": 0})
            messages = [one["message"] for one in self.record.values["warnings"] if one["code"] == "massif-files-left-out"]
            self.assertIn(said, messages[-1])

    def test_what_the_log_says_is_in_the_run(self):
        with open(self.folder.file("valgrind.7.log"), "w") as file:
            file.write("disInstr(arm64): unhandled instruction 0xF8E00041\n")
        self.assertEqual(self.finish({"kind": "signalled", "signal": "SIGILL"}), ["massif-instruction", "massif-no-profile"])


def snapshot(number, time, tree):
    return b"#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=3\nmem_heap_extra_B=0\nmem_stacks_B=0\n" \
           b"heap_tree=%s" % (number, time, tree)


HEAD = b"desc: --depth=30\ncmd: python\nsnapshot=1\ntime_unit: ms\n"
DETAILED = b"detailed\nn2: 3 (heap allocation functions)\n n0: 2 0x1: a (a.c:1)\n n0: 1 in 3 places, all below\n"


class Ends(unittest.TestCase):
    """Which of valgrind's own file and the last checkpoint of a process is kept."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def kept(self, ended, checkpoint=None, pid=NOBODY):
        self.write("massif.exit.%d" % pid, ended)
        if checkpoint is not None:
            self.write("massif.out.%d" % pid, checkpoint)
        self.assertEqual(massif_files.collect(self.folder), 0)
        try:
            with open(os.path.join(self.folder, "massif.out.%d" % pid), "rb") as file:
                return file.read()
        except OSError:
            return None
        finally:
            self.assertFalse(os.path.exists(os.path.join(self.folder, "massif.exit.%d" % pid)))

    def test_a_whole_file_takes_the_checkpoints_place(self):
        checkpoint = HEAD + snapshot(0, 5, b"empty\n")
        for last in (b"empty\n", DETAILED):
            whole = HEAD + snapshot(0, 5, b"empty\n") + snapshot(1, 9, last)
            self.assertEqual(self.kept(whole, checkpoint), whole)

    def test_one_that_is_cut_off_anywhere_does_not(self):
        checkpoint = HEAD + snapshot(0, 5, b"empty\n") + snapshot(1, 7, DETAILED)
        whole = HEAD + snapshot(0, 5, DETAILED) + snapshot(1, 9, DETAILED)
        for size in range(len(whole)):
            self.assertEqual(self.kept(whole[:size], checkpoint), checkpoint, whole[:size])

    def test_something_is_better_than_nothing(self):
        self.assertEqual(self.kept(HEAD + snapshot(0, 5, b"det")), HEAD + snapshot(0, 5, b"det"))
        self.assertIsNone(self.kept(b"", pid=NOBODY + 1))

    def test_a_long_last_tree(self):
        leaves = b"".join(b" n0: 1 0x%x: f (a.c:1)\n" % at for at in range(30000))
        tree = b"peak\nn30000: 30000 (heap allocation functions)\n" + leaves
        whole = HEAD + snapshot(0, 1, b"empty\n") + snapshot(1, 2, tree)
        self.write("x", whole)
        self.assertEqual(massif_files.last_time(os.path.join(self.folder, "x")), 2)
        self.write("x", whole[:-27])
        self.assertIsNone(massif_files.last_time(os.path.join(self.folder, "x")))

    def test_a_living_process_still_writes(self):
        name = "massif.exit.%d" % os.getpid()
        self.write(name, HEAD)
        massif_files.collect(self.folder)
        self.assertEqual(os.listdir(self.folder), [name])

    def test_thousands_of_processes(self):
        for pid in range(NOBODY, NOBODY + 230):
            self.write("massif.exit.%d" % pid, HEAD + snapshot(0, 5, b"empty\n"))
        self.assertEqual(massif_files.collect(self.folder), 30)
        self.assertEqual(len(os.listdir(self.folder)), 200)


def noise(size):
    """What cannot be packed; it begins with no NUL, as a file does that a power cut took."""
    return b"m" + random.Random(size).getrandbits(8 * (size - 1)).to_bytes(size - 1, "little")


class FramesToMemory(object):
    def __init__(self):
        self.heads, self.data = [], []

    def head(self, **values):
        self.heads.append(values)
        self.data.append(b"")

    def write(self, data):
        self.data[-1] += data

    def alive(self):
        pass


class Sending(unittest.TestCase):
    def setUp(self):
        self.folder = RunFolder(tempfile.mkdtemp(), "r1")
        os.makedirs(self.folder.path)
        self.addCleanup(shutil.rmtree, os.path.dirname(os.path.dirname(self.folder.path)))
        self.frames = FramesToMemory()
        self.mirror = MassifMirror(self.folder, None, self.frames)

    def replace(self, data):
        with open(self.folder.file("next"), "wb") as file:
            file.write(data)
        os.rename(self.folder.file("next"), self.folder.file("massif.out.7"))

    def came(self):
        return [(head["file"], head["size"], gzip.decompress(data))
                for head, data in zip(self.frames.heads, self.frames.data)]

    def test_a_checkpoint_replaced_while_it_is_sent_comes_whole(self):
        first, second = noise(900000), noise(700000)
        self.replace(first)
        self.frames.alive = lambda: self.replace(second)  # between the first look at it and its sending
        self.mirror.look(True)
        self.mirror.look(True)
        self.assertEqual(self.came(), [("massif.out.7", 900000, first), ("massif.out.7", 700000, second)])

    def test_one_of_the_same_size_is_another(self):
        for text in (b"a" * 50, b"b" * 50):
            self.replace(text)
            self.mirror.look(True)
        self.mirror.look(True)
        self.assertEqual([data for _, _, data in self.came()], [b"a" * 50, b"b" * 50])

    def test_packing_takes_a_small_share_of_the_time_while_the_script_runs(self):
        clock = [100.0]

        def packing():
            clock[0] += 0.1
        self.frames.alive = packing  # called for each piece
        with mock.patch("time.monotonic", lambda: clock[0]):
            self.replace(noise(3000000))
            self.mirror.look(False)
            packed = clock[0]
            self.assertGreater(packed, 101)
            self.replace(noise(10))
            # It is packed twice, of which the second time is none by this clock.
            for now, sent in ((packed + 0.6, 1), (packed + 39 * (packed - 100), 1), (packed + 41 * (packed - 100), 2)):
                clock[0] = now
                self.mirror.look(False)
                self.assertEqual(len(self.frames.heads), sent)
            self.replace(noise(11))
            self.mirror.look(True)
        self.assertEqual(len(self.frames.heads), 3)

    def test_links_and_other_names_are_not_sent(self):
        with open(self.folder.file("secret"), "wb") as file:
            file.write(b"secret")
        os.symlink("secret", self.folder.file("massif.out.8"))
        for name in ("massif.out.9.part", "massif.exit.9", "massif.out.x"):
            shutil.copy(self.folder.file("secret"), self.folder.file(name))
        self.mirror.look(True)
        self.assertEqual(self.frames.heads, [])


class Log(unittest.TestCase):
    """Texts as valgrind's sources print them."""

    def meaning(self, text, version="3.13.0"):
        found = valgrind_log.meaning(text, version)
        return found[0] if len(found) == 1 else found

    def arm64(self, word):
        return self.meaning(
            "disInstr(arm64): unhandled instruction 0x%08x\ndisInstr(arm64): 1011'1000 0010'0000 0000'0000 0100'0001\n"
            "==9== valgrind: Unrecognised instruction at address 0x4a5d0c8.\n" % word)

    def test_instructions_of_arm64_are_named(self):
        # As the GNU assembler encodes them.
        for word, kind, since in ((0xf8e00041, "atomic (LSE)", "3.16"), (0x88a07c41, "atomic (LSE)", "3.16"),
                                  (0x48207c82, "atomic (LSE)", "3.16"), (0xb8bfc020, "LDAPR", "3.26"),
                                  (0x4e829420, "dot product", "3.23"), (0x2fb6e83f, "dot product", "3.23"),
                                  (0xd5380000, "MIDR_EL1", "3.24")):
            code, message = self.arm64(word)
            self.assertEqual(code, "massif-instruction")
            self.assertIn(kind, message)
            self.assertIn("Valgrind %s or newer" % since, message)
            self.assertIn("Valgrind 3.13.0 does not know", message)
        # sqrdmlah, fmla by element, ldr, prfm, id_aa64isar0
        for word in (0x6e828420, 0x4fa21020, 0xf8626820, 0xf8a16800, 0xd5380607):
            self.assertIn("(0x%08X)" % word, self.arm64(word)[1])

    def test_x86(self):
        code, message = self.meaning("vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7D 0x48\n"
                                     "==3== valgrind: Unrecognised instruction at address 0x1091.\n")
        self.assertEqual(code, "massif-instruction")
        self.assertIn("(0x62 0xF1 0x7D 0x48)", message)

    def test_out_of_memory_and_faults(self):
        code, message = self.meaning("==4== \n==4==     Valgrind's memory management: out of memory:\n"
                                     "==4==        newSuperblock's request for 4194304 bytes failed.\n")
        self.assertEqual(code, "massif-out-of-memory")
        self.assertIn("--pages-as-heap", message)
        code, message = self.meaning("valgrind: m_mallocfree.c:303 (get_bszB_as_is): Assertion 'bszB_lo == bszB_hi' failed.\n"
                                     "valgrind: Heap block lo/hi size mismatch\n")
        self.assertEqual(code, "massif-valgrind-failed")
        self.assertIn("m_mallocfree.c:303", message)
        self.assertEqual(self.meaning("valgrind:  which is mandatory for this platform-tool combination\n")[0],
                         "massif-symbols-missing")
        self.assertIn("449", self.meaning("==5== WARNING: unhandled amd64-linux syscall: 449\n", None)[1])

    def test_a_usual_log_says_nothing(self):
        self.assertEqual(self.meaning("==5== Massif, a heap profiler\n==5== Command: python3 t.py\n==5== \n"), [])


if __name__ == "__main__":
    unittest.main()
