"""The small parts of a run in a container: what is read of engines and kernels, and what comes out of a container."""
import gzip
import json
import os
import shutil
import tempfile
import unittest

from test_board_common import BoardCase

from jetson_memprof.board.container.inspected import Container, first_of, is_of_this_machine
from jetson_memprof.board.container.limits import Group
from jetson_memprof.board.container.processes import ContainerProcesses, first_process, numbers_of
from jetson_memprof.board.container.received import Misbehaved, Received, record_of
from jetson_memprof.board.container.relay import Relay
from jetson_memprof.board.run.runs import RunFolder


class Files(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.top, True)

    def write(self, name, text):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


class Inspections(unittest.TestCase):
    def test_what_is_no_inspection_tells_nothing(self):
        for text in ("", "[]", "null", "3", "[" * 100000, '{"Id"'):
            self.assertIsNone(first_of(text), text[:20])
        empty = Container({})
        self.assertEqual((empty.id, empty.running, empty.pid, empty.mounts), (None, False, None, []))
        odd = Container({"Id": 3, "State": [], "Config": None, "Mounts": [None, {"Destination": "relative"}, 7],
                         "HostConfig": {"Tmpfs": "no"}})
        self.assertEqual((odd.id, odd.user, odd.mounts), (None, "", []))

    def test_a_path_of_the_host_is_found_by_the_mounts(self):
        mounts = [("/home/nano/work", "/workspace"), ("/home/nano/work/data", "/data"), ("/", "/host"), ("/other", "/workspace/x")]
        found = Container({"Mounts": [{"Source": source, "Destination": to, "RW": True} for source, to in mounts]})
        for path, place in (("/home/nano/work", "/workspace"), ("/home/nano/work/a/b", "/workspace/a/b"),
                            ("/home/nano/work/data/c", "/data/c"), ("/home/nano/workshop", "/host/home/nano/workshop"),
                            # Another folder lies over it.
                            ("/home/nano/work/x/y", None)):
            self.assertEqual(found.place_of(path), place, path)
        self.assertIsNone(Container({"Mounts": []}).place_of("/home"))

    def test_the_room_for_a_run_is_where_it_can_be_written(self):
        def room(user="", **host):
            return Container({"Config": {"User": user}, "HostConfig": host, "Mounts": [
                {"Type": "volume", "Source": "/v", "Destination": "/run", "RW": True}]}).room()
        self.assertEqual(room(), "/tmp/jetson-memprof")
        self.assertEqual(room("1000:1000"), "/tmp/jetson-memprof-1000")
        self.assertEqual(room("../x"), "/tmp/jetson-memprof-..x")
        self.assertEqual(room(ReadonlyRootfs=True, Tmpfs={"/var/tmp": ""}), "/var/tmp/jetson-memprof")
        self.assertEqual(room(ReadonlyRootfs=True), "/run/jetson-memprof")

    def test_which_images_run_here(self):
        for architecture, machine, fits in (("arm64", "aarch64", True), ("amd64", "aarch64", False), ("", "aarch64", True),
                                            ("amd64", "x86_64", True), ("386", "x86_64", True), ("arm", "aarch64", False)):
            self.assertEqual(is_of_this_machine(architecture, machine), fits, architecture)


class Processes(Files):
    def process(self, pid, group, numbers):
        self.write("%d/status" % pid, "Name:\tpython3\nNSpid:\t%s\nVmRSS:\t8 kB\n" % "\t".join(map(str, numbers)))
        self.write("%d/cgroup" % pid, "0::%s\n" % group)

    def test_numbers_inside_are_found_on_the_host(self):
        self.process(900, "/docker/one", (900, 1))
        self.process(950, "/docker/one", (950, 7))
        self.process(951, "/docker/one/below", (951, 8))
        self.process(960, "/docker/two", (960, 7))     # the same number in another container
        self.process(970, "/docker/onemore", (970, 9))
        self.process(980, "/docker/one", (980, 12, 7))  # a container in the container
        self.process(990, "/user.slice", (990,))
        self.assertEqual(ContainerProcesses(900, self.top).on_host([7, 8, 9, 12]), {7: 950, 8: 951, 12: 980})

    def test_with_the_hosts_own_numbers_they_are_the_same(self):
        self.process(900, "/docker/one", (900,))
        self.process(950, "/docker/one", (950,))
        self.assertEqual(ContainerProcesses(900, self.top).on_host([950, 951]), {950: 950})

    def test_containers_of_one_group_are_told_apart_by_their_namespaces(self):
        for pid, number, namespace in ((900, 1, "pid:[1]"), (950, 7, "pid:[1]"), (960, 7, "pid:[2]")):
            self.process(pid, "/user.slice/session-1.scope", (pid, number))
            os.mkdir(os.path.join(self.top, str(pid), "ns"))
            os.symlink(namespace, os.path.join(self.top, str(pid), "ns", "pid"))
        self.assertEqual(ContainerProcesses(900, self.top).on_host([7]), {7: 950})

    def test_crun_puts_the_first_process_into_a_group_of_its_own(self):
        self.process(900, "/machine.slice/libpod-1.scope/container", (900, 1))
        self.process(950, "/machine.slice/libpod-1.scope", (950, 7))
        self.assertEqual(ContainerProcesses(900, self.top).on_host([7]), {7: 950})

    def test_the_first_process_is_known_by_the_containers_id(self):
        self.process(900, "/docker/c0ffee", (900, 1))
        self.process(950, "/docker/c0ffee", (950, 7))
        self.process(951, "/docker/beef", (951, 1))
        self.process(990, "/libpod_parent/conmon-c0ffee", (990,))
        self.assertEqual(first_process("c0ffee", self.top), 900)
        self.assertIsNone(first_process("deadbeef", self.top))

    def test_without_what_the_kernel_tells_nothing_is_found(self):
        self.write("900/status", "Name:\tsh\n")
        self.assertEqual(ContainerProcesses(900, self.top).on_host([1]), {})
        self.assertEqual(ContainerProcesses(901, self.top).on_host([1]), {})
        self.assertEqual(numbers_of(b"Name:\tx\nNSpid:\t12\t3\nNSpgid:\t1\n"), [12, 3])


