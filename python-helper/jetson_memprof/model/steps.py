"""One forward of a root, and what autograd saved in it."""
from .tensors import dtype_of, scales, storage_of


class Storage(object):
    """A storage of this step. `holders` are weak references to what keeps it, `savers` those of autograd among them."""

    __slots__ = ("number", "size", "holders", "savers", "row")

    def __init__(self, number, size):
        self.number = number
        self.size = size
        self.holders = []
        self.savers = []
        self.row = None

    def held(self):
        return any(holder() is not None for holder in self.holders)

    def saved(self):
        return any(saver() is not None for saver in self.savers)


class Step(object):
    """`outer` is the step that a loss's own one lies in: storages that it has already are counted there."""

    def __init__(self, root, number, facts, inputs, batch, outer):
        self.root = root
        self.number = number
        self.facts = facts
        self.batch = batch
        self.outer = outer
        self.watched = False      # saved tensors are seen
        self.unseen = False       # no longer, or not all
        self.in_backward = False
        self.returned = False
        self.over = False         # nothing more is its own
        self.checkpointed = False
        self.chain = []           # rows of the record `chain`
        self._storages = {}
        self._rows = []           # storages that were saved, in that order, and not told yet
        self._inputs = set(found[0] for found in map(storage_of, inputs) if found is not None)

    def storage(self, tensor, holder, numbers):
        """(key, storage) of a tensor that `holder` refers to; None where it has none."""
        found = storage_of(tensor)
        if found is None:
            return None
        key, size = found
        storage = self._storages.get(key)
        if storage is None or not storage.held():  # its address may be another's now
            outer = self.outer._storages.get(key) if self.outer is not None else None
            number = outer.number if outer is not None and outer.held() and outer.row else numbers.fresh()
            storage = self._storages[key] = Storage(number, 0 if outer is not None and outer.number == number else size)
        storage.holders.append(holder)
        return key, storage

    def saw(self, tensor, holder, module, after, numbers):
        """`tensor` is saved while `module` (its number) runs, or `after` the root has returned."""
        found = self.storage(tensor, holder, numbers)
        if found is None:
            return
        key, storage = found
        storage.savers.append(holder)
        if storage.row is not None:
            return
        if self.root.owns(key) or self.outer is not None and self.outer.root.owns(key):
            return
        part = "input" if key in self._inputs else "after" if after else "layer"
        shape = list(tensor.shape)
        storage.row = [module, storage.number, storage.size, shape, dtype_of(tensor), scales(shape, self.batch), part]
        self._rows.append(storage)

    def has_rows(self):
        return bool(self._rows)

    def take_rows(self, freed=False):
        """What was saved since the last time and is still held; with `freed`, the rest too."""
        rows = [storage.row for storage in self._rows if freed or storage.saved()]
        self._rows = []
        return rows

    def record(self, **more):
        return dict({"record": "step", "root": self.root.number, "step": self.number,
                     "checkpointed": self.checkpointed, "batch": self.batch}, **dict(self.facts, **more))
