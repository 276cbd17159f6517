"""Activations that write over their input, where nobody else needs it."""
from . import Refused, Trial

#: Of torch.nn: those whose backward needs their result or a mask, so that working in place saves their input.
_KINDS = ("ReLU", "ReLU6", "Hardtanh", "LeakyReLU", "ELU", "CELU", "Threshold", "RReLU", "Dropout", "Dropout2d",
          "Dropout3d", "AlphaDropout")
_MARK = "jetson-memprof: inputs of activations"


class InPlace(Trial):
    """The first run shows which: the input must have been made by an operation that nothing else reads, and nobody but
    the activation may have saved it."""

    def install(self, torch):
        self._candidates = []
        self._seen = {}
        self._kinds = tuple(getattr(torch.nn, name) for name in _KINDS if hasattr(torch.nn, name))

    def apply(self, module):
        self._candidates = [inner for inner in module.modules()
                            if type(inner) in self._kinds and not inner.inplace]
        if not self._candidates:
            raise Refused("The model has no activation layer (torch.nn.ReLU and its like) that could work in place.")
        return None

    def enters(self, module, tensor, storage):
        if not any(module is candidate for candidate in self._candidates):
            return
        node = tensor.grad_fn
        # In a leaf, or in a view of another tensor, it would write over what the program has.
        known = node is not None and tensor._base is None
        runs = self._seen.setdefault(id(module), [])
        if known:
            node.metadata.setdefault(_MARK, []).append((id(module), len(runs)))
        runs.append(storage if known else None)

    def finishes(self, outputs, saved_by_others):
        readers = _readers([tensor.grad_fn for tensor in outputs if tensor.grad_fn is not None])
        done = 0
        for module in self._candidates:
            runs = self._seen.get(id(module), [])
            if runs and all(storage is not None and readers.get((id(module), at)) == 1
                            and not saved_by_others(storage, module) for at, storage in enumerate(runs)):
                module.inplace = True
                done += 1
        left, self._candidates, self._seen = len(self._candidates) - done, [], {}
        if not done:
            raise Refused("The input of each of the %d activation layers is needed elsewhere, or is not known to be free."
                          % left)
        if left:
            return ("%d activation layers, from the second step on; %d others stay as they were, as their input is needed "
                    "elsewhere" % (done, left))
        return "%d activation layers, from the second step on" % done


def _readers(nodes):
    """{mark: how many operations read the result of the operation that is marked}, over the graph behind `nodes`."""
    found, seen, waiting = {}, set(), list(nodes)
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for reader, _ in node.next_functions:
            if reader is not None:
                for mark in reader.metadata.get(_MARK, ()):
                    found[mark] = found.get(mark, 0) + 1
                waiting.append(reader)
    return found
