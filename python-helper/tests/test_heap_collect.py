"""What becomes of the heap sampler's logs: names of functions, damaged files, time limits, the environment of a run."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import heap_harness as heap
from heap_harness import M, layout
from massif import reader
from truth import harness

from jetson_memprof import built
from jetson_memprof.heap import collect, elf, names, sources, start, tree
from jetson_memprof.heap.log import BadLog, Log
from jetson_memprof.heap.tidy import tidy

FAR = 1e12
PROGRAM = ("#include <stdlib.h>\n#include <unistd.h>\n__attribute__((noinline)) void *takes(void) { return malloc(8 << 20); }\n"
           "int main(void) { takes(); _exit(0); }\n")


class Case(unittest.TestCase):
    def setUp(self):
        if not heap.NATIVE.runs:
            self.skipTest(heap.WHY_NOT)
        self.sampled = heap.Sampled()
        self.addCleanup(self.sampled.__exit__)
        self.out = os.path.join(self.sampled.path, "out")
        os.mkdir(self.out)

    def log(self):
        """The path of a program's log."""
        self.program = self.sampled.compiled(PROGRAM, "-no-pie")
        self.sampled.run([self.program])
        return os.path.join(self.sampled.logs, os.listdir(self.sampled.logs)[0])

    def bring_in(self, **more):
        return list(collect.bring_in(self.sampled.logs, self.out, self.sampled.path, **more))


