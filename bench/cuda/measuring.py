"""Runs the kit's scripts, bare or under the helper as it runs on a board, and reads the run folder that it leaves."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
HELPER = os.path.join(PROJECT, "python-helper")
STAND_IN_TORCH = os.path.join(HELPER, "tests", "standin")
sys.path.insert(0, os.path.join(HERE, "..", "line"))

from process import Process  # noqa: E402

del sys.path[0]

MIB = 1 << 20
#: Columns of the records of lines.jsonl, from the third on.
_CUDA = ("net", "self", "max_increment", "peak", "peak_most", "reserved_net", "reserved_self", "reserved_peak", "device_net",
         "uncertain")
_ROWS = ("hits", "net", "self")
#: Flags as in scripts/build-accel.mjs: for machines that have a compiler and no Node.
_C_FLAGS = ["-std=gnu11", "-O2", "-shared", "-fPIC", "-s", "-Wl,-z,now"]
_LIBRARIES = (("libraries", "linetrace", "linetrace.c", ["-fvisibility=default"]),
              ("heap", "heap", "heap/heap.c", ["-fvisibility=hidden", "-fno-builtin-malloc", "-fno-builtin-calloc",
                                               "-ftls-model=initial-exec"]))


class Unknown(Exception):
    """Why a figure cannot be had here; its text ends a sentence."""


class Ended(object):
    """`status` as wait4 has it, `notes` what the script's `asking.note` and the like printed, in their order."""

    def __init__(self, status, stdout, stderr):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.notes = [json.loads(line[4:]) for line in stdout.splitlines() if line.startswith("KIT ")]

    def note(self, name):
        return next((note for note in self.notes if note.get("name") == name), {})

    def known(self):
        """[(line, note before, note after)] of the statements that stand between a note and one named "known"."""
        return [(after["line"] - 1, before, after) for before, after in zip(self.notes, self.notes[1:])
                if after.get("name") == "known"]


