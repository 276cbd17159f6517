"""Automatic mixed precision: autocast around the model and its loss."""
import functools
import threading

from . import Refused, Trial
from ..precision import Precision


class Amp(Trial):
    """Around each outermost call of a module: a `forward` that is running already could not be changed any more."""

    def install(self, torch):
        self._torch = torch
        self._precision = None
        self._here = _Here()
        call = torch.nn.Module.__call__

        @functools.wraps(call)
        def __call__(module, *inputs, **named):
            here = self._here
            if here.inside or self._precision is None and not self._takes(module):
                return call(module, *inputs, **named)
            here.inside = True
            try:
                with self._precision.makes():
                    output = call(module, *inputs, **named)
                return self._whole(output)
            finally:
                here.inside = False

        torch.nn.Module.__call__ = __call__

    def _takes(self, module):
        first = next(module.parameters(), None)
        if first is None:
            return False
        precision = Precision(self._torch, first.device.type)
        if precision.makes is None:
            return False
        self._precision = precision
        return True

    def apply(self, module):
        if self._precision is None:
            raise Refused("PyTorch %s has no autocast for the model's device." % self._torch.__version__)
        return ("autocast to %s in the model and its loss; the loss was not scaled, so the result of the training may "
                "differ" % self._precision.type)

    def _whole(self, output):
        """float32 again, as the program expects."""
        torch = self._torch
        if torch.is_tensor(output):
            return output.float() if output.dtype in (torch.float16, torch.bfloat16) else output
        if type(output) in (list, tuple):
            return type(output)(self._whole(item) for item in output)
        if type(output) is dict:
            return dict((key, self._whole(item)) for key, item in output.items())
        return output


class _Here(threading.local):
    inside = False
