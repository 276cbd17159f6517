"""The outermost modules that were called, and which modules are known to lie in one."""
import weakref

from .roots import Root

#: A script that makes its loss anew at each step is no reason to follow ever more roots.
_MOST_ROOTS = 64


class KnownRoots(object):
    """In the order of their numbers."""

    def __init__(self, torch):
        self._sequential = torch.nn.Sequential
        self._roots = []
        self._of = {}        # id of a root's module: Root
        self._losses = {}    # (type, place): Root, of those that own no tensors
        self._inside = {}    # id of a module of a root: weak reference

    def __iter__(self):
        return iter(self._roots)

    def of(self, module):
        """None where it was not called as a root yet."""
        root = self._of.get(id(module))
        return root if root is not None and root.module() is module else None

    def add(self, module, place):
        """A module that was called at that place; None where there are too many."""
        if len(self._roots) >= _MOST_ROOTS:
            return None
        root = Root(len(self._roots), module, place)
        if not root.has_tensors:
            known = self._losses.setdefault((root.type, place), root)
            if known is not root:
                known.attach(module)
                root = known
        if root.number == len(self._roots):
            self._roots.append(root)
        self._of[id(module)] = root
        root.see_chain(self._sequential)
        for inner in module.modules():
            self.see_inside(inner)
        return root

    def see_inside(self, module):
        self._inside[id(module)] = weakref.ref(module)

    def holds(self, module):
        """Whether it is one of a root's modules."""
        known = self._inside.get(id(module))
        return known is not None and known() is module
