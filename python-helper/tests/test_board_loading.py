"""What long lines load: the files that a process has open or mapped, when they are looked at, and what a run records."""
import json
import mmap
import os
import socket
import unittest
from unittest import mock

from test_board_common import BoardCase, read_records, read_table
from test_board_system import RootCase

from jetson_memprof.board.run import loading
from jetson_memprof.board.system import large_files as files
from jetson_memprof.board.system.processes import Budget

MIB = 1 << 20
SIZE = 24 * MIB
# A module outside of the project stands for a library: the line that calls it stays on top.
LIBRARY = """
import json, mmap, os, time

def wait(records, enough):
    # Until a look at what is loaded here tells as much. It comes when RSS has moved, so RSS is moved until then.
    for turn in range(1 << 30):
        with open(records, "rb") as file:
            whole = file.read().rpartition(b"\\n")[0].splitlines()
        if any(one["record"] == "load" and enough(one) for one in map(json.loads, whole)):
            return
        if turn % 20 == 19:
            moved = None if turn % 40 == 19 else b"x" * (8 << 20)
        time.sleep(0.02)

def twice(path, records):
    with open(path, "rb") as file:
        data = file.read()
        copy = bytearray(data)
        wait(records, lambda load: load["most"]["rss"] - load["before"]["rss"] > len(data) + len(copy) - (5 << 20))
    return copy

def mapped(path, records):
    with open(path, "rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    for at in range(0, len(pages), mmap.PAGESIZE):
        pages[at:at + 1]
    for at in range(0, len(pages) // 2, mmap.PAGESIZE):
        pages[at] = 1
    wait(records, lambda load: load["copied"] == len(pages) // 2)
    return pages
"""


def sparse(path, size=SIZE):
    with open(path, "wb") as file:
        file.truncate(size)
    return path


class LargeFiles(RootCase):
    """Over a folder that stands for a process's in /proc."""

    def fd(self, number, target, position=0, flags="0100000"):
        link = os.path.join(self.root, "7", "fd", str(number))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(target, link)
        self.put("7/fdinfo/%d" % number, "pos:\t%d\nflags:\t%s\nmnt_id:\t29\n" % (position, flags))

    def file(self, name, size=SIZE):
        return sparse(os.path.join(self.root, name), size)

    def found(self, state="S (sleeping)"):
        self.put("7/status", "Name:\tpython3\nState:\t%s\n" % state)
        return {path: tuple(getattr(file, name) for name in file.__slots__)
                for path, file in files.large_files(os.path.join(self.root, "7")).items()}

    def mapping(self, path, at=0x7f0000000000, size=SIZE, rights="rw-p", inode=None):
        inode = os.stat(path).st_ino if inode is None else inode
        return "%x-%x %s 00000000 b3:01 %d    %s\n" % (at, at + size, rights, inode, path.replace("\n", "\\012"))

    def test_open_files_are_told_with_how_far_they_were_read(self):
        read, weights, other = self.file("read"), self.file("w.safetensors"), self.file("other")
        self.fd(3, read, 20 * MIB)
        self.fd(4, read, 17 * MIB)
        self.fd(5, weights)
        self.fd(6, other)                                    # nothing of it was read, and its name says nothing
        self.fd(7, self.file("small.pt", MIB), MIB)
        self.fd(8, self.file("written.pt"), SIZE, "0100001")
        self.fd(9, "socket:[123]", SIZE)
        self.fd(10, os.path.join(self.root, "gone.pt"), SIZE)
        self.fd(11, "/dev/null", SIZE)
        self.put("7/fdinfo/12", "pos:\tx\n")
        self.assertEqual(self.found(), {read: (SIZE, 20 * MIB, None, None, None),
                                        weights: (SIZE, 0, None, None, None)})

    def test_mapped_files_are_told_with_their_pages(self):
        weights, odd = self.file("a b.pt"), self.file("<b>\nodd")
        maps = (self.mapping(weights) + self.mapping(weights, 0x7f1000000000, 16 * MIB)
                + self.mapping(odd, 0x7f2000000000) + self.mapping(self.file("lib.so.1"), 0x7f3000000000)
                + self.mapping(self.file("code"), 0x7f4000000000, rights="r-xp")
                + "7f5000000000-7f5010000000 rw-p 00000000 00:00 0\nhalf a line")
        self.put("7/maps", maps)
        figures = "Size: 1 kB\nRss: %d kB\nPss: 9 kB\nAnonymous: %d kB\nVmFlags: rd\n"
        self.put("7/smaps", self.mapping(weights) + figures % (20480, 4096)
                 + "7f0f00000000-7f0f00001000 rw-p 00000000 00:00 0\n" + figures % (77, 77)
                 + self.mapping(weights, 0x7f1000000000, 16 * MIB) + figures % (1024, 0)
                 + self.mapping(odd, 0x7f2000000000) + "Rss: 18432 kB\nAnonymous: lots kB\n")
        self.assertEqual(self.found(), {weights: (SIZE, None, SIZE + 16 * MIB, 21 * MIB, 4 * MIB),
                                        odd: (SIZE, None, SIZE, 18 * MIB, None)})

    def test_what_may_not_be_read_is_not_known(self):
        weights = self.file("w.pt")
        self.fd(3, weights, SIZE)
        self.put("7/maps", self.mapping(weights))
        self.assertEqual(self.found(), {weights: (SIZE, SIZE, SIZE, None, None)})  # no smaps
        # The lock that maps wait for may be held by one that is stuck in the kernel.
        self.assertEqual(self.found("D (disk sleep)"), {weights: (SIZE, SIZE, None, None, None)})
        self.assertEqual(files.large_files(os.path.join(self.root, "8")), {})

    def test_a_mapped_file_that_is_another_by_now_has_the_size_that_was_mapped(self):
        weights = self.file("w.pt", 4 * SIZE)
        self.put("7/maps", self.mapping(weights, inode=os.stat(weights).st_ino + 1))
        self.assertEqual(self.found()[weights][0], SIZE)
        self.put("7/maps", self.mapping(os.path.join(self.root, "gone.pt"), inode=5).replace("gone.pt", "gone.pt (deleted)"))
        self.assertEqual(self.found(), {})                   # no weights by its name, and nothing known of its pages

    def test_thousands_of_mappings_and_files_are_bounded(self):
        weights = self.file("w.pt")
        many = "".join("%x-%x rw-p 00000000 b3:01 5    /x/%d\nRss: 4 kB\n" % (at << 20, (at << 20) + 4096, at)
                       for at in range(1, 30000))
        self.put("7/maps", self.mapping(weights) + many)
        self.put("7/smaps", many + self.mapping(weights) + "Rss: 20480 kB\nAnonymous: 0 kB\n")
        self.assertEqual(self.found(), {weights: (SIZE, None, SIZE, 20 * MIB, 0)})
        for at in range(100):
            self.fd(at, self.file("%d.pt" % at, SIZE + at), SIZE)
        found = self.found()
        self.assertEqual(len(found), 64)
        self.assertEqual(min(size for size, *_ in found.values()), SIZE + 36)


