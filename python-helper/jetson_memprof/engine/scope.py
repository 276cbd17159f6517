"""Which source files are the user's own: those of the project, without what is installed inside it."""
import os

from ..notebook.names import is_cell

_INSTALLED = ("site-packages", "dist-packages", ".venv", "__pypackages__")


def _has_text(path):
    return os.path.isfile(path) or is_cell(path)


class Scope(object):
    """Answers for one project root. Paths are compared after following symlinks."""

    def __init__(self, project_root):
        self.start_folder = os.getcwd()
        self.root = os.path.realpath(project_root)
        self._prefix = self.root.rstrip(os.sep) + os.sep
        helper = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
        self._foreign = tuple(folder + os.sep for folder in (
            os.path.dirname(os.path.realpath(os.__file__)),
            os.path.join(helper, "jetson_memprof"),
            os.path.join(helper, "boot"),
        ))
        self._environments = {}

    def measured(self, filename):
        """The real path of a code object's `co_filename` where it is to be measured, else None."""
        if not filename or filename.startswith("<"):
            return None
        path = filename
        if not os.path.isabs(path):  # relative to where Python was started, even after a chdir
            path = os.path.join(self.start_folder, filename)
            if not os.path.isfile(path):
                path = os.path.abspath(filename)
        path = os.path.realpath(path)
        if not path.startswith(self._prefix) or path.startswith(self._foreign) or not _has_text(path):
            return None
        folders = path[len(self._prefix):].split(os.sep)[:-1]
        if any(name in _INSTALLED for name in folders):
            return None
        folder = self.root
        for name in folders:
            folder = os.path.join(folder, name)
            if self._is_environment(folder):
                return None
        return path

    def _is_environment(self, folder):
        known = self._environments.get(folder)
        if known is None:
            known = os.path.isfile(os.path.join(folder, "pyvenv.cfg")) or os.path.isdir(os.path.join(folder, "conda-meta"))
            self._environments[folder] = known
        return known
