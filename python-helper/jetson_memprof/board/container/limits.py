"""A container's memory group: its limit, what it uses, and how often the kernel ended a process of it."""
import os

from ..files import read_some
from ..system.cgroups import memory_groups
from ..system.system import read_text

_LIMIT_IN = {1: "memory.limit_in_bytes", 2: "memory.max"}
_USED_IN = {1: "memory.usage_in_bytes", 2: "memory.current"}
# Version 1 writes "no limit" as the largest number of whole pages.
_NO_LIMIT = 1 << 60
_MOST_LEVELS = 64


class Group(object):
    """The memory group that limits a process of the host; `limit` and `used()` are None where they are not told."""

    def __init__(self, pid, proc_root="/proc", cgroup_root="/sys/fs/cgroup"):
        self.limit = None
        self._used = None
        text = read_text(os.path.join(proc_root, str(pid), "cgroup"))
        for version, folder, path in memory_groups(text):
            parts = [part for part in path.split("/") if part not in ("", "..")][:_MOST_LEVELS]
            # From the process's own group outwards; the innermost of equal limits is the container's.
            for depth in range(len(parts), 0, -1):
                self._look(os.path.join(cgroup_root, folder, *parts[:depth]), version)

    def _look(self, folder, version):
        used = os.path.join(folder, _USED_IN[version])
        if self._used is None and _number(used) is not None:
            self._used = used
        limit = _number(os.path.join(folder, _LIMIT_IN[version]))
        if limit is not None and limit < _NO_LIMIT and (self.limit is None or limit < self.limit):
            self.limit, self._used = limit, used

    def used(self):
        """Bytes that count against the limit."""
        return None if self._used is None else _number(self._used)


def _number(path):
    try:
        return int(read_some(path, 64))
    except (OSError, ValueError):  # "max" is none
        return None
