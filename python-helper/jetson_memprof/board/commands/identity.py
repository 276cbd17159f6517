"""The `probe` command: which board this is, what is installed, what the kernel lets us read.

Nothing here imports the packages it asks about: importing torch alone would
take a Jetson Nano seconds and hundreds of megabytes. Somebody waits for the
answer before each run, so what only some boards need is imported there.
"""
import os
import sys
from importlib.machinery import PathFinder

from ... import VERSION
from .. import names
from ..files import which
from ..run.runs import listing
from ..system import debian, memory, proc
from ..system import system as systems

_DEFAULT_ROOT = "~/.jetson-memprof"


def probe(request):
    """The `probe` command. `programs` are those to be asked for their versions, which takes longer than all the rest."""
    system = systems.here()
    root = names.root_folder(dict({"root": _DEFAULT_ROOT}, **request))
    found = packages()
    versions = {"helper": VERSION, "python": sys.version.split()[0]}
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    valgrind = "valgrind" in names.field(request, "programs", list, default=[], required=False)
    for name, value in (("torch", found.get("torch")), ("safetensors", found.get("safetensors")),
                        ("transformers", found.get("transformers")), ("cuda", cuda_version(system)),
                        ("valgrind", valgrind_version(which("valgrind", folders)) if valgrind else None)):
        if value is not None:
            versions[name] = value
    alive = [{key: run[key] for key in ("id", "pid", "script")}
             for run in listing(root) if run["state"] == "running"]
    meminfo = memory.read_meminfo(system.path("proc/meminfo"))
    return {"board": board(system), "versions": versions,
            "packages": {"memory_profiler": found.get("memory_profiler")},
            "capabilities": dict(capabilities(), nvmap="nvmap_used" in memory.figures(meminfo)),
            "memory": memory.room(meminfo), "runs": alive}


def board(system):
    """The board as run.json writes it; what is not known is absent."""
    uname = os.uname()
    found = {
        "model": system.text("sys/firmware/devicetree/base/model") or system.text("proc/device-tree/model"),
        "compatible": _chip(system), "l4t": l4t_release(system), "kernel": kernel_release(system),
        "machine": uname.machine, "hostname": uname.nodename, "cpus": os.cpu_count(),
        "mem_total": memory.total(memory.read_meminfo(system.path("proc/meminfo"))), "simulated": system.simulated}
    return {key: value for key, value in found.items() if value not in (None, "")}


def _chip(system):
    """The system on chip: the last item of what the device tree is compatible with."""
    for name in ("proc/device-tree/compatible", "sys/firmware/devicetree/base/compatible"):
        try:
            items = [item for item in system.read(name).split(b"\0") if item.strip()]
        except OSError:
            continue
        if items:
            return items[-1].decode("utf-8", "replace").strip()
    return None


def kernel_release(system):
    """The running kernel's, as '4.9.253-tegra'."""
    words = (system.text("proc/version") or "").split()
    return words[2] if words[:2] == ["Linux", "version"] and len(words) > 2 else os.uname().release


def l4t_release(system):
    """The Jetson Linux release, as '32.7.1'; None on other machines."""
    release = system.text("etc/nv_tegra_release")
    if release:
        import re
        match = re.search(r"# R(\d+) \(release\), REVISION: (\d+(?:\.\d+)*)", release)
        if match:
            return "%s.%s" % match.groups()
    version = debian.installed(system, ["nvidia-l4t-core"]).get("nvidia-l4t-core")
    if version is None:
        return None
    import re
    match = re.match(r"[\d.]+", version)
    return match.group() if match else None


def cuda_version(system):
    """The CUDA toolkit's version, as '10.2'; None where it is not installed in its usual place."""
    text = system.text("usr/local/cuda/version.json")
    if text is not None:
        import json
        import re
        try:
            version = json.loads(text)["cuda"]["version"]
            match = re.match(r"\d+\.\d+", version)
            if match:
                return match.group()
        except (ValueError, KeyError, TypeError):
            pass
    text = system.text("usr/local/cuda/version.txt")
    if text is None:
        return None
    import re
    match = re.search(r"CUDA Version (\d+\.\d+)", text)
    return match.group(1) if match else None


def valgrind_version(program):
    """The version of a valgrind, None where there is none or it does not answer."""
    if program is None:
        return None
    from ..system.programs import ask
    words = ask([program, "--version"]).output.split()
    return words[0][len("valgrind-"):] or None if words and words[0].startswith("valgrind-") else None


def _search_path():
    """Where the script's Python will look for packages: it is started without -E and -s, unlike this one."""
    path = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    path += [entry for entry in sys.path[1:] if entry]
    if _sees_user_site():
        import site
        path.append(site.getusersitepackages())
    return path


def _sees_user_site():
    if sys.prefix == sys.base_prefix:
        return True
    import re
    settings = systems.read_text(os.path.join(sys.prefix, "pyvenv.cfg")) or ""
    return re.search(r"(?im)^include-system-site-packages\s*=\s*true", settings) is not None


def packages(path=None):
    """The versions of torch, of what loads models for it, memory_profiler and psutil where they are installed."""
    path = _search_path() if path is None else path
    found = {"torch": torch_build(path).get("torch")}
    loaders = (("safetensors", 2), ("transformers", 2)) if found["torch"] is not None else ()
    for name, levels in (("memory_profiler", 1), ("psutil", 2)) + loaders:
        place = PathFinder.find_spec(name, path)
        if place is not None and place.origin:
            folder = place.origin
            for _ in range(levels):
                folder = os.path.dirname(folder)
            found[name] = _installed_version(folder, name)
    return {name: version for name, version in found.items() if version is not None}


def torch_build(path=None):
    """`torch`, its version, and `torch_cuda`, the CUDA it was built for (None: without); absent where not known."""
    spec = PathFinder.find_spec("torch", _search_path() if path is None else path)
    found = {}
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        import re
        text = systems.read_text(os.path.join(folder, "version.py")) or ""
        for key, name in (("torch", "__version__"), ("torch_cuda", "cuda")):
            match = re.search(r"""(?m)^%s(?:\s*:[^=]*)?\s*=\s*(?:[^'"\n]*['"]([^'"]+)['"]|None\b)""" % name, text)
            if match:
                found[key] = match.group(1)
    return found


def has_pip():
    return PathFinder.find_spec("pip", _search_path()) is not None


def _installed_version(folder, name):
    """A package's version from the name of its metadata beside it, or of the egg that it lies in."""
    import re
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
    """What the kernel lets an ordinary user do here, and whether one thread of Python runs at a time."""
    return {"clear_refs": proc.can_reset_peak(), "exec_memory": _may_make_code(), "smaps_rollup": os.access("/proc/self/smaps_rollup", os.R_OK),
            "gil": getattr(sys, "_is_gil_enabled", lambda: True)()}


def _may_make_code():
    """Whether a program may make memory executable, as SELinux may forbid; valgrind runs everything from such memory."""
    try:
        import mmap
        mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                  prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    except (ImportError, PermissionError) as error:
        return isinstance(error, ImportError)  # nobody forbade it
    return True
