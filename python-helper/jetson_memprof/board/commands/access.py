"""Who the user is on the board, and what that allows: groups, sudo, limits of memory."""
import grp
import os
import pwd
import re

from ..system.cgroups import LIMIT_IN, limit_of, memory_groups, with_those_around
from ..system.programs import ask

_ADMINISTRATORS = {"sudo", "admin", "wheel"}


def user(system):
    """The survey's `user`."""
    uid = os.getuid()
    name = _name_of(system, uid)
    groups = _groups_of(system, name)
    return {"uid": uid, "name": name, "groups": groups, "sudo": _sudo(system, uid, groups)}


def _table(system, name):
    return [line.split(":") for line in (system.text(name) or "").splitlines()]


def _name_of(system, uid):
    if system.simulated is not None:
        for entry in _table(system, "etc/passwd"):
            if len(entry) > 2 and entry[2] == str(uid):
                return entry[0]
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _groups_of(system, name):
    if system.simulated is not None:
        return sorted(entry[0] for entry in _table(system, "etc/group") if len(entry) > 3 and name in entry[3].split(","))
    found = set()
    for gid in set(os.getgroups()) | {os.getgid()}:
        try:
            found.add(grp.getgrgid(gid).gr_name)
        except KeyError:
            found.add(str(gid))
    return sorted(found)


def _sudo(system, uid, groups):
    """Whether commands may be run as root: 'none', 'password' or 'free' (without one). Nobody is asked anything."""
    program = system.program("sudo")
    if uid == 0:
        return "free"
    if program is None:
        return "none"
    said = ask([program, "-n", "-l"])
    if said.status == 0:
        return "free" if re.search(r"NOPASSWD:.*\bALL\b", said.output) else "password"
    # It does not tell a stranger from its own without their password, but the usual groups do.
    if "password is required" in said.errors and _ADMINISTRATORS.intersection(groups):
        return "password"
    return "none"


def memory_limit(system):
    """The smallest limit in bytes of the memory groups that this process is in; None where there is none."""
    limits = [limit_of(system.text(group + "/" + LIMIT_IN[version]))
              for version, folder, path in memory_groups(system.text("proc/self/cgroup"))
              for group in with_those_around("sys/fs/cgroup/" + folder, path)]
    return min((limit for limit in limits if limit is not None), default=None)
