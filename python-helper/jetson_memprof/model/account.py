"""The account of one process: which layer holds which bytes, over the first steps of each model."""
import weakref

from ..cuda.system import memory_available
from .calls import Call, Hooks, Stack, recomputing
from .known import KnownRoots
from .memory import CudaAllocated
from .optimizers import Optimizers
from .parameters import ParameterRecords
from .precision import Precision
from .roots import Numbers, is_lazy
from .saved import SavedTensors
from .steps import Step
from .tensors import batch_of, dtype_of, storage_of, tensors_in
from .trials.attempt import Attempt

#: How many steps of a batch size that was not seen before are recorded beside the first ones.
_MORE_BATCHES = 2
#: For so many forwards per asked step the root's input is looked at, for another batch size or an evaluation.
_GLANCES = 50
_MOST_INPUTS = 16
#: A model that trains this many times longer than asked waits for no other.
_LONGEST = 4


class Account(object):
    """`trial` (or None) changes the first model with parameters. `place(frame)` is the (path, line) that called,
    `is_programs(error)` whether the program raised it, `warn(message)` tells the user. After a failure of its own the
    account is given up; the program never sees it."""

    def __init__(self, torch, records, steps, rss, exact_peaks, place, is_programs, trial, warn):
        self._torch = torch
        self._records = records
        self._asked = steps
        self._rss = rss
        self._exact_peaks = exact_peaks
        self._place = place
        self._is_programs = is_programs
        self._attempt = Attempt(trial, records)
        self._warn = warn
        self._numbers = Numbers()
        self._stack = Stack()
        self._roots = KnownRoots(torch)
        self._parameters = ParameterRecords(torch, records, self._numbers, self._roots)
        self._open = None    # the step whose memory is being measured: (step, memory)
        self._resting = False
        self._finished = False
        self._told = set()
        safe = self._safely
        self._hooks = Hooks(torch, safe(self._before), safe(self._after))
        graph = getattr(torch.autograd, "graph", None)
        self._saved = None
        if hasattr(graph, "saved_tensors_hooks"):
            self._saved = SavedTensors(torch, safe(self._saw), safe(self._backward))
        self._optimizers = Optimizers(torch, safe(self._before_step), safe(self._after_step))

    def start(self, optimizers):
        """`optimizers` are those that are there already."""
        self._hooks.install()
        self._optimizers.install(optimizers)

    def optimizers(self):
        return self._optimizers.alive()

    def untried(self):
        """The trial, where no model has run yet."""
        return self._attempt.untried

    def finish(self):
        """Write what is still open, and leave the program alone from here on."""
        self._safely(self._finish)()

    def _finish(self):
        if self._finished:
            return
        self._settle(False)
        self._parameters.write_gradients()
        self.remove()
        if any(root.told for root in self._roots):
            self._records.write({"record": "end", "steps": max(root.trained for root in self._roots)})

    def _safely(self, function):
        def safe(*arguments):
            try:
                return function(*arguments)
            except Exception as error:
                if self._is_programs(error):
                    raise
                self.give_up("%s: %s" % (type(error).__name__, error))
        return safe

    def remove(self):
        self._finished = True
        self._hooks.remove()
        self._optimizers.remove()
        if self._saved is not None:
            self._saved.remove()

    def give_up(self, message):
        self.remove()
        try:
            self._refuse(message)
        except OSError:  # that may be why
            self._warn(message)

    def _refuse(self, message):
        """Say once what is not accounted."""
        if message not in self._told:
            self._told.add(message)
            self._records.write({"record": "problem", "message": message})
            self._warn(message)

    # Calls of modules

    def _before(self, module, inputs, frame):
        if self._finished:
            return
        stack = self._stack
        stack.unwind(frame)
        if stack.calls:
            self._begin_inner(module, inputs, frame)
        elif self._resting and not self._wakes(module, inputs, frame):
            return
        elif self._torch._C._get_tracing_state() is None and not self._is_own(module, frame):
            self._begin(module, inputs, frame)

    def _is_own(self, module, frame):
        """A layer that is computed again in backward, or a copy of one."""
        if getattr(module, "_is_replica", False):
            self._refuse("The model runs as copies on several GPUs (DataParallel). What these save is not accounted.")
            return True
        return self._roots.holds(module) and recomputing(frame)

    def _begin_inner(self, module, inputs, frame):
        calls = self._stack.calls
        step, parent = calls[-1].more
        index = None
        if step is not None:
            root = step.root
            index = root.index(module)
            if index is None:
                index, record = root.found(module, parent, self._numbers)
                self._roots.see_inside(module)
                root.see_owned()
                if root.told:
                    self._records.write(record)
            step.checkpointed = step.checkpointed or recomputing(frame)
            self._see_link(step, module, index, inputs, None)
        calls.append(Call(frame, module, (step, index)))

    def _begin(self, module, inputs, frame):
        if isinstance(module, self._torch.jit.ScriptModule):
            self._refuse("%s was compiled by TorchScript (torch.jit): its layers run outside Python, so what they save "
                         "is not accounted. Run it without torch.jit to see it." % type(module).__name__)
            return
        tensors = self._tensors(inputs, frame)
        root = self._roots.of(module) or self._roots.add(module, self._place(frame))
        step = None
        if root is not None:
            if root.has_tensors:
                self._settle(False)
            step = self._step(root, module, tensors)
        if step is None:
            self._stack.calls.append(Call(frame, module, (None, None)))
            return
        # First, so that a trial's own changes are told before anything runs.
        if root.has_tensors and step.facts["grad"]:
            self._attempt.begin(module)
        self._stack.calls.append(Call(frame, module, (step, 0)))
        root.see_owned()
        if root.has_tensors:
            self._tell(root)
            memory = self._memory(module)
            self._open = step, memory
            step.facts.update(measure=memory.measure, mem_available=memory_available(),
                              memory_before=memory.begin())
            if root.told:
                self._records.write(step.record())
        if step.facts["grad"] and self._saved is not None:
            step.watched = self._saved.start(step)

    def _tensors(self, inputs, frame):
        """Those that a root is called with; hooks are told of arguments without a name only."""
        is_tensor = self._torch.is_tensor
        return tensors_in(inputs, is_tensor) or tensors_in(frame.f_locals.get("kwargs"), is_tensor)

    def _step(self, root, module, tensors):
        """The step to record, None where enough are."""
        grad, batch = self._torch.is_grad_enabled(), batch_of(tensors)
        root.forwards += 1
        if not self._is_wanted(root, batch):
            return None
        if grad:
            root.trained += 1
            root.batches.add(batch)
        else:
            root.evaluated += 1
        number = root.trained + root.evaluated if root.has_tensors else self._open[0].number
        facts = {"training": bool(module.training), "grad": grad,
                 "autocast": Precision(self._torch, _device(module)).is_on(),
                 "inputs": [[list(tensor.shape), dtype_of(tensor), (storage_of(tensor) or (None, 0))[1]]
                            for tensor in tensors[:_MOST_INPUTS]]}
        outer = self._saved.current() if self._saved is not None and not root.has_tensors else None
        return Step(root, number, facts, tensors, batch, outer)

    def _is_wanted(self, root, batch):
        if not root.has_tensors:  # a loss, as long as its model's step is looked at
            return self._open is not None and self._torch.is_grad_enabled()
        if not self._torch.is_grad_enabled():
            return root.evaluated < 1
        return root.trained < self._asked or batch not in root.batches and len(root.batches) <= _MORE_BATCHES

    def _tell(self, root):
        """Write the root's records, unless the first forward is to find out some shapes."""
        module = root.module()
        if not root.told and not any(is_lazy(tensor) for tensor in module.parameters()):
            root.told = True
            self._records.write(*root.records(self._numbers))

    def _after(self, module, inputs, output, frame):
        if self._finished:
            return
        call = self._stack.ended(frame)
        if call is None or call.more[0] is None:
            return
        step, index = call.more
        if self._saved is None and step.facts["grad"] and not any(True for _ in module.children()):
            for tensor in tensors_in(output, self._torch.is_tensor):
                if tensor.requires_grad and not tensor.is_leaf:
                    step.saw(tensor, weakref.ref(tensor), index, False, self._numbers)
        self._see_link(step, module, index, inputs, output)
        if not self._stack.calls:
            self._end(step, output)

    def _see_link(self, step, module, index, inputs, output):
        """A layer begins (no output yet) or ends: what of it a trial wants to know, or the record `chain`."""
        root = step.root
        linked = index in root.chain and root.trained == 1 and step.facts["grad"] and not self._attempt.asked
        if not linked and (output is not None or not self._attempt.watches()):
            return
        tensors = tensors_in(inputs if output is None else output, self._torch.is_tensor, 1)
        found = step.storage(tensors[0], weakref.ref(tensors[0]), self._numbers) if tensors else None
        storage = found[1] if found is not None else None
        if not linked:
            if storage is not None:
                self._attempt.enters(module, tensors[0], storage)
            return
        side = [storage.number, storage.size] if storage is not None else [0, 0]
        if output is None:
            step.chain.append([index] + side)
        elif step.chain:
            step.chain[-1].extend(side)

    def _end(self, step, output):
        root = step.root
        self._tell_loss_or_lazy(root, step)
        if root.has_tensors:
            self._attempt.end(step, tensors_in(output, self._torch.is_tensor))
        rows = step.take_rows(self._saved is None)
        if root.told and (step.watched or self._saved is None) and step.facts["grad"] and not step.unseen:
            self._records.write({"record": "activations", "root": root.number, "step": step.number, "rows": rows})
        if step.chain and all(len(row) == 5 for row in step.chain):
            self._records.write({"record": "chain", "root": root.number, "step": step.number, "rows": step.chain})
        if root.has_tensors:
            step.returned = True
            if step.facts["grad"]:
                root.unwritten_gradients = step.number
                if step.watched:
                    self._saved.returned()
            else:
                self._settle(True)
        else:
            if root.told:
                self._records.write(step.record())
            step.over = True
            if step.watched:
                self._saved.resume(step.outer)
                self._saved.returned()

    def _tell_loss_or_lazy(self, root, step):
        """A root that owns nothing is of interest only where something was saved in it."""
        if not root.told and (root.has_tensors or step.has_rows()):
            root.told = True
            self._records.write(*root.records(self._numbers))
            root.see_owned()

    # Saved tensors

    def _saw(self, step, tensor, reference):
        calls = self._stack.calls
        running = bool(calls) and calls[-1].more[0] is step
        step.saw(tensor, reference, calls[-1].more[1] if running else 0, not running, self._numbers)

    def _backward(self, step):
        rows = step.take_rows()
        if rows and not self._finished:
            self._records.write({"record": "activations", "root": step.root.number, "step": step.number, "rows": rows})

    # Memory of a step

    def _memory(self, module):
        first = next(module.parameters(), None)
        if first is not None and first.is_cuda:
            return CudaAllocated(self._torch._C, first.get_device(), self._exact_peaks)
        return self._rss

    def _settle(self, by_step):
        """The open step is over; `by_step` where its optimizer begins, so its backward has ended."""
        if self._open is None:
            return
        (step, memory), self._open = self._open, None
        peak = memory.end()
        step.over = step.returned  # on another thread it may go on
        seen = step.in_backward or not step.facts["grad"] or by_step and not (step.watched and not step.unseen)
        self._records.write(step.record(memory_peak=peak if seen else None))
        self._rest_if_enough()

    # Optimizers

    def _before_step(self, number, optimizer):
        if not self._finished:
            self._settle(True)
            self._parameters.write_gradients()

    def _after_step(self, number, optimizer):
        if not self._finished and not (self._resting and self._parameters.knows_state(number)):
            self._parameters.write_state(number, optimizer)

    # Enough seen

    def _rest_if_enough(self):
        models = [root for root in self._roots if root.has_tensors]
        enough = all(root.trained >= self._asked or not root.trained and root.evaluated for root in models)
        if models and (enough or any(root.forwards > self._asked * _LONGEST for root in models)):
            self._resting = True
            self._hooks.follow(False)

    def _wakes(self, module, inputs, frame):
        """Whether to follow this call although enough was seen: a new model, another batch size, an evaluation."""
        root = self._roots.of(module)
        if root is None:
            wakes = not self._roots.holds(module) and bool(module._parameters or module._modules)
        elif not root.has_tensors:
            wakes = False
        else:
            wakes = self._is_wanted(root, batch_of(self._tensors(inputs, frame)))
            if not wakes:
                root.forwards += 1
                if root.forwards >= self._asked * _GLANCES or len(root.batches) > 1 and root.evaluated:
                    self._finish()
        if wakes:
            self._resting = False
            self._hooks.follow(True)
        return wakes


def _device(module):
    """`cpu` or `cuda`: where its first parameter lies."""
    first = next(module.parameters(), None)
    return first.device.type if first is not None else "cpu"
