"""One process that takes the helper's commands one after another, as bootstrap.py goes on."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from board import serve; sys.exit(serve(sys.stdin.buffer))"


class Serving(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def order(self, command, **request):
        return json.dumps({"command": command, "request": dict(request, root=self.root)}).encode() + b"\n"

    def ask(self, *lines):
        """(exit status, what was answered)."""
        done = subprocess.run([sys.executable, "-I", "-B", "-c", _SERVE, HELPER], input=b"".join(lines), timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.stderr, b"")
        return done.returncode, [json.loads(line.decode("utf-8")) for line in done.stdout.splitlines()]

    def test_commands_are_answered_in_turn_until_there_are_no_more(self):
        plan = self.order("sync-plan", project="demo", files=[["a.py", 1, 0, False]])
        data = b'{"path":"a.py","size":1,"mtime_ms":0,"executable":false,"sha256":"%s"}\nx' % (
            b"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
        status, replies = self.ask(self.order("runs"), plan, self.order("sync-apply", project="demo", files=1) + data, plan)
        self.assertEqual(status, 0)
        self.assertEqual(replies[0], {"runs": []})
        self.assertEqual([replies[1]["send"], replies[3]["send"]], [["a.py"], []])
        self.assertEqual(replies[2], {"written": 1, "removed": [], "kept": []})
        self.assertEqual(self.ask(), (0, []))

    def test_what_is_refused_ends_it_and_nothing_after_it_is_done(self):
        after = self.order("sync-plan", project="after", files=[])
        for line in (self.order("remove", id="../x"), self.order("no such command"), self.order("attach", id="a"),
                     b'{"command":"runs","request":[]}\n', b'{"command":["runs"],"request":{}}\n', b"[]\n", b"{\n", b"\n"):
            with self.subTest(line=line):
                status, replies = self.ask(line, after)
                self.assertEqual((status, [reply["error"]["code"] for reply in replies]), (1, ["bad-request"]))
                self.assertEqual(os.listdir(self.root), [])


if __name__ == "__main__":
    unittest.main()
