"""The call tree of some stacks, as massif writes it: from the allocation outwards, small parts folded together."""
from math import sqrt

ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
#: Of the whole, in percent; massif's own default is 1.
THRESHOLD = 0.05
#: Frames that are the loop of Python's interpreter: where it runs lines of the program, these are shown in its place.
_LOOP = "_PyEval_Eval"


class _Node(object):
    __slots__ = ("label", "held", "variance", "below")

    def __init__(self, label):
        self.label = label
        self.held = 0
        self.variance = 0.0
        self.below = {}


class Labels(object):
    """The text of each frame's key. `label(key)` is (what it is told apart by, text, whether it is the interpreter's loop)."""

    def __init__(self, modules, names, python_name):
        self._modules = modules
        self._names = names
        self._python_name = python_name
        self._known = {}

    def of(self, key):
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._make(key)
        return known

    def _make(self, key):
        from . import layout
        module, address = key >> layout.MODULE_SHIFT, key & layout.ADDRESS_MASK
        if module == layout.GPU:
            from .gpu_names import call_name
            return key, "0x%X: %s" % (key, call_name(address)), False
        if module == layout.PYTHON:
            name = self._python_name(address >> layout.FILE_SHIFT, address & layout.LINE_MASK)
            return key, "0x%X: %s" % (key, name), False
        if not 0 < module <= len(self._modules):
            return key, "0x%X: ???" % address, False
        path, bias = self._modules[module - 1]
        name = self._names.name(path, address)
        text = "0x%X: %s (in %s)" % (bias + address & (1 << 64) - 1, name or "???", _one_line(path))
        return (path, name) if name else key, text, bool(name) and name.lstrip("_").startswith(_LOOP.lstrip("_"))


def _one_line(path):
    return "".join(character if character.isprintable() else "?" for character in path)


def frames_of(keys, labels):
    """[(what it is told apart by, text)] of a stack's keys, innermost first. Where lines of Python are open, what lies
    outside of the interpreter's innermost loop is how they called each other."""
    found = [(key, labels.of(key)) for key in keys]
    python = [label[:2] for key, label in found if _is_python(key)]
    native = [label for key, label in found if not _is_python(key)]
    if python:
        loop = next((at for at, label in enumerate(native) if label[2]), len(native))
        native = native[:loop]
    return [label[:2] for label in native] + python


def _is_python(key):
    from . import layout
    return key >> layout.MODULE_SHIFT == layout.PYTHON


def lines_of(parts, total, root_label=ROOT):
    """(massif's lines of the tree, the standard error of each of them) of parts [(frames, bytes, variance)]."""
    root = _Node(root_label)
    for frames, held, variance in parts:
        node = root
        node.held += held
        node.variance += variance
        for key, text in frames:
            below = node.below.get(key)
            if below is None:
                below = node.below[key] = _Node(text)
            node = below
            node.held += held
            node.variance += variance
    lines, errors = [], []
    _write(root, 0, max(total, root.held) * THRESHOLD / 100, lines, errors)
    return lines, errors


def _write(node, depth, least, lines, errors):
    """A loop, as stacks may be deeper than Python's own."""
    waiting = [(node, depth)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, str):
            lines.append(node)
            errors.append(depth)
            continue
        shown = sorted((below for below in node.below.values() if below.held >= least and below.held),
                       key=lambda below: (-below.held, below.label))
        small = [below for below in node.below.values() if below.held < least or not below.held]
        count = len(shown) + (1 if small else 0)
        lines.append("%sn%d: %d %s" % (" " * depth, count, node.held, node.label))
        errors.append(int(round(sqrt(node.variance))))
        if small:
            held, variance = sum(below.held for below in small), sum(below.variance for below in small)
            text = "%sn0: %d in %s below massif's threshold (%.2f%%)" % (
                " " * (depth + 1), held, "1 place," if len(small) == 1 else "%d places, all" % len(small), THRESHOLD)
            waiting.append((text, int(round(sqrt(variance)))))
        waiting.extend((below, depth + 1) for below in reversed(shown))
