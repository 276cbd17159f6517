"""Changes to a model that are made for one run, because the user asked what they would do. Its files stay as they are."""


class Refused(Exception):
    """Says in words why a change cannot be made."""


class Trial(object):
    """One change. `settings` is what was asked for, as it is recorded."""

    def __init__(self, settings):
        self.settings = settings

    def install(self, torch):
        """PyTorch has just been imported."""

    def apply(self, module):
        """The model is about to run with gradients for the first time. Returns what was changed, None where that is known
        only after this run; raises Refused."""
        raise NotImplementedError

    def enters(self, module, tensor, storage):
        """A layer of the model begins on this tensor, in its first run."""

    def finishes(self, outputs, saved_by_others):
        """The first run with gradients is over, where `apply()` returned None. `saved_by_others(storage, module)` tells
        whether autograd keeps it for another layer. Returns what was changed, raises Refused."""


def make(settings):
    """The trial of the specification of a run; None where none is asked for."""
    if settings is None:
        return None
    from . import amp, in_place, recompute
    kinds = {"checkpoint": recompute.Checkpoint, "nano-batch": recompute.NanoBatch, "amp": amp.Amp,
             "in-place": in_place.InPlace}
    return kinds[settings["kind"]](settings)
