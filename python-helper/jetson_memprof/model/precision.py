"""Autocast (automatic mixed precision), whatever the version of PyTorch."""
import contextlib
import functools


class Precision(object):
    """Autocast on one kind of device, whatever the version of PyTorch. Without any, `makes` is None."""

    def __init__(self, torch, kind):
        self._torch = torch
        self._kind = kind
        if hasattr(torch, "autocast"):  # 1.10
            self.makes = functools.partial(torch.autocast, kind)
        else:
            cuda = getattr(torch.cuda, "amp", None)  # 1.6
            self.makes = cuda.autocast if kind == "cuda" and hasattr(cuda, "autocast") else None
        self.type = "float16" if kind == "cuda" else "bfloat16"

    def is_on(self):
        torch, kind = self._torch, self._kind
        try:
            return bool(torch.is_autocast_enabled(kind))  # 2.4
        except (TypeError, AttributeError):
            ask = "is_autocast_enabled" if kind == "cuda" else "is_autocast_cpu_enabled"
            return bool(getattr(torch, ask, lambda: False)())

    def again(self):
        """Makes the context that is on now, later."""
        if not self.is_on():
            return _nothing
        torch, kind = self._torch, self._kind
        if hasattr(torch, "get_autocast_dtype"):
            dtype = torch.get_autocast_dtype(kind)
        else:
            dtype = getattr(torch, "get_autocast_gpu_dtype" if kind == "cuda" else "get_autocast_cpu_dtype",
                            lambda: None)()
        return self.makes if dtype is None else functools.partial(self.makes, dtype=dtype)


@contextlib.contextmanager
def _nothing():
    yield
