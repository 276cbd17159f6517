"""Sees what autograd saves, by PyTorch's saved_tensors_hooks (1.10 and later), and gives it back unchanged.

Hooks are a stack of each thread, so ours go on only where the program has none of its own: a checkpoint or a
save_on_cpu would not see what it is there for. After a root has returned they stay until backward begins, so that
what a loss function saves is seen; a program's own hooks take them off before. While backward runs on a thread the
stack there is a copy, whose entries are not counted (PyTorch 1.13): it is left alone then.
"""
import sys
import threading
import weakref


#: The functions of torch.autograd that run it.
_BACKWARD = ("backward", "grad", "_engine_run_backward")


class Packed(object):
    """What stands for a saved tensor in the graph: alive as long as the graph holds it."""

    __slots__ = ("tensor", "version", "step", "__weakref__")

    def __init__(self, tensor, step):
        # An output would keep the graph that made it, in a circle that nobody sees.
        self.tensor = tensor if tensor.is_leaf else tensor.detach()
        self.version = tensor._version
        self.step = step


class SavedTensors(object):
    """`saw(step, tensor, reference)` is told of each tensor that is saved, `begins(step)` when backward begins."""

    def __init__(self, torch, saw, begins):
        self._saw = saw
        self._begins = begins
        self._core = torch._C._autograd
        self._class = torch.autograd.graph.saved_tensors_hooks
        self._nests = not hasattr(self._core, "_register_saved_tensors_default_hooks")  # 1.10: one pair at a time
        self._here = _Here()
        self._hooks = self._class(self._pack, self._unpack)
        self._enter, self._exit = self._class.__enter__, self._class.__exit__
        self._disable = getattr(self._core, "_saved_tensors_hooks_disable", None)
        self._watch_the_programs_own()

    def start(self, step):
        """False where the program's own hooks are on: nothing can be seen then."""
        here = self._here
        if here.programs or _backward_runs():
            return False
        if not here.on:
            try:
                self._enter(self._hooks)
            except RuntimeError:  # forbidden just now, as under torch.func's transforms
                return False
            here.on = True
        here.step, here.running = step, True
        return True

    def returned(self):
        """The step's root has returned: what comes is saved after it."""
        self._here.running = False

    def resume(self, step):
        """An inner step is over: what comes is saved after the outer one's root."""
        self._here.step = step

    def current(self):
        return self._here.step if self._here.on else None

    def stop(self):
        """On the calling thread; another one's go at the next tensor that is saved there."""
        self._pop()

    def remove(self):
        self.stop()
        self._class.__enter__, self._class.__exit__ = self._enter, self._exit
        if self._disable is not None:
            self._core._saved_tensors_hooks_disable = self._disable
        self._here.step = None

    def _pop(self):
        here = self._here
        if here.on and not _backward_runs():
            here.on = False
            self._exit(self._hooks)

    def _pack(self, tensor):
        here = self._here
        step = here.step
        packed = Packed(tensor, step)
        if step is None or step.in_backward or step.over:
            self._pop()  # ours are the innermost, as they were asked
        else:
            self._saw(step, tensor, weakref.ref(packed))
        return packed

    def _unpack(self, packed):
        step = packed.step
        if step is not None and not step.in_backward:
            step.in_backward = True
            self._begins(step)
        if packed.tensor._version != packed.version:  # autograd does not look, where there are hooks
            raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                               "operation: [%s %s] is at version %d; expected version %d instead."
                               % (packed.tensor.type(), list(packed.tensor.shape), packed.tensor._version,
                                  packed.version))
        return packed.tensor

    def _watch_the_programs_own(self):
        here, enter, leave, disable = self._here, self._enter, self._exit, self._disable

        def __enter__(hooks):
            if here.on and (not here.running or not self._nests):
                self._give_way()
            result = enter(hooks)
            here.programs += 1
            return result

        def __exit__(hooks, *exception):
            here.programs -= 1
            return leave(hooks, *exception)

        def _saved_tensors_hooks_disable(*arguments, **named):
            if here.on and not here.programs:
                self._give_way()
            return disable(*arguments, **named)

        self._class.__enter__, self._class.__exit__ = __enter__, __exit__
        if disable is not None:
            self._core._saved_tensors_hooks_disable = _saved_tensors_hooks_disable

    def _give_way(self):
        if self._here.running:
            self._here.step.unseen = True
        self._pop()


class _Here(threading.local):
    """Of one thread: whether our hooks are on, for which step, whether its root runs; how many the program has on."""

    on = False
    step = None
    running = False
    programs = 0


def _backward_runs():
    """Whether this thread is inside PyTorch's backward."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _BACKWARD and "/torch/autograd/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
