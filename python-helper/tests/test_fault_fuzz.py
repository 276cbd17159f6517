"""Damaged and hostile requests, by seed: refused in words, with nothing read or written outside of the board folder.

JETSON_MEMPROF_SEED=<seed> tries one seed again. What once failed is in KEPT and tried first in every run.
"""
import base64
import hashlib
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import unittest

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HELPER)

import bootstrap
from jetson_memprof.board.run import control, runs
from jetson_memprof.board import names
from jetson_memprof.board.commands import order, sync
from jetson_memprof.board.commands.asking import snapshot
from jetson_memprof.board.commands.attach import _is_control
from jetson_memprof.board.commands.cancel import cancel
from jetson_memprof.board.errors import BoardError

LONG = os.environ.get("JETSON_MEMPROF_FAULTS") == "long"
SEED = os.environ.get("JETSON_MEMPROF_SEED")

TEXTS = ["", ".", "..", "../x", "/etc/passwd", "a/../../x", "a\0b", "a\nb", "-rf", "~", "~root", "\ud800", u"\u202e", "x" * 5000,
         "__proto__", "a//b", "./a", "a/", "C:\\x", "$(id)", "true", "\\", u"\u65e5\u672c"]
NUMBERS = [0, -1, 1.5, 2 ** 31, 2 ** 53, 2 ** 53 + 1, 2 ** 63, 2 ** 64, 1e308, -1e308, float("nan"), float("inf"), 10 ** 400]
#: Text of JSON: deeper than any stack, and what is no JSON at all.
LINES = [b"[" * 100000, b'{"a":' * 50000, b"{", b"", b"\xff\xfe", b'"', b"nul", b"[]", b"7", b'{"input":5}', b'{"input":"=="}',
         b'{"input":"' + b"A" * 70000, b'{"close_input":1}']


def other(value, dice):
    kind = dice.randrange(8)
    if kind == 0:
        return None
    if kind == 1:
        return dice.choice([True, False])
    if kind == 2:
        return dice.choice([[], {}, [value], {"a": value}])
    if kind in (3, 4):
        return dice.choice(NUMBERS)
    if kind == 5 and isinstance(value, str):
        return value + dice.choice(TEXTS)
    return dice.choice(TEXTS)


def changed(value, dice):
    """A value in which one part, somewhere, is another."""
    if not isinstance(value, (dict, list)) or not value or dice.randrange(6) == 0:
        return other(value, dice)
    copy = dict(value) if isinstance(value, dict) else list(value)
    key = dice.choice(sorted(copy)) if isinstance(copy, dict) else dice.randrange(len(copy))
    if dice.randrange(8) == 0:
        del copy[key]
    elif isinstance(copy, dict) and dice.randrange(8) == 0:
        copy[dice.choice(TEXTS)] = copy.pop(key)
    else:
        copy[key] = changed(copy[key], dice)
    return copy


def damaged(data, dice):
    """Bytes with a few things wrong with them."""
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + bytes(bytearray([dice.randrange(256)])) + data[at + 1:]
        elif kind == 2:
            data = data[:at] + data[at + dice.randrange(40):]
        elif kind == 3:
            data = data[:at] + dice.choice(LINES)[:2000] + data[at:]
        else:
            data = data[:at] + data[max(0, at - 60):]
    return data


class Input(object):
    """Of a script, which nobody reads."""

    def put(self, data):
        if not isinstance(data, bytes):
            raise AssertionError("the script would be given %r" % (data,))

    def end(self):
        pass


