"""Which phase of a program that uses PyTorch begins, told by the functions of torch that it enters first.

The engine meets each code object once, or each code object of the few files that matter here; nothing is hooked or patched.
"""
import os
import sys

from ..engine import layout
from ..engine.layout import (P_ALLOCATED, P_AVAILABLE, P_DEVICE_USED, P_FILE, P_LINE, P_NVMAP, P_PHASE, P_RESERVED, P_RSS,
                             P_STAMP, PHASES, UNKNOWN)
from .rows import Rows

#: Below torch's folder: file -> {function: phase}.
_FILES = {
    "__init__.py": {"<module>": "import-torch"},
    "cuda/__init__.py": {"_lazy_init": "cuda"},
    "nn/modules/module.py": {"to": "to-device", "cuda": "to-device", "_call_impl": "first-forward",
                             "_wrapped_call_impl": "first-forward", "__call__": "first-forward"},
    "_tensor.py": {"backward": "first-backward"},
    "tensor.py": {"backward": "first-backward"},
    "autograd/__init__.py": {"backward": "first-backward"},
}
_OPTIMIZERS, _NO_OPTIMIZER = "optim/", "optim/lr_scheduler.py"
_STEP = {"step": "first-step"}
_TORCH = os.sep + "torch" + os.sep


class TorchFile(object):
    """A file of torch some functions of which begin a phase. False like a file that is not measured."""
    __slots__ = ("functions", "_phase_of", "_phases")

    def __init__(self, phase_of, phases):
        self.functions = {}
        self._phase_of = phase_of
        self._phases = phases

    def __bool__(self):
        return False

    def enter(self, code):
        """A function of it is entered; returns whether a phase begins."""
        return self._phases.enter(self._phase_of.get(code.co_name))


class Phases(object):
    """`begun` are those that were entered, in that order; `due` is one whose figures are still to be taken, or None."""

    def __init__(self, counters):
        self._rows = Rows(counters, "phases", layout.PHASE_WORDS)
        self.begun = []
        self.due = None

    def file(self, filename):
        """The TorchFile of a code object's `co_filename`, None where it has nothing to do with a phase."""
        if _TORCH not in filename:
            return None
        folder = _torch_folder()
        if folder is None or not filename.startswith(folder):
            return None
        name = filename[len(folder):].replace(os.sep, "/")
        if name.startswith(_OPTIMIZERS) and name != _NO_OPTIMIZER:
            return TorchFile(_STEP, self)
        phase_of = _FILES.get(name)
        return None if phase_of is None else TorchFile(phase_of, self)

    def enter(self, phase):
        """A function that stands for the phase, or for none, is entered; returns whether it begins."""
        if phase is None or phase in self.begun or not _is_possible(phase):
            return False
        self.begin(phase)
        return True

    def begin(self, phase):
        self.begun.append(phase)
        self.due = phase

    def write(self, stamp, place, rss, board, allocated, reserved, device_used):
        """The figures with which the phase that is due begins; `place` is (file index, line) or None."""
        words, at = self._rows.new()
        file, line = (0, 0) if place is None else (place[0] + 1, place[1])
        words[at + P_STAMP], words[at + P_FILE], words[at + P_LINE], words[at + P_RSS] = stamp, file, line, rss
        for word, figure in ((P_AVAILABLE, board and board.available), (P_NVMAP, board and board.nvmap),
                             (P_ALLOCATED, allocated), (P_RESERVED, reserved), (P_DEVICE_USED, device_used)):
            words[at + word] = UNKNOWN if figure is None else figure
        words[at + P_PHASE] = PHASES.index(self.due) + 1
        self.due = None

    def reopen_in_child(self, counters):
        """In a forked process: what its parent has begun is not its own."""
        self._rows = Rows(counters, "phases", layout.PHASE_WORDS)
        self.due = None


def _torch_folder():
    """The folder of the torch that is being or was imported, with a separator at its end."""
    file = vars(sys.modules["torch"]).get("__file__") if "torch" in sys.modules else None
    return os.path.dirname(file) + os.sep if isinstance(file, str) else None


def _is_possible(phase):
    """A build of torch without CUDA cannot initialise it, though that function is entered."""
    core = sys.modules.get("torch._C")
    return phase != "cuda" or (core is not None and "_cuda_getDeviceCount" in vars(core))