class Run(Ended):
    """A finished run of the helper."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            self.record = json.load(file)
        self.exit = self.record.get("exit") or {}
        super().__init__(self.exit.get("code"), self._text("stdout.log"), self._text("stderr.log"))
        self.records = self._records("lines.jsonl")

    def _text(self, name):
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def _records(self, name):
        return [json.loads(line) for line in self._text(name).splitlines()]

    def table(self, kind="cuda"):
        """{line of the script: {column: figure}} of its main process."""
        columns, pid, script = (_CUDA if kind == "cuda" else _ROWS), self.main["pid"], self.record["command"]["script"]
        files = dict((one["file"], one["path"]) for one in self.records if one["record"] == "file")
        found = {}
        for one in self.records:
            if one["record"] == kind and one["pid"] == pid:
                found.update((row[1], dict(zip(columns, row[2:]))) for row in one["rows"] if files.get(row[0]) == script)
        return found

    def last(self, record):
        return next((one for one in reversed(self.records) if one["record"] == record), None)

    def phase(self, name):
        return next((one for one in self.records if one["record"] == "phase" and one["phase"] == name), None)

    def moments(self):
        return self._records("moments.jsonl")

    def snapshots(self):
        """[(record, path)] of the allocator snapshots."""
        return [(one, os.path.join(self.folder, one["file"])) for one in self._records("allocator.jsonl")
                if one["record"] == "snapshot"]

    def gpu(self):
        """gpu.<pid>.json of the main process."""
        text = self._text("gpu.%d.json" % self.main["pid"])
        if not text:
            raise Unknown("this version does not record it: the run folder has no gpu.<pid>.json")
        return json.loads(text)

    @property
    def main(self):
        return next(one for one in self.record["processes"] if one["kind"] == "main")


class Place(object):
    """Where a check works: a folder of its own, the helper, and whether the stand-in takes the GPU's place. `rehearses`:
    what needs a GPU is tried out on the CPU. `notes` are for the reader of the results."""

    def __init__(self, folder, helper, stand_in, stand_in_cuda, rehearses, seconds):
        self.folder = folder
        self.helper = helper
        self.is_stand_in = stand_in
        self.rehearses = rehearses
        self.seconds = seconds
        self.notes = []
        self._has_stand_in_torch = stand_in
        self._stand_in_cuda = stand_in_cuda
        self._count = 0
        self.project = os.path.join(folder, "project")
        if not os.path.isdir(self.project):
            shutil.copytree(os.path.join(HERE, "scripts"), self.project, ignore=shutil.ignore_patterns("__pycache__"))

    def say(self, note):
        self.notes.append(note)

    def on_the_cpu(self):
        """From now on torch is this Python's own."""
        self._has_stand_in_torch = False
        self.say("tried out on the CPU: no figure of a GPU")

    def environment(self):
        """What the scripts need beside the environment of this process."""
        path = [os.path.join(HERE, "lib")] + ([STAND_IN_TORCH] if self._has_stand_in_torch else [])
        path += [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
        # One GPU: what is summed over several would be compared with what the first one says.
        found = {"PYTHONPATH": os.pathsep.join(path), "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
                 "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]}
        if self._has_stand_in_torch:
            found.update(KIT_STAND_IN="1", KIT_STAND_IN_CUDA=self._stand_in_cuda or "")
        return found

    def bare(self, script, *arguments, **how):
        """The Ended of a script; `status=1`: it is to end so."""
        ended = self._wait([sys.executable, script] + list(arguments), self.project, dict(os.environ, **self.environment()))
        return _as_expected(Ended(ended.status >> 8, ended.output, ended.output), "bare", **how)

    def profiled(self, script, *arguments, status=0, **more):
        """The Run of a script under the line engine; `more` are further keys of the request."""
        self._count += 1
        name, root = "r%d" % self._count, os.path.join(self.folder, "board")
        request = {"root": root, "id": name, "project_root": self.project, "script": script, "args": list(arguments),
                   "engine": "line", "exact": False, "accelerator": True, "env": self.environment(), "output_limit": 1 << 20}
        request.update(more)
        command = [sys.executable, "-I", "-B", os.path.join(self.helper, "board.py"), "start"]
        ended = self._wait(command, self.folder, dict(os.environ), json.dumps(request).encode() + b"\n")
        folder = os.path.join(root, "runs", name)
        if not os.path.exists(os.path.join(folder, "run.json")):
            raise RuntimeError("the helper did not start the script: %s" % ended.output[-500:])
        return _as_expected(Run(folder), "under the helper", status)

    def _wait(self, command, folder, environment, given=b""):
        return Process(command, folder, environment, self.seconds, given).wait()


def _as_expected(ended, how, status=0):
    if ended.status != status:
        last = " ".join((ended.stderr or ended.stdout).strip().splitlines()[-2:])
        raise RuntimeError("the script, %s, ended with %s: %s" % (how, ended.status, last[-300:]))
    return ended


def the_helper(folder):
    """The folder of a helper with its C libraries: the project's where they are built, else a copy for which a compiler
    builds them. Without one it runs in pure Python."""
    if all(_is_built(kind) for kind, _, _, _ in _LIBRARIES):
        return HELPER
    place = os.path.join(folder, "helper")
    shutil.copytree(HELPER, place, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.so", "manifest.json"))
    built, accel = collections.defaultdict(list), os.path.join(place, "accel")
    for kind, name, source, flags in _LIBRARIES:
        file = "%s-%s.so" % (name, os.uname().machine)
        if compile_c(_C_FLAGS + flags + ["-o", file, source], accel):
            built[kind].append({"file": file, "machine": os.uname().machine, "sha256": _sha256(os.path.join(accel, file))})
    with open(os.path.join(accel, "manifest.json"), "w") as file:
        json.dump(built, file)
    return place


def _is_built(kind):
    try:
        with open(os.path.join(HELPER, "accel", "manifest.json")) as file:
            entries = json.load(file)[kind]
        return any(one["machine"] == os.uname().machine and
                   _sha256(os.path.join(HELPER, "accel", one["file"])) == one["sha256"] for one in entries)
    except (OSError, ValueError, KeyError):
        return False


def _sha256(path):
    import hashlib
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def compile_c(options, folder):
    """Whether a compiler was there and made it."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return False
    return subprocess.call([compiler] + options, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def stand_in_cuda(folder):
    """A folder with the stand-in for CUDA's runtime and for the library of PyTorch that calls it; None without a compiler."""
    place = os.path.join(folder, "cuda")
    os.mkdir(place)
    lib = os.path.join(HERE, "lib")
    runtime = os.path.join(place, "libcudart.so.12")
    flags = ["-O1", "-shared", "-fPIC"]
    made = compile_c(flags + ["-Wl,-soname,libcudart.so.12", "-o", runtime, "cudart.c"], lib) and compile_c(
        flags + ["-o", os.path.join(place, "libc10_cuda.so"), "c10_cuda.c", runtime, "-Wl,-rpath,$ORIGIN"], lib)
    return place if made else None


def torch_version():
    """What torch of this Python says, asked in a process of its own: {"torch", "cuda", "device", "count"}; {} without torch."""
    program = ("import json, torch\nfound = {'torch': torch.__version__, 'cuda': torch.version.cuda}\n"
               "if torch.cuda.is_available():\n    found['device'] = torch.cuda.get_device_name(0)\n"
               "print('KIT ' + json.dumps(found))\n")
    try:
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
    except subprocess.TimeoutExpired:
        return {}
    found = re.search(r"^KIT (.*)$", done.stdout.decode("utf-8", "replace"), re.MULTILINE)
    return {} if found is None else json.loads(found.group(1))
