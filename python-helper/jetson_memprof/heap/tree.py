"""The call tree of some stacks, as massif writes it: from the allocation outwards, small parts folded together."""
from math import sqrt

ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
#: Of the whole, in percent; massif's own default is 1.
THRESHOLD = 0.05
#: Frames that are the loop of Python's interpreter: where it runs lines of the program, these are shown in its place.
_LOOP = "_PyEval_Eval"


class _Node(object):
    """What goes through a frame; `parts` as lines_of has them."""
    __slots__ = ("label", "held", "variance", "parts")

    def __init__(self, label):
        self.label = label
        self.held = 0
        self.variance = 0.0
        self.parts = []

    def add(self, part):
        self.held += part[1]
        self.variance += part[2]
        self.parts.append(part)

    def below(self, depth):
        """The nodes of the frames at that depth."""
        found = {}
        for part in self.parts:
            if depth < len(part[0]):
                key, text = part[0][depth]
                node = found.get(key)
                if node is None:
                    node = found[key] = _Node(text)
                node.add(part)
        return found.values()


class Labels(object):
    """The text of each frame's key, of a call of CUDA with its GPU if `tells_gpus`. `of(key)` is ((what it is told apart by,
    text), whether it is the interpreter's loop): there may be millions of frames, so the pair is always the same one."""

    def __init__(self, modules, names, python_name, tells_gpus=False):
        self._modules = modules
        self._names = names
        self._python_name = python_name
        self._known = {}
        self._tells_gpus = tells_gpus

    def of(self, key):
        known = self._known.get(key)
        if known is None:
            made = self._make(key)
            known = self._known[key] = made[:2], made[2]
        return known

    def _make(self, key):
        from . import layout
        module, address = key >> layout.MODULE_SHIFT, key & layout.ADDRESS_MASK
        if module == layout.GPU:
            from .gpu_names import call_name, gpu_of
            gpu = gpu_of(address) if self._tells_gpus else None
            return key, "0x%X: %s%s" % (key, call_name(address), "" if gpu is None else " on GPU %d" % gpu), False
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
    python = [label[0] for key, label in found if _is_python(key)]
    native = [label for key, label in found if not _is_python(key)]
    if python:
        loop = next((at for at, label in enumerate(native) if label[1]), len(native))
        native = native[:loop]
    return [label[0] for label in native] + python


def _is_python(key):
    from . import layout
    return key >> layout.MODULE_SHIFT == layout.PYTHON


def lines_of(parts, total, root_label=ROOT):
    """(massif's lines of the tree, the standard error of each of them) of parts [(frames, bytes, variance)]."""
    root = _Node(root_label)
    for part in parts:
        root.add(part)
    lines, errors = [], []
    _write(root, max(total, root.held) * THRESHOLD / 100, lines, errors)
    return lines, errors


def _write(root, least, lines, errors):
    """A loop, as stacks may be deeper than Python's own. What lies below a small part is never made: of a full log that would
    be a gigabyte."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, str):
            lines.append(node)
            errors.append(depth)
            continue
        below = node.below(depth)
        shown = sorted((each for each in below if each.held >= least and each.held), key=lambda each: (-each.held, each.label))
        small = [each for each in below if each.held < least or not each.held]
        count = len(shown) + (1 if small else 0)
        lines.append("%sn%d: %d %s" % (" " * depth, count, node.held, node.label))
        errors.append(int(round(sqrt(node.variance))))
        if small:
            held, variance = sum(each.held for each in small), sum(each.variance for each in small)
            text = "%sn0: %d in %s below massif's threshold (%.2f%%)" % (
                " " * (depth + 1), held, "1 place," if len(small) == 1 else "%d places, all" % len(small), THRESHOLD)
            waiting.append((text, int(round(sqrt(variance)))))
        waiting.extend((each, depth + 1) for each in reversed(shown))
