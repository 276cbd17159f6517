"""Runs the model account in this process, on real PyTorch where it is there."""
import unittest

from truth import harness  # noqa: F401  (puts the helper on sys.path)
from jetson_memprof.model.account import Account
from jetson_memprof.model.optimizers import made_before
from jetson_memprof.model.trials import make

try:
    import torch
except ImportError:
    torch = None

needs_torch = unittest.skipIf(torch is None, "this Python has no PyTorch")


class Kept(list):
    """Records that are kept instead of written."""

    def write(self, *records):
        self.extend(records)


class Still(object):
    """A memory that does not move."""

    measure = "rss"

    def begin(self):
        return 1000

    def end(self):
        return 3000


class Accounted(object):
    """An account over a `with` block: `records`, `warnings`. `place` is that of every first call."""

    def __init__(self, steps=3, trial=None, memory=None):
        self.records = Kept()
        self.warnings = []
        self._trial = make(trial)
        if self._trial is not None:
            self._undo = torch.nn.Sequential.forward, torch.nn.Module.__call__
            self._trial.install(torch)
        self.account = Account(torch, self.records, steps, memory or Still(), False, lambda frame: ("train.py", 7),
                               lambda error: isinstance(error, KeyError), self._trial, self.warnings.append)

    def __enter__(self):
        self.account.start(made_before(torch))
        return self

    def __exit__(self, *_):
        self.account.finish()
        if self._trial is not None:
            torch.nn.Sequential.forward, torch.nn.Module.__call__ = self._undo

    def of(self, kind, **wanted):
        return [record for record in self.records if record["record"] == kind
                and all(record[key] == value for key, value in wanted.items())]

    def rows(self, root=0, step=1):
        return [row for record in self.of("activations", root=root, step=step) for row in record["rows"]]

    def saved(self, step=1):
        """Bytes of all that autograd saved at a step, the model's inputs too, over the model and its losses."""
        return sum(row[2] for record in self.of("activations", step=step) for row in record["rows"])

    def owned(self, kind="parameters", root=0):
        return sum(row[2] for record in self.of("module", root=root) for row in record[kind])


def saved_in_graph(tensor, owned):
    """Bytes of the storages in the graph behind `tensor`, by the `_saved_*` attributes of its nodes: what PyTorch
    itself says it has saved. `owned` are parameters and buffers, which do not count."""
    known = set(_address(each) for each in owned)
    total, seen, waiting = 0, set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting.extend(following for following, _ in node.next_functions)
        for name in dir(node):
            if not name.startswith("_saved_"):
                continue
            value = getattr(node, name)
            for saved in value if isinstance(value, (list, tuple)) else [value]:
                if torch.is_tensor(saved) and saved.numel() and _address(saved) not in known:
                    known.add(_address(saved))
                    storage = _storage(saved)
                    total += storage.nbytes() if hasattr(storage, "nbytes") else storage.size() * saved.element_size()
    return total


def _storage(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()


def _address(tensor):
    return _storage(tensor).data_ptr()
