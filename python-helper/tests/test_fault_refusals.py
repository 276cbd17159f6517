"""What the helper does where Python or the system lacks something, and that only what was checked is run."""
import gc
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from unittest import mock

from test_board_bootstrap import BOOTSTRAP, SERVES, archive, digest_of
from test_board_common import HELPER, BoardCase, python, read_table

from jetson_memprof import built, json_text
from jetson_memprof.board.wire import packed
from jetson_memprof.board.run import shared
from jetson_memprof.engine import meter

try:
    from jetson_memprof.engine import accelerator
except ImportError:  # no _struct here
    accelerator = None

_MIB = 1 << 20
_SCRIPT = """
    kept = []
    for step in range(3):
        kept.append(bytearray(b"x") * (4 << 20))
"""
_TAKES = 4
_EXTENSIONS = os.path.join(sysconfig.get_path("stdlib"), "lib-dynload")


def has_file(module):
    """Whether the module lies in a file of its own, so that a copy of this Python can be made that lacks it."""
    return bool(glob.glob(os.path.join(_EXTENSIONS, module + ".*")))


def mappings():
    with open("/proc/self/maps", "rb") as file:
        return file.read().count(b"\n")


class Lacking(BoardCase):
    """Each run is one of a Python that really has not got the module."""

    def python_without(self, *modules):
        library = os.path.dirname(os.__file__)
        prefix = os.path.join(self.top, "python without " + " ".join(modules))
        own = os.path.join(prefix, "lib", os.path.basename(library))
        os.makedirs(os.path.join(own, "lib-dynload"))
        os.mkdir(os.path.join(prefix, "bin"))
        program = os.path.join(prefix, "bin", "python%d.%d" % sys.version_info[:2])
        shutil.copy(os.path.realpath(sys.executable), program)
        for name in os.listdir(library):
            if name != "lib-dynload":
                os.symlink(os.path.join(library, name), os.path.join(own, name))
        for name in os.listdir(_EXTENSIONS):
            if name.split(".")[0] not in modules:
                os.symlink(os.path.join(_EXTENSIONS, name), os.path.join(own, "lib-dynload", name))
        return program

    def ask(self, program, command, request):
        done = subprocess.run([program, "-I", "-B", os.path.join(HELPER, "board.py"), command], timeout=60,
                              input=json.dumps(request).encode() + b"\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, done.stderr.decode("utf-8", "replace"))
        return json.loads(lines[0].decode("utf-8"))

    def measured(self, *modules):
        """run.json of a run whose figures came out right."""
        self.write("script.py", _SCRIPT)
        self._runs.append("r1")
        reply = self.ask(self.python_without(*modules), "start", self.order("r1", "script.py", accelerator=True, exact=True))
        self.assertNotIn("error", reply)
        mirror = self.attach("r1").wait()
        self.said = "%s\n%s" % (mirror.record["warnings"], self.contents("r1", "helper.log"))
        table = read_table(mirror.files["lines.jsonl"])
        (hits, _, taken), = [row[:3] for (_, path, line), row in table.items() if (path, line) == ("script.py", _TAKES)]
        self.assertEqual(hits, 3)
        self.assertAlmostEqual(taken, 12 * _MIB, delta=_MIB)
        return mirror.record

    def warned(self, record):
        return sorted(warning["code"] for warning in record["warnings"])

    @unittest.skipUnless(has_file("_ctypes"), "SKIPPED: ctypes is part of this Python's program")
    def test_no_ctypes(self):
        record = self.measured("_ctypes")
        self.assertEqual(self.warned(record), [])

    def test_no_module_that_is_not_needed(self):
        with mock.patch.dict(os.environ, {"JETSON_MEMPROF_SYSTEM_ROOT": self.board_with_tegrastats()}):
            record = self.measured("resource", "zlib", "_hashlib", "_ssl", "_sqlite3", "_lzma", "_bz2", "_decimal", "_queue",
                                   "_uuid", "_datetime", "_statistics", "array", "unicodedata", "termios", "readline")
        self.assertEqual(self.warned(record), [], self.said)

    def board_with_tegrastats(self):
        """As every Jetson has it: it runs beside the script, and is ended with the run."""
        root = os.path.join(self.top, "simulated")
        for name, text in (("SIMULATED", "Jetson Test\n"), ("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n"),
                           ("usr/bin/tegrastats", "#!/bin/sh\nexec sleep 1000\n")):
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        os.chmod(path, 0o755)
        return root

    def test_a_module_without_which_nothing_can_be_measured_is_named(self):
        tried = 0
        for module in ("mmap", "fcntl", "select", "_socket"):
            if not has_file(module):
                continue
            tried += 1
            program = self.python_without(module)
            self.write("script.py", _SCRIPT)
            with self.subTest(module=module):
                error = self.ask(program, "start", self.order("r-" + module, "script.py"))["error"]
                self.assertEqual(error["code"], "python-incomplete", error)
                self.assertIn(program, error["message"])
                self.assertIn("no module " + module, error["message"])
                self.assertIn("jetsonMemprof.python", error["hint"])
        self.assertTrue(tried or not os.path.isdir(_EXTENSIONS))


class Locale(BoardCase):
    def test_files_are_found_by_their_bytes_whatever_the_locales_of_helper_and_script_are(self):
        self.write("größe/ä.py", _SCRIPT)
        ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
        for run, helper, script in (("r1", ascii_only, {"LC_ALL": "C.UTF-8"}), ("r2", {"LC_ALL": "C.UTF-8"}, ascii_only)):
            with self.subTest(run):
                self._runs.append(run)
                order = self.order(run, "größe/ä.py", env=script, accelerator=True)
                done = subprocess.run(python(os.path.join(HELPER, "board.py"), "start"), env=dict(os.environ, **helper),
                                      input=json.dumps(order).encode() + b"\n", stdout=subprocess.PIPE)
                self.assertNotIn("error", json.loads(done.stdout.decode()))
                files = self.attach(run).wait().files
                self.assertEqual({path for _, path, _ in read_table(files["lines.jsonl"])}, {"größe/ä.py"})
                self.assertIn("sources/größe/ä.py", files)

    def test_a_name_with_half_a_character_is_no_error(self):
        for path in ("/a/\ud800.py", "/a/\udcff.py", "/a/ö.py"):
            self.assertIsInstance(json_text.decoded(json_text.encoded({"path": path})), dict)
            json_text.portable(path).encode("utf-8")
            os.fsencode(json_text.native(json.loads(json.dumps(path))))


class Readings(unittest.TestCase):
    def test_a_count_that_is_kept_back_is_folded_in_without_ctypes_too(self):
        with mock.patch.dict(sys.modules, {"ctypes": None}):
            with mock.patch.object(meter, "_advises", return_value=False):
                sync = meter._sync_call()
        before = mappings()
        for _ in range(1000):
            sync()
        self.assertLess(mappings(), before + 100)

    def test_without_resource_the_high_water_mark_is_the_same(self):
        with mock.patch.dict(sys.modules, {"resource": None}):
            other = meter.Meter()
        self.addCleanup(other.close)
        if not other.peak:
            self.skipTest("SKIPPED: this system gives no high-water marks")
        grown = bytearray(b"x" * (64 << 20))
        mark = other.high_water()
        del grown
        self.assertGreater(mark, other.rss_pages() * other.page_kib + 60 * 1024)

    def test_a_file_that_is_sent_without_zlib_is_gzip_all_the_same(self):
        with tempfile.TemporaryFile() as file, mock.patch.object(packed, "zlib", None):
            for size in (1, 0xffff, 0x10000, (1 << 18) + 1):
                data = bytes(bytearray(range(256))) * (size // 256) + b"x" * (size % 256)
                os.pwrite(file.fileno(), data, 0)
                self.assertEqual(gzip.decompress(b"".join(packed._packed(file.fileno(), size))), data, size)


@unittest.skipUnless(accelerator and os.path.isfile(os.path.join(HELPER, "accel", "manifest.json")),
                     "SKIPPED: the accelerator is not built")
class CheckedLibrary(BoardCase):
    def setUp(self):
        super(CheckedLibrary, self).setUp()
        self.folder = os.path.join(self.top, "accel")
        shutil.copytree(os.path.join(HELPER, "accel"), self.folder)
        patch = mock.patch.object(accelerator, "_FOLDER", self.folder)
        patch.start()
        self.addCleanup(patch.stop)
        self.library = os.path.join(self.folder, "linetrace-%s.so" % os.uname().machine)

    def test_what_takes_its_name_after_the_check_is_not_loaded(self):
        digest = built._sha256

        def and_then_replaced(data):
            with open(self.library + ".new", "wb") as other:
                other.write(b"\x7fELF no library")
            os.rename(self.library + ".new", self.library)
            return digest(data)

        gc.collect()  # what earlier tests left would close its own meanwhile
        before = len(os.listdir("/proc/self/fd"))
        with mock.patch.object(built, "_sha256", and_then_replaced):
            self.assertTrue(accelerator._checked_library().stop)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        with self.assertRaises(accelerator.Refused):
            accelerator._checked_library()

    def test_one_that_was_not_built_by_us_is_refused(self):
        with open(self.library, "ab") as file:
            file.write(b"x")
        with self.assertRaises(accelerator.Refused) as caught:
            accelerator._checked_library()
        self.assertIn("SHA-256", str(caught.exception))


class Installed(BoardCase):
    def ask(self, data=None):
        done = subprocess.run([sys.executable, "-I", "-B", "-c", BOOTSTRAP, self.root, self.digest], stdout=subprocess.PIPE,
                              input=b"" if data is None else b"%d\n" % len(data) + data)
        return json.loads(done.stdout.decode("utf-8").splitlines()[-1])

    def test_a_helper_is_what_was_sent_or_it_is_sent_again(self):
        data = archive([("board.py", SERVES), ("jetson_memprof/__init__.py", b""),
                        ("jetson_memprof/board/__init__.py", b""), ("jetson_memprof/board/runs.py", b"one = 1\n")])
        self.digest = digest_of(data)
        place = self.ask(data)["helper"]
        inside = os.path.join(place, "jetson_memprof", "board")
        cached = os.path.join(inside, "__pycache__")

        def bytecode(module):
            return os.path.join(cached, "%s.%s.pyc" % (module, sys.implementation.cache_tag))

        def append(path):
            with open(path, "ab") as file:
                file.write(b"\n")

        for damage, named in ((lambda: append(os.path.join(inside, "runs.py")), "jetson_memprof/board/runs.py"),
                              (lambda: append(os.path.join(place, "json.py")), "json.py"),
                              (lambda: os.mkfifo(os.path.join(place, "pipe")), "pipe"),
                              (lambda: os.chmod(inside, 0o775), "jetson_memprof/board")):
            damage()
            self.assertIsNone(self.ask()["helper"], named)
            again = self.ask(data)
            self.assertEqual(again["helper"], place)
            self.assertIn(named, again["replaced"])
            self.assertIsNone(self.ask()["replaced"])

        append(bytecode("runs"))
        self.assertEqual(self.ask()["replaced"], "its bytecode")
        self.assertIsNone(self.ask()["replaced"])
        shutil.copy(bytecode("runs"), bytecode("runs").replace(".pyc", ".opt-2.pyc"))
        self.assertIsNone(self.ask()["replaced"])
        self.assertFalse([name for name in os.listdir(cached) if "opt-2" in name])

    def test_a_place_of_the_board_folder_that_others_can_write_to_is_refused(self):
        self.digest = "0" * 64
        for part in ("helper", "runs", "projects", "staging", "kept"):
            place = os.path.join(self.root, part)
            os.makedirs(place, exist_ok=True)
            os.chmod(place, 0o777)
            error = self.ask()["error"]
            self.assertEqual(error["code"], "open-folder")
            self.assertIn("chmod go-w " + place, error["hint"])
            os.chmod(place, 0o700)
        self.assertNotIn("error", self.ask())


class PrivateFolder(BoardCase):
    def test_a_name_that_is_taken_is_passed_by_and_nothing_is_put_there(self):
        taken = os.urandom(4)  # another test run on this machine has another name
        mine = os.path.join("/dev/shm", "jmp-%d-%s" % (os.getuid(), taken.hex()))
        os.mkdir(mine)
        self.addCleanup(os.rmdir, mine)
        with mock.patch.object(os, "urandom", side_effect=lambda size: taken[:size]):
            path = shared.make(self.top)
        self.addCleanup(shutil.rmtree, path)
        self.assertNotEqual(path, mine)
        self.assertEqual(os.listdir(mine), [])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o700)


if __name__ == "__main__":
    unittest.main()
