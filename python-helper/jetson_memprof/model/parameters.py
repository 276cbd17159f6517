"""What training keeps for each parameter: its gradient, and what the optimizer holds beside it."""
from .optimizers import state_rows


class ParameterRecords(object):
    """Writes the records `gradients` and `optimizer` of `roots` (KnownRoots)."""

    def __init__(self, torch, records, numbers, roots):
        self._is_tensor = torch.is_tensor
        self._records = records
        self._numbers = numbers
        self._roots = roots
        self._states = {}    # optimizer's number: bytes when last written

    def write_gradients(self):
        """Those of recorded steps that were not written yet."""
        for root in self._roots:
            step, root.unwritten_gradients = root.unwritten_gradients, None
            rows = root.gradients(self._numbers) if step is not None and root.module() is not None else []
            if rows:
                self._records.write({"record": "gradients", "root": root.number, "step": step, "rows": rows})

    def knows_state(self, number):
        """Whether what that optimizer holds was written."""
        return number in self._states

    def write_state(self, number, optimizer):
        """What it holds, where that changed."""
        rows, other, packed = state_rows(optimizer, self._names(), self._is_tensor)
        total = other + sum(row[2] for row in rows)
        if self._states.get(number) != total:
            self._states[number] = total
            kind = type(optimizer)
            self._records.write({"record": "optimizer", "optimizer": number, "rows": rows, "other": other,
                                 "packed": packed, "type": "%s.%s" % (kind.__module__, kind.__qualname__)})

    def _names(self):
        """By the parameter's id: (its name, its storage's number)."""
        names = {}
        for root in self._roots:
            module = root.module() if root.told else None
            for name, parameter in (module.named_parameters() if module is not None else ()):
                number = self._numbers.known(parameter)
                if number is not None:
                    names.setdefault(id(parameter), (name, number))
        return names
