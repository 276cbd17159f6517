"""Runs a workload under valgrind massif as the supervisor would, for the benchmarks of this folder."""
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, "..", "..", "python-helper")
sys.path.insert(0, os.path.join(HELPER, "tests"))

from truth import harness  # noqa: E402

#: What makes libraries take their plain paths, which valgrind runs faster; bench and product alike.
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Sandybridge",
               "ATEN_CPU_CAPABILITY": "default", "DNNL_MAX_CPU_ISA": "SSE41", "CUDA_VISIBLE_DEVICES": ""}


class MassifRun(object):
    """One finished run: `stderr`, `cpu_seconds` of the whole process, and `view`, its counters (a ProcessView)."""

    def __init__(self, python, project, arguments, frames, lines=(), max_hits=3):
        with tempfile.TemporaryDirectory() as out:
            settings = {"folder": out, "frames": frames, "checkpoint_s": 10, "max_hits": max_hits, "lines": list(lines)}
            command = ["--tool=massif", "--depth=100", "--threshold=0.1", "--vgdb=no", "--log-file=%s/log.%%p" % out,
                       "--massif-out-file=%s/massif.exit.%%p" % out, python] + arguments
            with harness.Folder(project, False, False, "massif", massif=settings) as folder:
                subprocess.check_call([python, "-c", "import sys; sys.path.insert(0, sys.argv[1]); "
                                       "from jetson_memprof.massif import pads; pads.write_library(sys.argv[2])",
                                       HELPER, folder.path])
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.Popen(["valgrind"] + command, cwd=project, env=folder.environment(**ENVIRONMENT),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.stderr = done.communicate()[1]
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                self.view, = harness.Reader(folder.path).poll()
            expected = "massif-lines" if frames else "massif-plain"
            if done.returncode != 0 or self.view.implementation != expected or self.view.warnings:
                raise SystemExit("the run ended with %d as %s: %s\n%s" % (
                    done.returncode, self.view.implementation, self.view.warnings, self.stderr.decode("utf-8", "replace")))
            measured = os.path.join(out, "massif.lines.%d.jsonl" % self.view.pid)
            self.lines = open(measured).read() if os.path.exists(measured) else ""

    def loop_seconds(self):
        """CPU seconds of the workload's own loop, which it printed."""
        return float(re.search(rb"MEASURED ([\d.]+)", self.stderr).group(1))
