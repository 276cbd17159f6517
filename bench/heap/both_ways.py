"""A script's live bytes by line at its end: under valgrind's massif, which counts each block, and sampled."""
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "python-helper", "tests"))

from heap_harness import LIBRARY, layout  # noqa: E402
from jetson_memprof.heap.log import Log  # noqa: E402
from massif import harness as massif, reader  # noqa: E402
from truth import harness  # noqa: E402

#: Every small object is a block of its own, for both.
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
#: What is mapped massif does not count, NumPy's own room among it; the stacks of imports are longer than it keeps.
_NOT_COMPARED = re.compile(r"\bmmap\.mmap\(|^(import|from)\b")
#: The same text for both; the last line is the one that massif measures, and that marks the samples.
_ENDING = ("import ctypes; _marks = getattr(ctypes.CDLL(None), 'jetson_memprof_heap_mark', len)\n"
           "_marks(b'end')\n")


class Script(object):
    """A copy of a script that says when it is at its end; `name` and line numbers are those of the original."""

    def __init__(self, path, rounds):
        self.name = os.path.basename(path)
        with open(path) as file:
            text = file.read().rstrip("\n").replace("sys.argv[1]", str(rounds)) + "\n"
        self._lines = text.split("\n")
        self._end = len(self._lines) + 1
        self._folder = tempfile.mkdtemp(prefix="jmp-agreement-")
        with open(os.path.join(self._folder, self.name), "w") as file:
            file.write(text + _ENDING)

    def close(self):
        shutil.rmtree(self._folder, ignore_errors=True)

    def text(self, line):
        """What stands there; None where the script has no such line."""
        return self._lines[line - 1].strip() if line is not None and 0 < line < len(self._lines) else None

    def is_compared(self, line):
        text = self.text(line)
        return text is not None and not _NOT_COMPARED.search(text)

    def counted(self):
        """{line: bytes} by massif; None: on no line of the script."""
        with massif.MassifRun(self.name, lines=[self._end], scripts=self._folder, **ENVIRONMENT) as run:
            main = run.of("main")
            if run.run.status != 0 or main.warnings:
                raise SystemExit("%s failed under massif: %s %s" % (self.name, main.warnings, run.run.stderr.decode()))
            found = {}
            for owner, held in reader.by_owner(run.tree(main.pid, 1, "before"), run.names(main.pid)).items():
                line = owner[1] if owner else None
                found[line] = found.get(line, 0) + held
        return found

    def sampled(self, mean, seed):
        """{line: (bytes, variance)} of one run."""
        with harness.Folder(self._folder, False, True) as folder:
            values = dict(ENVIRONMENT, LD_PRELOAD=LIBRARY)
            values.update({layout.FOLDER: folder.path, layout.MEAN: str(mean), layout.SEED: str(seed)})
            run = folder.run([self.name], self._folder, env=values)
            if run.status != 0 or run.warnings:
                raise SystemExit("%s failed, sampled: %s %s" % (self.name, run.warnings, run.stderr.decode()))
            log = _log_of(folder.path, run.processes[0].pid)
        found = {}
        for stack, (held, variance) in log.marks[-1][4].items():
            python = [key for key in log.stacks[stack].keys if key >> layout.MODULE_SHIFT == layout.PYTHON]
            line = python[0] & layout.LINE_MASK if python else None  # the innermost one
            before = found.get(line, (0, 0))
            found[line] = before[0] + held, before[1] + variance
        return found


def _log_of(folder, pid):
    logs = [Log.read(os.path.join(folder, name)) for name in os.listdir(folder)
            if name.endswith(layout.SUFFIX) and name.split("-")[0] == str(pid)]
    return next(log for log in logs if log.flags & layout.HAS_LINES)


def fixtures():
    """Scripts of other people's with known figures, where they are there: those that come to their end without torch."""
    folder = os.path.join(ROOT, "..", "shared", "fixtures", "truth")
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        with open(os.path.join(folder, name)) as file:
            text = file.read()
        if name.endswith(".py") and "torch" not in text and "os._exit" not in text and "net=" in text:
            found.append(os.path.join(folder, name))
    return found