class Limits(Files):
    def group(self, cgroup):
        self.write("proc/900/cgroup", cgroup)
        found = Group(900, os.path.join(self.top, "proc"), os.path.join(self.top, "sys"))
        return found.limit, found.used()

    def test_version_2_by_the_innermost_of_the_smallest_limits(self):
        self.write("sys/docker/one/memory.max", "1073741824\n")
        self.write("sys/docker/one/memory.current", "4096\n")
        self.write("sys/docker/memory.max", "max\n")
        self.assertEqual(self.group("0::/docker/one\n"), (1 << 30, 4096))

    def test_version_1_and_a_hybrid_of_both(self):
        self.write("sys/memory/docker/one/memory.limit_in_bytes", str((1 << 63) - 4096))
        self.write("sys/memory/docker/one/memory.usage_in_bytes", "8192")
        self.assertEqual(self.group("4:cpu,memory:/docker/one\n0::/\n"), (None, 8192))
        self.write("sys/memory/docker/memory.limit_in_bytes", "2147483648")
        self.write("sys/memory/docker/memory.usage_in_bytes", "16384")
        self.assertEqual(self.group("4:cpu,memory:/docker/one\n0::/\n"), (2 << 30, 16384))

    def test_a_group_that_is_not_the_containers_alone_tells_only_its_limit(self):
        self.write("proc/self/cgroup", "4:memory:/user\n0::/user/podman\n")
        self.write("sys/memory/user/memory.usage_in_bytes", "8192")
        self.assertEqual(self.group("4:memory:/user\n0::/user/other\n"), (None, None))
        self.write("sys/memory/user/memory.limit_in_bytes", "2147483648")
        self.assertEqual(self.group("4:memory:/user\n0::/user/other\n"), (2 << 30, 8192))

    def test_what_is_not_told_is_not_known(self):
        self.assertEqual(self.group("0::/docker/one\n"), (None, None))
        self.assertEqual(self.group("nonsense"), (None, None))


