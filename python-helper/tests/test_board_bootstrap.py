"""Getting the helper onto a board, also past interpreters that are too old for it."""
import glob
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

from test_board_common import HELPER

from jetson_memprof.board.names import native  # without a locale, Python 3.6 names files in ASCII

BOOTSTRAP = open(os.path.join(HELPER, "bootstrap.py"), encoding="utf-8").read()


def old_pythons():
    found = glob.glob(os.path.expanduser("~/.pyenv/versions/2.7*/bin/python"))
    found += [path for path in [shutil.which("python2.7")] if path and "shims" not in path]
    return found


def archive(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in entries:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def helper_archive():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name in ("board.py", "jetson_memprof", "boot"):
            tar.add(os.path.join(HELPER, name), name,
                    filter=lambda info: None if "__pycache__" in info.name else info)
    return out.getvalue()


class Bootstrapping(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.root = os.path.join(self.top, "new", "räum")

    def ask(self, data=None, digest=None, send=None, python=None, env=None, root=None):
        digest = digest or hashlib.sha256(data or b"").hexdigest()
        request = {"root": root or self.root, "digest": digest, "archive_size": None if data is None else len(data)}
        sent = data if send is None else send
        done = subprocess.run([python or sys.executable, "-E", "-s", "-B", "-c", BOOTSTRAP],
                              input=json.dumps(request).encode() + b"\n" + (sent or b""), env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.stderr, b"")
        reply = json.loads(done.stdout.decode("utf-8"))
        self.assertEqual(done.returncode, 1 if "error" in reply else 0)
        return reply

    def test_install_and_use(self):
        data = helper_archive()
        digest = hashlib.sha256(data).hexdigest()
        first = self.ask(digest=digest)
        self.assertIsNone(first["helper"])
        self.assertEqual(first["python"]["version"], list(sys.version_info[:3]))
        self.assertEqual(first["python"]["implementation"], "cpython")
        self.assertEqual((first["system"], first["root"]), ("Linux", self.root))
        self.assertGreater(first["free"], 0)
        self.assertFalse(os.path.exists(native(self.root)))
        second = self.ask(data)
        self.assertTrue(second["helper"].startswith(self.root))
        self.assertEqual(self.ask(digest=digest)["helper"], second["helper"])
        helper = native(second["helper"])
        done = subprocess.run([sys.executable, "-E", "-s", "-B", os.path.join(helper, "board.py"), "runs"],
                              input=json.dumps({"root": self.root}).encode() + b"\n", stdout=subprocess.PIPE)
        self.assertEqual(json.loads(done.stdout.decode()), {"runs": []})
        # Bytecode is there, so that every command starts fast although -B writes none.
        cached = os.listdir(os.path.join(helper, "jetson_memprof", "board", "__pycache__"))
        self.assertTrue([name for name in cached if sys.implementation.cache_tag in name])

    def test_home_folder(self):
        env = dict(os.environ, HOME=self.top)
        self.assertEqual(self.ask(env=env, digest="0" * 64, root="~/.jetson-memprof")["root"],
                         os.path.join(self.top, ".jetson-memprof"))

    def test_without_a_locale(self):
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": self.top}
        reply = self.ask(archive([("board.py", b"pass"), ("jetson_memprof/ü.py", b"")]), env=env)
        self.assertTrue(reply["helper"].startswith(self.root))
        self.assertTrue(os.path.isfile(native(os.path.join(reply["helper"], "board.py"))))

    def test_damaged_cut_and_hostile_archives(self):
        good = archive([("board.py", b"pass")])
        self.assertEqual(self.ask(good, digest="0" * 64)["error"]["code"], "damaged")
        self.assertEqual(self.ask(good, send=good[:-1])["error"]["code"], "interrupted")
        self.assertEqual(self.ask(b"no tar at all" * 100)["error"]["code"], "bad-archive")
        link = tarfile.TarInfo("board.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        device = tarfile.TarInfo("board.py")
        device.type = tarfile.CHRTYPE
        for entry in ("../evil.py", "/evil.py", "a/../../evil.py", link, device):
            reply = self.ask(archive([("board.py", b"pass"), (entry, b"")]))
            self.assertEqual(reply["error"]["code"], "bad-archive")
        self.assertEqual(os.listdir(native(os.path.join(self.root, "helper"))), [])
        self.assertEqual(os.listdir(self.top), ["new"])

    def test_bad_requests(self):
        for request in (b"", b"[]\n", b"{}\n", b'{"root":"x","digest":"%s","archive_size":null}\n' % (b"0" * 64),
                        b'{"root":"/tmp","digest":"../x","archive_size":null}\n',
                        b'{"root":"/tmp","digest":"%s","archive_size":-1}\n' % (b"0" * 64)):
            done = subprocess.run([sys.executable, "-c", BOOTSTRAP], input=request, stdout=subprocess.PIPE)
            self.assertEqual(json.loads(done.stdout.decode())["error"]["code"], "bad-request", request)

    def test_two_at_once(self):
        data = helper_archive()
        request = json.dumps({"root": self.root, "digest": hashlib.sha256(data).hexdigest(),
                              "archive_size": len(data)}).encode() + b"\n" + data
        both = [subprocess.Popen([sys.executable, "-c", BOOTSTRAP], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                for _ in range(3)]
        for one in both:
            one.stdin.write(request)
            one.stdin.close()
        replies = [json.loads(one.stdout.read().decode()) for one in both]
        for one in both:
            one.wait()
            one.stdout.close()
        self.assertEqual(len({one["helper"] for one in replies}), 1)
        self.assertEqual(len(os.listdir(native(os.path.join(self.root, "helper")))), 1)

    def test_old_versions_go_but_those_at_work(self):
        helpers = native(os.path.join(self.root, "helper"))
        digests = ["%064x" % number for number in range(6)]
        for age, digest in enumerate(digests):
            os.makedirs(os.path.join(helpers, digest))
            open(os.path.join(helpers, digest, "board.py"), "w").close()
            os.utime(os.path.join(helpers, digest), (10 ** 9 - age, 10 ** 9 - age))
        for name, age in ((".unpack-dead", 7200), (".unpack-alive", 10), ("the user's own", 7200)):
            os.mkdir(os.path.join(helpers, name))
            os.utime(os.path.join(helpers, name), (time.time() - age,) * 2)
        # The oldest is used again, the last but one is at work.
        self.assertTrue(self.ask(digest=digests[5])["helper"])
        worker = subprocess.Popen(["sleep", "60"], env={"PYTHONPATH": os.path.join(helpers, digests[4], "boot")})
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        data = archive([("board.py", b"pass")])
        self.assertTrue(self.ask(data)["helper"])
        new = hashlib.sha256(data).hexdigest()
        self.assertEqual(set(os.listdir(helpers)), {
            new, digests[5], digests[0], digests[4], ".unpack-alive", "the user's own"})

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("mount"),
                         "SKIPPED: a small file system can be mounted by root only")
    def test_full_disk(self):
        root = native(self.root)
        os.makedirs(root)
        if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=100k", "jmp-test", root]):
            self.skipTest("SKIPPED: no file system may be mounted here")
        self.addCleanup(subprocess.call, ["umount", "-l", root])
        error = self.ask(archive([("board.py", b"x" * 300000)]))["error"]
        self.assertEqual(error["code"], "no-space")
        self.assertIn("Free some space", error["hint"])
        self.assertEqual(os.listdir(native(os.path.join(self.root, "helper"))), [])

    def test_python_2_answers_in_words(self):
        pythons = old_pythons()
        if not pythons:
            self.skipTest("SKIPPED: no Python 2.7 here")
        for python in pythons:
            for data in (None, archive([("board.py", b"pass")])):
                reply = self.ask(data, python=python)
                self.assertIsNone(reply["helper"])
                self.assertEqual(reply["python"]["version"][:2], [2, 7])
                self.assertEqual(reply["root"], self.root)


if __name__ == "__main__":
    unittest.main()
