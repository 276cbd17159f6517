"""What the tests of the board's commands share: a board in a temporary folder, and a host's mirror."""
import atexit
import compileall
import contextlib
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if SOURCE not in sys.path:
    sys.path.insert(0, SOURCE)

from jetson_memprof.board import names  # noqa: E402
from jetson_memprof.board.errors import BoardError  # noqa: E402
from jetson_memprof.board.run.runs import RunFolder, state_of  # noqa: E402


def _install():
    """The helper as it lies on a board: in its own folder, with its bytecode."""
    top = tempfile.mkdtemp(prefix="jmp-test-helper-")
    atexit.register(shutil.rmtree, top, True)
    place = os.path.join(top, "helper")
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    compileall.compile_dir(place, quiet=1)
    return place


HELPER = _install()


def patient_helper(folder, sigint_s=600, sigterm_s=600, grace_s=600):
    """A helper that waits so long for what its signals do, and for processes that outlive their script.

    For tests of what a signal does: beside other work, what it ends may take longer than the usual wait for it.
    """
    return changed_helper(os.path.join(folder, "patient helper"),
                          ("run/stopping.py", r'(\("SIGINT", )[\d.]+', r"\g<1>%.1f" % sigint_s),
                          ("run/stopping.py", r'(\("SIGTERM", )[\d.]+', r"\g<1>%.1f" % sigterm_s),
                          ("run/script.py", r"(grace_s = )[\d.]+", r"\g<1>%.1f" % grace_s))


def changed_helper(place, *changes):
    """A helper of its own in the new folder `place`: of files of its board's part a pattern becomes another text."""
    shutil.copytree(HELPER, place)
    for name, pattern, instead in changes:
        path = os.path.join(place, "jetson_memprof", "board", name)
        with open(path, encoding="utf-8") as file:
            text, found = re.subn(pattern, instead, file.read())
        assert found, (name, pattern)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return place


def python(*arguments):
    return [sys.executable, "-E", "-s", "-B"] + list(arguments)


class Mirror(object):
    """Applies attach's frames as a host does: file name -> bytes."""

    def __init__(self, files=None):
        self.files = dict(files or {})
        self.frames = []

    @property
    def have(self):
        return {name: len(data) for name, data in self.files.items()}

    def read(self, stream):
        """Apply one frame; None at the stream's end."""
        line = stream.readline()
        if not line:
            return None
        frame = json.loads(line.decode("utf-8"))
        data = b""
        if "length" in frame:
            data = stream.read(frame["length"])
            if len(data) != frame["length"]:
                raise AssertionError("a frame was cut off")
        if frame.get("frame") == "append":
            before = self.files.get(frame["file"], b"")
            if frame["offset"] != len(before):
                raise AssertionError("append at %d, the host has %d" % (frame["offset"], len(before)))
            self.files[frame["file"]] = before + data
        elif frame.get("frame") == "replace":
            if frame.get("encoding") == "gzip":
                data = gzip.decompress(data)
                if len(data) != frame["size"]:
                    raise AssertionError("%d bytes came of %d" % (len(data), frame["size"]))
            self.files[frame["file"]] = data
        self.frames.append(frame)
        return frame

    @property
    def record(self):
        return json.loads(self.files["run.json"].decode("utf-8"))


