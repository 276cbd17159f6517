"""What a run is asked to record of PyTorch: the request, the files on their way home, asking for a snapshot."""
import gzip
import io
import json
import os
import pickle
import textwrap
import time
import unittest
from unittest import mock

from test_board_common import BoardCase, read_records, until

from jetson_memprof.board.commands.asking import snapshot
from jetson_memprof.board.commands.order import Order
from jetson_memprof.board.run.runs import RunFolder
from jetson_memprof.board.wire.torch_mirror import TorchMirror
from jetson_memprof.engine import layout

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")
TORCH = {"exact_peaks": True, "snapshots": {"entries": 5000, "checkpoint_s": 60},
         "model": {"steps": 3, "trial": {"kind": "checkpoint", "every": 2}}}
# The script finds its run's folder as the helper inside of it does, and says so by a file.
SPEC = """\
import json, os, time
spec = json.load(open(os.environ["JETSON_MEMPROF_SPEC"]))
folder = spec["torch"]["folder"]
def write(name, text, mode="w"):
    with open(os.path.join(folder, name), mode) as file:
        file.write(text)
def wait(name):
    while not os.path.exists(os.path.join(folder, name)):
        time.sleep(0.01)
"""


def script(text):
    return SPEC + textwrap.dedent(text)


def record(**values):
    return json.dumps(dict({"record": "snapshot", "t": 1, "pid": 5}, **values)) + "\n"


class Request(BoardCase):
    def order_of(self, **changes):
        self.write("script.py", "")
        return Order(self.order("r1", "script.py", **changes))

    def test_is_passed_to_the_process_as_it_is(self):
        order = self.order_of(torch=TORCH)
        self.assertEqual(order.torch.spec("/folder", 12.5), dict(TORCH, folder="/folder", began=12.5))
        for trial in ({"kind": "nano-batch", "chunks": 4}, {"kind": "amp"}, {"kind": "in-place"}, None):
            asked = dict(TORCH, model={"steps": 1, "trial": trial})
            self.assertEqual(self.order_of(torch=asked).torch.spec("/f", 0)["model"]["trial"], trial)

    def test_asks_for_nothing_where_it_is_absent(self):
        for order in (self.order_of(), self.order_of(torch=None), self.order_of(torch={})):
            self.assertFalse(order.torch.is_wanted)
        self.order_of(engine="memory_profiler", torch={"exact_peaks": False, "snapshots": None, "model": None})

    def test_of_another_engine_is_refused_in_words(self):
        for part in ("exact_peaks", "snapshots", "model"):
            request = self.order("r1", "script.py", engine="memory_profiler", torch={part: TORCH[part]})
            self.assertEqual(self.refused(Order, request), "needs-line-engine")

    def test_with_values_out_of_bounds_is_refused(self):
        for wrong in ({"exact_peaks": 1}, {"snapshots": True}, {"snapshots": {"entries": 0, "checkpoint_s": 60}},
                      {"snapshots": {"entries": 10 ** 7, "checkpoint_s": 60}}, {"snapshots": {"entries": 5}},
                      {"model": {}}, {"model": {"steps": 0}}, {"model": {"steps": 1, "trial": {"kind": "magic"}}},
                      {"model": {"steps": 1, "trial": {"kind": "checkpoint"}}},
                      {"model": {"steps": 1, "trial": {"kind": "nano-batch", "chunks": 1}}}):
            request = self.order("r1", "script.py", torch=wrong)
            self.assertEqual(self.refused(Order, request), "bad-request", wrong)

    def test_reaches_the_process_with_the_runs_folder_and_its_beginning(self):
        before = time.monotonic()
        mirror = self.run_script("r1", script("""\
            print(time.monotonic(), json.dumps(spec["torch"], sort_keys=True))
            """), torch=TORCH)
        now, spec = mirror.files["stdout.log"].decode().split(" ", 1)
        spec = json.loads(spec)
        self.assertEqual(spec.pop("folder"), os.path.join(self.root, "runs", "r1"))
        self.assertTrue(before < spec["began"] < float(now), (before, spec, now))  # on the same clock
        self.assertEqual(dict(spec, began=0), dict(TORCH, began=0))


