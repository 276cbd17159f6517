"""The memory that a run takes from the board: of the script's process and of every other one that its profiler starts.

PSS is summed over them by the kernel's account, because a board's user pays for all of them and pages that they share
are there once. `ru_maxrss` would not do: it is of one process, and the line engine resets what it is made of.
"""
import os
import tempfile
import time

#: Every process of a run inherits it, also one that leaves its parent, and so is found by it.
RUN = "JMP_BENCH_RUN"
#: What workloads/hold.py reads: the script's end waits for this file to go.
HOLD = "JMP_BENCH_HOLD"
_EVERY_S = 0.005
#: What is given back after the script's last line has been by then.
_SETTLES_S = 0.2


class Figures(object):
    """Bytes. `highest`: the most that all processes of the run had at one moment; `at_end`: what they had when the
    script's last line was reached; `beside`: the part of `at_end` outside the script's process. The last two are None
    where that line was not reached."""
    __slots__ = ("highest", "at_end", "beside")

    def __init__(self):
        self.highest = 0
        self.at_end = self.beside = None


class Account(object):
    """Of one run: start it with `environment` added to its own, then `follow` it until it is over."""

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="jmp-bench-")
        self._hold = os.path.join(self._folder, "hold")
        self.environment = {RUN: self._folder, HOLD: self._hold}
        self._mark = ("%s=%s" % (RUN, self._folder)).encode()
        self._before = set(_processes())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in os.listdir(self._folder):
            os.unlink(os.path.join(self._folder, name))
        os.rmdir(self._folder)

    def follow(self, is_over):
        """Measure until `is_over()`, which is asked often."""
        figures, reached = Figures(), None
        while not is_over():
            shares = self._shares()
            figures.highest = max(figures.highest, sum(shares.values()))
            if reached is None and os.path.exists(self._hold):
                reached = time.monotonic()
            elif reached is not None and figures.at_end is None and time.monotonic() - reached > _SETTLES_S:
                with open(self._hold) as file:
                    script = int(file.read())
                figures.at_end = sum(shares.values())
                figures.beside = figures.at_end - shares[script]
                os.unlink(self._hold)
            time.sleep(_EVERY_S)
        return figures

    def _shares(self):
        """{pid: PSS in bytes} of the run's processes."""
        found = {}
        for pid in _processes():
            share = None if pid in self._before else self._share(pid)
            if share is not None:
                found[pid] = share
        return found

    def _share(self, pid):
        """None where it is not of this run, or has ended."""
        try:
            with open("/proc/%d/environ" % pid, "rb") as file:
                if self._mark not in file.read().split(b"\0"):
                    return None
            with open("/proc/%d/smaps_rollup" % pid, "rb") as file:
                text = file.read()
        except OSError:  # it has ended, or is another user's
            return None
        at = text.find(b"\nPss:")
        return int(text[at + 5:].split(None, 1)[0]) * 1024 if at >= 0 else None


def _processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]
