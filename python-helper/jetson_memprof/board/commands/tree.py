"""File operations inside one folder that no symlink can lead out of.

Every step opens one path component relative to its parent without following
symlinks. A symlinked folder is followed only to where it leads inside the root.
Paths are text, relative, with `/`, already checked by names.relative_path.
"""
import os
import stat

from ..errors import BoardError
from ..files import make_folders

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Tree(object):
    """One folder; use as a context manager. Names cross this boundary as text, inside as bytes."""

    def __init__(self, root):
        make_folders(root)
        self.root = os.path.realpath(os.fsencode(root))
        self._fd = os.open(self.root, _FOLDER)
        self._checked = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._fd)

    def stat(self, path):
        """lstat of the path; None where there is nothing or the way there leads out."""
        try:
            folder, name = self._split(path)
            return os.lstat(b"%s/%s/%s" % (self.root, folder, name))
        except (BoardError, FileNotFoundError, NotADirectoryError):
            return None

    def is_folder(self, path):
        """Whether the path is a folder or a symlink to one."""
        return os.path.isdir(os.path.join(self.root, path.encode("utf-8")))

    def open_file(self, path):
        """A descriptor to read a regular file; OSError otherwise."""
        folder, name = self.parent(path)
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(22, "not a regular file", path)
        return fd

    def parent(self, path, make=None):
        """(descriptor of the folder that holds the path, its last name as bytes).

        With `make`, missing folders are made and it is called with each one's
        path. The caller closes the descriptor.
        """
        folder, name = self._split(path)
        fd = os.dup(self._fd)
        done = []
        try:
            for part in folder.split(b"/") if folder else ():
                done.append(part)
                if make is not None:
                    try:
                        os.mkdir(part, 0o755, dir_fd=fd)
                        make(b"/".join(done).decode("utf-8", "surrogateescape"))
                    except FileExistsError:
                        pass
                deeper = os.open(part, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = deeper
        except BaseException:
            os.close(fd)
            raise
        return fd, name

    def forget(self):
        """Folders were moved or made: look at their symlinks again."""
        self._checked.clear()

    def _split(self, path):
        """The folder relative to the root, symlinks resolved inside it, and the last name."""
        folder, _, name = path.encode("utf-8").rpartition(b"/")
        resolved = self._checked.get(folder)
        if resolved is None:
            real = os.path.realpath(os.path.join(self.root, folder)) if folder else self.root
            if real != self.root and not real.startswith(self.root.rstrip(b"/") + b"/"):
                raise BoardError(
                    "symlink-outside",
                    "%s lies behind a symlink that leads out of the project's folder on the board (%s), "
                    "so nothing was written there." % (path, real.decode("utf-8", "replace")),
                    "Remove the symlink on the board, or exclude this folder from the synchronisation.")
            resolved = os.path.relpath(real, self.root) if real != self.root else b""
            self._checked[folder] = resolved
        return resolved, name