class Files(BoardCase):
    def test_come_home_packed_before_the_records_that_name_them(self):
        mirror = self.run_script("r1", script("""\
            write("allocator.7.0.pickle", "one" * 5000)
            write("allocator.jsonl", json.dumps(
                {"record": "snapshot", "file": "allocator.7.0.pickle", "why": "oom"}) + "\\n", "a")
            write("model.7.jsonl", '{"schema":1}\\n')
            write("model.x.jsonl", '{"schema":1}\\n')
            write("allocator.7.x.pickle", "no")
            """), torch=TORCH)
        self.assertEqual(mirror.files["allocator.7.0.pickle"], b"one" * 5000)
        self.assertEqual([one["record"] for one in read_records(mirror.files["allocator.jsonl"])], ["header", "snapshot"])
        self.assertEqual(mirror.files["model.7.jsonl"], b'{"schema":1}\n')
        self.assertNotIn("model.x.jsonl", mirror.files)
        self.assertNotIn("allocator.7.x.pickle", mirror.files)
        order = [one["file"] for one in mirror.frames if str(one.get("file")).startswith("allocator.")]
        self.assertEqual(order[-2:], ["allocator.7.0.pickle", "allocator.jsonl"])
        packed = [one for one in mirror.frames if one.get("file") == "allocator.7.0.pickle"][0]
        self.assertEqual((packed["encoding"], packed["size"]), ("gzip", 15000))

    def test_a_replaced_checkpoint_is_the_last_one_at_the_end(self):
        mirror = self.run_script("r1", script("""\
            for number in range(3):
                write("part", "%d" % number * 9000)
                os.rename(os.path.join(folder, "part"), os.path.join(folder, "allocator.7.0.pickle"))
                write("allocator.jsonl", json.dumps(
                    {"record": "snapshot", "file": "allocator.7.0.pickle", "why": "checkpoint"}) + "\\n", "a")
                time.sleep(0.2)
            """), torch=TORCH)
        self.assertEqual(mirror.files["allocator.7.0.pickle"], b"2" * 9000)

    def test_a_checkpoint_replaced_while_nobody_was_attached_comes_too(self):
        lines = record(file="allocator.7.0.pickle", why="checkpoint").encode()
        folder = os.path.join(self.root, "runs", "r1")
        os.makedirs(folder)
        for name, data in (("allocator.jsonl", lines), ("allocator.7.0.pickle", b"new")):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        sent = {}

        class Frames(object):
            def head(self, **values):
                self.name = values["file"]
                sent[self.name] = b""

            def write(self, data):
                sent[self.name] += data

            def alive(self):
                pass

        class Mirror(object):
            def send_growth(self, name, before=None):
                pass

        class Folder(object):
            path = folder

            def file(self, name):
                return os.path.join(folder, name)

        TorchMirror(Folder(), Mirror(), Frames(), {"allocator.jsonl": len(lines)}).look(False)
        self.assertEqual(gzip.GzipFile(fileobj=io.BytesIO(sent["allocator.7.0.pickle"])).read(), b"new")


