"""A container's memory group: its limit, what it uses, and how often the kernel ended a process of it."""
import os

from ..system.cgroups import LIMIT_IN, limit_of, memory_groups, with_those_around
from ..system.system import read_text

_USED_IN = {1: "memory.usage_in_bytes", 2: "memory.current"}


class Group(object):
    """The memory group that limits a process of the host; `limit` and `used()` are None where they are not told."""

    def __init__(self, pid, proc_root="/proc", cgroup_root="/sys/fs/cgroup"):
        self.limit = None
        self._used = None
        text = read_text(os.path.join(proc_root, str(pid), "cgroup"))
        for version, folder, path in memory_groups(text):
            # From the process's own group outwards; the innermost of equal limits is the container's.
            for group in with_those_around(os.path.join(cgroup_root, folder), path)[:-1]:
                self._look(group, version)
        if self.limit is None and pid != "self" and self._used == Group("self", proc_root, cgroup_root)._used:
            self._used = None  # of a group that this process is in too: a rootless engine may make none

    def _look(self, folder, version):
        used = os.path.join(folder, _USED_IN[version])
        if self._used is None and _number(used) is not None:
            self._used = used
        limit = limit_of(read_text(os.path.join(folder, LIMIT_IN[version])))
        if limit is not None and (self.limit is None or limit < self.limit):
            self.limit, self._used = limit, used

    def used(self):
        """Bytes that count against the limit."""
        return None if self._used is None else _number(self._used)


def _number(path):
    text = read_text(path)
    return int(text) if text is not None and text.isdecimal() else None
