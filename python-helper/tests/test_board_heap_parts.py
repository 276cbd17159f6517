"""The board's side of sampled native stacks, part by part: what is asked, what is refused, what is made of the logs."""
import os
import select
import shutil
import signal
import sys
import tempfile
import types
import unittest
from unittest import mock

import test_board_common  # noqa: F401  (finds the helper)

from jetson_memprof.board.errors import BoardError
from jetson_memprof.board.heap import apart, logs
from jetson_memprof.board.heap.heap_settings import heap_settings
from jetson_memprof.board.run.record import RunRecord

MEAN = 512 << 10


class Settings(unittest.TestCase):
    def test_none_is_asked_for(self):
        self.assertIsNone(heap_settings({}, "massif"))
        self.assertIsNone(heap_settings({"heap": None}, "line"))

    def test_the_mean_is_a_whole_number_between_bounds(self):
        self.assertEqual(heap_settings({"heap": {"mean": MEAN}}, "line").record(), {"mean": MEAN})
        for mean in (None, 4095, (8 << 20) + 1, "512", True, -1):
            with self.subTest(mean=mean), self.assertRaises(BoardError) as refused:
                heap_settings({"heap": {"mean": mean}}, "line")
            self.assertEqual(refused.exception.code, "bad-request")

    def lines(self, lines, hits=3):
        return heap_settings({"heap": {"mean": MEAN, "lines": lines, "max_hits": hits}}, "line")

    def test_marked_lines(self):
        found = self.lines([["train.py", 3], ["pkg/net.py", 12]])
        spec = {"max_hits": 3, "lines": [("train.py", 3), ("pkg/net.py", 12)]}
        self.assertEqual(({"heap": spec}, dict(spec, mean=MEAN), None), (found.spec(), found.record(), found.note()))
        for none in ({"mean": MEAN}, {"mean": MEAN, "lines": [], "max_hits": 3}):
            self.assertEqual(({}, {"mean": MEAN}), (heap_settings({"heap": none}, "line").spec(),
                                                    heap_settings({"heap": none}, "line").record()))

    def test_lines_of_any_other_kind_are_refused(self):
        for lines in ("train.py:3", [["../train.py", 3]], [["/train.py", 3]], [["train.py", 0]], [["train.py"]], [["a\0", 1]],
                      [["train.py", "3"]], [["train.py", True]], [[3, 3]], [["train.py", 3]] * 1001):
            with self.subTest(lines=str(lines)[:60]), self.assertRaises(BoardError) as refused:
                self.lines(lines)
            self.assertEqual(refused.exception.code, "bad-request")
        for hits in (0, 1001, "3", True):
            with self.subTest(hits=hits), self.assertRaises(BoardError):
                self.lines([["train.py", 3]], hits)

    def test_no_more_executions_than_there_is_room_for(self):
        said = "The native stacks of a process have room for 48 executions of marked lines. %s"
        for count, asked, hits, note in (
                (16, 3, 3, None), (17, 3, 2, "Each of 17 marked lines is measured the first 2 times it runs."),
                (48, 3, 1, "Each of 48 marked lines is measured the first time it runs."), (48, 1, 1, None),
                (1, 100, 48, "The marked line is measured the first 48 times it runs."),
                (49, 1, 1, "Of 49 marked lines the first 48 that run are measured, once each.")):
            found = self.lines([["train.py", line + 1] for line in range(count)], asked)
            self.assertEqual((hits, note and said % note), (found.max_hits, found.note()))

    def test_another_engine_refuses_them(self):
        for engine in ("massif", "memory_profiler"):
            with self.assertRaises(BoardError) as refused:
                heap_settings({"heap": {"mean": MEAN}}, engine)
            self.assertEqual(refused.exception.code, "needs-line-engine")
            self.assertIn(engine, refused.exception.message)