class Attached(object):
    """A running `attach`, read by a thread."""

    def __init__(self, board, run, files=None, once=False):
        self.mirror = Mirror(files)
        self._is_closing = False
        self.process = subprocess.Popen(
            python(os.path.join(HELPER, "board.py"), "attach"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send({"root": board.root, "id": run, "have": self.mirror.have, "once": once})
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self):
        while True:
            try:
                frame = self.mirror.read(self.process.stdout)
            except AssertionError:
                if self._is_closing:  # it was killed in the middle of one
                    return
                raise
            if frame is None:
                return

    def send(self, value):
        self.process.stdin.write(json.dumps(value).encode("utf-8") + b"\n")
        self.process.stdin.flush()

    def wait(self, timeout=90):
        """The mirror once attach has ended."""
        self._thread.join(timeout)
        if self._thread.is_alive():
            self.process.kill()
            self._thread.join()
            raise AssertionError("attach did not end in %d s" % timeout)
        self.close()
        return self.mirror

    def close(self):
        self._is_closing = True
        if self.process.poll() is None and self._thread.is_alive():
            self.process.kill()
        self._thread.join()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def read_records(data):
    """A reader of JSON lines as docs/run-folder.md wants one: a last line without its end is ignored."""
    records = []
    for line in data.split(b"\n")[:-1]:
        records.append(json.loads(line.decode("utf-8")))
    if records and records[0].get("schema", 0) > 1:
        raise ValueError("newer schema")
    return records


def read_table(data):
    """lines.jsonl as {(pid, path, line): figures}, with the newest figures."""
    paths, table = {}, {}
    for record in read_records(data):
        if record["record"] == "file":
            paths[record["file"]] = record["path"]
        elif record["record"] == "rows":
            for row in record["rows"]:
                table[(record["pid"], paths[row[0]], row[1])] = row[2:]
    return table


def until(condition, timeout=600.0, what="condition"):
    """Wait until the condition holds; returns its value. The time-out ends what hangs, and nothing that is only slow."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("%s did not come true in %.0f s" % (what, timeout))
        time.sleep(0.01)


@contextlib.contextmanager
def awake_cores():
    """No core sleeps meanwhile: one that is woken by each of a process's small pieces of work takes far longer for them."""
    spin = [sys.executable, "-S", "-c", "import os\nos.nice(19)\nwhile True: pass"]
    spinning = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def cpu_share(pid, seconds=1.0):
    """The share of one core that a process takes."""
    def used():
        with open("/proc/%d/schedstat" % pid) as file:  # in ns, where `stat` counts ticks of 10 ms
            return int(file.read().split()[0]) / 1e9
    with awake_cores():
        before, began = used(), time.monotonic()
        time.sleep(seconds)
        return (used() - before) / (time.monotonic() - began)


def least(measure, enough, tries=10):
    """The smallest of some measurements, of one where that is below `enough`: what a busy machine adds is not ours."""
    found = measure()
    while found >= enough and tries > 1:
        found, tries = min(found, measure()), tries - 1
    return found


def runs_now(pid):
    """Whether a process runs; one that ended and was not reaped by its parent does not."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


class BoardCase(unittest.TestCase):
    """A test with a root, a project folder and the commands."""
    helper = HELPER

    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="jmp-test-"))
        self.addCleanup(shutil.rmtree, self.top, True)
        self.root = os.path.join(self.top, "root of board")
        self.project = os.path.join(self.top, "project")
        os.mkdir(self.project)
        self._runs = []
        self._attached = []
        self.addCleanup(self._end_all)

    def _end_all(self):
        for one in self._attached:
            one.close()
        for run in self._runs:
            folder = RunFolder(self.root, run)
            if not os.path.isdir(folder.path):
                continue
            if state_of(folder.run_record() or {}) == "running" or folder.living_pids():
                self.command("cancel", {"root": self.root, "id": run}, check=False)
            # It still tidies up, in the folder that is removed next.
            until(lambda: not folder.is_held(), what="the supervisor's end")

    def write(self, name, text):
        path = os.path.join(self.project, names.native(name))  # without a locale, Python 3.6 names files in ASCII
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def command(self, name, request, extra=b"", check=True, env=None):
        """The reply of a command; with `check` an error reply fails the test."""
        done = subprocess.run(
            python(os.path.join(self.helper, "board.py"), name), input=json.dumps(request).encode("utf-8") + b"\n" + extra,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, timeout=120)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, (done.stdout[:500], done.stderr.decode("utf-8", "replace")))
        reply = json.loads(lines[0].decode("utf-8"))
        self.assertEqual(done.returncode, 1 if "error" in reply else 0)
        if check:
            self.assertNotIn("error", reply, done.stderr.decode("utf-8", "replace"))
        if "error" in reply:
            self.assertEqual(sorted(reply["error"]), ["code", "hint", "message"])
            self.assertTrue(reply["error"]["hint"] and reply["error"]["message"])
        return reply

    def refused(self, command, request, *more):
        """The code of the error with which a command, called as a function, refuses a request."""
        with self.assertRaises(BoardError, msg=request) as caught:
            command(request, *more)
        self.assertTrue(caught.exception.hint and caught.exception.message)
        return caught.exception.code

    def order(self, run, script, **changes):
        order = {"root": self.root, "id": run, "project_root": self.project, "script": script, "args": [],
                 "cwd": None, "engine": "line", "exact": False, "accelerator": False, "env": {},
                 "output_limit": 1 << 20, "interval_ms": 100, "versions": {"helper": "0"}, "board": {"cpus": 1}}
        order.update(changes)
        return {name: value for name, value in order.items() if value is not Ellipsis}

    def start(self, run, script, check=True, **changes):
        self._runs.append(run)
        return self.command("start", self.order(run, script, **changes), check=check)

    def attach(self, run, files=None, once=False):
        one = Attached(self, run, files, once)
        self._attached.append(one)
        return one

    def run_script(self, run, text, name="script.py", **changes):
        """Write, start and follow a script to its end; the host's mirror."""
        self.write(name, text)
        self.start(run, name, **changes)
        return self.attach(run).wait()

    def run_file(self, run, name):
        return os.path.join(self.root, "runs", run, name)

    def load(self, run, name="run.json"):
        with open(self.run_file(run, name), encoding="utf-8") as file:
            return json.load(file)

    def contents(self, run, name):
        try:
            with open(self.run_file(run, name), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def shared_folder(self, run):
        return self.load(run, "supervisor.json")["shared"]
