"""Where the board's own files are: below `/`, or below a folder that stands for a board (captured or made up).

All readers of the board's files take a System, so that a captured board can be replayed. A file there may be
anything: nothing here waits for a pipe, reads a device or reads without end.
"""
import os

from ..files import read_some

VARIABLE = "JETSON_MEMPROF_SYSTEM_ROOT"
_UNNAMED = "another system"
_LONGEST_NAME = 100
_PROGRAM_FOLDERS = ("usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin")


class System(object):
    """`simulated` is the name of what stands for the board, None where the files are this machine's own."""

    def __init__(self, root="/"):
        self.root = "/" + os.path.abspath(root).lstrip("/")
        self.simulated = None if self.root == "/" else self._name()

    def path(self, name):
        """Where a file of the board lies; `name` has no slash at its beginning."""
        return os.path.join(self.root, name)

    def read(self, name, limit=1 << 16):
        """The first bytes of a file, at most `limit`; OSError where there is none to read."""
        return read_some(self.path(name), limit)

    def text(self, name):
        """As read_text."""
        return read_text(self.path(name))

    def entries(self, name):
        """The sorted names in a folder; none where it cannot be read."""
        try:
            return sorted(os.listdir(self.path(name)))
        except OSError:
            return []

    def program(self, name):
        """The path of a program, None where it is not installed."""
        folders = [self.path(folder) for folder in _PROGRAM_FOLDERS]
        if self.simulated is None:
            folders = search_path() + folders
        for folder in folders:
            path = os.path.join(folder, name)
            if is_program(path):
                return path
        return None

    def _name(self):
        try:
            lines = self.read("SIMULATED", 4096).decode("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        name = "".join(one for one in lines[0] if one.isprintable()).strip() if lines else ""
        return name[:_LONGEST_NAME] or _UNNAMED


def here():
    """The board that this process is on, or what stands for it."""
    return System(os.environ.get(VARIABLE) or "/")


def search_path():
    """The absolute folders of PATH."""
    return [one for one in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def read_text(path):
    """The text of a small file without NULs, None where it cannot be read or is empty."""
    try:
        return read_some(path, 1 << 16).replace(b"\0", b"").decode("utf-8", "replace").strip() or None
    except OSError:
        return None
