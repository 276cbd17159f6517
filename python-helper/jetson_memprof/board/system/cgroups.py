"""The memory groups (cgroups) that a process is in, of either version of the kernel's interface."""

#: The file of a group's limit, by version.
LIMIT_IN = {1: "memory.limit_in_bytes", 2: "memory.max"}
# Version 1 writes "no limit" as the largest number of whole pages.
_NO_LIMIT = 1 << 60
_MOST_LEVELS = 64


def memory_groups(text):
    """[(version, folder below /sys/fs/cgroup, the group's path in it)] that may be there, from the text of /proc/<pid>/cgroup."""
    found = []
    for line in (text or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3:
            continue
        if parts[0] == "0":
            found += [(2, "", parts[2]), (2, "unified", parts[2])]
        elif "memory" in parts[1].split(","):
            found.append((1, "memory", parts[2]))
    return found


def with_those_around(folder, path):
    """The folders of a group and of those that it lies in, innermost first; the last is `folder`, the outermost."""
    levels = [part for part in path.split("/") if part not in ("", "..")][:_MOST_LEVELS]
    return ["/".join([folder] + levels[:depth]) for depth in range(len(levels), -1, -1)]


def limit_of(text):
    """Bytes, of what the file of a limit says; None where that is none."""
    return int(text) if text is not None and text.isdecimal() and int(text) < _NO_LIMIT else None