class Apart(unittest.TestCase):
    def test_what_says_no_more_but_goes_on_is_ended_in_time(self):
        command = ["/bin/sh", "-c", "echo said; exec sleep 100000 >/dev/null 2>&1"]
        self.assertEqual((None, b"said\n"), apart.ended(lambda: os.execv(command[0], command), 1.0, True))

    def test_what_it_started_is_ended_with_it(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)

        def work():
            if os.fork() == 0:
                os.write(1, bytes(2 * apart._MOST_BYTES))  # more than is read
            signal.pause()

        self.assertIsNone(apart.ended(work, 600.0, False)[0])
        os.close(writing)
        self.assertEqual([reading], select.select([reading], [], [], 60.0)[0])
        self.assertEqual(b"", os.read(reading, 1))

    def test_how_it_ended(self):
        for end, expected in ((lambda: os.write(1, b"said"), 0), (lambda: os._exit(3), 3 << 8), (os.abort, signal.SIGABRT)):
            status, said = apart.ended(end, 600.0, True)
            self.assertEqual(expected, status & 0xFF7F)
            self.assertEqual(b"said" if expected == 0 else b"", said)


class Scene(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.top)
        engine = {"name": "line", "heap": {"mean": MEAN}}
        self.record = RunRecord(os.path.join(self.top, "run.json"), {"engine": engine})
        self.folder = types.SimpleNamespace(path=self.top)

    def program(self, text):
        """Put a program in the place of the one that reads logs."""
        path = os.path.join(self.top, "bring.py")
        with open(path, "w") as file:
            file.write(text)
        patch = mock.patch.object(logs, "_PROGRAM", path)
        patch.start()
        self.addCleanup(patch.stop)

    def bring_in(self, seconds=60.0):
        logs.bring_in("/dev/shm/jmp-x", self.folder, "/project", self.record, seconds)
        return [(warning["code"], warning["message"]) for warning in self.record.values["warnings"]]


class BringIn(Scene):
    def test_its_notes_become_warnings(self):
        self.program("import json, sys\n"
                     "print(json.dumps({'pid': 7, 'notes': [['heap-no-room', ' '.join(sys.argv[1:])], 'no', ['a']]}))\n"
                     "print('not json')\n"
                     "print(json.dumps({'done': True}))\n")
        self.assertEqual(self.bring_in(), [("heap-no-room", "/dev/shm/jmp-x %s /project 60" % self.top)])

    def test_what_its_processes_took_of_the_gpu_is_added_up(self):
        self.program("import json\n"
                     "for pid, gpu in ((1, None), (2, {'peak': 5, 'past_pytorch': 3}), (3, {'peak': 7, 'past_pytorch': 'no'})):\n"
                     "    print(json.dumps({'pid': pid, 'notes': [], 'gpu': gpu}))\n"
                     "print('{\"done\": true}')\n")
        self.assertEqual(self.bring_in(), [])
        self.assertEqual(self.record.values["engine"]["heap"], {"mean": MEAN, "gpu": {"peak": 12, "past_pytorch": 3}})

    def test_a_program_that_ends_early_is_told(self):
        self.program("import os\nprint('{\"pid\": 7, \"notes\": []}', flush=True)\nos.abort()\n")
        self.assertEqual([code for code, _ in self.bring_in()], ["heap-not-read"])

    def test_one_that_does_not_end_is_ended(self):
        self.program("import time\nwhile True:\n    time.sleep(100)\n")
        with mock.patch.object(logs, "_BESIDES_S", 0.0):
            self.assertEqual([code for code, _ in self.bring_in(0.2)], ["heap-not-read"])

    def test_no_sample_at_all_is_told_with_the_mean(self):
        self.program("print('{\"done\": true}')\n")
        (code, message), = self.bring_in()
        self.assertEqual(code, "heap-no-samples")
        self.assertIn("512 KiB", message)

    def test_no_room_for_a_process_is_told(self):
        with mock.patch("os.fork", side_effect=OSError(12, "no memory")):
            self.assertEqual([code for code, _ in self.bring_in()], ["heap-not-read"])

    def test_the_program_has_the_descriptors_of_nobody(self):
        """A lock would be held, and a pipe kept open, until it ends."""
        with open(os.path.join(self.top, "lock"), "w") as held:
            self.program("import os, json\nopen_here = os.path.exists('/proc/self/fd/%d')\n"
                         "print(json.dumps({'pid': 7, 'notes': [['open', repr(open_here)]]}))\n"
                         "print('{\"done\": true}')\n" % held.fileno())
            self.assertEqual(self.bring_in(), [("open", "False")])


