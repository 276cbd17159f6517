"""Allocator snapshots, with a stand-in for torch: no machine of the tests has CUDA."""
import atexit
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if SOURCE not in sys.path:
    sys.path.insert(0, SOURCE)

from jetson_memprof.cuda import snapshot_files  # noqa: E402
from jetson_memprof.cuda.snapshots import Snapshots  # noqa: E402
from jetson_memprof.engine.layout import H_ASKED, H_KIND, H_SNAPSHOTS, KINDS  # noqa: E402

STACK = [{"filename": "train.py", "line": 3, "name": "<module>"}]


class StandIn(object):
    """A torch whose recording functions look as those of a version do. `recorded` has how they were called."""

    def __init__(self, version, history_enabled=False):
        self.recorded = []
        self.observers = []
        self.snapshots = 0
        self.value = {"segments": [{"address": 140000000000000, "total_size": 2097152, "blocks": [
            {"size": 512, "state": "active_allocated", "frames": STACK}]}], "device_traces": [[]]}
        note = lambda *args, **kwargs: self.recorded.append((args, kwargs))  # noqa: E731
        self.torch = types.ModuleType("torch")
        self.torch.__version__ = "%d.%d.0" % version
        self.core = types.ModuleType("torch._C")
        self.blocks = {"current": 1, "allocated": 1, "freed": 0}
        self.core._cuda_getDeviceCount = lambda: 1
        self.core._cuda_memoryStats = lambda device: {
            "allocation": {"all": self.blocks}, "segment": {"all": {"current": 1, "allocated": 1, "freed": 0}}}
        self.cuda = types.ModuleType("torch.cuda")
        self.cuda._initialized = True
        self.cuda.is_initialized = lambda: self.cuda._initialized
        self.memory = types.ModuleType("torch.cuda.memory")
        if version >= (2, 1):
            def record(enabled="all", *args, **kwargs):
                note(enabled, *args, **kwargs)
            self.core._cuda_isHistoryEnabled = lambda: history_enabled
        elif version >= (2, 0):
            def record(enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False,
                       device=None, _enable_expensive_cpp=False):
                note(enabled, entries=trace_alloc_max_entries, context=trace_alloc_record_context)
        else:
            def record(enabled, device=None):
                note(enabled)
        if version >= (1, 13):
            self.memory._record_memory_history = record
            self.memory._snapshot = self.snapshot
        if version >= (2, 0):
            self.core._cuda_attach_out_of_memory_observer = self.observers.append

    def snapshot(self, device=None):
        self.snapshots += 1
        return self.value

    def modules(self):
        return {"torch": self.torch, "torch._C": self.core, "torch.cuda": self.cuda, "torch.cuda.memory": self.memory}


