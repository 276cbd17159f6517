"""Layers that are computed once more in backward instead of keeping what they saved."""
import functools

from . import Refused, Trial
from .chunks import bounds_of, chunked
from ..chain import longest_sequential


class _OfChain(Trial):
    """Changes how the model's longest nn.Sequential runs, with gradients only. The class is changed when PyTorch is
    imported, as a module that is running already has its `forward` in hand."""

    def install(self, torch):
        self._torch = torch
        self._chain = None
        self._run = None
        original = torch.nn.Sequential.forward

        @functools.wraps(original)
        def forward(sequential, input):
            if sequential is self._chain and torch.is_grad_enabled():
                return self._run(input)
            return original(sequential, input)

        torch.nn.Sequential.forward = forward

    def apply(self, module):
        chain = longest_sequential(module, self._torch.nn.Sequential)
        if chain is None:
            raise Refused("The model has no nn.Sequential of two layers or more. Put its layers into one to try this.")
        applied, self._run = self._plan(list(chain))
        self._chain = chain
        return applied

    def _plan(self, layers):
        """(what is changed, as from `apply()`; what runs in the chain's place)."""
        raise NotImplementedError

    def _needs_gradient(self):
        # Where no input needs a gradient, a checkpoint would give its parameters none.
        return self._torch.empty(0, requires_grad=True)


class Checkpoint(_OfChain):
    """torch.utils.checkpoint around each group of so many consecutive layers."""

    def _plan(self, layers):
        from torch.utils import checkpoint
        every = self.settings["every"]
        groups = [layers[at:at + every] for at in range(0, len(layers), every)]
        steps = [functools.partial(self._group, group) for group in groups]
        options = _options(checkpoint.checkpoint)

        def run(value):
            for step in steps:
                value = checkpoint.checkpoint(step, value, self._needs_gradient(), **options)
            return value

        return "%d layers in %d groups" % (len(layers), len(groups)), run

    def _group(self, layers, value, _):
        # Gradients are on only when it runs again: then no running statistics are updated a second time.
        norms = [norm for norm in _norms(layers) if norm.track_running_stats] if self._torch.is_grad_enabled() else []
        for norm in norms:
            norm.track_running_stats = False
        try:
            for layer in layers:
                value = layer(value)
            return value
        finally:
            for norm in norms:
                norm.track_running_stats = True


class NanoBatch(_OfChain):
    """Each layer for one part of the batch after the other, forward and, computed once more, in backward. Whether a
    layer can be cut is tried on two samples when it first runs."""

    def _plan(self, layers):
        run_layer, chunks = chunked(self._torch), self.settings["chunks"]
        for at, layer in enumerate(layers):
            for norm in _norms([layer]):
                if norm.training or not norm.track_running_stats:
                    raise Refused("Layer %d of the chain has a %s that takes its statistics from the whole batch."
                                  % (at, type(norm).__name__))
        whole = self._whole = set()
        tried = set()
        self._applied = "%d layers, each in %d parts of the batch" % (len(layers), chunks)

        def run(value):
            for at, layer in enumerate(layers):
                if at not in tried:
                    tried.add(at)
                    if not self._can_be_cut(layer, value):
                        whole.add(at)
                if whole:  # all or nothing: half a change would tell nothing
                    value = layer(value)
                else:
                    value = run_layer.apply(layer, bounds_of(value.shape[0], chunks), self._needs_gradient(), value)
            return value

        return None, run

    def finishes(self, outputs, saved_by_others):
        if self._whole:
            raise Refused("Layer %d of the chain gives another result for a part of the batch than for the whole."
                          % min(self._whole))
        return self._applied

    def _can_be_cut(self, layer, value):
        """Two samples together give what they give apart. Dropout, which is drawn anew, is off meanwhile."""
        torch = self._torch
        if value.shape[0] < 2:
            return True
        modes = [(inner, inner.training) for inner in layer.modules()]
        pair = value[:2].detach()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            layer.eval()
            try:
                together, apart = layer(pair), [layer(pair[:1]), layer(pair[1:])]
            finally:
                for inner, training in modes:
                    inner.training = training
        return (all(map(torch.is_tensor, [together] + apart)) and together.shape[0] == 2
                and torch.allclose(together, torch.cat(apart), rtol=1e-3, atol=1e-5))


def _norms(layers):
    """Batch norms and their like, which keep running statistics or could."""
    return [inner for layer in layers for inner in layer.modules() if hasattr(inner, "track_running_stats")
            and (inner.track_running_stats or "BatchNorm" in type(inner).__name__)]


def _options(checkpoint):
    """The reentrant kind is the one that every version has; 2.x wants it named."""
    import inspect
    named = "use_reentrant" in inspect.signature(checkpoint).parameters
    return {"use_reentrant": True} if named else {}
