"""Charges changes of CUDA memory and of the board's memory to the lines that are open.

A change is `self` of the innermost open line of the thread that noticed it, and `net` of each line open there: a line
that is open twice, in a recursion, counts once, at its outermost. So selves add up and nets include callees, as those
of RSS. What an execution of a line holds above its beginning is kept only for those during which something changed.
"""
from ..engine import layout
from ..engine.layout import (R_DEVICE_NET, R_MAX, R_MOVED, R_NET, R_PEAK, R_PEAK_MOST, R_RESERVED_NET, R_RESERVED_PEAK,
                             R_RESERVED_SELF, R_SELF, R_UNCERTAIN, UNKNOWN, Y_NET, Y_NVMAP_NET, Y_SELF, Y_UNCERTAIN)
from .rows import LineRows


class Interval(object):
    """What happened between two looks at PyTorch's figures, summed over devices, in bytes.

    The most that was allocated meanwhile, above what there was at first, was at least `least` and at most `most`;
    of what was reserved, at least `reserved_least`.
    """
    __slots__ = ("change", "least", "most", "reserved", "reserved_least")

    def __init__(self, before, after):
        self.change = self.least = self.most = self.reserved = self.reserved_least = 0
        moved = 0
        for old, new in zip(before, after):
            least, most = bounds(old.allocated, new.allocated)
            moved += new.allocated != old.allocated
            self.change += new.allocated.current - old.allocated.current
            self.least += least
            self.most += most
            self.reserved += new.reserved.current - old.reserved.current
            self.reserved_least += bounds(old.reserved, new.reserved)[0]
        if moved > 1:  # devices need not have held their most at the same moment
            self.least = max(0, self.change)

    def __bool__(self):
        return bool(self.change or self.most or self.reserved or self.reserved_least)


def bounds(old, new):
    """(at least, at most): how much more than `old.current` a Stat's bytes were at most, between `old` and `new`."""
    change = new.current - old.current
    taken, given = new.allocated - old.allocated, new.freed - old.freed
    least = max(0, change)
    if not taken or not given:
        return least, least
    if taken < 0 or given < 0:  # the program has reset these figures
        return least, max(least, new.peak - old.current)
    if new.peak > old.peak:
        return new.peak - old.current, new.peak - old.current
    if new.peak < old.peak:  # the program has reset the peak: it says nothing of what was before that
        return max(least, new.peak - old.current), taken
    return least, min(taken, new.peak - old.current)


class _CudaRow(object):
    """A line's figures. `open` are its executions that may still go on, `largest` the largest net of the others."""
    __slots__ = ("words", "at", "open", "largest")

    def __init__(self, words, at):
        self.words = words
        self.at = at
        self.open = []
        self.largest = None
        words[at + R_DEVICE_NET] = UNKNOWN

    def end(self, execution):
        self.open.remove(execution)
        if self.largest is None or execution.net > self.largest:
            self.largest = execution.net

    def add(self, word, change):
        if change:
            self.words[self.at + word] += change

    def raise_to(self, word, figure):
        if figure > self.words[self.at + word]:
            self.words[self.at + word] = figure

    def add_device(self, change):
        words, at = self.words, self.at + R_DEVICE_NET
        words[at] = change + (0 if words[at] == UNKNOWN else words[at])


class _Execution(object):
    """One execution of a line; `row` is None where the same line is open further out. Bytes above its beginning."""
    __slots__ = ("serial", "row", "net", "reserved")

    def __init__(self, serial, row):
        self.serial = serial
        self.row = row
        self.net = self.reserved = 0
        if row is not None:
            row.open.append(self)
            row.add(R_MOVED, 1)

    def end(self):
        if self.row is not None:
            self.row.end(self)

    def take(self, interval):
        row = self.row
        row.raise_to(R_PEAK, self.net + interval.least)
        row.raise_to(R_PEAK_MOST, self.net + interval.most)
        row.raise_to(R_RESERVED_PEAK, self.reserved + interval.reserved_least)
        self.net += interval.change
        self.reserved += interval.reserved
        row.add(R_NET, interval.change)
        row.add(R_RESERVED_NET, interval.reserved)
        nets = [execution.net for execution in row.open]
        row.words[row.at + R_MAX] = max(nets if row.largest is None else nets + [row.largest])


class CudaAccounts(object):
    """`stack` is [(file index, line, serial)] of a thread's open lines, outermost first, never empty; the serial is the
    same at two looks only if it is the same execution."""

    def __init__(self, counters):
        self._rows = LineRows(counters, "cuda", layout.CUDA_ROW_WORDS, _CudaRow)
        self._threads = {}

    def charge(self, thread, stack, interval, unsure):
        """On each (file index, line) of `unsure`, which are open, it may have been another line's."""
        executions = self._executions(thread, stack)
        for execution in executions:
            if execution.row is not None:
                execution.take(interval)
        file, line, _ = stack[-1]
        innermost = self._rows.of(file, line)
        innermost.add(R_SELF, interval.change)
        innermost.add(R_RESERVED_SELF, interval.reserved)
        for file, line in unsure:
            self._rows.of(file, line).add(R_UNCERTAIN, abs(interval.change))

    def charge_device(self, stack, change):
        for file, line in distinct(stack):
            if change or self._rows.has(file, line):
                self._rows.of(file, line).add_device(change)

    def _executions(self, thread, stack):
        known = self._threads.setdefault(thread, [])
        same = 0
        while same < min(len(known), len(stack)) and known[same].serial == stack[same][2]:
            same += 1
        for ended in known[same:]:
            ended.end()
        del known[same:]
        rows = set(execution.row for execution in known)
        for file, line, serial in stack[same:]:
            row = self._rows.of(file, line)
            known.append(_Execution(serial, None if row in rows else row))
            rows.add(row)
        return known


class _SystemRow(object):
    __slots__ = ("words", "at")

    def __init__(self, words, at):
        self.words = words
        self.at = at
        words[at + Y_NVMAP_NET] = UNKNOWN

    def add(self, word, change):
        at = self.at + word
        self.words[at] = change + (0 if self.words[at] == UNKNOWN else self.words[at])


class SystemAccounts(object):
    """As CudaAccounts, of the board's memory in use."""

    def __init__(self, counters):
        self._rows = LineRows(counters, "system", layout.SYSTEM_ROW_WORDS, _SystemRow)

    def charge(self, stack, change, nvmap, unsure):
        """Changes in bytes; that of NvMap is None where the kernel does not say. {(file index, line): so much of it is
        uncertain}, of lines that are open."""
        for file, line in distinct(stack):
            row = self._rows.of(file, line)
            row.add(Y_NET, change)
            row.add(Y_UNCERTAIN, unsure.get((file, line), 0))
            if nvmap is not None:
                row.add(Y_NVMAP_NET, nvmap)
        self._rows.of(*stack[-1][:2]).add(Y_SELF, change)


def distinct(stack):
    return set(entry[:2] for entry in stack)
