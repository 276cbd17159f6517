"""Tells of the beginning and the end of each module's call, and keeps which are running on each thread."""
import sys
import threading

#: Files whose frames mean that a layer is computed once more, to save memory.
_RECOMPUTING = ("/torch/utils/checkpoint.py", "/jetson_memprof/model/trials/chunks.py")


class Call(object):
    """A module that is running. `frame` identifies the Python frame that calls it: an exception tells us nothing."""

    __slots__ = ("frame", "code", "module", "more")

    def __init__(self, frame, module, more):
        self.frame = id(frame)
        self.code = frame.f_code
        self.module = id(module)
        self.more = more


class Hooks(object):
    """Global hooks (1.5 and later), else around `Module.__call__`: `before(module, inputs, frame)`, `after(module,
    inputs, output, frame)`; `frame` is the Python frame that both are called from."""

    def __init__(self, torch, before, after):
        self._module = torch.nn.modules.module
        self._before = before
        self._after = after
        self._handles = []
        self._call = None
        self._followed = False

    def install(self):
        register = getattr(self._module, "register_module_forward_pre_hook", None)
        if register is not None:
            self._handles = [register(lambda module, inputs: self._before(module, inputs, sys._getframe(1)))]
        else:
            self._wrap()
        self.follow(True)

    def follow(self, followed):
        """Whether ends are told too."""
        if self._call is None and followed != self._followed:
            if followed:
                self._handles.append(self._module.register_module_forward_hook(
                    lambda module, inputs, output: self._after(module, inputs, output, sys._getframe(1))))
            else:
                self._handles.pop().remove()
        self._followed = followed

    def _wrap(self):
        call = self._call = self._module.Module.__call__

        def __call__(module, *inputs, **named):
            frame = sys._getframe()
            self._before(module, inputs, frame)
            output = call(module, *inputs, **named)
            if self._followed:
                self._after(module, inputs, output, frame)
            return output

        self._module.Module.__call__ = __call__

    def remove(self):
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._call is not None:
            self._module.Module.__call__ = self._call


class Stack(threading.local):
    """The running modules of one thread, outermost first."""

    def __init__(self):
        self.calls = []

    def unwind(self, frame):
        """Forget those that an exception has ended; `frame` is about to call a module."""
        if not self.calls:
            return
        running = {}
        at = frame.f_back  # the frame itself has begun no other call
        while at is not None:
            running[id(at)] = at.f_code
            at = at.f_back
        while self.calls and running.get(self.calls[-1].frame) is not self.calls[-1].code:
            self.calls.pop()

    def ended(self, frame):
        """Take off the call that `frame` has made, and what lies above it; None where it is not there."""
        for at in range(len(self.calls) - 1, -1, -1):
            if self.calls[at].frame == id(frame):
                call = self.calls[at]
                del self.calls[at:]
                return call
        return None


def recomputing(frame):
    """Whether a checkpoint is what calls it, the first time or in backward."""
    while frame is not None:
        if frame.f_code.co_filename.endswith(_RECOMPUTING):
            return True
        frame = frame.f_back
    return False
