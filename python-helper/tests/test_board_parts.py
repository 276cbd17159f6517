"""The parts on their own: the line table over a small reader, endings, appending to a full disk, processes."""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

from test_board_common import read_records, read_table, until

from jetson_memprof.board.run import control, ending, lines, record, reserve, statements
from jetson_memprof.board import files, names
from jetson_memprof.board.system import proc
from jetson_memprof.board.errors import from_os_error


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="jmp-test-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def put(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w") as file:
            file.write(text)
        return self.path(path)

    def contents(self, path):
        with open(self.path(path), "rb") as file:
            return file.read()


class View(object):
    """One process of a fake reader."""

    def __init__(self, pid, paths, kind="main"):
        self.pid, self.ppid, self.kind, self.rank, self.implementation = pid, 1, kind, None, "pure"
        self.finished, self.warnings, self.files, self.total_hits = False, [], paths, 0
        self.highest_rss = None
        self.rows, self.functions, self.at = [], [], []
        self.cuda_reading, self.cuda, self.system, self.phases = None, [], [], []

    def changed_rows(self):
        rows, self.rows = self.rows, []
        return rows

    def changed_functions(self):
        rows, self.functions = self.functions, []
        return rows

    def changed_cuda(self):
        rows, self.cuda = self.cuda, []
        return rows

    def changed_system(self):
        rows, self.system = self.system, []
        return rows

    def new_phases(self):
        phases, self.phases = self.phases, []
        return phases

    def threads(self):
        return self.at


