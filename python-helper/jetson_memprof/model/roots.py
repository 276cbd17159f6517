"""An outermost module, its layers by number, and the tensors that they own."""
import weakref

from ..json_text import portable
from .chain import longest_sequential
from .tensors import dtype_of, storage_of
from .tuning import beside_packed, tuning_record


class Numbers(object):
    """Numbers of storages, one for each in a process. A parameter keeps its first one wherever it is moved."""

    def __init__(self):
        self._last = -1
        self._of_storage = {}  # key: (weak reference to a tensor that it belongs to, number)
        self._of_tensor = {}   # id: (weak reference, number)

    def fresh(self):
        self._last += 1
        return self._last

    def of_owned(self, tensor, key):
        """(number, whether it is told for the first time) of a parameter's or buffer's storage."""
        known = self.known(tensor)
        if known is not None:
            return known, False
        reference, number = self._of_storage.get(key, (None, None))
        first = reference is None or reference() is None
        if first:
            number = self.fresh()
            self._of_storage[key] = weakref.ref(tensor), number
        self._of_tensor[id(tensor)] = weakref.ref(tensor), number
        return number, first

    def known(self, tensor):
        reference, number = self._of_tensor.get(id(tensor), (None, None))
        return number if reference is not None and reference() is tensor else None


class Root(object):
    """`modules` are numbered as `named_modules()` lists them; what is found running besides gets the next numbers."""

    def __init__(self, number, module, place):
        self.number = number
        self.place = place            # (path, line) where it was first called, or None
        self.told = False
        self.trained = 0              # steps with gradients that were recorded,
        self.evaluated = 0            # and without
        self.forwards = 0
        self.batches = set()
        self.chain = frozenset()      # numbers of the layers that run one after the other
        self.unwritten_gradients = None  # number of a recorded step whose gradients are not written yet
        self._owned = {}              # storage of a parameter or buffer: weak reference to that
        self.attach(module)

    def attach(self, module):
        self.type = type(module).__name__
        self._reference = weakref.ref(module)
        self._indices = {}            # id: index of a module
        self._modules = []            # weak references
        self._names = []
        for name, inner in module.named_modules():
            self._add(name, inner)
        self.has_tensors = any(True for _ in module.parameters()) or any(True for _ in module.buffers())

    def module(self):
        return self._reference()

    def _add(self, name, module):
        self._indices[id(module)] = len(self._modules)
        self._modules.append(weakref.ref(module))
        self._names.append(name)
        return len(self._names) - 1

    def index(self, module):
        """Its number, None for one that is not (or no longer) known."""
        index = self._indices.get(id(module))
        return index if index is not None and self._modules[index]() is module else None

    def see_chain(self, sequential):
        """`sequential` is the class of PyTorch's."""
        chain = longest_sequential(self.module(), sequential)
        self.chain = frozenset(map(self.index, chain) if chain is not None else ())

    def found(self, module, parent, numbers):
        """A module that runs inside and is no attribute of any: (its number, its record)."""
        name = "%s(%s)" % (self._names[parent] + "." if self._names[parent] else "", type(module).__name__)
        index = self._add(name, module)
        return index, self._module_record(index, parent, module, numbers)

    def see_owned(self):
        """Take in where its parameters and buffers lie now."""
        module = self.module()
        tensors = list(module.parameters()) + list(module.buffers())
        found = ((_storage(tensor), tensor) for tensor in tensors)
        self._owned = dict((storage[0], weakref.ref(tensor)) for storage, tensor in found if storage is not None)

    def owns(self, key):
        """Whether that storage is a parameter's or a buffer's; of some, batch norms have another at each step."""
        tensor = self._owned[key]() if key in self._owned else None
        return tensor is not None and (_storage(tensor) or (None,))[0] == key

    def records(self, numbers):
        """The root's own record, one of each of its modules, and how it is fine-tuned."""
        module = self.module()
        first = next(module.parameters(), None)
        path, line = self.place or (None, None)
        yield {"record": "root", "root": self.number, "type": self.type, "path": path and portable(path), "line": line,
               "device": str(first.device) if first is not None else ""}
        indices = dict((name, index) for index, name in enumerate(self._names))
        for index, name in enumerate(self._names):
            inner = self._modules[index]()
            if inner is not None:
                parent = indices.get(name.rpartition(".")[0], 0) if index else None
                yield self._module_record(index, parent, inner, numbers)
        tuning = tuning_record(self.number, [(index, inner()) for index, inner in enumerate(self._modules)])
        if tuning is not None:
            yield tuning

    def _module_record(self, index, parent, module, numbers):
        kind = type(module)
        return {"record": "module", "root": self.number, "module": index, "parent": parent, "name": self._names[index],
                "type": "%s.%s" % (kind.__module__, kind.__qualname__), "config": _config(module),
                "parameters": [row + [bool(tensor.requires_grad)] for row, tensor in _rows(module._parameters, numbers)],
                "buffers": [row for row, _ in _rows(dict(module._buffers, **beside_packed(module)), numbers)]}

    def gradients(self, numbers):
        """[[name, the parameter's storage, bytes of its gradient]], each of these bytes counted once."""
        rows, seen = [], set()
        for name, parameter in self.module().named_parameters():
            # One that was computed, as of a copied TorchScript module, has none, and warns when asked.
            gradient, number = parameter.grad if parameter.is_leaf else None, numbers.known(parameter)
            if gradient is None or number is None:
                continue
            size = size_once(gradient, seen)
            rows.append([name, number, size])
        return rows


def size_once(tensor, seen):
    """Bytes of its storage, 0 where `seen` has it already."""
    found = _storage(tensor)
    if found is None:  # sparse, for one
        if tensor.device.type == "meta":  # a shape without memory
            return 0
        if tensor.is_sparse:
            return size_once(tensor._values(), seen) + size_once(tensor._indices(), seen)
        return tensor.numel() * tensor.element_size()
    key, size = found
    if key in seen:
        return 0
    seen.add(key)
    return size


def is_lazy(tensor):
    """Its shape is found out by the first forward (1.8 and later)."""
    return type(tensor).__name__ in ("UninitializedParameter", "UninitializedBuffer")


def _storage(tensor):
    return None if is_lazy(tensor) else storage_of(tensor)


def _rows(tensors, numbers):
    for name, tensor in tensors.items():
        found = _storage(tensor) if tensor is not None else None
        if found is not None:
            number, first = numbers.of_owned(tensor, found[0])
            yield [name, number, found[1] if first else 0, list(tensor.shape), dtype_of(tensor)], tensor


def _config(module):
    """As the module prints itself. That may be the program's own code."""
    try:
        return str(module.extra_repr())[:2000]
    except Exception:
        return ""
