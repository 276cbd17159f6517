"""Reads a log of the heap sampler, of a process that lives, has ended, or was killed in the midst of a write."""
import os
from math import isfinite

from . import layout, regular


class BadLog(ValueError):
    pass


class Stack(object):
    """`keys` of its frames, innermost first; sums are (bytes, count, variance) with their units taken out. `gpu` is 0, or what
    it is of the GPU's memory; of a sum of these `most` is what it held at most."""
    __slots__ = ("keys", "live", "peak", "samples", "all_bytes", "most", "gpu")

    def __init__(self, keys, live, peak, samples, all_bytes, most, gpu):
        self.keys = keys
        self.live = live
        self.peak = peak
        self.samples = samples
        self.all_bytes = all_bytes
        self.most = most
        self.gpu = gpu


class Gpu(object):
    """What the calls of CUDA took, of the process; `free`, `total` and `least_free`, of the GPU
    `device`, are None where they are not known."""

    def __init__(self, fields):
        (self.bytes, self.peak_bytes, self.peak_ms, self.calls, self.all_bytes) = (max(0, field) for field in fields[:5])
        free, total, least = fields[5:8]
        known = 0 <= free <= total and total > 0
        self.free, self.total = (free, total) if known else (None, None)
        self.least_free = least if known and 0 <= least <= total else None
        self.epoch, self.seen, number = fields[8:]
        self.device = number - 1 if 0 < number <= layout.GPU_MASK else None


class Log(object):
    """What the file holds. `modules`: [(path, bias)], the first one's number is 1; `files`: {path: the (inode, size, ns of
    the last change) that it had, None where that was not always the same}; `snapshots`: [(ms, bytes, variance, the
    GPU's bytes)]; `marks`: [(ms, bytes, variance, label, {stack's number: (bytes, variance)} or None)]. `ended_ms` is None
    where the process did not come to its end. `last_mean` is `mean`, or the larger one that it ended with."""

    def __init__(self, data):
        fields = layout.HEAD.unpack_from(data)
        _check(fields)
        self._data = data
        self.flags = fields[2]
        (self.pid, self.parent, self.mean, self.began_ns, self.began_clock_ns, ended, self.samples, self.bytes, _, variance,
         self.peak_bytes, _, peak_variance, self.peak_ms, self.all_bytes, self.untracked) = fields[3:19]
        self.variance = _variance(variance)
        self.peak_variance = _variance(peak_variance)
        self.ended_ms = ended if self.flags & layout.ENDED and ended >= 0 else None
        self._epoch, snapshots, marks, modules, text, details, nodes, stacks = fields[19:27]
        self.counters, self.command = (_text(field) for field in fields[27:29])
        self.last_mean = fields[29]
        self.gpu = Gpu(fields[30:])
        self._details = min(details, layout.DETAILS)
        self.modules = self._modules(min(modules, layout.MODULES), min(text, layout.TEXT_BYTES))
        self.snapshots = [(ms, held, _variance(doubt), max(0, gpu)) for ms, held, doubt, _, gpu in self._rows(
            layout.SNAPSHOTS_AT, layout.SNAPSHOT, min(snapshots, layout.SNAPSHOTS))]
        keys = self._keys(min(nodes, layout.NODES))
        self.stacks = [self._stack(row, keys) for row in self._rows(
            layout.STACKS_AT, layout.STACK, min(stacks, layout.STACKS))]
        self.marks = [self._mark(row) for row in self._rows(layout.MARKS_AT, layout.MARK, min(marks, layout.MARKS))]
        del self._data

    @property
    def program(self):
        """The file name of what ran."""
        return os.path.basename(self.command.split(" ")[0]) or "?"

    @staticmethod
    def head(path):
        """The fields of its head. Raises OSError or BadLog."""
        with _opened(path) as file:
            fields = layout.HEAD.unpack(file.read(layout.HEAD.size))
        _check(fields)
        return fields

    @classmethod
    def read(cls, path):
        """Raises OSError or BadLog."""
        with _opened(path) as file:
            return cls(file.read(layout.LOG_BYTES))

    def _rows(self, at, shape, count):
        return shape.iter_unpack(memoryview(self._data)[at:at + count * shape.size])

    def _modules(self, count, size):
        text = self._data[layout.TEXT_AT:layout.TEXT_AT + size]
        found, self.files = [], {}
        for bias, at, length in self._rows(layout.MODULES_AT, layout.MODULE, count):
            path, _, rest = text[at:at + min(length, layout.MODULE_BYTES)].partition(b"\0")
            path, identity = os.fsdecode(path), tuple(int(word) for word in rest[:layout.IDENTITY_BYTES].split() if word.isdigit())
            found.append((path, bias))
            if len(identity) == 3:
                self.files[path] = identity if self.files.get(path, identity) == identity else None
        return found

    def _keys(self, count):
        """[(parent, key)] of the nodes. A parent is there before its children: so no torn file leads around in a circle."""
        return [(parent if parent < at else 0, key) for at, (key, parent, _) in enumerate(self._rows(
            layout.NODES_AT, layout.NODE, count))]

    def _stack(self, row, keys):
        node, epoch, live, peak = row[0], row[1], row[2:5], row[5:8]
        path = []
        while 0 < node < len(keys) and len(path) < layout.MOST_FRAMES:
            node, key = keys[node]
            path.append(key)
        gpu = row[11] if layout.BY_CALL <= row[11] <= layout.GPU_GROUP else 0
        if gpu:  # exact
            live, peak = live[:2] + (0,), peak[:2] + (0,)
        # Nothing has changed since the peak where this has not seen it.
        is_seen = epoch == (self.gpu.epoch if gpu else self._epoch)
        return Stack(path, _sum(live), _sum(peak if is_seen else live), row[9], row[8], max(0, row[10]), gpu)

    def _mark(self, row):
        ms, held, variance, _, first, count, label = row
        found = None if held else {}  # no stacks of what lives: there was no room for them
        if 0 < count <= self._details and first <= self._details - count:
            found = dict((stack, (part, _variance(doubt))) for stack, doubt, part in self._rows(
                layout.DETAILS_AT + first * layout.DETAIL.size, layout.DETAIL, count) if stack < len(self.stacks))
        return ms, held, _variance(variance), _text(label), found


def _opened(path):
    file = regular.opened(path)
    if os.fstat(file.fileno()).st_size != layout.LOG_BYTES:
        file.close()
        raise BadLog("it does not have the size of a log")
    return file


def _check(fields):
    if fields[0] != layout.MAGIC or fields[1] != layout.VERSION:
        raise BadLog("it is not a log of this version")


def _variance(units):
    """What is not finite is dropped."""
    return max(0, units) * layout.VARIANCE_UNIT if isfinite(units) else 0


def _sum(fields):
    held, count, variance = fields
    return max(0, held), max(0, count) / layout.COUNT_UNIT, _variance(variance)


def _text(field):
    return os.fsdecode(field.split(b"\0")[0])
