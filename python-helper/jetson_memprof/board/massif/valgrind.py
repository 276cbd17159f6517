"""How a script is started under valgrind's massif, and what is kept of it afterwards."""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import shutil

from .. import names
from ..run import oom, stopping
from ..system import proc
from . import massif_files, valgrind_log

_LINK = "run"
_STUCK_MS = 5 * 60000
# Programs that a Python program calls in passing. What they start is not followed either, which is why `env`, the
# usual way to a Python script, is not among them.
_SKIPPED = ("sh", "bash", "dash", "busybox", "ldconfig*", "gcc*", "*-gcc*", "g++*", "cc", "c++", "cc1*", "collect2",
            "as", "ld", "ld.*", "nm", "objdump", "make", "cmake", "ninja", "nvcc", "ptxas", "nvidia-smi", "tegrastats",
            "git", "uname", "lsb_release", "file", "which", "cat", "ls", "ps", "free", "df", "lscpu")
# Which kernels a numeric library picks must be ones that valgrind knows, and simple ones run several times faster.
_KERNELS = {
    "aarch64": {b"OPENBLAS_CORETYPE": b"ARMV8"},
    "x86_64": {b"OPENBLAS_CORETYPE": b"Sandybridge", b"ATEN_CPU_CAPABILITY": b"default", b"DNNL_MAX_CPU_ISA": b"SSE41"}}
_EXPECTED = {  # by Jetson Linux release
    "32": "JetPack 4.6 brings valgrind 3.13, which knows the processor of a Nano or TX2 but not all instructions of a "
          "Xavier's.",
    "35": "JetPack 5 brings valgrind 3.15, which hides from libraries the newer instructions that it does not know.",
    "36": "JetPack 6 brings valgrind 3.18, which knows all but the newest instructions of the processor."}


def program():
    """Where valgrind is, or None."""
    return shutil.which("valgrind")


def missing(l4t):
    """The error for a board without valgrind, as (code, message, hint); `l4t` is its Jetson Linux release or None."""
    hint = "Install it on the board: sudo apt-get install valgrind."
    expected = _EXPECTED.get((l4t or "").split(".")[0])
    return ("valgrind-missing", "Valgrind is not installed on the board, and the massif engine needs it.",
            hint + (" " + expected if expected else ""))


