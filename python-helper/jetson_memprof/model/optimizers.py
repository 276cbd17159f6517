"""Sees optimizers being made and their steps begin and end."""
import functools
import gc
import threading
import weakref

from .roots import size_once
from .tensors import one_byte_parts, tensors_in


class Optimizers(object):
    """`before(number, optimizer)` and `after(number, optimizer)` are called around each step of an optimizer.

    Steps are seen by the class: an instance keeps what it has, so it can be copied and saved as always.
    """

    def __init__(self, torch, before, after):
        self._class = torch.optim.Optimizer
        self._before = before
        self._after = after
        self._known = []      # weak references, by number
        self._classes = {}    # class: its own `step`
        self._here = threading.local()
        self._removed = False
        self._init = self._class.__init__

    def install(self, made):
        """`made` are the optimizers that are there already."""
        init, see = self._init, self._see

        @functools.wraps(init)
        def __init__(optimizer, *arguments, **named):
            init(optimizer, *arguments, **named)
            see(optimizer)

        self._class.__init__ = __init__
        for optimizer in made:
            see(optimizer)

    def alive(self):
        return [known() for known in self._known if known() is not None]

    def remove(self):
        self._removed = True
        self._class.__init__ = self._init
        for owner, step in self._classes.items():
            owner.step = step

    def _see(self, optimizer):
        self._known.append(weakref.ref(optimizer))
        for owner in type(optimizer).__mro__:
            if "step" in vars(owner):
                if owner not in self._classes and owner is not self._class:
                    self._classes[owner] = owner.step
                    owner.step = self._watched(owner.step)
                return

    def _watched(self, step):
        @functools.wraps(step)
        def watched(optimizer, *arguments, **named):
            # A scheduler may have kept this function.
            if self._removed or getattr(self._here, "optimizer", None) is not None:
                return step(optimizer, *arguments, **named)
            self._here.optimizer = number = self._number(optimizer)
            try:
                self._before(number, optimizer)
                result = step(optimizer, *arguments, **named)
                if not self._removed:
                    self._after(number, optimizer)
                return result
            finally:
                self._here.optimizer = None

        return watched

    def _number(self, optimizer):
        for number, known in enumerate(self._known):
            if known() is optimizer:
                return number
        self._known.append(weakref.ref(optimizer))  # copied, or unpickled
        return len(self._known) - 1


def made_before(torch):
    """The optimizers in this process, found without running any code of the program's."""
    return [thing for thing in gc.get_objects() if torch.optim.Optimizer in type(thing).__mro__]


def state_rows(optimizer, names, is_tensor):
    """([[name, number, bytes, {key: bytes}]] of the parameters in `names` (id: (name, number)), bytes of all others,
    bytes of all in elements of 8 bits)."""
    rows, other, packed, seen = [], 0, 0, set()
    for parameter, state in optimizer.state.items():
        sizes = {}
        for key, value in (state.items() if isinstance(state, dict) else [("state", state)]):
            tensors = tensors_in(value, is_tensor)
            size = sum(size_once(tensor, seen) for tensor in tensors)
            packed += sum(map(one_byte_parts, tensors)) if size else 0
            if size:
                sizes[str(key)] = size
        known = names.get(id(parameter))
        if known is None:
            other += sum(sizes.values())
        elif sizes:
            rows.append([known[0], known[1], sum(sizes.values()), sizes])
    return rows, other, packed
