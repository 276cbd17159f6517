"""What a process's calls of CUDA took, as gpu.<pid>.json and, in massif's own format, gpu.out.<pid>."""
import os
import re

from . import layout, tree
from .gpu_names import BY_FREE_MEMORY, gpu_of, kind_of
from .massif_file import snapshot_text
from .. import lean_json
from ..json_text import portable

SCHEMA = 1
_MOST_ROWS = 2000
_ROOT = "(GPU memory allocation calls) cudaMalloc, cuMemAlloc, etc."
#: PyTorch's own allocator: what it takes is what PyTorch tells as reserved.
_PYTORCH = re.compile(r"libc10_cuda[.-]")
_NOBODYS = {"kind": "device", "measured": "call", "library": None, "pytorch": None, "file": None, "line": None, "function": None}
_NOTES = (
    (layout.SIZE_UNKNOWN, "gpu-size-unknown", "Process %d (%s) allocated CUDA arrays of a format whose size is not known; they are "
     "missing."),
    (layout.CONTEXT_UNKNOWN, "gpu-context-unknown", "What a CUDA context or module of process %d (%s) took on the GPU is not known: "
     "CUDA reports how much of a GPU is free only in a context of that GPU."),
    (layout.CONTEXT_ENDED, "gpu-context-ended", "A CUDA context of process %d (%s) ended while memory was held of which it is not "
     "known whether it went with it; that is counted until it is given back."),
)


def was_met(log):
    """Whether the process called CUDA, or looked for it."""
    return bool(log.gpu.seen or log.gpu.calls)


def has_several(log):
    """Whether memory of the process is known to have been on more than one GPU."""
    groups = [stack.keys[2] & layout.ADDRESS_MASK for stack in log.stacks
              if stack.gpu == layout.GPU_GROUP and len(stack.keys) == 3 and stack.samples > 0]
    return len(set(gpu_of(group) for group in groups if kind_of(group)).difference([None])) > 1