class UnderValgrind(object):
    """One run under massif.

    `settings` are MassifSettings, `folder` is the RunFolder, `shared` the
    private folder, `machine` what uname calls the processor.
    """

    steps = stopping.UNDER_VALGRIND
    # At which valgrind still writes its profile.
    end_signal = signal.SIGTERM
    grace_s = 20.0
    writes_at_ends = True

    def __init__(self, settings, folder, shared, machine):
        self._settings = settings
        self._machine = machine
        self._folder = folder
        # Massif's own commands take no blanks in a name, and valgrind reads % as its own.
        self._link = os.path.join(shared, _LINK)
        os.symlink(folder.path, self._link)
        if settings.frames:
            _write_frames_library(shared)
        self._hidden_allocations = None

    def command(self, python, arguments):
        """The program to start and its arguments; valgrind becomes the script's process, so the pid is the script's."""
        settings = self._settings
        return program() or "valgrind", [
            "--tool=massif", "--vgdb=no",
            "--log-file=%s" % os.path.join(self._link, valgrind_log.NAME % "%p"),
            "--massif-out-file=%s" % os.path.join(self._link, massif_files.EXIT_NAME % "%p"),
            "--depth=%d" % settings.depth, "--threshold=%g" % settings.threshold,
            # All of them with stacks: that costs little, and each can then be looked at.
            "--max-snapshots=50", "--detailed-freq=1",
            # The peak that is shown is at most this many per cent below the highest; 0 would take ten times as long.
            "--peak-inaccuracy=1.0",
            # What people and the run's timeline count in.
            "--time-unit=ms",
            "--pages-as-heap=%s" % ("yes" if settings.pages_as_heap else "no"),
            "--trace-children=yes", "--trace-children-skip=%s" % ",".join("*/" + name for name in _SKIPPED),
            python] + arguments

    def environment(self, values):
        """`values` (bytes to bytes) with what massif needs; what the user set wins."""
        chosen = dict(_KERNELS.get(self._machine, {}))
        chosen[b"OMP_NUM_THREADS"] = b"1"  # valgrind runs one thread at a time
        if self._settings.pages_as_heap:
            # Each thread's own heap (the profiler's thread has one too) would map 128 MiB, of which it uses little.
            chosen[b"MALLOC_ARENA_MAX"] = b"1"
        else:
            # Python's own allocator hands out parts of larger blocks, whose owners massif would not see. Pages are
            # counted as they are mapped in a usual run, with that allocator.
            chosen[b"PYTHONMALLOC"] = b"malloc"
            given = values.get(b"PYTHONMALLOC", b"malloc")
            if given != b"malloc":
                self._hidden_allocations = given.decode("utf-8", "replace")
        chosen.update(values)
        if not self._settings.gpu:
            chosen[b"CUDA_VISIBLE_DEVICES"] = b""
        return chosen

    def spec(self):
        """What the engine inside the process is told besides."""
        return {"massif": self._settings.spec(self._link)}

    def look(self, now):
        pass

    def finish(self, main_pid, ended, last_line_ms, record):
        """Put valgrind's own files in their places, and say what its log says.

        `ended` is run.json's `exit`, `last_line_ms` how long the script was at its last line.
        """
        collect(self._folder, record, main_pid, ended)
        if ended["kind"] in ("cancelled", "signalled") and last_line_ms >= _STUCK_MS and self._machine == "aarch64":
            record.warn("massif-stuck", "The script was at one line for %d minutes when it was ended. Valgrind is "
                        "slow, but on these processors some programs also hang under it. Should it do so again, write "
                        "the line --sim-hints=fallback-llsc into the file ~/.valgrindrc on the board and retry."
                        % (last_line_ms // 60000))
        if self._hidden_allocations is not None:
            record.warn("massif-allocator", "PYTHONMALLOC is set to %s on the board. Massif then sees the blocks that "
                        "Python's allocator takes, not the objects in them. Unset it there for exact stacks."
                        % self._hidden_allocations)


def _write_frames_library(folder):
    """Beforehand, as it takes seconds under valgrind; where that fails the script's process does it."""
    try:
        pid = os.fork()  # what it takes is gone with it: the supervisor is to stay small
    except OSError:
        return
    if pid == 0:
        try:
            oom.give_up()
            from ...massif import pads
            pads.write_library(folder)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _nobody(_):
    return False


def collect(folder, record, main_pid, ended):
    """Bring in what valgrind left in a run's folder: its last files, and the warnings for what its logs say."""
    # After a restart of the board a number is another process's.
    left_out = massif_files.collect(folder.path, _nobody if folder.is_of_another_boot() else proc.runs)
    if left_out:
        record.warn("massif-files-left-out", "The run had one more process than profiles are kept of; that of the process "
                    "that ended last is missing." if left_out == 1 else "The run had %d more processes than profiles are "
                    "kept of; those of the processes that ended last are missing." % left_out)
    version = ((record.values.get("engine") or {}).get("massif") or {}).get("valgrind")
    for code, message in valgrind_log.findings(folder.path, version):
        record.warn(code, message)
    if ended["kind"] == "out-of-memory":
        record.warn("massif-out-of-memory", "Valgrind needs memory of its own beside the script's: with PyTorch about "
                    "0.7 to 0.9 GiB when it counts heap blocks. %s" % valgrind_log.NEED_LESS)
    if main_pid is not None and ended["kind"] != "not-started" \
            and not os.path.exists(folder.file(massif_files.OUT_NAME % main_pid)):
        record.warn("massif-no-profile", "Valgrind left no profile of the script: it ended before the first one was "
                    "written to %s." % names.portable(folder.path))