class BringingIn(Case):
    def test_a_program_without_python_has_its_functions(self):
        self.log()
        summary, = self.bring_in()
        self.assertEqual((False, 8, [], False), (summary.python, summary.peak_bytes // M, summary.notes, summary.finished))
        snapshots = reader.snapshots(os.path.join(self.out, "massif.out.%d" % summary.pid))
        path = max(reader.leaves(snapshots[-1]["tree"]), key=lambda leaf: leaf[1])[0]
        self.assertEqual(["main", "takes"], [label.split(": ")[1].split(" ")[0] for label in path
                                             if "(in %s)" % self.program in label and "_start" not in label])
        self.assertEqual([], os.listdir(self.sampled.logs))

    def test_a_file_that_is_another_one_now_gives_no_names(self):
        self.log()
        with open(self.program, "rb") as file:
            data = file.read()
        with open(self.program + ".new", "wb") as file:
            file.write(data)
        os.rename(self.program + ".new", self.program)
        summary, = self.bring_in()
        self.assertEqual(["heap-file-changed"], [code for code, _ in summary.notes])
        self.assertIn(self.program, summary.notes[0][1])
        with open(os.path.join(self.out, "massif.out.%d" % summary.pid)) as file:
            text = file.read()
        self.assertIn("??? (in %s)" % self.program, text)
        self.assertNotIn("takes", text)

    def test_damaged_logs_take_no_other_with_them(self):
        good = self.log()
        with open(good, "rb") as file:
            data = file.read()
        for at, text in enumerate((b"", b"JMPHEAP\0" + b"\xff" * 5000, data[:4096], b"\0" * layout.LOG_BYTES)):
            with open(os.path.join(self.sampled.logs, "%d-0.heap" % (900001 + at)), "wb") as file:
                file.write(text)
        os.symlink(good, os.path.join(self.sampled.logs, "900010-0.heap"))
        os.mkfifo(os.path.join(self.sampled.logs, "900011-0.heap"))
        found = self.bring_in()
        self.assertEqual(1, len([summary for summary in found if summary.samples is not None]))
        self.assertEqual({"heap-log-bad"}, set(code for summary in found if summary.samples is None
                                               for code, _ in summary.notes))
        self.assertEqual([], os.listdir(self.sampled.logs))

    def test_whatever_a_log_says_is_read_or_refused(self):
        path = self.log()
        with open(path, "rb") as file:
            data = file.read()
        chance = random.Random(4)
        for _ in range(60):
            torn = bytearray(data)
            for _ in range(40):
                # Where something is: the rest is zeros.
                place = chance.choice((8, layout.MODULES_AT, layout.NODES_AT, layout.STACKS_AT, layout.MARKS_AT))
                at = place + chance.randrange(400)
                torn[at] = chance.randrange(256)
            with open(path, "wb") as file:
                file.write(torn)
            try:
                log = Log.read(path)
            except BadLog:
                continue
            if log.pid > 0:
                os.rename(path, os.path.join(self.sampled.logs, "%d-0.heap" % log.pid))
                self.bring_in()

    def test_where_nothing_can_be_written_it_says_so(self):
        self.log()
        summary, = collect.bring_in(self.sampled.logs, os.path.join(self.out, "missing"), self.sampled.path)
        self.assertEqual(["heap-log-bad"], [code for code, _ in summary.notes])

    def change(self, path, at, data):
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(data)

    def head(self, path, **fields):
        head = list(Log.head(path))
        for at, value in fields.items():
            head[int(at[1:])] = value
        self.change(path, 0, layout.HEAD.pack(*head))

    def test_a_variance_without_end_and_a_log_of_100_bytes(self):
        path = self.log()
        with open(os.path.join(self.sampled.logs, "900001-0.heap"), "wb") as file:
            file.write(b"JMPHEAP\0" + b"\1" * 92)
        self.head(path, f21=1, f24=1)
        self.change(path, layout.DETAILS_AT, layout.DETAIL.pack(0, float("inf"), 4096))
        self.change(path, layout.MARKS_AT, layout.MARK.pack(1, 4096, 0, 0, 0, 1, b"mark"))
        self.assertEqual({0: (4096, 0)}, Log.read(path).marks[0][4])
        self.assertEqual([True, False], [summary.samples is None for summary in self.bring_in()])

    def test_paths_and_what_is_behind_them_have_bounds(self):
        path = self.log()
        self.head(path, f22=layout.MODULES, f23=layout.TEXT_BYTES)
        for text in (b"/" * layout.TEXT_BYTES, b"/a\0 1 2 3" + b"9" * layout.TEXT_BYTES):
            self.change(path, layout.TEXT_AT, text[:layout.TEXT_BYTES])
            self.change(path, layout.MODULES_AT, layout.MODULE.pack(0, 0, layout.TEXT_BYTES) * layout.MODULES)
            log = Log.read(path)
            self.assertEqual(layout.MODULES, len(log.modules))
            self.assertLessEqual(max(len(module) for module, _ in log.modules), layout.MODULE_BYTES)
            self.assertLess(max([0] + [number for identity in log.files.values() for number in identity]), 10 ** layout.IDENTITY_BYTES)

    def test_the_larger_mean_that_a_process_ended_with(self):
        for last, said in ((65536, ""), (1 << 18, " last-mean=262144")):
            self.head(self.log(), f29=last)
            summary, = self.bring_in()
            with open(os.path.join(self.out, "massif.out.%d" % summary.pid)) as file:
                self.assertRegex(file.readline(), r"^desc: --jetson-memprof-heap mean=65536 samples=\d+ \S+=\d+%s$" % said)
            with open(os.path.join(self.out, "heap.%d.json" % summary.pid)) as file:
                beside = harness.json.load(file)
            self.assertEqual((65536, last), (beside["mean_bytes"], beside["last_mean_bytes"]))

    def test_whatever_goes_wrong_with_one_is_said(self):
        self.log()
        for wrong in (KeyError, RecursionError, OverflowError):
            with mock.patch.object(collect, "_notes", side_effect=wrong):
                self.assertEqual([None], [summary.samples for summary in self.bring_in()])

    def test_those_worth_it_come_before_the_limit(self):
        path = self.log()
        own = int(os.path.basename(path).split("-")[0])
        for pid, peak in ((1, 5000), (2, 8 * M), (3, 8 * M)):
            copy = os.path.join(self.sampled.logs, "%d-0.heap" % pid)
            shutil.copy(path, copy)
            self.head(copy, f3=pid, f13=peak)
        self.head(path, f2=layout.HAS_LINES)
        with mock.patch.object(collect, "_MOST_PROCESSES", 2):
            found = self.bring_in()
        self.assertEqual(["heap-left-out"], [code for code, _ in found[0].notes])
        self.assertIn("those of 1 more process were left out", found[0].notes[0][1])
        self.assertEqual({own, 2}, set(summary.pid for summary in found[1:]))

    def test_only_regular_files_are_read(self):
        place = os.path.join(self.out, "x")
        os.mkfifo(place + ".idx")
        self.assertEqual([], sources.files_of(place))
        os.mkdir(place)
        self.assertRaises(OSError, sources.regular.read, place, 10)
        os.symlink("/etc/hostname", place + "2.idx")
        self.assertRaises(OSError, sources.regular.read, place + "2.idx", 10)
        os.mkfifo(os.path.join(self.sampled.logs, "900011-0.heap"))
        tidy(self.sampled.logs)

    def test_half_of_the_time_is_for_names(self):
        self.log()
        with mock.patch.object(collect, "Names", side_effect=collect.Names) as made, \
                mock.patch.object(collect.time, "monotonic", lambda: 5000.0):
            self.bring_in(seconds=1000)
        made.assert_called_once_with(5500.0)

    def test_in_a_process_of_its_own(self):
        self.log()
        command = [sys.executable, "-B", os.path.join(harness.HELPER, "jetson_memprof", "heap", "bring.py"),
                   self.sampled.logs, self.out, self.sampled.path, "60"]
        lines = [harness.json.loads(line) for line in subprocess.check_output(command).decode().splitlines()]
        self.assertEqual({"done": True}, lines[-1])
        self.assertEqual([8], [line["peak_bytes"] // M for line in lines[:-1]])

    def test_no_time_is_left_for_names(self):
        self.log()
        summary, = self.bring_in(seconds=-1)
        self.assertEqual(["heap-names-late"], [code for code, _ in summary.notes])
        with open(os.path.join(self.out, "massif.out.%d" % summary.pid)) as file:
            self.assertIn("??? (in %s)" % self.program, file.read())

    def test_small_programs_are_tidied_away(self):
        path = self.log()
        tidy(self.sampled.logs)
        self.assertTrue(os.path.exists(path))
        with open(path, "r+b") as file:
            head = list(layout.HEAD.unpack(file.read(layout.HEAD.size)))
            head[13] = 5000  # the peak
            file.seek(0)
            file.write(layout.HEAD.pack(*head))
        with open(path, "r+b") as file:
            file.write(layout.HEAD.pack(*(head[:21] + [1] + head[22:])))  # marks
        tidy(self.sampled.logs)
        self.assertTrue(os.path.exists(path))
        with open(path, "r+b") as file:
            file.write(layout.HEAD.pack(*head))
        tidy(self.sampled.logs)
        self.assertFalse(os.path.exists(path))


class Naming(Case):
    def test_names_are_those_that_nm_says(self):
        program = self.sampled.compiled(PROGRAM)
        symbols = heap.symbols_of(program)
        wanted = dict((begin + (end - begin) // 2, name) for name, (begin, end) in symbols.items() if end > begin)
        found = elf.names(program, list(wanted) + [1, 1 << 40], FAR)
        self.assertEqual(wanted, dict((address, name) for address, name in found.items() if address in wanted))
        self.assertNotIn(1, found)

    def test_files_that_are_no_libraries(self):
        place = os.path.join(self.sampled.path, "file")
        program = self.sampled.compiled(PROGRAM)
        with open(program, "rb") as file:
            data = file.read()
        chance = random.Random(5)
        for round_ in range(80):
            torn = bytearray(data[:chance.randrange(len(data))] if round_ % 2 else data)
            for _ in range(30):
                if len(torn) > 64:
                    torn[chance.randrange(64) if round_ % 3 else chance.randrange(len(torn))] = chance.randrange(256)
            with open(place, "wb") as file:
                file.write(torn)
            try:
                elf.names(place, [0x1139, 0x401136], FAR)
            except (OSError, ValueError):
                pass
        for path in ("/dev/zero", "/nowhere", self.sampled.path):
            self.assertEqual({}, names.Names(FAR)._of_file(path, [1]))

    def test_the_time_is_looked_at_within_a_chunk(self):
        reader = elf._Reader(None, range(600), FAR)
        reader._in_time = mock.Mock(side_effect=[None, elf.Late])
        symbols = elf._SYMBOL.pack(1, 2, 0, 1, 0, 600) * 2000
        self.assertRaises(elf.Late, reader._take, symbols, (0, 0))

    def test_one_bad_file_leaves_the_names_of_the_others(self):
        program = self.sampled.compiled(PROGRAM)
        begin = heap.symbols_of(program)["takes"][0]
        found = names.Names(FAR)
        found.look_up({"/etc/hostname": {5}, program: {begin}})
        self.assertEqual((None, "takes"), (found.name("/etc/hostname", 5), found.name(program, begin)))

    def test_names_of_cpp_by_whatever_there_is(self):
        mangled = ["_ZN2at5emptyEN3c108ArrayRefIlEE", "_ZnwmX", "plain"]
        expected = "at::empty(c10::ArrayRef<long>)"
        for command in (["c++filt"], [sys.executable, "-I", "-S", "-c", names._DEMANGLES]):
            found = names.Names(time.monotonic() + 60)._by(command, mangled)
            if found is not None:
                self.assertEqual(expected, found[0])
                self.assertEqual("plain", found[2])
        with mock.patch.object(names.subprocess, "Popen", side_effect=OSError):
            self.assertIsNone(names.Names(FAR)._by(["c++filt"], mangled))

    def test_what_is_shown_is_printable_and_short(self):
        self.assertEqual("a?b", names._shown("a\x1bb"))
        self.assertEqual(1003, len(names._shown("x" * 5000)))


class Trees(unittest.TestCase):
    def test_small_parts_are_folded_together(self):
        parts = [([("a", "0x1: a"), ("m", "0x3: main")], 10 ** 6, 9.0), ([("b", "0x2: b"), ("m", "0x3: main")], 100, 16.0),
                 ([("c", "0x4: c"), ("m", "0x3: main")], 200, 9.0)]
        lines, errors = tree.lines_of(parts, 1000300)
        self.assertEqual(["n2: 1000300 " + tree.ROOT, " n1: 1000000 0x1: a", "  n0: 1000000 0x3: main",
                          " n0: 300 in 2 places, all below massif's threshold (0.05%)"], lines)
        self.assertEqual([6, 3, 3, 5], errors)

    def test_what_lies_below_a_small_part_is_never_made(self):
        made = []

        class Counted(tree._Node):
            def __init__(self, label):
                made.append(label)
                tree_node.__init__(self, label)
        tree_node = tree._Node
        parts = [([(at * 100 + depth, "0x%X: f" % depth) for depth in range(80)], 10, 0.0) for at in range(4000)]
        with mock.patch.object(tree, "_Node", Counted):
            lines, _ = tree.lines_of(parts, 40000)
        self.assertEqual((2, 4001), (len(lines), len(made)))

    def test_python_lines_take_the_place_of_what_lies_outside_of_the_loop(self):
        class Labels(object):
            def of(self, key):
                return {1: (("malloc", "malloc"), False), 2: (("loop", "_PyEval_EvalFrameDefault"), True), 3: (("main", "main"), False),
                        layout.PYTHON << 48 | 5: (("py", "py_00001"), False)}[key]
        keys = [1, 2, 3]
        self.assertEqual(["malloc", "_PyEval_EvalFrameDefault", "main"], [text for _, text in tree.frames_of(keys, Labels())])
        self.assertEqual(["malloc", "py_00001"],
                         [text for _, text in tree.frames_of(keys + [layout.PYTHON << 48 | 5], Labels())])


class Starting(Case):
    def test_the_environment_of_a_run(self):
        found = start.environment("/dev/shm/jmp", 1 << 16, {b"A": b"b", b"PATH": b"/usr/bin"}, sys.executable)
        self.assertIsInstance(found, start.Ready, found)
        self.assertEqual({b"A": b"b", b"PATH": b"/usr/bin", b"LD_PRELOAD": os.fsencode(heap.LIBRARY),
                          b"JETSON_MEMPROF_HEAP": b"/dev/shm/jmp", b"JETSON_MEMPROF_HEAP_MEAN": b"65536"}, found.values)

    def test_what_was_preloaded_stays(self):
        with open("/proc/self/maps") as maps:
            other = next(line.split()[-1] for line in maps if "libc.so" in line or "libc-" in line)
        found = start.environment("/x", 1, {b"LD_PRELOAD": os.fsencode(other)}, sys.executable)
        self.assertEqual(os.fsencode(heap.LIBRARY + ":" + other), found.values[b"LD_PRELOAD"])
        self.assertEqual(b"4096", found.values[b"JETSON_MEMPROF_HEAP_MEAN"])

    def test_a_python_that_does_not_take_it(self):
        script = os.path.join(self.sampled.path, "python")
        for text, said in (("exit 0", "does not load it"), ("kill -9 $$", "signal 9"), ("echo heap 0", "does not load it")):
            with open(script, "w") as file:
                file.write("#!/bin/sh\n%s\n" % text)
            os.chmod(script, 0o755)
            found = start.environment("/x", 1 << 19, dict(os.environb), script)
            self.assertIsInstance(found, start.Refused)
            self.assertIn(said, found.reason)
        self.assertIn("could not be started", start.environment("/x", 1 << 19, {}, "/nowhere/python").reason)

    def test_a_python_that_hangs_with_it_is_not_waited_for(self):
        script = os.path.join(self.sampled.path, "python")
        with open(script, "w") as file:
            file.write("#!/bin/sh\nexec sleep 100000\n")
        os.chmod(script, 0o755)
        self.assertLessEqual(start._TRIAL_SECONDS, 10)  # whoever starts a run waits for it
        with mock.patch.object(start, "_TRIAL_SECONDS", 0):
            found = start.environment("/x", 1 << 19, dict(os.environb), script)
        self.assertEqual("%s did not start with it within 0 s" % script, found.reason)

    def test_a_library_that_is_not_ours_or_not_to_be_named(self):
        for name, said in (("changed", "SHA-256"), ("with blank", "blank")):
            folder = os.path.join(self.sampled.path, name)
            shutil.copytree(built.FOLDER, folder)
            if name == "changed":
                with open(os.path.join(folder, os.path.basename(heap.LIBRARY)), "ab") as file:
                    file.write(b"x")
            with mock.patch.object(start.built.open_library, "__defaults__", (folder,)):
                self.assertIn(said, start.environment("/x", 1, {}, sys.executable).reason)


if __name__ == "__main__":
    sys.exit(unittest.main())
