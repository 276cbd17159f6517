"""A sampled process in massif's own format, so that whatever reads that reads this."""
from math import sqrt

from . import layout, tree
from .. import lean_json

SCHEMA = 1


class MassifFile(object):
    """`labels` is a tree.Labels of the log's process, `executions` an executions.Executions."""

    def __init__(self, log, labels, executions):
        self._log = log
        self._executions = executions
        self._labels = labels
        self._frames = [tree.frames_of(stack.keys, labels) for stack in log.stacks]
        self._errors = []  # of heap.<pid>.json
        self._trees = []

    def texts(self, notes):
        """(massif.out.<pid>, heap.<pid>.json), as bytes."""
        log = self._log
        text = "".join(self._snapshot(number, *row) for number, row in enumerate(self._rows()))
        beside = {"schema": SCHEMA, "pid": log.pid, "ppid": log.parent, "command": log.command, "mean_bytes": log.mean,
                  "last_mean_bytes": log.last_mean,
                  "samples": log.samples, "allocated_bytes": log.all_bytes, "finished": log.ended_ms is not None,
                  "peak": {"ms": log.peak_ms, "bytes": log.peak_bytes, "error": _error(log.peak_variance)},
                  "live": {"bytes": max(0, log.bytes), "error": _error(log.variance)},
                  "snapshots": self._errors, "trees": self._trees, "notes": [list(note) for note in notes]}
        return ((self._head() + text).encode("utf-8", "surrogateescape"),
                (lean_json.dumps(beside, separators=(",", ":")) + "\n").encode("ascii"))

    def _head(self):
        """One line each: whatever the program was called with."""
        log = self._log
        return "desc: --jetson-memprof-heap mean=%d samples=%d standard-error-of-peak=%d%s\ncmd: %s\ntime_unit: ms\n" % (
            log.mean, log.samples, _error(log.peak_variance), " last-mean=%d" % log.last_mean if log.last_mean > log.mean else "",
            log.command.replace("\n", " ").strip() or "?")

    def of_mark(self, mark):
        """A file with that mark of the log alone, as bytes."""
        ms, held, _, _, found = mark
        lines = self._tree(self._of_mark(found), held)[0]
        return (self._head() + snapshot_text(0, ms, held, "detailed", lines)).encode("utf-8", "surrogateescape")

    def _tree(self, parts, held):
        return tree.lines_of([(self._frames[at], part, doubt) for at, part, doubt in parts], held)

    def _rows(self):
        """[(ms, bytes, variance, kind, label, parts)] in the order of their times."""
        log = self._log
        rows = [(ms, held, doubt, "empty", None, ()) for ms, held, doubt, _ in log.snapshots]
        for place, (ms, held, doubt, label, found) in enumerate(log.marks):
            name = self._executions.name(place)
            if name is not None:  # its stacks are in a file of their own
                rows.append((ms, held, doubt, "empty", name, ()))
            else:
                rows.append((ms, held, doubt, "detailed", label, self._of_mark(found)))
        if log.peak_bytes > 0:
            rows.append((log.peak_ms, log.peak_bytes, log.peak_variance, "peak", None, self._parts("peak")))
        last = max([log.ended_ms or 0, log.peak_ms] + [row[0] for row in rows])
        rows.append((last, max(0, log.bytes), log.variance, "detailed", None, self._parts("live")))
        return sorted(rows, key=lambda row: row[0])  # stable: the last one stays the last

    def _parts(self, which):
        found = []
        for at, stack in enumerate(self._log.stacks):
            held, _, variance = getattr(stack, which)
            if held and not stack.gpu:
                found.append((at, held, variance))
        return found

    def _of_mark(self, found):
        return [(stack, part, variance) for stack, (part, variance) in sorted((found or {}).items())
                if not self._log.stacks[stack].gpu]

    def _snapshot(self, number, ms, held, variance, kind, label, parts):
        record = {"snapshot": number, "error": _error(variance)}
        if label is not None:
            record["mark"] = label
        self._errors.append(record)
        lines = []
        if kind != "empty":
            lines, errors = self._tree(parts, held)
            self._trees.append({"snapshot": number, "errors": errors})
        return snapshot_text(number, ms, held, kind, lines)


def snapshot_text(number, ms, held, kind, lines):
    """A snapshot as massif writes it; `lines` are those of its tree, none where it is "empty"."""
    return ("#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
            "heap_tree=%s\n" % (number, ms, max(0, held), kind) + "".join(line + "\n" for line in lines))


def places_of(log):
    """{path: {address}} of the native frames whose names are wanted."""
    found = {}
    for stack in log.stacks:
        for key in stack.keys:
            module = key >> layout.MODULE_SHIFT
            if 0 < module <= len(log.modules):
                found.setdefault(log.modules[module - 1][0], set()).add(key & layout.ADDRESS_MASK)
    return found


def _error(variance):
    return int(round(sqrt(max(0, variance))))
