#!/usr/bin/env python3
"""Checks the figures of GPU memory against what CUDA, PyTorch and nvidia-smi say themselves; at most 8 minutes.

    python3 bench/cuda/kit.py [--stand-in] [--out FOLDER] [--check] [CHECK ...]

Needs Linux, Python 3.6 or newer with torch, and an NVIDIA GPU. Without a GPU, or with --stand-in, the scripts run with a
stand-in for torch and CUDA, which says nothing about a GPU: the first line and the results say so. Each check runs in a
process of its own with a time limit; one that fails or hangs does not stop the others. Writes results.json and table.md,
the rows for docs/measured.md. Ends with 0 when it has come to its end; with --check with 1 where a check failed.
"""
import argparse
import ctypes
import importlib
import io
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
sys.dont_write_bytecode = True

import measuring  # noqa: E402
import results as written  # noqa: E402
from process import TookTooLong, descendants  # noqa: E402
from result import version  # noqa: E402

LIMIT_S = 480
_PATIENCE = 20
_PR_SET_CHILD_SUBREAPER = 36
#: How long what was killed may take to be gone: one that the driver holds never is.
_GONE_S = 5
#: With these it takes other sizes than the scripts know, or says nothing.
_CHANGE_THE_ALLOCATOR = ("PYTORCH_NO_CUDA_MEMORY_CACHING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
STAND_IN = "stand-in driver (no GPU)"


class Check(object):
    """`work` is "module.function" of what is done in a process of its own, at most `limit_s` seconds; `row` is what
    docs/measured.md calls the figure, `title` what it is compared with."""

    def __init__(self, name, work, limit_s, row, title):
        self.name = name
        self.work = work
        self.limit_s = limit_s
        self.row = row
        self.title = title


CHECKS = [
    Check("lines", "allocator_checks.lines", 60, "allocated and reserved bytes by line, and their sums",
          "changes of memory_allocated and memory_reserved"),
    Check("peaks", "allocator_checks.peaks", 90, "peaks by line, as bounds and exact", "max_memory_allocated of a bare run"),
    Check("device", "allocator_checks.device", 60, "mem_get_info by line", "cudaMemGetInfo, through ctypes"),
    Check("counters", "allocator_checks.counters", 60, "where the allocator's counters lie in memory (struct Stat)",
          "memory_allocated after 400 changes"),
    Check("phases", "device_checks.phases", 45, "phases `cuda` and `to-device`, their figures",
          "memory_allocated, memory_reserved and cudaMemGetInfo at the same place"),
    Check("context", "device_checks.context", 45, "context and libraries, by the phases", "nvidia-smi --query-compute-apps"),
    Check("moments", "device_checks.moments", 45, "the GPU in the board's records (moments.jsonl)", "torch.cuda and nvidia-smi"),
    Check("snapshot", "allocator_checks.snapshot", 60, "allocator snapshots, recording and totals",
          "memory_allocated and memory_reserved"),
    Check("out-of-memory", "allocator_checks.out_of_memory", 60, "a run that asks for more GPU memory than there is",
          "the same script, bare"),
    Check("past-pytorch", "device_checks.past", 75, "GPU bytes by line and library, past PyTorch's allocator",
          "memory_reserved, a cudaMalloc of known size, nvidia-smi"),
    Check("profiler", "allocator_checks.profiler", 45, "allocated bytes by line, while torch.profiler runs",
          "torch.profiler with profile_memory"),
    Check("move", "allocator_checks.move", 60, "a tensor that is moved to the device against one that is made there",
          "its size"),
    Check("line-cost", "cost_checks.line", 60, "what a line costs while CUDA is up", "the same loop, bare"),
    Check("lenet", "cost_checks.lenet", 90, "what measuring adds to training LeNet", "the same script, bare, in turns"),
    Check("resnet", "cost_checks.resnet", 120, "what measuring adds to training a ResNet-18", "the same script, bare, in turns"),
]


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stand-in", action="store_true", help="with the stand-in for torch and CUDA, whatever is here")
    parser.add_argument("--rehearse", action="store_true",
                        help="without a GPU: try out on the CPU, briefly, the scripts that need one; their rows stay unknown")
    parser.add_argument("--out", metavar="FOLDER", help="where results.json and table.md are written")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS",
                        help="of all checks together (default: %(default)s)")
    parser.add_argument("--patient", action="store_true", help="for tests: the kit's own checks have 20 times as long")
    parser.add_argument("--check", action="store_true", help="exit code 1 where a check failed")
    parser.add_argument("--list", action="store_true", help="name the checks")
    parser.add_argument("--more", metavar="FILE",
                        help="a Python file with a list CHECKS of further ones, (name, function, seconds)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="names of checks; all where none is named")
    return parser.parse_args(given)


def all_checks(options):
    if not options.more:
        return CHECKS
    module = _module_at(options.more)
    return CHECKS + [Check(name, options.more, seconds, name, function) for name, function, seconds in module.CHECKS]


def _module_at(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    return importlib.import_module(os.path.splitext(os.path.basename(path))[0])


def work_of(check):
    if os.sep in check.work:
        return getattr(_module_at(check.work), check.title)
    module, _, function = check.work.partition(".")
    return getattr(importlib.import_module(module), function)


def do_one(check, given):
    """In a process of its own: the check's figures, or why there are none, into the file that the kit reads."""
    place = measuring.Place(given["folder"], given["helper"], given["stand_in"], given["stand_in_cuda"], given["rehearses"],
                            given["seconds"])
    told = {"figures": [], "state": None, "why": None}
    try:
        told["figures"] = work_of(check)(place)
    except measuring.Unknown as why:
        told.update(state=written.UNKNOWN, why=str(why))
    except TookTooLong:
        told.update(state=written.UNKNOWN, why=_too_long(given["seconds"]))
    except Exception as error:
        told.update(state=written.FAIL, why="%s: %s" % (type(error).__name__, str(error)[-500:] or "no message"))
    told["notes"] = place.notes
    with open(given["answer"] + ".new", "w") as file:
        json.dump(told, file)
    os.rename(given["answer"] + ".new", given["answer"])


class Kit(object):
    def __init__(self, options, folder):
        self._options = options
        self._folder = folder
        self._ends = time.monotonic() + options.limit * (_PATIENCE if options.patient else 1)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.torch = {} if options.stand_in else measuring.torch_version()
        self.stand_in = "device" not in self.torch
        self._helper = measuring.the_helper(folder)
        self._stand_in_cuda = measuring.stand_in_cuda(folder) if self.stand_in else None

    def head(self):
        """What the results say of the place."""
        accel = os.path.join(self._helper, "accel")
        return {
            "schema": written.SCHEMA, "version": version(), "device": STAND_IN if self.stand_in else self.torch["device"],
            "is_stand_in": self.stand_in, "driver": None if self.stand_in else _driver(),
            "cuda": None if self.stand_in else self.torch["cuda"],
            "torch": "stand-in" if self.stand_in else self.torch["torch"], "python": platform.python_version(),
            "machine": platform.machine(), "kernel": platform.release(),
            "libraries": any(name.endswith("-%s.so" % platform.machine()) for name in os.listdir(accel)),
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "limit_s": self._options.limit,
            "load": round(os.getloadavg()[0], 2)}

    def run(self, check):
        """The check's entry in the results."""
        began = time.monotonic()
        own_s = check.limit_s * (_PATIENCE if self._options.patient and check in CHECKS else 1)
        limit_s = min(own_s, self._ends - began)
        told = {"figures": [], "notes": [], "state": written.UNKNOWN, "why": "the kit's time was over before its turn"}
        if limit_s > 0:
            told = self._told(check, limit_s)
        figures = told["figures"]
        state = told["state"] or written.check_state(figures)
        return {"name": check.name, "title": check.title, "row": check.row, "state": state,
                "why": None if state == written.PASS else told["why"] or written.why_of(figures) or "it gave no figure",
                "seconds": round(time.monotonic() - began, 2), "figures": figures, "notes": told["notes"]}

    def _told(self, check, limit_s):
        folder = os.path.join(self._folder, check.name)
        os.mkdir(folder)
        given = {"folder": folder, "helper": self._helper, "stand_in": self.stand_in, "stand_in_cuda": self._stand_in_cuda,
                 "rehearses": self._options.rehearse, "seconds": limit_s, "answer": os.path.join(folder, "answer.json")}
        command = [sys.executable, "-B", os.path.abspath(__file__), "--one", json.dumps(given), check.name]
        if self._options.more:
            command += ["--more", self._options.more]
        with open(os.path.join(folder, "output"), "w+b") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            try:
                status = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                status = None
            _end_all()
            output.seek(0)
            said = output.read().decode("utf-8", "replace").strip()
        if os.path.exists(given["answer"]):
            with open(given["answer"]) as file:
                return json.load(file)
        lost = {"figures": [], "notes": [], "state": written.UNKNOWN, "why": _too_long(limit_s)}
        if status is not None:
            lost.update(state=written.FAIL, why="its process ended with %s: %s" % (status, said[-300:] or "it said nothing"))
        return lost


def _too_long(seconds):
    return "it had not ended after %g s" % round(seconds, 1)


def _end_all():
    """Kill whatever a check has left, and wait for it, but not for ever."""
    ends = time.monotonic() + _GONE_S
    while descendants(os.getpid()) and time.monotonic() < ends:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _driver():
    try:
        with open("/proc/driver/nvidia/version") as file:
            found = re.search(r"Module\D*([\d.]+)", file.read())
            return found.group(1) if found else None
    except OSError:  # a Jetson's driver is the L4T release, which has no such file
        return None


def main(given=None):
    options = arguments(given)
    checks = all_checks(options)
    if options.one:
        return do_one(next(check for check in checks if check.name in options.checks), json.loads(options.one))
    if options.list:
        print("\n".join("%-14s %s, against %s" % (check.name, check.row, check.title) for check in checks))
        return 0
    strangers = set(options.checks) - set(check.name for check in checks)
    if strangers:
        sys.exit("There is no check %s. They are: %s." % (", ".join(sorted(strangers)), ", ".join(one.name for one in checks)))
    if options.patient:
        os.environ["KIT_WARM_UP_S"] = str(_PATIENCE * 25)
    for name in _CHANGE_THE_ALLOCATOR:
        os.environ.pop(name, None)
    # In the locale C, Python 3.6 takes a terminal for one of ASCII.
    sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8", line_buffering=True)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="jmp-cuda-kit-"))
    try:
        return check_all(options, folder, [one for one in checks if not options.checks or one.name in options.checks])
    finally:
        _end_all()
        shutil.rmtree(folder, ignore_errors=True)


def check_all(options, folder, checks):
    began = time.monotonic()
    kit = Kit(options, folder)
    results = kit.head()
    if kit.stand_in:
        why = "as asked for" if options.stand_in else "torch finds no GPU here"
        print("STAND-IN: %s, so scripts run with a stand-in for torch and CUDA. Nothing here says anything about a GPU." % why)
    print(written.place(results), flush=True)
    results["checks"] = []
    for check in checks:
        entry = kit.run(check)
        results["checks"].append(entry)
        said = entry["why"] or "; ".join(entry["notes"])
        print("%-14s %-8s %5.1f s  %s" % (check.name, entry["state"], entry["seconds"], said), flush=True)
    results["seconds"] = round(time.monotonic() - began, 1)
    wrong = written.problems(results)
    if wrong:
        raise AssertionError("results.json would not be as described: " + "; ".join(wrong))
    out = options.out or _usual_folder(results)
    written.write(out, results)
    print("\n" + written.markdown(results) + "\nWritten: %s" % os.path.join(out, "results.json"))
    return 1 if options.check and any(one["state"] == written.FAIL for one in results["checks"]) else 0


def _usual_folder(results):
    """Beside this file, to be committed; a stand-in's where nothing is."""
    if results["is_stand_in"]:
        return os.path.join(HERE, "..", "..", ".cache", "cuda-kit")
    return os.path.join(HERE, "results", re.sub(r"\W+", "-", results["device"].lower()).strip("-"))


if __name__ == "__main__":
    sys.exit(main())
