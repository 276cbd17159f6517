"""Calls back once a package has been imported, whoever imports it and when. Imports nothing itself."""
import sys


def when_imported(name, then):
    """Call `then()` right after the package `name` has been executed; at once where that was before."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Watch(name, then))


class _Watch(object):
    """A finder that finds what the others find. The loader is changed until it has loaded, then it is as it was."""

    def __init__(self, name, then):
        self._name = name
        self._then = then

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None) if finder is not self else None
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None:  # else a folder of that name, without code
                    self._hook(spec.loader)
                return spec
        return None

    def _hook(self, loader):
        def exec_module(module):
            del loader.exec_module
            loader.exec_module(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._then()

        loader.exec_module = exec_module
