"""What people call the functions of native frames, found once for all processes of a run."""
import os
import subprocess
import sys
import time

from . import elf

#: Longer ones are cut: of C++ templates there are names of some 100 KiB.
_MOST_SHOWN = 1000
_DEMANGLES = r"""
import ctypes, sys
library = ctypes.CDLL("libstdc++.so.6")
demangle, free = library.__cxa_demangle, ctypes.CDLL(None).free
demangle.restype = ctypes.c_void_p
free.argtypes = [ctypes.c_void_p]
for line in sys.stdin.buffer.read().split(b"\n")[:-1]:
    found = demangle(line, None, None, None)
    sys.stdout.buffer.write((ctypes.string_at(found) if found else line).replace(b"\n", b" ") + b"\n")
    if found:
        free(found)
"""


class Names(object):
    """`late` says that the time was up before all were found; `changed` has the paths of files that are others now."""

    def __init__(self, until):
        self._until = until
        self._known = {}  # path: {address: name or None}
        self._plain = {}  # C++'s name in the file: as it is written
        self.late = False
        self.changed = set()

    def look_up(self, places, files=None):
        """Find those of `places`, {path: set of addresses in the file}; `files` {path: which one that was, as of a Log}."""
        for path, addresses in places.items():
            known = self._known.setdefault(path, {})
            missing = [address for address in addresses if address not in known]
            if missing:
                found = self._of_file(path, missing, (files or {}).get(path, ()))
                known.update((address, found.get(address)) for address in missing)
        mangled = set(name for known in self._known.values() for name in known.values()
                      if name and name.startswith("_Z") and name not in self._plain)
        self._plain.update(self._demangled(sorted(mangled)))

    def name(self, path, address):
        """None where the file does not say."""
        found = self._known.get(path, {}).get(address)
        return None if found is None else _shown(self._plain.get(found, found))

    def _of_file(self, path, addresses, identity=()):
        if not path.startswith("/"):
            return {}
        try:
            return elf.names(path, addresses, self._until, identity)
        except elf.Late:
            self.late = True
        except elf.Changed:
            self.changed.add(path)
        except (OSError, ValueError, MemoryError):  # it was replaced, or is not for us to read
            pass
        return {}

    def _demangled(self, mangled):
        for command in (["c++filt"], [sys.executable, "-I", "-S", "-c", _DEMANGLES]):
            found = self._by(command, mangled) if mangled else None
            if found is not None:
                return zip(mangled, found)
        return ()

    def _by(self, command, mangled):
        left = self._until - time.monotonic()
        if left <= 0:
            self.late = True
            return None
        environment = dict((name, value) for name, value in os.environ.items() if name != "LD_PRELOAD")
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       env=environment)
        except OSError:
            return None
        try:
            output, _ = process.communicate("".join(name + "\n" for name in mangled).encode("utf-8"), left)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        lines = output.decode("utf-8", "replace").split("\n")[:-1]
        return lines if process.returncode == 0 and len(lines) == len(mangled) else None


def _shown(name):
    text = "".join(character if character.isprintable() else "?" for character in name)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."