class Snapshots(BoardCase):
    """From the request to the file at home, with a stand-in for torch: no machine of the tests has CUDA."""

    BEGIN = """\
        import os, signal, sys, time
        import torch, torch.cuda.memory
        from torch.standin import alloc, start
        start()
        kept = alloc(3 << 20)
        while not torch.cuda.memory.recorded:
            time.sleep(0.002)
        """

    def order_torch(self, text, version="2.1"):
        self.write("script.py", textwrap.dedent(self.BEGIN) + textwrap.dedent(text))
        env = {"PYTHONPATH": STANDIN, "STANDIN_TORCH": version, "FOLDER": os.path.join(self.root, "runs", "r1")}
        self.start("r1", "script.py", torch=dict(TORCH, exact_peaks=False, model=None), env=env)

    def snapshots(self, mirror):
        """(why, allocated bytes) of each snapshot at home, read from the files."""
        found = []
        for one in read_records(mirror.files["allocator.jsonl"])[1:]:
            self.assertEqual((one["record"], len(mirror.files[one["file"]])), ("snapshot", one["size"]))
            found.append((one["why"], pickle.loads(mirror.files[one["file"]])["segments"][0]["allocated_size"]))
        return found

    def test_one_is_taken_on_request_while_the_script_runs_and_one_at_the_end(self):
        self.order_torch("""\
            open(os.path.join(os.environ["FOLDER"], "ready"), "w")
            while not os.path.exists(os.path.join(os.environ["FOLDER"], "go")):
                time.sleep(0.002)
            more = alloc(5 << 20)
            """)
        attached = self.attach("r1")
        until(lambda: os.path.exists(self.run_file("r1", "ready")), what="the script")
        self.assertEqual(self.command("snapshot", {"root": self.root, "id": "r1"}), {"asked": 1})
        until(lambda: len(read_records(attached.mirror.files.get("allocator.jsonl", b""))) == 2, what="the snapshot")
        with open(self.run_file("r1", "go"), "w"):
            pass
        mirror = attached.wait()
        self.assertEqual(self.snapshots(mirror), [("request", 3 << 20), ("end", 8 << 20)])
        self.assertEqual(mirror.record["warnings"], [])
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})

    def test_one_is_taken_when_memory_runs_out(self):
        for version, expected in (("2.1", ["oom", "end"]), ("1.13", ["oom"])):
            self.order_torch("torch.cuda.memory.run_out(9 << 30)", version)
            mirror = self.attach("r1").wait()
            self.assertIn(b"CUDA out of memory", mirror.files["stderr.log"])
            self.assertEqual([why for why, _ in self.snapshots(mirror)], expected)
            self.command("remove", {"root": self.root, "id": "r1"})

    def test_what_was_taken_survives_sigkill(self):
        self.order_torch("""\
            try:
                torch.cuda.memory.run_out(9 << 30)
            except RuntimeError:
                os.kill(os.getpid(), signal.SIGKILL)
            """)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "signalled", "signal": "SIGKILL"})
        self.assertEqual(self.snapshots(mirror), [("oom", 3 << 20)])


class Asking(BoardCase):
    WAITS = script("""\
            write("ready", "")
            wait("go")
            """)

    def go(self):
        with open(self.run_file("r1", "go"), "w"):
            pass

    def heads(self):
        shared = self.shared_folder("r1")
        return [os.path.join(shared, name) for name in os.listdir(shared) if name.endswith(".cnt")]

    def words(self):
        with open(self.heads()[0], "rb") as file:
            return memoryview(file.read(layout.HEADER_BYTES)).cast("q")

    def begin(self, **changes):
        self.write("script.py", self.WAITS)
        self.start("r1", "script.py", **changes)
        until(lambda: os.path.exists(self.run_file("r1", "ready")), what="the script")

    def test_sets_the_word_that_a_process_which_takes_snapshots_looks_at(self):
        self.begin(torch=TORCH)
        request = {"root": self.root, "id": "r1"}
        self.assertEqual(self.command("snapshot", request), {"asked": 0})
        self.assertEqual(self.words()[layout.H_ASKED], 0)
        with open(self.heads()[0], "r+b") as file:
            file.seek(layout.H_SNAPSHOTS * 8)
            file.write(b"\1")
        self.assertEqual(self.command("snapshot", request), {"asked": 1})
        first = self.words()[layout.H_ASKED]
        self.assertGreater(first, 0)
        self.command("snapshot", request)
        self.assertGreater(self.words()[layout.H_ASKED], first)
        self.go()
        self.attach("r1").wait()
        self.assertEqual(self.refused(snapshot, request), "not-running")

    def test_of_a_run_that_is_just_ending_is_refused(self):
        """Between a run's last record and its supervisor's end: first the counters are there, then they are not."""
        self.begin(torch=TORCH)
        request = {"root": self.root, "id": "r1"}
        path = self.shared_folder("r1")
        with mock.patch.object(RunFolder, "run_record", return_value={"state": "finished"}):
            self.assertEqual(self.refused(snapshot, request), "not-running")
        with mock.patch.object(RunFolder, "shared_folder", return_value=path + "-gone"):
            self.assertEqual(self.refused(snapshot, request), "not-running")
        self.assertEqual(snapshot(request), {"asked": 0})
        self.go()

    def test_of_a_run_without_snapshots_is_refused(self):
        self.begin()
        self.assertEqual(self.refused(snapshot, {"root": self.root, "id": "r1"}), "no-snapshots")
        self.go()


if __name__ == "__main__":
    unittest.main()
