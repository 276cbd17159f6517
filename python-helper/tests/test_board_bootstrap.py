"""Getting the helper onto a board, also past interpreters that are too old for it."""
import glob
import gzip
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


#: A helper that takes no command.
SERVES = b"def serve(stream):\n    return 0\n"


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


def digest_of(data):
    """What the host names a helper by: the digest of what sha256sum would print of its files."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            found = sorted((member.name.encode("utf-8"), hashlib.sha256(tar.extractfile(member).read()).hexdigest())
                           for member in tar if member.isfile())
    except tarfile.TarError:
        found = []
    return hashlib.sha256(b"".join(b"%s  %s\n" % (digest.encode("ascii"), name) for name, digest in found)).hexdigest()


class Bootstrapping(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.root = os.path.join(self.top, "new", "räum")

    def ask(self, data=None, digest=None, send=None, python=None, env=None, root=None):
        """The last thing that was said before a helper began to take commands."""
        order = [native(root or self.root), digest or digest_of(data or b"")]
        sent = b"" if data is None else b"%d\n" % len(data) + (data if send is None else send)
        done = subprocess.run([python or sys.executable] + ([] if python else ["-I"]) + ["-B", "-c", BOOTSTRAP] + order,
                              input=sent, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.stderr, b"")
        reply = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
        self.assertEqual(done.returncode, 1 if "error" in reply else 0)
        return reply

    def test_install_and_use(self):
        data = helper_archive()
        digest = digest_of(data)
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
        reply = self.ask(archive([("board.py", SERVES), ("jetson_memprof/ü.py", b"")]), env=env)
        self.assertTrue(reply["helper"].startswith(self.root))
        self.assertTrue(os.path.isfile(native(os.path.join(reply["helper"], "board.py"))))

    def test_damaged_cut_and_hostile_archives(self):
        good = archive([("board.py", SERVES)])
        self.assertEqual(self.ask(good, digest="0" * 64)["error"]["code"], "damaged")
        self.assertEqual(self.ask(good, send=good[:-1])["error"]["code"], "interrupted")
        self.assertEqual(self.ask(b"no tar at all" * 100)["error"]["code"], "bad-archive")
        link = tarfile.TarInfo("board.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        device = tarfile.TarInfo("board.py")
        device.type = tarfile.CHRTYPE
        nul = tarfile.TarInfo("board.py")
        nul.pax_headers = {"path": "evil\0.py"}
        for entry in ("../evil.py", "/evil.py", "a/../../evil.py", link, device, nul):
            reply = self.ask(archive([("board.py", SERVES), (entry, b"")]))
            self.assertEqual(reply["error"]["code"], "bad-archive")
        self.assertEqual(os.listdir(native(os.path.join(self.root, "helper"))), [])
        self.assertEqual(os.listdir(self.top), ["new"])

    def test_packed_archives(self):
        good = archive([("board.py", SERVES)])
        self.assertIsNone(self.ask(digest=digest_of(good))["helper"])
        damaged = self.ask(gzip.compress(good)[:-30], digest=digest_of(good))
        self.assertIn(damaged["error"]["code"], ("damaged", "bad-archive"))
        self.assertTrue(self.ask(gzip.compress(good), digest=digest_of(good))["helper"])
        self.assertTrue(self.ask(digest=digest_of(good))["gzip"])
        bomb = self.ask(gzip.compress(bytes(200 << 20)), digest="1" * 64)
        self.assertIn(bomb["error"]["code"], ("damaged", "bad-archive"))

    def test_bad_requests(self):
        root, zeros = native(self.root), "0" * 64
        for arguments, sent in (([], b""), (["/tmp"], b""), (["x", zeros], b""), (["/tmp", "../x"], b""),
                                (["/tmp", zeros + "\n"], b""), (["", zeros], b""), ([root, zeros], b"-1\n"),
                                ([root, zeros], b"x\n"), ([root, zeros], b"10"),
                                ([root, zeros], b"9" * 2000 + b"\n"), ([root, zeros], b"99999999999\n")):
            done = subprocess.run([sys.executable, "-c", BOOTSTRAP] + arguments, input=sent, stdout=subprocess.PIPE)
            said = json.loads(done.stdout.decode().splitlines()[-1])
            self.assertEqual(said["error"]["code"], "bad-request", (arguments, sent))

    def test_two_at_once(self):
        data = helper_archive()
        order = [native(self.root), digest_of(data)]
        both = [subprocess.Popen([sys.executable, "-c", BOOTSTRAP] + order, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE) for _ in range(3)]
        firsts = [json.loads(one.stdout.readline().decode()) for one in both]
        self.assertEqual([first["helper"] for first in firsts], [None] * 3)
        for one in both:
            one.stdin.write(b"%d\n" % len(data) + data)
            one.stdin.close()
        replies = [json.loads(one.stdout.read().decode()) for one in both]
        for one in both:
            one.wait()
            one.stdout.close()
        self.assertEqual(len({one["helper"] for one in replies}), 1)
        self.assertEqual(len(os.listdir(native(os.path.join(self.root, "helper")))), 1)

    def serve(self, *commands, **options):
        """What an installed helper says to the commands, and how it ended."""
        data = helper_archive()
        lines = [json.dumps({"command": command, "request": request}) + "\n" for command, request in commands]
        self.ask(data)
        done = subprocess.run([sys.executable, "-I", "-B", "-c", BOOTSTRAP, native(self.root), digest_of(data)],
                              input="".join(lines).encode() + options.get("end", b""), stdout=subprocess.PIPE)
        return [json.loads(line) for line in done.stdout.decode().splitlines()[1:]], done.returncode

    def test_commands_are_answered_one_after_another_by_the_process_that_checked_the_helper(self):
        root = {"root": self.root}
        replies, status = self.serve(("runs", root), ("probe", root), ("sync-plan", dict(root, project="p", files=[])),
                                     ("runs", root))
        self.assertEqual(status, 0)
        self.assertEqual([sorted(reply)[0] for reply in replies], ["runs", "board", "first", "runs"])

    def test_a_command_that_fails_is_the_last(self):
        root = {"root": self.root}
        for command, request in (("attach", root), ("supervise", root), ("x", root), ("runs", []), (None, root),
                                 (["runs"], root), ("runs", {"root": 1})):
            replies, status = self.serve(("runs", root), (command, request), ("runs", root))
            self.assertEqual(status, 1)
            self.assertEqual(len(replies), 2)
            self.assertEqual(replies[1]["error"]["code"], "bad-request")
        replies, status = self.serve(("runs", root), end=b"no json\n")
        self.assertEqual((len(replies), status), (2, 1))

    def test_what_is_started_has_the_umask_and_the_home_of_the_login(self):
        serves = b"import os\ndef serve(stream):\n    print(os.umask(0), repr(os.environ.get('HOME')))\n    return 0\n"
        data = archive([("board.py", serves)])
        done = subprocess.run(["sh", "-c", 'umask 027; exec "$@"', "sh", sys.executable, "-I", "-B", "-c", BOOTSTRAP,
                               native(self.root), digest_of(data)], input=b"%d\n" % len(data) + data, stdout=subprocess.PIPE,
                              env=dict(os.environ, HOME=""))
        self.assertEqual(done.stdout.decode().splitlines()[-1], "%d ''" % 0o27)

    def test_old_versions_go_but_those_at_work(self):
        helpers = native(os.path.join(self.root, "helper"))
        digests = []
        for age in range(6):
            data = archive([("board.py", SERVES + b"# %d" % age)])
            digest = digest_of(data)
            digests.append(digest)
            self.assertTrue(self.ask(data)["helper"])
        for age, digest in enumerate(digests):
            os.makedirs(os.path.join(helpers, digest), exist_ok=True)
            with open(os.path.join(helpers, digest, "board.py"), "wb") as file:
                file.write(SERVES + b"# %d" % age)
            os.utime(os.path.join(helpers, digest), (10 ** 9 - age, 10 ** 9 - age))
        for name, age in ((".unpack-dead", 7200), (".unpack-alive", 10), ("the user's own", 7200)):
            os.mkdir(os.path.join(helpers, name))
            os.utime(os.path.join(helpers, name), (time.time() - age,) * 2)
        # The oldest is used again, the last but one is at work.
        self.assertTrue(self.ask(digest=digests[5])["helper"])
        worker = subprocess.Popen(["sleep", "60"], env={"PYTHONPATH": os.path.join(helpers, digests[4], "boot")})
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        data = archive([("board.py", SERVES)])
        self.assertTrue(self.ask(data)["helper"])
        new = digest_of(data)
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
            for data in (None, archive([("board.py", SERVES)])):
                reply = self.ask(data, python=python)
                self.assertIsNone(reply["helper"])
                self.assertEqual(reply["python"]["version"][:2], [2, 7])
                self.assertEqual(reply["root"], self.root)


if __name__ == "__main__":
    unittest.main()
