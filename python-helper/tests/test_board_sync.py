"""Bringing a project to the board: what is sent, what is never taken away."""
import glob
import hashlib
import io
import json
import os
import resource
import shutil
import subprocess
import threading
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, least, python, until

from jetson_memprof.board.commands import sync

ODD_NAMES = ["a b.py", "qu'o\"te.py", "new\nline.py", "ünï/日本.py", "-rf", "--help/-x", "tab\t.txt", "back\\slash",
             "$(touch x)`y`;&|", "e" * 200]


class SyncCase(BoardCase):
    def setUp(self):
        BoardCase.setUp(self)
        self.host = {}  # path -> (bytes, mtime_ms, executable)
        self.folder = os.path.join(self.root, "projects", "demo-1a2b")

    def put(self, path, data, mtime_ms=1600000000123, executable=False):
        self.host[path] = (data, mtime_ms, executable)

    def asked(self, **changes):
        request = {"root": self.root, "project": "demo-1a2b", "files": [
            [path, len(data), mtime, executable] for path, (data, mtime, executable) in self.host.items()]}
        request.update(changes)
        return request

    def plan(self):
        return self.command("sync-plan", self.asked())

    def frames(self, paths):
        out = b""
        for path in paths:
            data, mtime, executable = self.host[path]
            out += json.dumps({"path": path, "size": len(data), "mtime_ms": mtime, "executable": executable,
                               "sha256": hashlib.sha256(data).hexdigest()}).encode("utf-8") + b"\n" + data
        return out

    def apply(self, paths, touch=(), frames=None, check=True, **changes):
        request = {"root": self.root, "project": "demo-1a2b", "touch": list(touch), "files": len(paths),
                   "present": list(self.host)}
        request.update(changes)
        return self.command("sync-apply", request, self.frames(paths) if frames is None else frames, check=check)

    def sync(self):
        """As a host does it: plan, compare digests, apply when there is anything to do."""
        plan = self.plan()
        self.assertEqual(plan["folder"], self.folder)
        send, touch = list(plan["send"]), []
        for path, digest in plan["hash"]:
            data, mtime, _ = self.host[path]
            if hashlib.sha256(data).hexdigest() == digest:
                touch.append([path, mtime])
            else:
                send.append(path)
        if not (send or touch or plan["gone"]):
            return None
        return self.apply(send, touch)

    def on_board(self, path, data=None):
        """Read, or with `data` write, a file of the project on the board."""
        where = os.path.join(os.fsencode(self.folder), path.encode("utf-8"))
        if data is not None:
            os.makedirs(os.path.dirname(where), exist_ok=True)
            with open(where, "wb") as file:
                file.write(data)
            return None
        try:
            with open(where, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def everything(self):
        return sorted(os.path.relpath(os.path.join(folder, name), os.fsencode(self.folder)).decode("utf-8")
                      for folder, _, names in os.walk(os.fsencode(self.folder)) for name in names)


class Syncing(SyncCase):
    def test_odd_names_and_nothing_to_do_afterwards(self):
        for number, name in enumerate(ODD_NAMES):
            self.put(name, b"data %d" % number, executable=number == 0)
        self.put("empty/__init__.py", b"")
        self.assertEqual(self.sync(), {"written": len(self.host), "removed": [], "kept": []})
        self.assertEqual(self.everything(), sorted(self.host))
        for name, (data, mtime, _) in self.host.items():
            self.assertEqual(self.on_board(name), data)
            found = os.stat(os.path.join(os.fsencode(self.folder), name.encode("utf-8")))
            self.assertEqual(found.st_mtime_ns, mtime * 1000000)
        self.assertTrue(os.access(os.path.join(self.folder, "a b.py"), os.X_OK))
        self.assertEqual(self.plan(), {"folder": self.folder, "send": [], "hash": [], "gone": 0, "first": False})

    def test_without_a_locale(self):
        self.put("ünï/日本.py", b"x")
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": self.top}
        request = {"root": self.root, "project": "demo-1a2b", "touch": [], "files": 1, "present": list(self.host)}
        self.assertEqual(self.command("sync-apply", request, self.frames(self.host), env=env)["written"], 1)
        self.assertEqual(self.on_board("ünï/日本.py"), b"x")

    def test_only_what_changed(self):
        self.put("a.py", b"one")
        self.put("b.py", b"two")
        self.put("c.py", b"three")
        self.put("d.sh", b"four")
        self.sync()
        self.put("a.py", b"longer")                          # another size
        self.put("b.py", b"TWO", mtime_ms=1700000000000)     # same size, other contents
        self.put("c.py", b"three", mtime_ms=1700000000001)   # touched only
        self.put("d.sh", b"four", executable=True)
        plan = self.plan()
        self.assertEqual((sorted(plan["send"]), plan["gone"]), (["a.py", "d.sh"], 0))
        self.assertEqual(dict(plan["hash"]), {"b.py": hashlib.sha256(b"two").hexdigest(),
                                              "c.py": hashlib.sha256(b"three").hexdigest()})
        self.assertEqual(self.sync(), {"written": 3, "removed": [], "kept": []})
        self.assertIsNone(self.sync())

    def test_gone_files_are_removed_the_users_own_are_not(self):
        for name in ("keep.py", "gone.py", "changed.py", "old/deep/gone.py", "mixed/gone.py"):
            self.put(name, b"sent")
        self.sync()
        self.on_board("changed.py", b"edited on the board")
        self.on_board("mixed/result.csv", b"made on the board")
        self.on_board("checkpoints/model.pt", b"made on the board")
        os.mkdir(os.path.join(self.folder, "empty"))
        for name in list(self.host):
            if name != "keep.py":
                del self.host[name]
        self.assertEqual(self.plan()["gone"], 4)
        reply = self.sync()
        self.assertEqual(reply, {"written": 0, "removed": ["gone.py", "mixed/gone.py", "old/deep/gone.py"], "kept": []})
        self.assertEqual(self.everything(), ["changed.py", "checkpoints/model.pt", "keep.py", "mixed/result.csv"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["changed.py", "checkpoints", "empty", "keep.py", "mixed"])
        self.assertIsNone(self.sync())

    def test_what_must_make_way_is_kept(self):
        self.put("train.py", b"sent")
        self.put("pkg/mod.py", b"sent")
        self.sync()
        self.on_board("train.py", b"edited on the board")
        self.on_board("notes.txt", b"made on the board")
        self.on_board("data", b"a file where the host has a folder")
        self.on_board("pkg/own.py", b"made on the board")
        del self.host["pkg/mod.py"]
        self.put("train.py", b"newer", mtime_ms=1700000000000)
        self.put("notes.txt", b"the host's")
        self.put("data/x.csv", b"1")
        self.put("pkg", b"a file where the board has a folder")
        reply = self.sync()
        self.assertEqual(reply["written"], 4)
        kept = dict(reply["kept"])
        self.assertEqual(sorted(kept), ["data", "notes.txt", "pkg", "train.py"])
        for path, data in (("train.py", b"edited on the board"), ("notes.txt", b"made on the board"),
                           ("data", b"a file where the host has a folder")):
            self.assertTrue(kept[path].startswith(os.path.join(self.root, "kept", "demo-1a2b", path)))
            with open(kept[path], "rb") as file:
                self.assertEqual(file.read(), data)
        with open(os.path.join(kept["pkg"], "own.py"), "rb") as file:
            self.assertEqual(file.read(), b"made on the board")
        self.assertEqual(self.on_board("train.py"), b"newer")
        self.assertIsNone(self.sync())

    def test_the_same_contents_on_the_board_are_not_kept_aside(self):
        self.on_board("a.py", b"same")
        self.put("a.py", b"same", executable=True)
        self.assertEqual(self.sync(), {"written": 1, "removed": [], "kept": []})

    def test_symlinks_do_not_lead_out(self):
        outside = os.path.join(self.top, "outside")
        os.mkdir(outside)
        secret = os.path.join(outside, "x.py")
        with open(secret, "w") as file:
            file.write("precious")
        os.makedirs(self.folder)
        os.symlink(outside, os.path.join(self.folder, "link"))
        os.symlink(secret, os.path.join(self.folder, "file.py"))
        self.put("link/x.py", b"attack")
        self.put("other.py", b"fine")
        plan = self.plan()
        self.assertEqual((sorted(plan["send"]), plan["hash"]), (["link/x.py", "other.py"], []))
        error = self.apply(list(self.host), check=False)["error"]
        self.assertEqual(error["code"], "symlink-outside")
        self.assertIn("link/x.py", error["message"])
        self.assertIsNone(self.on_board("other.py"))  # nothing was begun
        # A link in the file's own place makes way; what it leads to is left alone.
        self.host = {}
        self.put("file.py", b"attack")
        self.assertEqual([one[0] for one in self.sync()["kept"]], ["file.py"])
        self.assertEqual(self.on_board("file.py"), b"attack")
        with open(secret) as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(os.listdir(outside), ["x.py"])

    def test_a_symlink_that_stays_inside_is_followed(self):
        os.makedirs(os.path.join(self.folder, "real"))
        os.symlink("real", os.path.join(self.folder, "link"))
        self.put("link/x.py", b"inside")
        self.assertEqual(self.sync()["written"], 1)
        self.assertEqual(self.on_board("real/x.py"), b"inside")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "link")))
        self.assertIsNone(self.sync())

    def test_bad_paths_are_refused(self):
        for path in ("/etc/passwd", "../x", "a/../x", "a//b", "", "a/./b", "a/", "x\0y", 7, None):
            self.assertEqual(self.refused(sync.plan, self.asked(files=[[path, 1, 1, False]])), "bad-request")
            frame = json.dumps({"path": path, "size": 1, "mtime_ms": 1, "executable": False,
                                "sha256": hashlib.sha256(b"x").hexdigest()}).encode() + b"\nx"
            self.assertEqual(self.refused(sync.apply, dict(self.asked(), files=1, present=[]), io.BytesIO(frame)),
                             "bad-request")
        for project in ("..", ".", "a/b", "", "x.sync.json", ".hidden"):
            self.assertEqual(self.refused(sync.plan, self.asked(project=project)), "bad-request")
        for files in ([[]], [["a", -1, 0, False]], [["a", "1", 0, False]], ["a"], {}):
            self.assertEqual(self.refused(sync.plan, self.asked(files=files)), "bad-request")
        self.assertEqual(self.command("sync-plan", self.asked(files={}), check=False)["error"]["code"], "bad-request")

    def test_nothing_half_written(self):
        self.put("a.py", b"first")
        self.put("b.py", b"first")
        self.sync()
        self.put("a.py", b"second!")
        self.put("b.py", b"second!")
        good = self.frames(["a.py", "b.py"])
        for frames, code in ((good[:-3] + b"???", "damaged"), (good[:-3], "interrupted"),
                             (good[:len(good) // 2 + 20], "interrupted"), (b"", "interrupted"),
                             (b"no json\n" + good, "bad-request")):
            reply = self.apply(["a.py", "b.py"], frames=frames, check=False)
            self.assertEqual(reply["error"]["code"], code)
            self.assertEqual((self.on_board("a.py"), self.on_board("b.py")), (b"first", b"first"))
            self.assertEqual(self.everything(), ["a.py", "b.py"])
        self.assertEqual(os.listdir(os.path.join(self.root, "staging", "demo-1a2b")), ["lock"])
        self.assertEqual(self.sync()["written"], 2)

    def begun(self):
        """A sync-apply that was sent half of a file, and nothing more."""
        process = subprocess.Popen(python(os.path.join(HELPER, "board.py"), "sync-apply"),
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(json.dumps({"root": self.root, "project": "demo-1a2b", "touch": [], "files": 1,
                                        "present": ["a.py"]}).encode() + b"\n" + self.frames(["a.py"])[:200000])
        process.stdin.flush()
        until(lambda: glob.glob(os.path.join(self.staging, "*", "part-0")), what="the staged file")
        return process

    @property
    def staging(self):
        return os.path.join(self.root, "staging", "demo-1a2b")

    def test_killed_in_the_middle(self):
        self.put("a.py", b"first")
        self.sync()
        self.put("a.py", b"x" * 300000)
        process = self.begun()
        process.kill()
        process.stdin.close()
        process.wait()
        self.assertEqual((self.on_board("a.py"), self.everything()), (b"first", ["a.py"]))
        self.assertEqual(self.sync()["written"], 1)
        self.assertEqual(os.listdir(self.staging), ["lock"])

    def test_one_that_nobody_sends_to_any_more_does_not_hold_up_the_next(self):
        self.put("a.py", b"x" * 300000)
        process = self.begun()
        try:
            self.assertEqual(self.sync()["written"], 1)
            self.assertIsNone(process.poll())  # so there was no turn to wait for
            with mock.patch("time.sleep", side_effect=AssertionError("it waits for a turn")):
                self.assertEqual(sync.apply(self.asked(touch=[], files=0, present=["a.py"]), io.BytesIO()),
                                 {"written": 0, "removed": [], "kept": []})
            self.assertEqual(len(os.listdir(self.staging)), 2)  # what is in use stays
        finally:
            process.stdin.close()
            process.wait()
        self.assertEqual(self.on_board("a.py"), b"x" * 300000)
        self.assertEqual(os.listdir(self.staging), ["lock"])

    def test_two_at_once_take_turns(self):
        for number in range(30):
            self.put("f%d.py" % number, b"%d" % number * 1000)
        replies = []
        frames = self.frames(self.host)
        threads = [threading.Thread(target=lambda: replies.append(self.apply(list(self.host), frames=frames)))
                   for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual([one["written"] for one in replies], [30, 30, 30])
        self.assertEqual([one["kept"] for one in replies], [[], [], []])
        self.assertEqual(len(self.everything()), 30)

    def test_a_lost_memory_deletes_nothing(self):
        self.put("a.py", b"one")
        self.put("b.py", b"two")
        self.sync()
        with open(os.path.join(self.root, "projects", "demo-1a2b.sync.json"), "w") as file:
            file.write("{broken")
        del self.host["b.py"]
        self.assertIsNone(self.sync())
        self.assertEqual(self.on_board("b.py"), b"two")

    def test_2000_unchanged_files(self):
        for number in range(2000):
            self.put("pkg%d/module_%d.py" % (number % 40, number), b"x = %d\n" % number)
        self.sync()

        def planning():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(self.plan()["send"], [])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(least(planning, 0.6), 0.6)  # CPU time, of which the interpreter's start is a part
        # No file is read, and a folder is opened once for all of its files.
        opened = []
        real = os.open

        def opening(path, *more, **named):
            opened.append(path)
            return real(path, *more, **named)
        with mock.patch("os.open", opening):
            self.assertEqual(sync.plan(self.asked())["send"], [])
        self.assertLess(len(opened), 100, opened[:200])

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("mount"),
                         "SKIPPED: a small file system can be mounted by root only")
    def test_full_disk(self):
        os.mkdir(self.root)
        if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=1m", "jmp-test", self.root]):
            self.skipTest("SKIPPED: no file system may be mounted here")
        self.addCleanup(subprocess.call, ["umount", "-l", self.root])
        self.put("a.py", b"small")
        self.sync()
        self.put("a.py", b"other")
        self.put("big.bin", b"x" * (2 << 20))
        error = self.apply(["a.py", "big.bin"], check=False)["error"]
        self.assertEqual(error["code"], "no-space")
        self.assertIn("big.bin", error["message"])
        self.assertEqual((self.on_board("a.py"), self.everything()), (b"small", ["a.py"]))
        self.assertEqual(os.listdir(os.path.join(self.root, "staging", "demo-1a2b")), ["lock"])


if __name__ == "__main__":
    unittest.main()