class OfThisProcess(RootCase):
    def test_the_kernel_says_it_as_it_is_read(self):
        name = os.path.join(self.root, "<i>\nweights")
        with open(sparse(name), "rb") as file, socket.socket() as other:
            self.assertNotIn(name, files.large_files("/proc/self"))
            file.seek(20 * MIB)
            self.assertIn(name, files.large_files("/proc/self"))
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            self.addCleanup(pages.close)
            for at in range(0, SIZE, mmap.PAGESIZE):
                pages[at:at + 1]
            for at in range(0, 8 * MIB, mmap.PAGESIZE):
                pages[at] = 1
            found = files.large_files("/proc/self")[name]
            self.assertEqual((found.size, found.position, found.mapped), (SIZE, 20 * MIB, SIZE))
            self.assertGreaterEqual(found.resident, SIZE)
            self.assertGreaterEqual(found.copied, 8 * MIB)
            os.truncate(name, 17 * MIB)                      # a file that shrinks while it is read
            self.assertEqual(files.large_files("/proc/self")[name].position, 17 * MIB)
            os.unlink(name)
            self.assertIn(name + " (deleted)", files.large_files("/proc/self"))
            self.assertGreater(other.fileno(), 0)


class Looking(unittest.TestCase):
    """When a line is looked at, with an RSS that the test sets."""

    def setUp(self):
        self.rss, self.looks = 100 * MIB, 0
        patched = mock.patch.object(loading.proc, "rss", lambda pid: self.rss)
        patched.start()
        self.addCleanup(patched.stop)
        self.files = {"/m.pt": files.LargeFile(SIZE, 5)}
        self.loading = loading.Loading(Budget(1e9), self.files_of)

    def files_of(self, _folder):
        self.looks += 1
        return self.files

    def look(self, for_ms, line=3, pid=None, meminfo=b"\nCached: 5 kB\nNvMapMemUsed: 7 kB\n", before=100 * MIB):
        place = (os.getpid() if pid is None else pid, "train.py", line, before, for_ms)
        return self.loading.look(1000, [place], meminfo, 1.0)

    def test_only_a_long_line_whose_process_grew_is_looked_at(self):
        self.assertEqual((self.look(0), self.look(200)), ({}, {}))
        self.rss += 8 * MIB
        self.assertEqual(self.look(800), {})
        self.rss += 20 * MIB
        self.look(1000)
        self.look(1200)                                      # it does not grow any more
        self.assertEqual(self.looks, 1)
        self.rss += 20 * MIB
        self.look(1400)
        self.look(0, line=4)
        self.assertEqual(self.looks, 2)
        self.assertEqual(self.loading.look(1000, [(os.getpid(), "a.py", 1, None, 900)], b"", 1.0), {})

    def test_another_execution_of_a_line_begins_with_what_it_found(self):
        self.look(0)
        self.rss += 60 * MIB
        self.look(0, before=self.rss)
        self.look(1000, before=self.rss)
        self.assertEqual(self.looks, 0)
        self.rss += 60 * MIB
        self.assertEqual(list(self.look(1200, before=100 * MIB).values())[0]["before"]["rss"], 160 * MIB)

    def test_a_load_has_the_most_of_each_figure(self):
        self.look(0)
        self.rss += 60 * MIB
        key, load = list(self.look(1000, meminfo=b"\nCached: 9 kB\n").items())[0]
        self.assertEqual(key, (os.getpid(), "train.py", 3, "/m.pt"))
        self.assertEqual((load["size"], load["position"], load["mapped"]), (SIZE, 5, None))
        self.assertEqual((load["before"]["rss"], load["before"]["cached"], load["before"]["nvmap"]), (100 * MIB, 5 << 10, 7 << 10))
        self.assertEqual((load["most"]["rss"], load["most"]["cached"]), (160 * MIB, 9 << 10))
        self.assertNotIn("nvmap", load["most"])
        self.assertNotIn("mem_available", load["most"])
        self.files = {"/m.pt": files.LargeFile(SIZE - 9, 3)}
        self.files["/m.pt"].resident = 7
        self.rss -= 30 * MIB
        load = list(self.look(2000).values())[0]
        self.assertEqual((load["size"], load["position"], load["resident"], load["for_ms"]), (SIZE, 5, 7, 2000))
        self.assertEqual(load["most"]["rss"], 160 * MIB)

    def test_what_it_costs_and_keeps_is_bounded(self):
        self.loading = loading.Loading(Budget(0.0), self.files_of)
        self.look(0)
        self.rss += 60 * MIB
        self.look(1000)
        self.assertEqual(self.looks, 0)
        self.loading = loading.Loading(Budget(1e9), self.files_of)
        self.files = {"/%d" % at: files.LargeFile(SIZE) for at in range(1000)}
        self.rss -= 60 * MIB
        self.look(0)
        self.rss += 60 * MIB
        self.assertEqual(len(self.look(1000)), 256)
        self.assertEqual(self.loading.look(1000, [], b"", 1.0), {})


