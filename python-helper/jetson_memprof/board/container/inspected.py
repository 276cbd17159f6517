"""What an engine's `inspect` says of a container or an image, read with no trust in it."""
import os

from ... import lean_json
from .. import names

_MOST_MOUNTS = 200
#: Where a container has room for the helper and a run, in the order in which they are looked for.
_ROOMS = ("/tmp", "/var/tmp", "/run", "/dev/shm")
_FOLDER = "jetson-memprof"
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def first_of(text):
    """The one object of an engine's inspection; None where it is none."""
    try:
        value = lean_json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, dict) else None


def _part(value, *names):
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value, *names):
    found = _part(value, *names)
    return found if isinstance(found, str) and found.isprintable() and len(found) <= 4096 else None


def _number(value, *names):
    found = _part(value, *names)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


class Container(object):
    """A container as its engine describes it."""

    def __init__(self, value):
        self.id = _text(value, "Id")
        self.name = (_text(value, "Name") or "").lstrip("/") or None
        self.image = _text(value, "Config", "Image") or _text(value, "ImageName") or _text(value, "Image")
        self.running = _part(value, "State", "Running") is True and _part(value, "State", "Paused") is not True
        self.paused = _part(value, "State", "Paused") is True
        self.pid = _number(value, "State", "Pid") or None
        self.exit_code = _number(value, "State", "ExitCode")
        self.out_of_memory = _part(value, "State", "OOMKilled") is True
        self.user = _text(value, "Config", "User") or ""
        self._read_only = _part(value, "HostConfig", "ReadonlyRootfs") is True
        tmpfs = _part(value, "HostConfig", "Tmpfs")
        self._tmpfs = [one for one in (tmpfs if isinstance(tmpfs, dict) else {}) if os.path.isabs(one)]
        listed = _part(value, "Mounts")
        self.mounts = []
        for mount in (listed if isinstance(listed, list) else [])[:_MOST_MOUNTS]:
            source, to = _text(mount, "Source"), _text(mount, "Destination")
            if to is not None and os.path.isabs(to):
                self.mounts.append((source, os.path.normpath(to), _part(mount, "RW") is not False))

    def place_of(self, path):
        """Where a folder of the host is in the container, by its mounts; None where it is not there."""
        found = None
        for source, to, _ in self.mounts:
            if source is None or not os.path.isabs(source):
                continue
            source = os.path.normpath(source)
            below = path == source or path.startswith(source.rstrip("/") + "/")
            # The innermost source is what was named last on purpose.
            if below and (found is None or len(source) > found[0]):
                found = len(source), os.path.normpath(to + path[len(source.rstrip("/")):])
        if found is None or self._is_hidden(found[1], path):
            return None
        return found[1]

    def _is_hidden(self, place, path):
        """Whether another mount lies over that place."""
        owner = max((one for one in self.mounts if place == one[1] or place.startswith(one[1].rstrip("/") + "/")),
                    key=lambda one: len(one[1]))
        source = owner[0]
        return source is None or not (path == source or path.startswith(source.rstrip("/") + "/"))

    def room(self):
        """The folder in the container for the helper and the run, which nobody else's user in it has."""
        user = "".join(one for one in self.user.split(":")[0] if one in _LETTERS)
        name = _FOLDER + ("-" + user if user else "")
        return os.path.join(self._parent(), name)

    def described(self, engine, made, root, project_root):
        """What home is told, and tells `start` again; inside.Inside reads it."""
        return {"engine": engine.name, "program": names.portable(engine.program), "id": self.id,
                "name": self.name or self.id[:12], "image": self.image or "", "pid": self.pid, "made": made,
                "out_of_memory": self.out_of_memory,
                "exec": ["exec", "--interactive", self.id], "root": names.portable(root),
                "project_root": None if project_root is None else names.portable(project_root)}

    def _parent(self):
        if not self._read_only:
            return _ROOMS[0]
        writable = set(self._tmpfs) | {to for _, to, writes in self.mounts if writes}
        for one in _ROOMS[:-1]:
            if one in writable:
                return one
        return _ROOMS[-1]


def is_of_this_machine(architecture, machine):
    """Whether an image for that architecture (as engines name them) runs here; True where it does not say."""
    same = {"amd64": "x86_64", "arm64": "aarch64", "arm": "armv7l", "386": "i686"}
    if not architecture:
        return True
    return same.get(architecture, architecture) == machine or (architecture == "386" and machine == "x86_64") \
        or (architecture == "arm" and machine in ("armv6l", "armv8l"))