class Counters(object):
    def __init__(self):
        self.head = [0] * 64
        self.warnings = []

    def warn(self, code, message):
        self.warnings.append((code, message))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="jmp-test-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.counters = Counters()
        self.time = 100.0
        before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"}
        self.addCleanup(sys.modules.update, before)
        self.addCleanup(self.forget)

    def forget(self):
        for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
            del sys.modules[name]

    def torch(self, *version, **more):
        self.forget()
        stand_in = StandIn(version, **more)
        sys.modules.update(stand_in.modules())
        return stand_in

    def snapshots(self, entries=500, checkpoint_s=60):
        settings = {"snapshots": {"entries": entries, "checkpoint_s": checkpoint_s}, "folder": self.folder, "began": 99.0}
        taken = Snapshots(settings, self.counters, lambda: self.time)
        self.addCleanup(atexit.unregister, taken._at_exit)
        return taken

    def records(self):
        path = os.path.join(self.folder, "allocator.jsonl")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [json.loads(line) for line in file]

    def load(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            data = file.read()
        self.assertEqual(data[:2], b"\x80\x04")
        return pickle.loads(data)


class Begins(Case):
    def test_not_before_the_program_has_initialised_cuda(self):
        torch = self.torch(2, 1)
        torch.cuda._initialized = False
        taken = self.snapshots()
        taken.look()
        self.assertEqual((torch.recorded, self.counters.head[H_SNAPSHOTS]), ([], 0))
        torch.cuda._initialized = True
        taken.look()
        self.assertEqual(self.counters.head[H_SNAPSHOTS], 1)
        self.assertEqual(len(torch.recorded), 1)
        taken.look()
        self.assertEqual(len(torch.recorded), 1)

    def test_with_what_each_pytorch_takes(self):
        expected = {
            (1, 13): ((True,), {}),
            (2, 0): ((True,), {"entries": 500, "context": True}),
            (2, 1): (("all",), {"context": "all", "stacks": "python", "max_entries": 500}),
        }
        for version, call in sorted(expected.items()):
            torch = self.torch(*version)
            self.snapshots().look()
            self.assertEqual(torch.recorded, [call], version)
        self.assertEqual(self.counters.warnings, [])

    def test_and_leaves_a_history_alone_that_the_program_records(self):
        torch = self.torch(2, 3, history_enabled=True)
        taken = self.snapshots()
        taken.look()
        self.assertEqual(torch.recorded, [])
        taken._at_exit()
        self.assertEqual([one["why"] for one in self.records()], ["end"])

    def test_never_where_pytorch_cannot_and_says_so_once(self):
        self.torch(1, 10)
        taken = self.snapshots()
        taken.look()
        taken.look()
        taken._at_exit()
        refused, = self.records()
        self.assertEqual((refused["record"], refused["pid"], refused["t"]), ("refused", os.getpid(), 1000))
        self.assertIn("(1.10.0) cannot record", refused["message"])
        self.assertEqual([code for code, _ in self.counters.warnings], ["allocator-snapshot-failed"])
        self.assertEqual(self.counters.head[H_SNAPSHOTS], 0)

    def test_never_in_a_script_without_cuda_which_is_said_at_its_end(self):
        torch = self.torch(2, 1)
        torch.cuda._initialized = False
        taken = self.snapshots()
        self.counters.head[H_KIND] = KINDS.index("spawn")  # such as a worker that loads data
        taken._at_exit()
        self.assertEqual(self.records(), [])
        self.counters.head[H_KIND] = KINDS.index("main")
        taken._at_exit()
        self.assertIn("has not used CUDA", self.records()[0]["message"])
        self.assertEqual(self.counters.warnings, [])


class Takes(Case):
    def begun(self, *version, **more):
        torch = self.torch(*(version or (2, 1)))
        taken = self.snapshots(**more)
        taken.look()
        return torch, taken

    def test_one_when_it_is_asked_to(self):
        torch, taken = self.begun()
        self.time = 105.5
        self.counters.head[H_ASKED] = 77
        taken.look()
        taken.look()
        pid = os.getpid()
        name = "allocator.%d.0.pickle" % pid
        self.assertEqual(self.records(), [{
            "record": "snapshot", "t": 6500, "pid": pid, "file": name, "size": os.path.getsize(os.path.join(self.folder, name)),
            "why": "request", "history": "all", "entries": 500}])
        self.assertEqual(self.load(name), torch.value)
        self.counters.head[H_ASKED] = 78
        taken.look()
        self.assertEqual(self.records()[1]["file"], "allocator.%d.1.pickle" % pid)

    def test_none_for_what_was_asked_before_it_began(self):
        self.counters.head[H_ASKED] = 5
        torch, taken = self.begun()
        taken.look()
        self.assertEqual(torch.snapshots, 0)

    def test_says_state_where_there_is_no_timeline(self):
        _, taken = self.begun(1, 13)
        taken._at_exit()
        self.assertEqual([(one["why"], one["history"]) for one in self.records()], [("end", "state")])

    def test_one_each_time_memory_ran_out_up_to_a_number(self):
        torch, taken = self.begun()
        for _ in range(6):
            torch.observers[0](0, 1 << 30, 1 << 30, 0)
        taken._at_exit()
        self.assertEqual([one["why"] for one in self.records()], ["oom"] * 4 + ["end"])
        self.assertEqual(len({one["file"] for one in self.records()}), 5)

    def test_one_of_the_error_that_ended_the_program_where_nothing_tells_of_it(self):
        class OutOfMemoryError(RuntimeError):
            pass
        for error in (OutOfMemoryError("no"), RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")):
            _, taken = self.begun(1, 13)
            sys.last_value = error
            self.addCleanup(sys.__dict__.pop, "last_value", None)
            taken._at_exit()
            self.assertEqual(self.records()[-1]["why"], "oom")
        sys.last_value = RuntimeError("a size mismatch")
        _, taken = self.begun(1, 13)
        taken._at_exit()
        self.assertEqual(self.records()[-1]["why"], "end")

    def test_checkpoints_into_one_file_and_less_often_where_they_take_long(self):
        torch, taken = self.begun(checkpoint_s=10)

        def slow(device=None):
            self.time += 3.0
            torch.snapshots += 1
            return {"number": torch.snapshots}
        torch.memory._snapshot = slow
        for now in (109.0, 110.0, 123.1, 262.9, 263.1):
            self.time = now
            taken.look()
        files = {one["file"] for one in self.records()}
        # 3 s of one may be taken once in 150 s: 110 + 3 + 150.
        self.assertEqual([one["t"] for one in self.records()], [11000, 164100])
        self.assertEqual(len(files), 1)
        self.assertEqual(self.load(files.pop()), {"number": 2})


class GoesWrong(Case):
    def begun(self):
        torch = self.torch(2, 1)
        taken = self.snapshots()
        taken.look()
        return torch, taken

    def ask(self, taken):
        self.counters.head[H_ASKED] += 1
        taken.look()

    def raise_in_test(self, torch, error):
        def raises(device=None):
            raise error
        torch.memory._snapshot = raises

    def test_with_a_failure_of_pytorchs_the_program_goes_on(self):
        torch, taken = self.begun()
        self.fail_in_torch(torch, "ValueError('a new kind of block')")
        self.ask(taken)
        self.assertIn("ValueError: a new kind of block", self.counters.warnings[0][1])
        self.assertEqual([one["record"] for one in self.records()], ["refused"])

    def fail_in_torch(self, torch, error):
        exec("def _snapshot(device=None): raise %s" % error, torch.memory.__dict__)

    def test_what_the_programs_signal_handler_raises_is_the_programs(self):
        torch, taken = self.begun()
        self.raise_in_test(torch, TimeoutError("the program's own alarm"))
        with self.assertRaises(TimeoutError):
            self.ask(taken)
        torch.memory._snapshot = torch.snapshot
        self.ask(taken)
        self.assertEqual([one["why"] for one in self.records()], ["request"])

    def test_for_want_of_memory_it_is_tried_again_at_the_next_look(self):
        torch, taken = self.begun()
        self.fail_in_torch(torch, "MemoryError()")
        self.ask(taken)
        self.assertEqual((self.records(), self.counters.warnings), ([], []))
        torch.memory._snapshot = torch.snapshot
        taken.look()
        self.assertEqual([one["why"] for one in self.records()], ["request"])

    def test_a_full_disk_leaves_no_half_a_file_and_the_former_one_whole(self):
        torch, taken = self.begun()
        self.ask(taken)
        room = snapshot_files._LARGEST
        self.addCleanup(setattr, snapshot_files, "_LARGEST", room)
        snapshot_files._LARGEST = 300000
        torch.value = ["%07d" % number for number in range(100000)]
        self.ask(taken)
        self.assertEqual(sorted(os.listdir(self.folder)), ["allocator.%d.0.pickle" % os.getpid(), "allocator.jsonl"])
        self.assertIn("no room", self.counters.warnings[0][1])
        self.assertEqual([one["record"] for one in self.records()], ["snapshot", "refused"])

    def test_none_is_taken_that_would_use_up_the_boards_memory(self):
        from jetson_memprof.cuda import snapshots
        self.addCleanup(setattr, snapshots, "memory_available", snapshots.memory_available)
        torch, taken = self.begun()
        torch.blocks.update(current=1000, allocated=9000, freed=8000)
        # At most 500 events are kept, beside the blocks: 1,501 times 1,200 bytes.
        snapshots.memory_available = lambda: 2 * 1501 * 1200 - 2
        torch.observers[0](0, 1 << 30, 1 << 30, 0)
        self.assertEqual((torch.snapshots, [one["record"] for one in self.records()]), (0, ["refused"]))
        self.assertIn("only 3 MiB of memory left", self.counters.warnings[0][1])
        for enough in (2 * 1501 * 1200, None):
            snapshots.memory_available = lambda: enough
            self.ask(taken)
        self.assertEqual([one.get("why") for one in self.records()], [None, "request", "request"])

    def test_without_its_folder_there_is_a_warning(self):
        _, taken = self.begun()
        shutil.rmtree(self.folder)
        self.ask(taken)
        self.assertEqual([code for code, _ in self.counters.warnings], ["allocator-snapshot-failed"])

    def test_in_a_forked_child_nothing_is_taken_at_exit(self):
        _, taken = self.begun()
        taken._pid += 1
        taken._at_exit()
        self.assertEqual(self.records(), [])

    def test_a_file_of_the_program_before_exec_is_kept(self):
        with open(os.path.join(self.folder, "allocator.%d.0.pickle" % os.getpid()), "wb"):
            pass
        _, taken = self.begun()
        self.ask(taken)
        self.assertEqual(self.records()[0]["file"], "allocator.%d.1.pickle" % os.getpid())

    def test_sigkill_while_one_is_written_leaves_the_former_whole(self):
        script = textwrap.dedent("""\
            import os, signal, sys
            sys.path.insert(0, sys.argv[1])
            from jetson_memprof.cuda.snapshot_files import SnapshotFiles
            files = SnapshotFiles(sys.argv[2], 7)
            name = files.new_name()
            files.write(name, list(range(1000)))
            import jetson_memprof.cuda.snapshot_files as module
            write = module._Bounded.write
            def dies(self, data):
                write(self, data)
                os.kill(os.getpid(), signal.SIGKILL)
            module._Bounded.write = dies
            files.write(name, ["%07d" % number for number in range(100000)])
            """)
        done = subprocess.run([sys.executable, "-c", script, SOURCE, self.folder])
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(self.load("allocator.7.0.pickle"), list(range(1000)))
        self.assertGreater(os.path.getsize(os.path.join(self.folder, "allocator.7.part")), 0)


if __name__ == "__main__":
    unittest.main()
