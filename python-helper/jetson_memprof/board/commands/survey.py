"""The `survey` command: what Check Board needs of this board, raw. Nothing is changed, no package is imported."""
import errno
import os
import platform
import time

from .. import names
from ..system import debian, devices
from ..system import system as systems
from ..system.processes import Budget, Processes
from . import access, identity
from .pythons import pythons

_FILES = (
    "proc/device-tree/model", "proc/device-tree/compatible", "etc/nv_tegra_release", "etc/os-release", "proc/meminfo",
    "proc/swaps", "proc/version", "proc/buddyinfo", "proc/cmdline", "usr/local/cuda/version.json",
    "usr/local/cuda/version.txt", devices.NVMAP, "proc/self/cgroup")
# The first is the administrator's; without it systemd takes the others.
_LINKS = ("etc/systemd/system/default.target", "lib/systemd/system/default.target",
          "usr/lib/systemd/system/default.target")
_PROGRAMS = ("tegrastats", "valgrind", "nvidia-smi", "jtop", "smem", "nvpmodel")
_LONGEST = 1 << 16
_MOST_PACKAGES = 200


def survey(request):
    """The `survey` command."""
    wanted = [names.clean_text(name, "packages") for name in names.field(request, "packages", list, [], required=False)
              if isinstance(name, str)][:_MOST_PACKAGES]
    system = systems.here()
    files, unreadable = _files(system)
    known = debian.installed(system, wanted)
    found = {
        "schema": 1, "simulated": system.simulated, "files": files, "unreadable": unreadable,
        "links": _links(system), "user": access.user(system), "programs": _programs(system),
        "packages": {name: known.get(name) for name in wanted}, "pythons": pythons(system),
        "processes": _processes(system), "capabilities": identity.capabilities(),
        "kernel": {"release": identity.kernel_release(system), "machine": platform.uname().machine},
        "disk": _disk(), "memory_limit": access.memory_limit(system)}
    return {"survey": {key: value for key, value in found.items() if value is not None}}


def _files(system):
    """({name: text}, {name: why it could not be read})."""
    wanted = list(_FILES)
    for device in devices.zram_devices(system):
        wanted += ["sys/block/%s/mm_stat" % device, "sys/block/%s/disksize" % device]
    load = devices.gpu_load_file(system)
    if load is not None:
        wanted.append(load)
    files, unreadable = {}, {}
    for name in wanted:
        try:
            files[name] = system.read(name, _LONGEST).decode("utf-8", "replace")
        except OSError as error:
            unreadable[name] = _why(error)
    return files, unreadable


def _why(error):
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "missing"
    return "permission-denied" if error.errno in (errno.EACCES, errno.EPERM) else "failed"


def _links(system):
    found = {}
    for name in _LINKS:
        try:
            found[name] = names.portable(os.readlink(system.path(name)))
        except OSError:
            pass
    return found


def _programs(system):
    found = {}
    for name in _PROGRAMS:
        path = system.program(name)
        found[name] = None if path is None else {"path": names.portable(path)}
        if path is not None and name == "valgrind":
            found[name]["version"] = identity.valgrind_version(path)
    return found


def _processes(system):
    # Asked for once, by a person: half a second for smaps, not the ten milliseconds of a moment.
    processes = Processes(system, smaps_budget=Budget(0.05))
    now = time.monotonic()
    processes.look((), now)
    processes.look_at_shares(now)
    return processes.entries()


def _disk():
    path = os.path.expanduser("~")
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return {"path": names.portable(path), "free": found.f_bavail * found.f_frsize}
