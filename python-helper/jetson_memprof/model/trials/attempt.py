"""The trial of a run: made once, with the first model that trains, and told in its record."""
from . import Refused


class Attempt(object):
    """`trial` is None where none was asked for."""

    def __init__(self, trial, records):
        self.untried = trial
        self.asked = trial is not None
        self._records = records
        self._pending = None  # its first run is on

    def begin(self, module):
        """The model is about to run with gradients."""
        trial, self.untried = self.untried, None
        if trial is not None:
            try:
                applied = trial.apply(module)
            except Refused as refusal:
                self._tell(trial, "", str(refusal))
            else:
                if applied is None:
                    self._pending = trial
                else:
                    self._tell(trial, applied, None)

    def watches(self):
        """Whether layers of this run are of interest."""
        return self._pending is not None

    def enters(self, module, tensor, storage):
        self._pending.enters(module, tensor, storage)

    def end(self, step, outputs):
        """The model's run is over."""
        trial, self._pending = self._pending, None
        if trial is not None:
            try:
                self._tell(trial, trial.finishes(outputs, _saved_by_others(step)), None)
            except Refused as refusal:
                self._tell(trial, "", str(refusal))

    def _tell(self, trial, applied, refused):
        self._records.write(dict(trial.settings, record="trial", applied=applied, refused=refused))


def _saved_by_others(step):
    """Whether autograd keeps a storage for another module than that one; so where it is not known, too."""
    def saved_by_others(storage, module):
        unknown = not step.watched or step.unseen
        return unknown or storage.saved() and storage.row is not None and storage.row[0] != step.root.index(module)
    return saved_by_others