class GpuFile(object):
    """`labels` is a tree.Labels of the log's process, `frames` its sources.Frames."""

    def __init__(self, log, labels, frames):
        self._log = log
        self._labels = labels
        self._frames = frames
        self._has_several = has_several(log)

    def beside(self):
        """What gpu.<pid>.json has, as a dict."""
        log, gpu = self._log, self._log.gpu
        notes = _notes(log)
        rows = self._rows(notes)
        seen = [name for bit, name in ((layout.SEEN_RUNTIME, "runtime"), (layout.SEEN_DRIVER, "driver")) if gpu.seen & bit]
        return {"schema": SCHEMA, "pid": log.pid, "ppid": log.parent, "command": log.command,
                "finished": log.ended_ms is not None, "seen": seen, "calls": gpu.calls,
                "peak": {"ms": gpu.peak_ms, "bytes": gpu.peak_bytes}, "live": {"bytes": gpu.bytes},
                "device": dict({"free": gpu.free, "total": gpu.total, "least_free": gpu.least_free},
                               **self._on(gpu.device)),
                "rows": rows, "notes": [list(note) for note in notes]}

    def text(self):
        """gpu.out.<pid>, as bytes."""
        log, gpu = self._log, self._log.gpu
        rows = [(ms, held, "empty", None) for ms, _, _, held in log.snapshots]
        if gpu.peak_bytes > 0:
            rows.append((gpu.peak_ms, gpu.peak_bytes, "peak", "peak"))
        last = max([log.ended_ms or 0, gpu.peak_ms] + [row[0] for row in rows])
        rows = sorted(rows, key=lambda row: row[0]) + [(last, gpu.bytes, "detailed", "live")]
        text = "desc: --jetson-memprof-gpu calls=%d\ncmd: %s\ntime_unit: ms\n" % (
            gpu.calls, log.command.replace("\n", " ").strip() or "?")
        text += "".join(self._snapshot(number, *row) for number, row in enumerate(rows))
        return text.encode("utf-8", "surrogateescape")

    def _snapshot(self, number, ms, held, kind, which):
        lines = []
        if which is not None:
            parts = [(tree.frames_of(stack.keys, self._labels), getattr(stack, which)[0], 0) for stack in self._log.stacks
                     if stack.gpu == layout.BY_CALL and getattr(stack, which)[0]]
            lines, _ = tree.lines_of(parts, held, _ROOT)
        return snapshot_text(number, ms, held, kind, lines)

    def _rows(self, notes):
        nobodys = dict(_NOBODYS, **self._on(None))
        rows = [row for row in (self._row(stack) for stack in self._log.stacks if stack.gpu == layout.GPU_GROUP) if row]
        if self._log.flags & (layout.LOG_FULL | layout.NO_ROOM):
            rows.extend(self._without_place(rows, nobodys))
        rows.sort(key=lambda row: (-row["peak"], -row["most"]))
        if len(rows) > _MOST_ROWS:
            rows, rest = rows[:_MOST_ROWS - 1], rows[_MOST_ROWS - 1:]
            rows.append(_together(rest, nobodys))
            notes.append(("gpu-rows", "Process %d took the GPU's memory at more places than are kept; %d of them stand in one row." % (
                self._log.pid, len(rest))))
        return rows

    def _on(self, gpu):
        """What says on which GPU something lies, where that is a question."""
        return {"gpu": gpu} if self._has_several else {}

    def _without_place(self, rows, nobodys):
        """[the row of what there was no place left for in the log], or []."""
        gpu, known = self._log.gpu, _together(rows, nobodys)
        rest = dict(nobodys, live=gpu.bytes - known["live"], peak=gpu.peak_bytes - known["peak"],
                    taken=gpu.all_bytes - known["taken"], count=gpu.calls - known["count"])
        rest["most"] = max(rest["live"], rest["peak"])
        return [rest] if rest["count"] > 0 and min(rest["live"], rest["peak"], rest["taken"]) >= 0 else []

    def _row(self, stack):
        """None of one that says nothing."""
        if len(stack.keys) != 3 or not stack.samples > 0:
            return None
        line, module, group = stack.keys[0], stack.keys[1] >> layout.MODULE_SHIFT, stack.keys[2] & layout.ADDRESS_MASK
        kind, library = kind_of(group), None
        if kind is None:
            return None
        if 0 < module <= len(self._log.modules):
            library = portable(os.path.basename(self._log.modules[module - 1][0])) or None
        path, number, function = None, None, None
        if line >> layout.MODULE_SHIFT == layout.PYTHON:
            place = self._frames.place(line >> layout.FILE_SHIFT & (1 << 28) - 1, line & layout.LINE_MASK)
            path, number, function = place or (None, None, None)
        return dict(self._on(gpu_of(group)), **{
                "kind": kind, "measured": "free-memory" if kind in BY_FREE_MEMORY else "call", "library": library,
                "pytorch": None if library is None else bool(_PYTORCH.match(library)),
                "file": path, "line": number, "function": function,
                "live": int(stack.live[0]), "peak": int(stack.peak[0]), "most": stack.most,
                "taken": max(0, stack.all_bytes), "count": stack.samples})


def _together(rows, nobodys):
    """Of different kinds: what was asked for, and what that one row held is not known exactly, but as a sum."""
    rows = [row for row in rows if row["measured"] == "call"]
    return dict(nobodys, **dict((name, sum(row[name] for row in rows)) for name in ("live", "peak", "most", "taken", "count")))


def _notes(log):
    return [(code, text % (log.pid, log.program)) for flag, code, text in _NOTES if log.flags & flag]


def sums(beside):
    """(peak, past_pytorch) of what GpuFile.beside made."""
    return beside["peak"]["bytes"], sum(row["peak"] for row in beside["rows"]
                                        if row["measured"] == "call" and row["pytorch"] is False)


def texts(log, labels, frames):
    """(gpu.out.<pid> and gpu.<pid>.json as bytes, what `sums` says)."""
    file = GpuFile(log, labels, frames)
    beside = file.beside()
    return file.text(), (lean_json.dumps(beside, separators=(",", ":")) + "\n").encode("ascii"), sums(beside)
