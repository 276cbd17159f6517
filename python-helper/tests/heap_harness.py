"""Runs programs under the heap sampler, and reads what they leave."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from truth import harness

sys.path.insert(0, harness.HELPER)
from jetson_memprof.heap import collect, layout  # noqa: E402
from jetson_memprof.heap.log import Log  # noqa: E402
from massif import reader  # noqa: E402

LIBRARY = os.path.join(harness.HELPER, "accel", "heap-%s.so" % os.uname().machine)
IS_BUILT = os.path.exists(LIBRARY)


class Target(object):
    """A machine that programs are compiled for and run on; `emulator` is what runs them here."""

    def __init__(self, library, compiler, tools, emulator=()):
        self.library = library
        self.compiler = compiler
        self.nm = shutil.which(tools + "nm")
        self.emulator = list(emulator)
        self.runs = os.path.exists(library) and compiler is not None and self.nm is not None


def _emulated():
    emulator, root = shutil.which("qemu-aarch64-static"), "/usr/aarch64-linux-gnu"
    library = os.path.join(harness.HELPER, "accel", "heap-aarch64.so")
    if emulator is None or not os.path.isdir(root):
        return Target("", None, "aarch64-linux-gnu-")
    return Target(library, shutil.which("aarch64-linux-gnu-gcc"), "aarch64-linux-gnu-", [emulator, "-L", root])


NATIVE, EMULATED = Target(LIBRARY, shutil.which("gcc") or shutil.which("cc"), ""), _emulated()
if not IS_BUILT and os.environ.get("CI") == "true":
    raise RuntimeError("the heap sampler is not built; run: node scripts/build-accel.mjs")
WHY_NOT = "SKIPPED: the heap sampler is not built; build it with: node scripts/build-accel.mjs"

M = 1 << 20


class Sampled(object):
    """A folder for logs. `mean` in bytes; the same seed draws the same marks."""

    def __init__(self, mean=65536, seed=1, target=NATIVE, **environment):
        self._target = target
        self.path = tempfile.mkdtemp(prefix="jmp-heap-")
        self.logs = os.path.join(self.path, "logs")
        os.mkdir(self.logs)
        self.environment = dict(os.environ, LD_PRELOAD=target.library)
        self.environment.update({layout.FOLDER: self.logs, layout.MEAN: str(mean), layout.SEED: str(seed)})
        self.environment.update(environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def run(self, command, status=0, **how):
        """(output, errors) of a command that ends with that status."""
        process = subprocess.Popen(self._target.emulator + command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **how)
        output, errors = process.communicate(timeout=600)
        if process.returncode != status:
            raise AssertionError("%r ended with %d: %s" % (command, process.returncode, errors.decode("utf-8", "replace")))
        return output.decode(), errors.decode("utf-8", "replace")

    def compiled(self, text, *flags, **how):
        """The path of a program, or library, of that C."""
        source = os.path.join(self.path, how.get("name", "program") + ".c")
        with open(source, "w") as file:
            file.write(text)
        program = source[:-2]
        subprocess.check_call([how.get("compiler", self._target.compiler), "-O1", "-fno-builtin", "-w", "-o", program, source]
                              + list(flags))
        return program

    def all(self):
        """[Log] in the order in which they were begun."""
        paths = [os.path.join(self.logs, name) for name in os.listdir(self.logs) if name.endswith(layout.SUFFIX)]
        return sorted((Log.read(path) for path in paths), key=lambda log: log.began_ns)

    def only(self):
        log, = self.all()
        return log


class Brought(object):
    """What collect.bring_in made of a run of the line engine with the sampler."""

    def __init__(self, project, text, accelerator, mean=65536, python=None, exact=True, env=None, name="script.py", lines=(),
                 hits=3):
        path = os.path.join(project, name)
        with open(path, "w") as file:
            file.write(text)
        self.out = tempfile.mkdtemp(prefix="jmp-out-")
        marked = {"heap": {"lines": [[name, line] for line in lines], "max_hits": hits}} if lines else {}
        with harness.Folder(project, exact, accelerator, **marked) as folder:
            environment = {layout.FOLDER: folder.path, layout.MEAN: str(mean), layout.SEED: "7", "LD_PRELOAD": LIBRARY}
            environment.update(env or {})
            command = [name]
            self.run = folder.run(command, project, env=environment, python=python)
            self.summaries = list(collect.bring_in(folder.path, self.out, project))
            self.left = [name for name in os.listdir(folder.path) if name.endswith(layout.SUFFIX)]

    def close(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def of(self, summary):
        """(snapshots, {name: record}) of a process."""
        return (reader.snapshots(os.path.join(self.out, "massif.out.%d" % summary.pid)),
                reader.frames(os.path.join(self.out, "massif.frames.%d.jsonl" % summary.pid)))

    def at_peak(self, summary):
        """{line of the script: bytes} of the peak, each allocation on its innermost line; None: on none."""
        snapshots, names = self.of(summary)
        peak = max((row for row in snapshots if row["tree"]), key=lambda row: row["mem_heap_B"])
        return dict((owner[1] if owner else None, held) for owner, held in reader.by_owner(peak["tree"], names).items())

    def executions(self, pid):
        """[(line, hit, thread, after - before, {line: difference}, error)] of marked lines, and {line: record of its sums}."""
        path = os.path.join(self.out, "massif.lines.%d.jsonl" % pid)
        records = reader.records(path) if os.path.exists(path) else []
        names = reader.frames(os.path.join(self.out, "massif.frames.%d.jsonl" % pid))
        found = []
        for record in records:
            if record["record"] == "hit":
                found.append((record["line"], record["hit"], record["thread"], record["after"] - record["before"],
                              self._difference(pid, record["tree"], names), record["error"]))
        return found, dict((record["line"], record) for record in records if record["record"] == "line")

    def _difference(self, pid, tree, names):
        sides = []
        for side in ("before", "after"):
            snapshot, = reader.snapshots(os.path.join(self.out, "massif-lines", str(pid), "%d.%s" % (tree, side)))
            sides.append(dict((owner and owner[1], held) for owner, held in reader.by_owner(snapshot["tree"], names).items()))
        before, after = sides
        found = dict((line, after.get(line, 0) - before.get(line, 0)) for line in set(before) | set(after))
        return dict((line, held) for line, held in found.items() if held)

    @property
    def main(self):
        """The Summary of the script's own process."""
        return next(summary for summary in self.summaries if summary.pid == self.run.processes[0].pid)


def functions(log, symbols):
    """{name: Stack sums} is for tests that know their own functions: by the addresses in `symbols`, {name: (from, to)}."""
    found = {}
    for stack in log.stacks:
        for key in stack.keys:
            for name, (begin, end) in symbols.items():
                if key >> layout.MODULE_SHIFT and begin <= key & layout.ADDRESS_MASK < end:
                    found.setdefault(name, []).append(stack)
    return found


def symbols_of(program, target=NATIVE):
    """{function: (from, to)} of a program that is not stripped."""
    output = subprocess.check_output([target.nm, "-S", "--defined-only", program]).decode()
    return dict((name, (int(at, 16), int(at, 16) + int(size, 16)))
                for at, size, name in re.findall(r"^(\w+) (\w+) [tT] (\w+)$", output, re.M))