class LineTable(Folder):
    def setUp(self):
        Folder.setUp(self)
        for name in ("a.py", "b.py"):
            self.put("project/" + name, "x\n")
        self.sources = lines.Sources(self.path("project"))
        self.table = lines.LineTable(self.path("lines.jsonl"), "r1", self.sources)
        self.addCleanup(self.table.close)

    def report(self, path):
        return {"path": path, "sha256": "0", "lines": 1, "source": None}, b"[]"

    def row(self, line, hits, file=0):
        return (file, line, hits, 10, 10, 5, None, 1000 * hits, 0)

    def test_rows_wait_for_their_file_and_numbers_hold_over_processes(self):
        main, worker = View(7, [self.path("project/a.py")]), View(8, [self.path("project/b.py"), self.path("project/a.py")], "fork")
        main.rows, worker.rows = [self.row(1, 1)], [self.row(1, 2), self.row(1, 3, file=1)]
        self.assertEqual(self.table.collect([main, worker]), {"a.py", "b.py"})
        self.assertTrue(self.table.flush(100))
        self.assertEqual([one["record"] for one in read_records(self.contents("lines.jsonl"))],
                         ["header", "process", "process"])
        self.table.add_file(*self.report("b.py"))
        main.rows = [self.row(1, 5)]
        self.assertEqual(self.table.collect([main, worker]), {"a.py"})
        self.table.flush(200)
        self.table.add_file(*self.report("a.py"))
        self.table.end(300)
        found = read_table(self.contents("lines.jsonl"))
        self.assertEqual({key: figures[0] for key, figures in found.items()},
                         {(8, "b.py", 1): 2, (8, "a.py", 1): 3, (7, "a.py", 1): 5})
        self.assertIsNone(found[(7, "a.py", 1)][4])
        self.assertEqual(self.table.highest_rss, 5000)
        self.assertEqual([one["label"] for one in self.table.processes], ["main", "worker 1"])

    def test_a_process_seen_before_it_found_out_how_it_can_measure(self):
        view, other = View(7, [self.path("project/a.py")]), View(8, [self.path("project/a.py")], "fork")
        view.implementation = "pure"
        self.table.collect([view])
        self.table.flush(100)
        seen = self.table.processes
        view.implementation = "accelerator"
        for t in (200, 300):
            self.table.collect([view, other])
            self.table.flush(t)
        self.assertEqual([(one["pid"], one["label"], one["implementation"]) for one in self.table.processes],
                         [(7, "main", "accelerator"), (8, "worker 1", other.implementation)])
        self.assertNotEqual(self.table.processes, seen)  # so that run.json is written again
        records = read_records(self.contents("lines.jsonl"))[1:]
        self.assertEqual([(one["pid"], one["implementation"]) for one in records],
                         [(7, "pure"), (7, "accelerator"), (8, other.implementation)])
        again = lines.LineTable(self.path("lines.jsonl"), "r1", self.sources)
        self.addCleanup(again.close)
        again.resume(records)
        self.assertEqual(again.processes, self.table.processes)

    def test_the_highest_of_the_run(self):
        view, worker = View(7, [self.path("project/a.py")]), View(8, [self.path("project/a.py")], "fork")
        mib = 1 << 20
        view.rows = [(0, 1, 1, 2 * mib, 0, 0, 104 * mib, 12 * mib, 0),   # once: began with 10, held 104 above
                     (0, 2, 9, 0, 0, 0, 500 * mib, 20 * mib, 0),         # which of the nine began low is not known
                     (0, 3, 1, None, None, None, None, None, None)]      # never ended
        worker.rows = [(0, 1, 1, 0, 0, 0, 0, 900 * mib, 0)]
        self.table.collect([view, worker])
        self.assertEqual(self.table.highest_rss, 114 * mib)
        view.highest_rss, worker.highest_rss = 300 * mib, 700 * mib  # the mark as it was before it was reset
        self.table.collect([view, worker])
        self.assertEqual(self.table.highest_rss, 300 * mib)

    def test_many_rows_come_in_several_records(self):
        view = View(7, [self.path("project/a.py"), self.path("project/b.py")])
        view.rows = [self.row(line, 1, file) for file in (0, 1) for line in range(1, 701)]
        for name in ("a.py", "b.py"):
            self.table.add_file(*self.report(name))
        self.table.collect([view])
        self.table.flush(1)
        self.assertEqual(len(read_table(self.contents("lines.jsonl"))), 1400)
        self.assertTrue(all(len(one["rows"]) <= 500 for one in read_records(self.contents("lines.jsonl"))
                            if one["record"] == "rows"))
        size = self.table.size
        self.table.flush(2)
        self.assertEqual(self.table.size, size)

    def test_only_what_changed_is_written(self):
        view = View(7, [self.path("project/a.py")])
        self.table.add_file(*self.report("a.py"))
        view.rows, view.at = [self.row(1, 1)], [("MainThread", 0, 1, 5, 20, None)]
        self.table.collect([view])
        self.table.flush(1)
        size = self.table.size
        view.at = [("MainThread", 0, 1, 5, 220, None)]
        self.table.collect([view])
        self.table.flush(2)
        self.assertEqual(self.table.size, size)
        self.assertEqual(self.table.place(7), [0, 1])
        self.assertEqual(self.table.last_lines(), [{"pid": 7, "thread": "MainThread", "path": "a.py", "line": 1}])

    def test_the_stack_of_the_last_line_is_the_projects(self):
        view = View(7, [self.path("project/a.py"), self.path("elsewhere/c.py"), self.path("project/b/d.py")])
        view.at = [("MainThread", 2, 4, 5, 20, [(0, 9), (1, 3), (2, 4)]), ("loader", 1, 3, 5, 20, [(1, 3)])]
        self.table.collect([view])
        self.assertEqual(self.table.last_lines(), [{"pid": 7, "thread": "MainThread", "path": "b/d.py", "line": 4,
                                                    "stack": [["a.py", 9], ["b/d.py", 4]]}])

    def test_rows_of_other_files_are_left_out(self):
        os.symlink("/etc", self.path("project/link"))
        view = View(7, ["/etc/passwd", self.path("project/../x.py"), self.path("project/link/passwd"), "a.py",
                        self.path("project/a.py")])
        view.rows = [self.row(1, 1, file=number) for number in (0, 1, 2, 3, 4, 9, -1)]
        self.assertEqual(self.table.collect([view]), {"a.py"})

    def test_a_full_disk_loses_nothing(self):
        view = View(7, [self.path("project/a.py")])
        self.table.add_file(*self.report("a.py"))
        real, room = os.write, [40]

        def write(fd, data):
            if not room[0]:
                raise OSError(28, "No space left on device")
            done = real(fd, bytes(data)[:room[0]])
            room[0] -= done
            return done
        with mock.patch("os.write", write):
            for hits in range(1, 20):
                view.rows = [self.row(line, hits) for line in range(1, 4)]
                self.table.collect([view])
                self.table.flush(hits)
                room[0] = 7 if hits % 3 == 0 else 0
                self.assertIsNotNone(self.table.error)
                read_records(self.contents("lines.jsonl"))  # half a record may be last, never in between
        self.assertTrue(self.table.end(99))
        self.assertTrue(self.table.end(99))  # said once, however often it was tried
        self.assertEqual(self.contents("lines.jsonl").count(b'"end"'), 1)
        found = read_table(self.contents("lines.jsonl"))
        self.assertEqual({key[2]: figures[0] for key, figures in found.items()}, {1: 19, 2: 19, 3: 19})

    def cuda_row(self, line, net, file=0):
        return (file, line, net, net, net, net, net, 2 * net, 2 * net, 2 * net, None, 0)

    def of(self, name):
        return [one for one in read_records(self.contents("lines.jsonl")) if one["record"] == name]

    def test_figures_of_cuda_and_of_the_board_wait_for_their_file_like_rows(self):
        view = View(7, [self.path("project/a.py"), self.path("elsewhere/c.py")])
        view.cuda_reading = ("asking", "bounds")
        view.cuda = [self.cuda_row(3, 5), self.cuda_row(3, 5, file=1), self.cuda_row(3, 5, file=9)]
        view.system = [(0, 3, 8, 8, None, 1)]
        self.assertEqual(self.table.collect([view]), {"a.py"})
        self.table.flush(100)
        self.assertEqual(self.of("cuda-on"), [{"record": "cuda-on", "t": 100, "pid": 7, "noticed_by": "asking",
                                               "peaks": "bounds"}])
        self.assertEqual(self.of("cuda") + self.of("system"), [])
        view.cuda = [self.cuda_row(3, 6)]
        self.table.collect([view])
        self.table.add_file(*self.report("a.py"))
        self.table.flush(200)
        self.table.flush(300)
        self.assertEqual(self.of("cuda"), [{"record": "cuda", "t": 200, "pid": 7,
                                            "rows": [[0, 3, 6, 6, 6, 6, 6, 12, 12, 12, None, 0]]}])
        self.assertEqual(self.of("system"), [{"record": "system", "t": 200, "pid": 7, "rows": [[0, 3, 8, 8, None, 1]]}])
        self.assertEqual(len(self.of("cuda-on")), 1)

    def test_another_way_to_notice_cuda_changes_is_told_again(self):
        view = View(7, [self.path("project/a.py")])
        for reading in (("counter", "bounds"), ("counter", "bounds"), ("asking", "bounds")):
            view.cuda_reading = reading
            self.table.collect([view])
            self.table.flush(1)
        self.assertEqual([one["noticed_by"] for one in self.of("cuda-on")], ["counter", "asking"])

    def test_what_is_measured_by_line(self):
        view, other = View(7, [self.path("project/a.py")]), View(8, [self.path("project/a.py")], "fork")
        self.table.collect([view, other])
        self.assertEqual(self.table.metrics, ["rss"])
        view.system = [(9, 3, 8, 8, None, 1)]  # of no file that is known
        self.table.collect([view, other])
        self.assertEqual(self.table.metrics, ["rss"])
        other.cuda_reading, view.system = ("counter", "exact"), [(0, 3, 8, 8, None, 1)]
        self.table.collect([view, other])
        self.assertEqual(self.table.metrics, ["rss", "cuda", "system"])

    def test_phases_are_told_once_with_the_time_since_the_start(self):
        self.table.started(20.0)
        view = View(7, [self.path("project/a.py"), self.path("elsewhere/c.py")])
        view.phases = [("import-torch", 20500.7, 0, 3, 1, 2, None, 0, 0, None), ("cuda", 21000.0, 1, 9, 5, 6, 7, 8, 9, 10),
                       ("first-forward", 21001.0, None, None, 5, 6, 7, 8, 9, 10)]
        self.table.collect([view])
        self.table.flush(2000)
        self.assertEqual([(one["phase"], one["t"], one["file"], one["line"]) for one in self.of("phase")],
                         [("cuda", 1000, None, None), ("first-forward", 1001, None, None)])
        self.table.add_file(*self.report("a.py"))
        for t in (3000, 4000):
            self.table.flush(t)
        self.assertEqual(self.of("phase")[2:], [{
            "record": "phase", "t": 500, "pid": 7, "phase": "import-torch", "file": 0, "line": 3, "rss": 1,
            "mem_available": 2, "nvmap": None, "allocated": 0, "reserved": 0, "device_used": None}])

    def test_what_a_full_disk_did_not_take_of_cuda_and_phases_is_told_later(self):
        view = View(7, [self.path("project/a.py")])
        view.cuda_reading, view.cuda = ("counter", "bounds"), [self.cuda_row(3, 5)]
        view.phases = [("steady", 1.0, 0, 3, 1, 2, 3, 4, 5, 6)]
        self.table.add_file(*self.report("a.py"))
        self.table.collect([view])
        with mock.patch("os.write", side_effect=OSError(28, "No space left on device")):
            self.assertFalse(self.table.flush(1))
        self.table.flush(2)
        self.assertEqual([len(self.of(name)) for name in ("cuda-on", "cuda", "phase")], [1, 1, 1])

    def test_slower_as_the_file_grows(self):
        self.assertEqual(self.table.interval_factor(), 1)
        for size, factor in ((4 << 20, 1), ((4 << 20) + 1, 2), ((8 << 20) + 1, 4), ((16 << 20) + 1, 8),
                             ((32 << 20) + 1, 32), ((64 << 20) + 1, 128)):
            self.table._file.size = size
            self.assertEqual(self.table.interval_factor(), factor)


