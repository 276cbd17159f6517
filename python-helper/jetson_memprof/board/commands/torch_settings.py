"""What a `start` request asks to be recorded of PyTorch, checked."""
import os

from ... import lean_json
from .. import names
from ..errors import BoardError
from ..files import replace_file

_MOST_ENTRIES = 10 ** 6
# The figure that each kind of trial takes: its name, least and most.
_TRIALS = {"checkpoint": ("every", 1, 1000), "nano-batch": ("chunks", 2, 1000), "amp": None, "in-place": None}


class TorchSettings(object):
    """`exact_peaks`; `snapshots` {"entries", "checkpoint_s"} or None; `model` {"steps", "trial"} or None."""

    def __init__(self, request, engine):
        values = names.field(request, "torch", dict, {}, required=False)
        self.exact_peaks = names.field(values, "exact_peaks", bool, False, required=False)
        self.snapshots = self._snapshots(names.field(values, "snapshots", dict, None, required=False))
        self.model = self._model(names.field(values, "model", dict, None, required=False))
        if self.is_wanted and engine != "line":
            raise BoardError(
                "needs-line-engine", "Allocator snapshots, exact CUDA peaks and a model account are recorded by the "
                "engine line only; this run asks for the engine %s." % engine,
                "Choose the line engine, or leave them out.")

    @property
    def is_wanted(self):
        return self.exact_peaks or self.snapshots is not None or self.model is not None

    @staticmethod
    def _snapshots(values):
        if values is None:
            return None
        return {"entries": names.whole_number(values.get("entries"), "entries", 1, _MOST_ENTRIES),
                "checkpoint_s": names.whole_number(values.get("checkpoint_s"), "checkpoint_s", 1, 86400)}

    @staticmethod
    def _model(values):
        if values is None:
            return None
        trial = names.field(values, "trial", dict, None, required=False)
        return {"steps": names.whole_number(values.get("steps"), "steps", 1, 1000),
                "trial": None if trial is None else _trial(trial)}

    def begin(self, folder):
        """Make the file to whose end the run's processes will add. Raises OSError."""
        if self.snapshots is not None:
            header = lean_json.dumps({"schema": 1, "record": "header"}) + "\n"
            replace_file(os.path.join(folder, "allocator.jsonl"), header.encode("ascii"), sync=False)

    def spec(self, folder, began):
        """`torch` of spec.json; `folder` is the run's, `began` when the run did, on the clock of time.monotonic."""
        return {"exact_peaks": self.exact_peaks, "snapshots": self.snapshots, "model": self.model,
                "folder": folder, "began": began}


def _trial(values):
    kind = names.field(values, "kind", str)
    if kind not in _TRIALS:
        raise names.refuse("trial", kind)
    figure = _TRIALS[kind]
    if figure is None:
        return {"kind": kind}
    name, least, most = figure
    return {"kind": kind, name: names.whole_number(values.get(name), name, least, most)}