class FuzzTest(unittest.TestCase):
    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.top)
        self.root = os.path.join(self.top, "root")
        self.outside = os.path.join(self.top, "outside")
        os.makedirs(os.path.join(self.root, "projects", "demo"))
        os.mkdir(self.outside)
        with open(os.path.join(self.outside, "key"), "w") as out:
            out.write("secret")
        os.symlink(self.outside, os.path.join(self.root, "projects", "demo", "link"))

    def each(self, short, attempt):
        """`attempt` with dice of a seed; it may refuse, and touch nothing outside."""
        seeds = [int(SEED)] if SEED else range(short * (50 if LONG else 1))
        refused = 0
        for seed in seeds:
            try:
                attempt(random.Random(seed))
            except (BoardError, bootstrap.Refused) as refusal:
                refused += 1
                json.dumps(getattr(refusal, "reply", None) or refusal.as_reply())
            except Exception:
                print("seed %d" % seed)
                raise
            self.assertEqual(sorted(os.listdir(self.top)), ["outside", "root"], "seed %d" % seed)
        self.assertEqual(os.listdir(self.outside), ["key"])
        with open(os.path.join(self.outside, "key")) as key:
            self.assertEqual(key.read(), "secret")
        return refused

    def request(self, value, dice):
        """The request with something wrong with it; the folder stays, so that nothing else can be meant."""
        request = changed(dict(value, root=self.root), dice)
        if isinstance(request, dict):
            request["root"] = self.root
            return request
        return {"root": self.root}

    def test_a_list_of_files_to_compare(self):
        files = [["a.py", 5, 1600000000123, False], ["link/key", 6, 1600000000123, False], ["b/c.py", 0, 0, True]]
        refused = self.each(400, lambda dice: json.dumps(sync.plan(self.request({"project": "demo", "files": files}, dice))))
        self.assertGreater(refused, SEED is None and 100 or 0)

    def test_files_that_are_sent(self):
        def frame(path, data):
            head = {"path": path, "size": len(data), "mtime_ms": 1600000000123, "executable": False,
                    "sha256": hashlib.sha256(data).hexdigest()}
            return json.dumps(head).encode() + b"\n" + data

        value = {"project": "demo", "files": 2, "present": ["a.py", "b/c.py"], "touch": [["a.py", 5]]}

        def attempt(dice):
            sent = frame(dice.choice(["a.py", "link/key", "../x", "/x", "link/new"]), b"pass\n") + frame("b/c.py", b"x" * 99)
            if dice.randrange(2):
                sent = damaged(sent, dice)
            request = self.request(value, dice) if dice.randrange(2) else dict(value, root=self.root)
            # So many would only be waited for.
            if isinstance(request.get("files"), (int, float)) and request["files"] > 1000:
                request["files"] = 3
            json.dumps(sync.apply(request, io.BytesIO(sent)))

        self.each(300, attempt)

    def test_what_to_start(self):
        value = {"id": "20260101-000000-train-0000", "project": "demo", "script": "train.py", "args": ["--epochs", "2"],
                 "cwd": None, "engine": "line", "exact": True, "accelerator": True, "env": {"A": "b"}, "output_limit": 1000,
                 "interval_ms": 200, "moments_interval_ms": 1000, "versions": {}, "board": {"model": "x"},
                 "torch": {"exact_peaks": False, "snapshots": {"entries": 100, "checkpoint_s": 60},
                           "model": {"steps": 3, "trial": {"kind": "checkpoint", "every": 2}}}}
        massif = dict(value, engine="massif", torch=None, massif={
            "threshold": 0.1, "depth": 100, "pages_as_heap": False, "gpu": False, "frames": True, "checkpoint_s": 10,
            "max_hits": 3, "lines": [["train.py", 33]]})

        def attempt(dice):
            made = order.Order(self.request(dice.choice([value, massif]), dice))
            self.assertTrue(names.is_run_id(made.id))
            self.assertTrue(all(isinstance(word, str) and "\0" not in word for word in made.arguments))
            made.trouble()

        self.assertGreater(self.each(1500, attempt), SEED is None and 300 or 0)

    def test_a_run_that_is_not_there(self):
        for command in (runs.remove, runs.runs, cancel, snapshot):
            self.each(200, lambda dice: json.dumps(command(self.request({"id": "20260101-000000-train-0000"}, dice))))

    def test_control_lines(self):
        server = control.ControlServer.__new__(control.ControlServer)
        server.input = Input()

        def attempt(dice):
            line = dice.choice([b'{"input":"%s"}' % base64.b64encode(b"yes\n"), b'{"close_input":true}'] + LINES)
            line = line if dice.randrange(3) == 0 else damaged(line, dice)
            # The one who attaches passes on only what the supervisor obeys.
            if _is_control(line):
                self.assertTrue(server._obey(line), line[:200])
            else:
                server._obey(line)

        self.each(1500, attempt)
        for line in LINES:
            self.assertIn(server._obey(line), (True, False))

    def test_the_bootstrap(self):
        order = [os.fsencode(os.path.join(self.root, "helper-home")), b"0" * 64]

        def attempt(dice):
            words = [damaged(word, dice) if dice.randrange(3) == 0 else word for word in order]
            root, digest = bootstrap.read_order([os.fsdecode(word.replace(b"\0", b"")) for word in words])
            self.assertTrue(os.path.isabs(root))
            self.assertTrue(re.match(r"[0-9a-f]{64}\Z", digest), digest)
            archive = bootstrap.read_archive(io.BytesIO(damaged(b"10\n0123456789", dice)))
            self.assertTrue(archive is None or isinstance(archive, bytes))

        self.assertGreater(self.each(1000, attempt), SEED is None and 300 or 0)

    def test_archives(self):
        import tarfile
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in ("board.py", "jetson_memprof/a.py"):
                info = tarfile.TarInfo(name)
                info.size = 5
                tar.addfile(info, io.BytesIO(b"pass\n"))
        plain = packed.getvalue()[:4096]

        def attempt(dice):
            hostile = plain.replace(b"board.py", dice.choice([b"../../ab", b"/tmp/abc", b"board.py", b"a/../../"]))
            try:
                bootstrap.install(hostile if dice.randrange(3) == 0 else damaged(hostile, dice), "0" * 64,
                                  os.path.join(self.root, "helper", "0" * 64).encode())
            except EnvironmentError as error:
                raise bootstrap.not_written(self.root.encode(), error)
            finally:
                self.assertEqual(os.listdir(os.path.join(self.root, "helper")), [])

        os.mkdir(os.path.join(self.root, "helper"))
        self.assertEqual(self.each(300, attempt), 1 if SEED else 300)


if __name__ == "__main__":
    unittest.main()