class Ending(Folder):
    def setUp(self):
        Folder.setUp(self)
        self.put("proc/vmstat", "nr_free_pages 5\noom_kill 3\n")
        self.put("proc/self/cgroup", "4:memory:/job\n0::/user.slice\n")

    def watch(self):
        return ending.OomWatch(self.path("proc"), self.path("cgroup"), self.path("kmsg"))

    def test_endings(self):
        watch = self.watch()
        for status, expected in ((0, {"kind": "exited", "code": 0}), (3 << 8, {"kind": "exited", "code": 3}),
                                 (11, {"kind": "signalled", "signal": "SIGSEGV"}),
                                 (9, {"kind": "signalled", "signal": "SIGKILL"}),
                                 (signal.SIGRTMIN + 1, {"kind": "signalled"})):
            self.assertEqual(dict(ending.classify(status, 5, None, watch), **expected),
                             ending.classify(status, 5, None, watch))
        self.assertEqual(ending.classify(9, 5, "SIGINT", watch), {"kind": "cancelled", "signal": "SIGINT"})

    def test_the_boards_count(self):
        watch = self.watch()
        self.put("proc/vmstat", "nr_free_pages 5\noom_kill 4\n")
        found = ending.classify(9, 5, None, watch)
        self.assertEqual(found["kind"], "out-of-memory")
        self.assertIn("3 to 4", found["evidence"])
        self.assertEqual(ending.classify(15, 5, None, watch), {"kind": "signalled", "signal": "SIGTERM"})

    def test_the_groups_counts(self):
        for path in ("cgroup/user.slice/memory.events", "cgroup/unified/user.slice/memory.events"):
            self.put(path, "low 0\noom 1\noom_kill 0\n")
            watch = self.watch()
            self.put(path, "low 0\noom 2\noom_kill 1\n")
            self.assertIn(path, watch.evidence(5))
        self.put("cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
        watch = self.watch()
        self.put("cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
        self.assertIn("0 to 2", watch.evidence(5))

    def test_the_boards_count_says_nothing_where_the_groups_own_is_known(self):
        self.put("cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
        watch = self.watch()
        self.put("proc/vmstat", "nr_free_pages 5\noom_kill 4\n")
        self.assertIsNone(watch.evidence(5))

    def test_the_kernels_log_on_a_kernel_that_counts_nothing(self):
        os.unlink(self.path("proc/vmstat"))
        self.put("kmsg", "3,1,9,-;Killed process 5 (python3) total-vm:1kB\n")  # of an earlier run
        for text, found in (("3,1,9,-;Killed process 77 (python3) total-vm:1kB\n", False),
                            ("3,1,9,-;Killed process 5 (python3) total-vm:1kB\n SUBSYSTEM=x\n", True),
                            ("6,1,9,-;oom-kill:constraint=NONE,task=python3,pid=5,uid=0\n", True)):
            watch = self.watch()
            self.assertIsNone(watch.evidence(5))
            self.put("kmsg", self.contents("kmsg").decode() + text)
            for _ in range(2):  # what was read once is kept
                evidence = watch.evidence(5)
                self.assertEqual(evidence is not None and "kernel's log" in evidence, found, text)

    def test_the_kernels_own_lines_where_its_counts_are_the_evidence(self):
        self.put("kmsg", "")
        watch = self.watch()
        self.put("proc/vmstat", "oom_kill 4\n")
        self.put("kmsg", "3,1,9,-;python3 invoked oom-killer: order=0\\x0aMem-Info:\\x0aKilled process 5 (python3)\n")
        found = ending.classify(9, 5, None, watch)
        self.assertEqual((found["kind"], found["kernel_log"]), ("out-of-memory", [
            "python3 invoked oom-killer: order=0", "Mem-Info:", "Killed process 5 (python3)"]))
        self.assertIn("3 to 4", found["evidence"])

    def test_nothing_readable_is_no_evidence(self):
        shutil.rmtree(self.path("proc"))
        self.assertIsNone(self.watch().evidence(5))


class Records(Folder):
    def test_saved_at_most_once_a_second_and_whole(self):
        values = record.RunRecord(self.path("run.json"), {"id": "x"})
        self.assertTrue(values.save(10.0))
        values.warn("a", "once")
        values.warn("a", "once")
        self.assertFalse(values.save(10.5))
        self.assertTrue(values.save(11.1))
        self.assertEqual(json.loads(self.contents("run.json").decode())["warnings"], [{"code": "a", "message": "once"}])
        self.assertEqual(os.listdir(self.folder), ["run.json"])

    def test_what_the_disk_did_not_take_is_kept(self):
        values = record.RunRecord(self.path("none", "run.json"), {"id": "x"})
        self.assertFalse(values.save(1.0))
        self.assertEqual(json.loads(values.unsaved.decode())["warnings"][0]["code"], "not-recorded")
        os.mkdir(self.path("none"))
        self.assertTrue(values.save(2.5))
        self.assertIsNone(values.unsaved)

    def test_errors_in_words(self):
        error = from_os_error(OSError(28, "No space left on device", "/x/y"), "Writing a.py")
        self.assertEqual(error.as_reply(), {"error": {
            "code": "no-space", "message": "Writing a.py failed: No space left on device (/x/y).",
            "hint": "Free some space on the board's disk, then try again."}})

    def test_a_file_is_replaced_whole_or_not_at_all(self):
        path = self.put("x", "old")
        with mock.patch("os.fsync", side_effect=OSError(28, "full")):
            with self.assertRaises(OSError):
                files.replace_file(path, b"new")
        self.assertEqual((self.contents("x"), os.listdir(self.folder)), (b"old", ["x"]))
        os.mkfifo(self.path("pipe"))
        with self.assertRaises(OSError):
            files.read_file(self.path("pipe"))

    def test_the_longest_names(self):
        for name in ("e" * 255, "本" * 85):
            path = os.path.join(os.fsencode(self.folder), name.encode("utf-8"))
            files.replace_file(os.fsdecode(path), b"new")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), b"new")

    def test_the_reserve(self):
        kept = reserve.Reserve(self.path("reserve"))
        kept.make()
        self.assertGreater(os.stat(self.path("reserve")).st_blocks, 0)
        self.assertEqual((kept.give_up(), kept.give_up()), (True, False))
        with mock.patch("os.posix_fallocate", side_effect=OSError(95, "not supported")):
            kept.make()
        with mock.patch("os.posix_fallocate", side_effect=OSError(28, "full")):
            self.assertRaises(OSError, kept.make)


class Processes(unittest.TestCase):
    def test_a_tree_finds_children_and_forgets_the_ended(self):
        child = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; exec sleep 60"], stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        grandchild = int(child.stdout.readline())
        tree = proc.ProcessTree(-1, child.pid)
        tree.scan()
        self.assertEqual(tree.alive(), sorted([child.pid, grandchild]))
        until(lambda: (proc.rss(grandchild) or 0) > 100000, what="the memory of the program that it becomes")
        os.kill(grandchild, signal.SIGKILL)
        child.kill()
        child.wait()
        until(lambda: tree.alive() == [], what="the end of both")
        self.assertIsNone(proc.rss(child.pid))

    def test_pid_reuse_is_noticed(self):
        found = proc.status_of(os.getpid())
        self.assertTrue(proc.is_alive(os.getpid(), found[3]))
        self.assertFalse(proc.is_alive(os.getpid(), found[3] - 1))
        tree = proc.ProcessTree(-1, os.getpid())
        tree.members[os.getpid()] -= 1
        self.assertEqual(tree.alive(), [])

    def test_a_process_known_by_its_environment_only(self):
        marker = "JETSON_MEMPROF_SPEC=/nowhere/%d" % os.getpid()
        child = subprocess.Popen(["sleep", "60"], env=dict([marker.split("=")], PATH=os.environ["PATH"]),
                                 start_new_session=True)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        tree = proc.ProcessTree(-1, 2 ** 22 + 1)
        until(lambda: tree.scan_environments(marker.encode()) or tree.alive() == [child.pid])


class Statements(Folder):
    """The real server, its worker forked from this process."""

    def setUp(self):
        Folder.setUp(self)
        self.put("project/a.py", "x = (1,\n     2)\ndef f():\n    return 1\n")
        self.server = statements.StatementsServer(
            self.path("s"), lines.Sources(self.path("project")), self.path("sources"), lambda: [])
        self.addCleanup(self.server.close)
        ready = mock.patch.object(statements, "_READY_S", 0.3)  # the worker inherits it
        ready.start()
        self.addCleanup(ready.stop)

    def ask(self, *all_questions):
        """The answers to the questions of each connection; all wait when the worker starts, so it ends after the last."""
        clients = []
        for questions in all_questions:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.addCleanup(client.close)
            client.settimeout(60)
            client.connect(self.path("s"))
            client.sendall(b"".join(os.fsencode(question) + b"\n" for question in questions))
            client.shutdown(socket.SHUT_WR)  # so that the worker goes on to the next one at once
            clients.append(client)
        self.server.start_worker()
        return [[self.answer(client) for _ in questions] for client, questions in zip(clients, all_questions)]

    @staticmethod
    def answer(client):
        """The statement of each line; which ones Python comes back to must follow it."""
        def row():
            head = client.recv(4, socket.MSG_WAITALL)
            if len(head) < 4:
                return None
            count, = struct.unpack("<I", head)
            return list(struct.unpack("<%di" % count, client.recv(4 * count, socket.MSG_WAITALL))) if count else []
        try:
            found = row()
            return found if found is None or row() == [] else "no second row"
        except OSError:
            return None

    def finish(self):
        """The worker's reports once it has ended."""
        found = []

        def ended():
            reports, over = self.server.read_reports()
            found.extend(reports)
            return over
        until(ended, what="the worker's end")
        os.waitpid(self.server.worker, 0)
        return found

    def test_answers_keeps_and_reports(self):
        self.assertEqual(self.ask([self.path("project/a.py")] * 2), [[[0, 1, 1, 3, 4]] * 2])
        (report, functions), = self.finish()
        self.assertEqual((report["path"], report["lines"], report["error"]), ("a.py", 4, None))
        self.assertEqual(json.loads(functions.decode()), [{"name": "f", "key": 3, "def_line": 3, "last_line": 4}])
        self.assertEqual(self.contents("sources/a.py"), self.contents("project/a.py"))

    def test_refuses_what_is_not_the_projects(self):
        os.symlink("/etc/passwd", self.path("project/link.py"))
        os.mkfifo(self.path("project/pipe.py"))
        refused = ("/etc/passwd", self.path("project/../secret.py"), self.path("project/link.py"), "a.py",
                   self.path("project"), self.path("project/pipe.py"), self.path("project/none.py"), "x" * 30000)
        answers = self.ask(*([[path] for path in refused] + [[self.path("project/a.py")]]))
        self.assertEqual(answers, [[None]] * len(refused) + [[[0, 1, 1, 3, 4]]])
        self.assertEqual(sorted(one["path"] for one, _ in self.finish() if one["sha256"]), ["a.py"])
        self.assertEqual(os.listdir(self.path("sources")), ["a.py"])

    def test_a_silent_client_does_not_stop_it(self):
        silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(silent.close)
        silent.connect(self.path("s"))
        self.assertEqual(self.ask([self.path("project/a.py")]), [[[0, 1, 1, 3, 4]]])
        self.finish()


class FromOutside(unittest.TestCase):
    def test_an_id_is_a_short_name_of_ascii_letters_that_hides_nothing(self):
        for text in ("a", "_", "20260101-abc.d_E", "x" * 128):
            self.assertTrue(names.is_run_id(text), text)
        for text in ("", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "\u00e9", "x" * 129, "a\0"):
            self.assertFalse(names.is_run_id(text), text)

    def test_a_module_is_a_dotted_name(self):
        for text in ("a", "_a.b1", "p\u00e9.q"):
            self.assertEqual(names.module_name(text), text)
        for text in ("", ".", "a.", ".a", "a..b", "-c", "a-b", "1a", "a b", "a\n", "a/b"):
            self.assertRaises(names.BoardError, names.module_name, text)

    def test_base64_is_taken_only_where_all_of_it_is(self):
        for text, data in (("", b""), ("YQ==", b"a"), ("YWI=", b"ab"), ("+/+/", b"\xfb\xff\xbf")):
            self.assertEqual(control.from_base64(text), data)
        for text in ("YQ", "Y", "Y Q==", "YQ===", "=YQ=", "YQ==\n", "\u00e9", "-_-_"):
            self.assertRaises(ValueError, control.from_base64, text)


if __name__ == "__main__":
    unittest.main()
