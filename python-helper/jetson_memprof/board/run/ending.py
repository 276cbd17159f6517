"""How a run ended, and how we know when the kernel's out-of-memory killer did it."""
import os
from _signal import SIGKILL

from ..system.cgroups import memory_groups
from ..system.kernel_log import KernelLog, kill_report, names_as_killed
from ..system.system import read_text

_KILLS_IN = {1: "memory.oom_control", 2: "memory.events"}


def signal_name(number):
    from signal import Signals  # here: it brings `enum` along
    try:
        return Signals(number).name
    except ValueError:
        return "SIG%d" % number


def _counter(path, name):
    """The number behind a word in a file of 'word number' lines, or None."""
    try:
        with open(path, "rb") as file:
            for line in file.read(1 << 16).splitlines():
                words = line.split()
                if len(words) == 2 and words[0] == name:
                    return int(words[1])
    except (OSError, ValueError):
        pass
    return None


def _cgroup_files(proc_root, cgroup_root, of):
    """The files of a process's memory cgroup that may count out-of-memory kills."""
    text = read_text(os.path.join(proc_root, str(of), "cgroup"))
    return [os.path.join(cgroup_root, folder, path.lstrip("/"), _KILLS_IN[version])
            for version, folder, path in memory_groups(text)]


class OomWatch(object):
    """Notes the kernel's counts of out-of-memory kills at the start and looks again at the end.

    `of` is a process whose group is the run's, by default this one.
    """

    def __init__(self, proc_root="/proc", cgroup_root="/sys/fs/cgroup", kmsg="/dev/kmsg", of=None):
        self._log = KernelLog(kmsg)
        groups = [(path, "this run's memory group (%s)" % path)
                  for path in _cgroup_files(proc_root, cgroup_root, "self" if of is None else of)]
        # The group's own count rises for its processes alone, whatever ran out; the board's rises for others' too.
        self._counters = [one for one in groups if _counter(one[0], b"oom_kill") is not None] \
            or [(os.path.join(proc_root, "vmstat"), "the board (/proc/vmstat)")]
        self._before = [_counter(path, b"oom_kill") for path, _ in self._counters]
        self._latest = list(self._before)

    def look(self):
        """Read the counts where they may be gone at the end, with a container's group."""
        for at, (path, _) in enumerate(self._counters):
            count = _counter(path, b"oom_kill")
            if count is not None:
                self._latest[at] = count

    def evidence(self, pid):
        """In words, how it is known that the kernel ran out of memory and ended a process; None otherwise."""
        self.look()
        for (_, where), before, after in zip(self._counters, self._before, self._latest):
            if before is not None and after is not None and after > before:
                return "the kernel's count of out-of-memory kills for %s rose from %d to %d" % (where, before, after)
        line = next((line for line in self._log.lines() if names_as_killed(line, pid)), None)
        return "the kernel's log says: %s" % line if line else None

    def kernel_log(self, pid):
        """The kernel's lines on the kill, where its log may be read: its last report that names the pid, else the last."""
        return kill_report(self._log.lines(), pid)


def classify(status, pid, cancelled_by, watch):
    """run.json's `exit` for a status from waitpid; `cancelled_by` is the last signal's name or None."""
    if cancelled_by is not None:
        return {"kind": "cancelled", "signal": cancelled_by}
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == SIGKILL:
            evidence = watch.evidence(pid)
            if evidence:
                ended = {"kind": "out-of-memory", "signal": "SIGKILL", "evidence": evidence}
                log = watch.kernel_log(pid)
                return dict(ended, kernel_log=log) if log else ended
        return {"kind": "signalled", "signal": signal_name(number)}
    return {"kind": "exited", "code": os.WEXITSTATUS(status)}
