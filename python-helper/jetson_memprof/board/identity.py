"""The `probe` command: which board this is, what is installed, what the kernel lets us read.

Nothing here imports the packages it asks about: importing torch alone would
take a Jetson Nano seconds and hundreds of megabytes.
"""
import os
import platform
import re
import site
import sys
from importlib.machinery import PathFinder

from .. import VERSION
from . import memory, names, proc
from .runs import listing

_DEFAULT_ROOT = "~/.jetson-memprof"


def probe(request):
    """The `probe` command."""
    root = names.root_folder(dict({"root": _DEFAULT_ROOT}, **request))
    found = packages()
    versions = {"helper": VERSION, "python": platform.python_version()}
    for name, value in (("torch", found.get("torch")), ("cuda", cuda_version()), ("valgrind", valgrind_version())):
        if value is not None:
            versions[name] = value
    alive = [{key: run[key] for key in ("id", "pid", "script")}
             for run in listing(root) if run["state"] == "running"]
    return {"board": board(), "versions": versions,
            "packages": {"memory_profiler": found.get("memory_profiler")},
            "capabilities": capabilities(), "memory": memory.room(memory.read_meminfo()), "runs": alive}


def _text(root, path):
    """The text of a small file below the root without NULs, None where it cannot be read."""
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file.read(1 << 16).replace(b"\0", b"").decode("utf-8", "replace").strip() or None
    except OSError:
        return None


def board(root="/"):
    """The board as run.json writes it; what is not known is absent. `root` is where its files are looked for."""
    system = platform.uname()
    found = {
        "model": _text(root, "sys/firmware/devicetree/base/model") or _text(root, "proc/device-tree/model"),
        "l4t": l4t_release(root), "kernel": system.release, "machine": system.machine,
        "hostname": system.node, "cpus": os.cpu_count(),
        "mem_total": memory.total(memory.read_meminfo(os.path.join(root, "proc/meminfo")))}
    return {key: value for key, value in found.items() if value not in (None, "")}


def l4t_release(root="/"):
    """The Jetson Linux release, as '32.7.1'; None on other machines."""
    text = _text(root, "etc/nv_tegra_release") or ""
    match = re.search(r"# R(\d+) \(release\), REVISION: (\d+(?:\.\d+)*)", text)
    if match:
        return "%s.%s" % match.groups()
    try:
        with open(os.path.join(root, "var/lib/dpkg/status"), "rb") as file:
            for paragraph in file.read().split(b"\n\n"):
                if b"Package: nvidia-l4t-core\n" in paragraph and b"Status: install ok installed" in paragraph:
                    match = re.search(rb"^Version: ([\d.]+)", paragraph, re.M)
                    return match.group(1).decode("ascii") if match else None
    except OSError:
        pass
    return None


def cuda_version(root="/"):
    """The CUDA toolkit's version, as '10.2'; None where it is not installed in its usual place."""
    import json
    text = _text(root, "usr/local/cuda/version.json")
    if text is not None:
        try:
            version = json.loads(text)["cuda"]["version"]
            match = re.match(r"\d+\.\d+", version)
            if match:
                return match.group()
        except (ValueError, KeyError, TypeError):
            pass
    match = re.search(r"CUDA Version (\d+\.\d+)", _text(root, "usr/local/cuda/version.txt") or "")
    return match.group(1) if match else None


def valgrind_version():
    """valgrind's version, None where it is not installed or does not answer."""
    import shutil
    import subprocess
    program = shutil.which("valgrind")
    if program is None:
        return None
    try:
        said = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=5).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(rb"valgrind-(\S+)", said)
    return match.group(1).decode("utf-8", "replace") if match else None


def _search_path():
    """Where the script's Python will look for packages: it is started without -E and -s, unlike this one."""
    path = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    path += [entry for entry in sys.path[1:] if entry]
    if _sees_user_site():
        path.append(site.getusersitepackages())
    return path


def _sees_user_site():
    if sys.prefix == sys.base_prefix:
        return True
    settings = _text(sys.prefix, "pyvenv.cfg") or ""
    return re.search(r"(?im)^include-system-site-packages\s*=\s*true", settings) is not None


def packages(path=None):
    """The versions of torch and memory_profiler where they are installed."""
    path = _search_path() if path is None else path
    found = {}
    torch = PathFinder.find_spec("torch", path)
    if torch is not None and torch.submodule_search_locations:
        version = None
        for folder in torch.submodule_search_locations:
            text = _text(folder, "version.py") or ""
            match = re.search(r"""(?m)^__version__(?:\s*:[^=]*)?\s*=\s*[^'"\n]*['"]([^'"]+)['"]""", text)
            version = match.group(1) if match else version
        found["torch"] = version
    profiler = PathFinder.find_spec("memory_profiler", path)
    if profiler is not None and profiler.origin:
        found["memory_profiler"] = _installed_version(os.path.dirname(profiler.origin), "memory_profiler")
    return {name: version for name, version in found.items() if version is not None}


def _installed_version(folder, name):
    """A package's version from the name of its metadata beside it, or of the egg that it lies in."""
    pattern = re.compile(r"%s-([^-]+)(?:-py[\d.]+)?\.(?:dist-info|egg-info|egg)\Z" % name.replace("_", "[-_.]"), re.I)
    try:
        beside = sorted(os.listdir(folder))
    except OSError:
        beside = []  # an egg may be an archive
    for entry in beside + [os.path.basename(folder)]:
        match = pattern.match(entry)
        if match:
            return match.group(1)
    return None


def capabilities():
    """What the kernel lets an ordinary user read here, and whether one thread of Python runs at a time."""
    return {"clear_refs": proc.can_reset_peak(), "smaps_rollup": os.access("/proc/self/smaps_rollup", os.R_OK),
            "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
            "nvmap": "nvmap_used" in memory.figures(memory.read_meminfo())}
