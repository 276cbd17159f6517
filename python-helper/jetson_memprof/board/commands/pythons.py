"""Which Pythons are on the board, and which packages each would import. No package is imported to find out."""
import json
import os
import re
import sys
import time

from ..names import portable
from ..system.programs import ask
from ..system.system import is_program, search_path
from .order import HELPER

_MOST = 16
_MOST_FOLDERS = 200
# Together: a Nano starts Python in some 200 ms.
_ALL_S = 15.0
_NAME = re.compile(r"python3(\.\d+)?\Z")
# Below the home folder: where pyenv, conda and the tools for virtual environments put their interpreters.
_COLLECTIONS = (".pyenv/versions", ".virtualenvs", "venvs", "miniforge3/envs", "miniconda3/envs", "archiconda3/envs",
                "mambaforge/envs", "")
_ASK = """
import json, platform, sys
found = {"version": platform.python_version(), "executable": sys.executable}
if sys.version_info >= (3, 6):
    sys.path.insert(0, %r)
    from jetson_memprof.board.commands.identity import has_pip, packages, torch_build
    sys.path.pop(0)
    found.update(packages())
    found.update(torch_build())
    found["pip"] = has_pip()
print(json.dumps(found))
"""


def pythons(system):
    """The survey's `pythons`: the one that is used first."""
    until = time.monotonic() + _ALL_S
    found, seen = [], set()
    for path in [sys.executable] + _candidates(system):
        if _identity(path) in seen or len(found) == _MOST:
            continue
        seen.add(_identity(path))
        told = _told(path, min(5.0, until - time.monotonic()))
        if path == sys.executable:
            found.append(dict(_entry(path, told), used=True))
        elif told is not None:
            same = _identity(told.get("executable") or path)  # pyenv's shims start one of the others
            if same not in seen or same == _identity(path):
                seen.add(same)
                found.append(_entry(path, told))
    return found


def _entry(path, told):
    entry = {"path": portable(path)}
    told = told or {}
    entry.update((key, told.get(key)) for key in ("version", "torch", "memory_profiler", "psutil"))
    entry.update((key, told[key]) for key in ("torch_cuda", "pip") if key in told)
    return entry


def _told(path, seconds):
    """What a Python says of itself; None where it does not start."""
    if seconds < 0.2:
        return None
    said = ask([path, "-E", "-s", "-B", "-c", _ASK % HELPER], seconds)
    try:
        told = json.loads(said.output.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return told if isinstance(told, dict) else None


def _candidates(system):
    folders = [system.path(one) for one in ("usr/bin", "usr/local/bin")]
    if system.simulated is None:
        folders += search_path()
        home = os.path.expanduser("~")
        for collection in _COLLECTIONS:
            folders += _interpreters_below(os.path.join(home, collection))
        folders += [os.path.join(home, one, "bin") for one in ("miniforge3", "miniconda3", "archiconda3", "mambaforge")]
    paths = []
    for folder in dict.fromkeys(folders):
        try:
            names = sorted(name for name in os.listdir(folder) if _NAME.match(name))
        except OSError:
            continue
        paths += filter(is_program, [os.path.join(folder, name) for name in names])
    return paths


def _interpreters_below(folder):
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_FOLDERS), entries)]
    except OSError:
        return []
    return [os.path.join(folder, name, "bin") for name in sorted(names)
            if os.path.isfile(os.path.join(folder, name, "bin", "python3"))]


def _identity(path):
    """What makes two paths the same Python: the program, and the virtual environment it is in."""
    prefix = os.path.dirname(os.path.dirname(path))
    within = os.path.realpath(prefix) if os.path.exists(os.path.join(prefix, "pyvenv.cfg")) else None
    return os.path.realpath(path), within