class Frames(BoardCase):
    def setUp(self):
        super().setUp()
        self.folder = RunFolder(self.root, "one")
        os.makedirs(self.folder.path)
        self.records, self.moments = [], []
        self.received = Received(self.folder, self.records.append, self.moments.append)

    def frame(self, data=b"", **head):
        return json.dumps(dict(head, length=len(data))).encode() + b"\n" + data

    def of(self, name):
        with open(self.folder.file(name), "rb") as file:
            return file.read()

    def test_files_grow_and_are_replaced_however_the_stream_is_cut(self):
        packed = gzip.compress(b"heap_tree=empty\n" * 1000)
        stream = (self.frame(b"ab", frame="append", file="stdout.log", offset=0)
                  + self.frame(b"cd", frame="append", file="stdout.log", offset=2)
                  + self.frame(b"", frame="replace", file="stdout.log")
                  + self.frame(b"xy", frame="append", file="stdout.log", offset=0)
                  + b'{"frame":"alive","t":1}\n'
                  + self.frame(b"print()", frame="replace", file="sources/a/b.py")
                  + self.frame(packed, frame="replace", file="massif.out.42", encoding="gzip", size=16000)
                  + self.frame(b"{}\n", frame="append", file="moments.jsonl", offset=0)
                  + self.frame(b"{}", frame="replace", file="run.json") + b'{"frame":"end","state":"finished"}\n')
        for size in (1, 7, len(stream)):
            shutil.rmtree(self.folder.path)
            os.makedirs(self.folder.path)
            received = Received(self.folder, self.records.append, self.moments.append)
            for at in range(0, len(stream), size):
                received.feed(stream[at:at + size])
            received.close()
            self.assertEqual(received.ended, "finished")
            self.assertEqual((self.of("stdout.log"), self.of("sources/a/b.py")), (b"xy", b"print()"))
            self.assertEqual(self.of("massif.out.42"), b"heap_tree=empty\n" * 1000)
            self.assertEqual(sorted(os.listdir(self.folder.path)), ["massif.out.42", "sources", "stdout.log"])
        self.assertEqual((self.records, b"".join(self.moments)), ([b"{}"] * 3, b"{}\n" * 3))

    def test_it_goes_on_from_what_is_there(self):
        self.received.feed(self.frame(b"abc", frame="append", file="lines.jsonl", offset=0))
        self.received.feed(self.frame(b"more", frame="append", file="lines.jsonl", offset=3)[:-2])
        self.assertEqual(self.received.have(), {"lines.jsonl": 3, "moments.jsonl": 0})
        self.received.begin()
        self.received.feed(self.frame(b"def", frame="append", file="lines.jsonl", offset=3))
        self.received.close()
        self.assertEqual(self.of("lines.jsonl"), b"abcdef")

    def test_what_no_run_sends_is_not_taken(self):
        packed = gzip.compress(b"x" * 1000)
        for what in (
                self.frame(b"x", frame="replace", file="../escaped"), self.frame(b"x", frame="replace", file="/etc/passwd"),
                self.frame(b"x", frame="replace", file="sources/../../x"), self.frame(b"x", frame="replace", file="lock"),
                self.frame(b"x", frame="replace", file="inside.json"), self.frame(b"x", frame="replace", file="supervisor.json"),
                self.frame(b"x", frame="replace", file="sources/a\0b"), self.frame(b"x", frame="append", file="run.json", offset=0),
                self.frame(b"x", frame="append", file="stdout.log", offset=5), self.frame(b"x", frame="replace", file="stdout.log"),
                self.frame(packed, frame="replace", file="massif.out.1", encoding="gzip", size=999),
                self.frame(packed, frame="replace", file="massif.out.1", encoding="gzip", size=1001),
                self.frame(b"no gzip", frame="replace", file="massif.out.1", encoding="gzip", size=5),
                self.frame(packed, frame="replace", file="massif.out.1", encoding="zstd", size=1000),
                b'{"frame":"append","file":"stdout.log","offset":0,"length":-1}\n',
                b'{"frame":"replace","file":"massif.out.1","length":99999999999}\n',
                b'{"frame":"replace","file":3,"length":1}\n', b"[]\n", b"nonsense\n", b"x" * 70000,
                b'{"error":{"code":"no-such-run","message":"gone","hint":null}}\n'):
            received = Received(self.folder, self.records.append, self.moments.append)
            with self.assertRaises(Misbehaved, msg=what[:80]):
                received.feed(what)
            received.close()
        self.assertFalse(os.path.exists(os.path.join(self.top, "escaped")))
        # Nothing is left of files that did not come whole.
        self.assertEqual([name for name in os.listdir(self.folder.path) if name.startswith(".")], [])


class Records(unittest.TestCase):
    GOOD = {"id": "one", "started": "2026-11-28T10:00:00.000Z", "project_root": "/p", "engine": {"name": "line"},
            "output": {"stdout": {"bytes": 3, "kept": 3}}, "files": [{"path": "a.py"}], "warnings": [], "exit": {}}

    def test_a_record_is_taken_where_what_is_acted_upon_is_as_it_should_be(self):
        self.assertEqual(record_of(json.dumps(self.GOOD).encode(), "one"), self.GOOD)
        self.assertEqual(record_of(b'{"id":"one","more":[1]}', "one"), {"id": "one", "more": [1]})
        for key, value in (("id", "two"), ("started", 3), ("project_root", None), ("engine", "line"), ("engine", {"heap": 3}),
                           ("output", {"stdout": 3}), ("output", {"stdout": {"bytes": "3"}}), ("files", [{"path": 3}]),
                           ("files", {}), ("warnings", [3]), ("exit", "ended")):
            with self.assertRaises(Misbehaved, msg=key):
                record_of(json.dumps(dict(self.GOOD, **{key: value})).encode(), "one")
        for text in (b"[]", b"", b"\xff", b"[" * 100000):
            with self.assertRaises(Misbehaved, msg=text[:10]):
                record_of(text, "one")


class Input(unittest.TestCase):
    def setUp(self):
        self.reading, writing = os.pipe()
        self.relay = Relay(writing)
        self.open = [self.reading, writing]
        self.addCleanup(lambda: [os.close(fd) for fd in self.open])

    def test_input_becomes_lines_of_control(self):
        self.relay.put(b"hello\n")
        self.relay.end()
        self.relay.put(b"too late")
        self.assertEqual([json.loads(line) for line in os.read(self.reading, 9999).splitlines()],
                         [{"input": "aGVsbG8K"}, {"close_input": True}])

    def test_what_was_not_taken_goes_to_the_next_reader_in_whole_lines(self):
        while not self.relay.wants_to_write:
            self.relay.put(b"x" * 9000)
        self.relay.put(b"last")
        reading, writing = os.pipe()
        self.open += [reading, writing]
        self.relay.move_to(writing)
        self.relay.write()
        last = os.read(reading, 1 << 20).splitlines()[-1]
        self.assertEqual(json.loads(last), {"input": "bGFzdA=="})


if __name__ == "__main__":
    unittest.main()
