"""Which processes of the host are those of a container: by their memory groups and their numbers in its namespace."""
import os

from ..files import read_some
from ..system import proc
from ..system.system import read_text

_STATUS_BYTES = 8192


def numbers_of(status):
    """The process's numbers from the outermost namespace inwards (NSpid of /proc/<pid>/status); none before Linux 4.1."""
    at = status.find(b"\nNSpid:")
    if at < 0:
        return []
    words = status[at + 7:status.find(b"\n", at + 7)].split()
    return [int(word) for word in words if word.isdigit()]


def _group_of(text):
    """The longest path of a process's groups: an engine gives each container one of its own."""
    paths = [line.split(":", 2)[2] for line in (text or "").splitlines() if line.count(":") >= 2]
    return max(paths, key=len) if paths else ""


def first_process(identity, proc_root="/proc"):
    """The host's number of a container's first process, by its memory group's name; None where that is not told.

    An engine tells it too, but takes longer than all of a board's processes.
    """
    try:
        present = sorted((int(name) for name in os.listdir(proc_root) if name.isdigit()), reverse=True)
    except OSError:
        return None
    for host in present:
        if identity not in (read_text(os.path.join(proc_root, str(host), "cgroup")) or ""):
            continue
        try:
            numbers = numbers_of(read_some(os.path.join(proc_root, str(host), "status"), _STATUS_BYTES))
        except OSError:
            continue
        if len(numbers) > 1 and numbers[-1] == 1:
            return host
    return None


class ContainerProcesses(object):
    """Numbers of processes in the container to those on the host; `init` is the host's number of its first process."""

    def __init__(self, init, proc_root="/proc"):
        self._proc = proc_root
        self._depth = len(numbers_of(self._status(init)))
        self._namespace = self._namespace_of(init)
        group = _group_of(read_text(os.path.join(proc_root, str(init), "cgroup")))
        # Below its own group crun puts the first process into one more; what is started later may be beside that.
        self._group = os.path.dirname(group) if os.path.basename(group) == "container" else group
        self._known = {}   # number inside -> (number on the host, its start)
        self._missed = frozenset()

    def on_host(self, pids):
        """{number inside: number on the host} of those that are found."""
        missing = frozenset(pid for pid in pids if pid not in self._known or not self._is_there(pid))
        # What was not found is not looked for at each moment.
        if missing - self._missed:
            self._look()
            self._missed = frozenset(pid for pid in pids if pid not in self._known)
        return {pid: self._known[pid][0] for pid in pids if pid in self._known}

    def _is_there(self, pid):
        host, start = self._known[pid]
        found = proc.status_of(host) if self._proc == "/proc" else None
        return found is None or found[3] == start

    def _look(self):
        self._known = {}
        if self._depth == 0:
            return
        try:
            present = [int(name) for name in os.listdir(self._proc) if name.isdigit()]
        except OSError:
            return
        for host in present:
            numbers = numbers_of(self._status(host))
            if len(numbers) < self._depth or not self._is_inside(host):
                continue
            # Rootless engines may put containers into one group.
            theirs = self._namespace_of(host) if len(numbers) == self._depth else None
            if theirs is not None and self._namespace not in (None, theirs):
                continue
            found = proc.status_of(host) if self._proc == "/proc" else None
            self._known[numbers[self._depth - 1]] = (host, found[3] if found else None)

    def _is_inside(self, host):
        group = _group_of(read_text(os.path.join(self._proc, str(host), "cgroup")))
        return len(self._group) > 1 and (group == self._group or group.startswith(self._group + "/"))

    def _namespace_of(self, pid):
        """What its numbers are of; None where that is not told, as of another user's processes."""
        try:
            return os.readlink(os.path.join(self._proc, str(pid), "ns/pid"))
        except OSError:
            return None

    def _status(self, pid):
        try:
            return read_some(os.path.join(self._proc, str(pid), "status"), _STATUS_BYTES)
        except OSError:
            return b""
