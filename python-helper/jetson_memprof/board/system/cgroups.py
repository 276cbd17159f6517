"""The memory groups (cgroups) that this process is in, of either version of the kernel's interface."""


def memory_groups(text):
    """[(version, folder below /sys/fs/cgroup, the group's path in it)] that may be there, from /proc/self/cgroup's text."""
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