class Refused(object):
    def __init__(self, reason):
        self.reason = reason


class Ready(object):
    def __init__(self, values):
        self.values = values


class Start(Scene):
    """With a stand-in for the engine's own part, which is tried out in test_board_heap.py."""

    def sampled(self, answer, lines=()):
        start = types.ModuleType("jetson_memprof.heap.start")
        start.Refused, start.Ready, start.environment = Refused, Ready, mock.Mock(side_effect=[answer])
        tidy = types.ModuleType("jetson_memprof.heap.tidy")
        tidy.tidy = self.tidy = mock.Mock()
        package = types.ModuleType("jetson_memprof.heap")
        package.start, package.tidy, package.__path__ = start, tidy, []
        modules = {module.__name__: module for module in (package, start, tidy)}
        patches = [mock.patch.dict(sys.modules, modules), mock.patch("jetson_memprof.heap", package, create=True)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        sys.modules.pop("jetson_memprof.board.heap.sampled", None)
        from jetson_memprof.board.heap.sampled import Sampled
        self.addCleanup(sys.modules.pop, "jetson_memprof.board.heap.sampled", None)
        self.start = start
        settings = heap_settings({"heap": {"mean": MEAN, "lines": list(lines), "max_hits": 3}}, "line")
        return Sampled(settings, self.folder, "/dev/shm/jmp-x", "/project", self.record)

    def test_what_loads_it_is_added(self):
        way = self.sampled(Ready({b"LD_PRELOAD": b"ours theirs"}))
        given = {b"LD_PRELOAD": b"theirs"}
        self.assertEqual(way.environment(given), {b"LD_PRELOAD": b"ours theirs"})
        self.start.environment.assert_called_once_with("/dev/shm/jmp-x", MEAN, given, sys.executable)
        self.assertEqual(self.record.values["engine"]["heap"], {"mean": MEAN, "state": "sampled"})
        self.assertEqual(self.record.values["warnings"], [])

    def test_marked_lines_without_room_are_told(self):
        way = self.sampled(Ready({}), [["train.py", line] for line in range(1, 30)])
        self.assertEqual((1, 29), (way.spec()["heap"]["max_hits"], len(way.spec()["heap"]["lines"])))
        way.environment({})
        self.assertEqual(["heap-lines-many"], [warning["code"] for warning in self.record.values["warnings"]])

    def test_where_it_cannot_work_the_run_goes_on_without_it(self):
        reasons = {Refused("it was not built for riscv64"): "it was not built for riscv64",
                   OSError(28, "No space left on device"): "it could not be tried out on the board (No space left on device)"}
        for answer, reason in reasons.items():
            with self.subTest(reason):
                self.setUp()
                way = self.sampled(answer)
                given = {b"HOME": b"/root"}
                self.assertIs(way.environment(given), given)
                heap = self.record.values["engine"]["heap"]
                self.assertEqual(heap, {"mean": MEAN, "state": "refused", "reason": reason})
                (warning,) = self.record.values["warnings"]
                self.assertEqual(warning["code"], "heap-refused")
                self.assertTrue(warning["message"].endswith(": %s." % reason))
                with mock.patch.object(logs, "bring_in") as bring_in:
                    way.look(1e9)
                    way.finish(1, {"kind": "exited"}, 0, self.record)
                bring_in.assert_not_called()
                self.tidy.assert_not_called()

    def test_logs_of_ended_processes_are_looked_at_now_and_then(self):
        way = self.sampled(Ready({}))
        way.environment({})
        for now in (100.0, 101.0, 109.0, 111.0):
            way.look(now)
        self.assertEqual(self.tidy.call_count, 2)

    def test_who_cancels_does_not_wait_long(self):
        for kind, seconds in (("cancelled", logs.BRIEFLY_S), ("exited", logs.PATIENTLY_S)):
            way = self.sampled(Ready({}))
            way.environment({})
            with mock.patch.object(logs, "bring_in") as bring_in:
                way.finish(1, {"kind": kind}, 0, self.record)
            bring_in.assert_called_once_with("/dev/shm/jmp-x", self.folder, "/project", self.record, seconds)


if __name__ == "__main__":
    unittest.main()