class ARun(BoardCase):
    def load(self, function, run):
        os.mkdir(os.path.join(self.top, "lib"))
        with open(os.path.join(self.top, "lib", "library.py"), "w") as file:
            file.write(LIBRARY)
        path = sparse(os.path.join(self.top, "model.bin"), 2 * SIZE)
        mirror = self.run_script(run, """\
            import os, library
            kept = library.%s(os.environ["MODEL"], os.environ["RECORDS"])
            """ % function, env={"MODEL": path, "RECORDS": self.run_file(run, "lines.jsonl"),
                                 "PYTHONPATH": os.path.join(self.top, "lib")})
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        records = [one for one in read_records(mirror.files["lines.jsonl"]) if one["record"] == "load"]
        self.assertEqual({(one["file"], one["line"], one["path"], one["size"]) for one in records},
                         {(0, 2, path, 2 * SIZE)})
        row = read_table(mirror.files["lines.jsonl"])[(records[-1]["pid"], "script.py", 2)]
        return records[-1], dict(zip(("hits", "net", "self", "largest", "peak"), row))

    def test_a_file_that_is_read_and_copied_is_there_twice(self):
        load, row = self.load("twice", "r1")
        self.assertEqual((load["position"], load["mapped"], load["resident"]), (2 * SIZE, None, None))
        self.assertLess(abs(load["most"]["rss"] - load["before"]["rss"] - 4 * SIZE), 10 * MIB)
        self.assertGreater(load["for_ms"], 0)
        self.assertLess(abs(row["net"] - 2 * SIZE), 4 * MIB)
        if row["peak"] is not None:
            self.assertGreater(row["peak"], 4 * SIZE - 4 * MIB)

    def test_pages_of_a_mapped_file_are_told_from_copies_of_them(self):
        load, row = self.load("mapped", "r2")
        self.assertEqual((load["mapped"], load["resident"]), (2 * SIZE, 2 * SIZE))
        self.assertEqual(load["copied"], SIZE)
        self.assertEqual(load["position"], 0)                # mmap keeps a descriptor of its own
        self.assertLess(abs(row["net"] - 2 * SIZE), 4 * MIB)
        self.assertEqual(json.loads(json.dumps(load)), load)


if __name__ == "__main__":
    unittest.main()
