"""Runs a workload under valgrind's massif with the product's options, for the benchmarks of this folder."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "python-helper")
WORKLOADS = os.path.abspath(os.path.join(HERE, "..", "line", "workloads"))
sys.path.insert(0, os.path.join(SOURCE, "tests"))

from truth import harness  # noqa: E402

#: Of all contestants: what makes libraries take their plain paths, which valgrind runs faster, and lets massif see each
#: small block, as the product sets it (python-helper/jetson_memprof/board/massif/valgrind.py).
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Sandybridge",
               "ATEN_CPU_CAPABILITY": "default", "DNNL_MAX_CPU_ISA": "SSE41", "CUDA_VISIBLE_DEVICES": ""}
OPTIONS = ["--tool=massif", "--vgdb=no", "--depth=100", "--threshold=0.1", "--max-snapshots=50", "--detailed-freq=1",
           "--peak-inaccuracy=1.0", "--time-unit=ms"]
MIB = 1 << 20


def version():
    return subprocess.check_output(["valgrind", "--version"]).decode().strip().replace("valgrind-", "")


def helper(python, _made={}):
    """The helper as a board has it: with bytecode of that interpreter."""
    if python not in _made:
        folder = tempfile.mkdtemp(prefix="massif-bench-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        place = os.path.join(folder, "helper")
        shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        parts = [os.path.join(place, part) for part in ("jetson_memprof", "boot")]
        subprocess.check_call([python, "-m", "compileall", "-q"] + parts)
        _made[python] = place
    return _made[python]


def _count(pattern, path):
    """How many lines of a file have it."""
    return int(subprocess.run(["grep", "-c", pattern, path], stdout=subprocess.PIPE).stdout)


class MassifRun(object):
    """One finished run: `cpu_seconds` and `rss_mib` (the highest) of the process, as wait4 gives them.

    With `frames`: `lines` is what was recorded of the chosen `lines`. A run that did not do its work ends the program.
    """

    def __init__(self, python, project, arguments, frames, lines=(), max_hits=3):
        place = helper(python)
        with tempfile.TemporaryDirectory() as out:
            settings = {"folder": out, "frames": True, "checkpoint_s": 10, "max_hits": max_hits, "lines": list(lines)}
            with harness.Folder(project, False, False, "massif", massif=settings) as folder:
                environment = dict(os.environ, **ENVIRONMENT)
                environment["JMP_BENCH_SPENT"] = os.path.join(out, "spent")
                environment.pop("JETSON_MEMPROF_SPEC", None)
                if frames:
                    subprocess.check_call([python, "-c", "import sys; sys.path.insert(0, sys.argv[1]); "
                                           "from jetson_memprof.massif import pads; pads.write_library(sys.argv[2])",
                                           place, folder.path])
                    environment.update(JETSON_MEMPROF_SPEC=folder.spec, PYTHONPATH=os.path.join(place, "boot"))
                with open(os.path.join(out, "stderr"), "w+b") as stderr:
                    process = subprocess.Popen(
                        ["valgrind"] + OPTIONS + ["--log-file=%s/log.%%p" % out, "--massif-out-file=%s/massif.%%p" % out,
                                                  python] + list(arguments),
                        cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=stderr)
                    _, status, used = os.wait4(process.pid, 0)
                    process.returncode = status
                    stderr.seek(0)
                    said = stderr.read().decode("utf-8", "replace")
                self.cpu_seconds = used.ru_utime + used.ru_stime
                self.rss_mib = used.ru_maxrss / 1024.0
                views = harness.Reader(folder.path).poll()
            what = [(view.implementation, view.warnings) for view in views]
            if status != 0 or what != ([("massif-lines", [])] if frames else []):
                raise SystemExit("the run of %s ended with status %d as %s: %s" % (" ".join(arguments), status, what, said))
            # By another program: a child's highest RSS begins with that of the process that it was forked from.
            peaks, named = (_count(pattern, os.path.join(out, "massif.%d" % process.pid))
                            for pattern in ("heap_tree=peak", r"\bpy_[0-9]\{5\}\b"))
            if peaks == 0 or (named > 0) != bool(frames):
                raise SystemExit("the profile of %s has not the frames that it should have" % " ".join(arguments))
            measured = os.path.join(out, "massif.lines.%d.jsonl" % process.pid)
            self.lines = open(measured).read() if os.path.exists(measured) else ""
