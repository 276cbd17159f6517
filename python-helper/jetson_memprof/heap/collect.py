"""Brings the logs of a run's processes into the run's folder, in massif's format, and takes them away."""
import os
import time
from collections import namedtuple
from math import sqrt

from . import gpu, layout
from ..board.files import replace_file
from .executions import Executions
from .log import BadLog, Log
from .massif_file import MassifFile, places_of
from .names import Names
from .sources import Frames, Functions, files_of
from .tree import Labels

#: Of one process; sizes are bytes, `notes` [(code, sentence)] what is to be said about it, for the run's warnings. `gpu` is
#: None where it met no CUDA.
Summary = namedtuple("Summary", "pid ppid command python finished mean_bytes samples peak_bytes peak_error live_bytes "
                     "live_error notes gpu")
#: Of all processes together: what is more is not brought in.
_MOST_PROCESSES = 256
_NOTES = (
    (layout.NO_ROOM, "heap-no-room", "The place of the heap sampler's log ran full while process %d ran (%s): of what was "
     "allocated by calls that were new after that the bytes are there, but not the stacks. Free some space."),
    (layout.LOG_FULL, "heap-log-full", "Process %d (%s) allocated from more different stacks than the heap sampler keeps; the "
     "bytes of the others are there, but not their stacks."),
    (layout.TABLE_FULL, "heap-table-full", "Process %d (%s) held more sampled allocations than the heap sampler keeps, so "
     "some are missing. Take a larger mean."),
    (layout.SPARSER, "heap-sparser", "Process %d (%s) held so many allocations that the heap sampler took fewer samples as it "
     "grew; its figures are less certain for that."),
    (layout.NOT_FIRST, "heap-not-first", "Process %d (%s) has a malloc of its own that comes before the heap sampler's; what "
     "it took by that was not sampled."),
)


def bring_in(folder, out_folder, project_root, seconds=60.0):
    """Yields a Summary for each process that is worth showing, after its files are written. What cannot be read is named in
    a Summary with samples None and a note; the others are brought in all the same."""
    until = time.monotonic() + seconds / 2  # for the names; the rest is for writing
    logs, bad = _logs(folder)
    for summary in bad:
        yield summary
    places, files = {}, {}
    for pid, path, _ in logs:
        try:
            log = Log.read(path)
            for library, addresses in places_of(log).items():
                places.setdefault(library, set()).update(addresses)
            for library, identity in log.files.items():
                files[library] = identity if files.get(library, identity) == identity else None
        except Exception:  # said below, where it is to be written
            pass
    names = Names(until)
    names.look_up(places, files)
    functions = Functions(project_root, os.path.join(out_folder, "sources"))
    for pid, path, paths in logs:
        log = None  # one at a time: together they would not fit into a small board's memory
        try:
            log = Log.read(path)
            notes = _notes(log, len(paths) > 1, names.late, names.changed)
            found = _write(log, folder, out_folder, names, functions, notes)
        except Exception as error:  # whatever it says, the others are brought in
            if log is None:
                for each in paths:
                    _take_away(each)
            what = "The native stacks of process %d could not be written: %s."
            if log is None:
                what = "The native stacks of process %d could not be read: %s."
            yield _unreadable(pid, what % (pid, error))
            continue
        for path in paths:
            _take_away(path)
        yield Summary(log.pid, log.parent, log.command, bool(log.flags & layout.HAS_LINES), log.ended_ms is not None, log.mean,
                      log.samples, log.peak_bytes, int(sqrt(log.peak_variance)), max(0, log.bytes), int(sqrt(log.variance)),
                      notes, found and {"peak": found[0], "past_pytorch": found[1]})


def _unreadable(pid, message, code="heap-log-bad"):
    return Summary(pid, None, None, None, None, None, None, None, None, None, None, [(code, message)], None)


def _paths(folder):
    """[(pid, serial, path)] of the logs, in the order in which they were begun."""
    found = []
    for name in os.listdir(folder):
        pid, _, serial = name[:-len(layout.SUFFIX)].partition("-")
        if name.endswith(layout.SUFFIX) and pid.isdigit() and serial.isdigit():
            found.append((int(pid), int(serial), os.path.join(folder, name)))
    return sorted(found)


def _logs(folder):
    """([(pid, path, paths)], [Summary of what is not brought in]): one for each process, chosen by the heads alone. Where a
    process became another program that is the one with lines of Python, else the one that held more."""
    found, bad = {}, []
    for pid, _, path in _paths(folder):
        try:
            fields = _head(path, pid)
        except Exception as error:  # whatever it says, the others are brought in
            _take_away(path)
            if not _is_blank(error) and len(bad) < _MOST_PROCESSES:
                bad.append(_unreadable(pid, "The heap sampler's log of process %d cannot be read: %s." % (pid, error)))
            continue
        if not layout.is_worth(fields):
            _take_away(path)
            continue
        worth = bool(fields[2] & layout.HAS_LINES), fields[13]  # the peak
        known = found.get(pid)
        paths = (known[3] if known else []) + [path]
        found[pid] = (worth, fields[6], path, paths) if known is None or worth >= known[0] else known[:3] + (paths,)
    rows = sorted((not worth[0], began, pid, path, paths) for pid, (worth, began, path, paths) in found.items())
    left_out = rows[_MOST_PROCESSES:]
    if left_out:
        more = "1 more process" if len(left_out) == 1 else "%d more processes" % len(left_out)
        bad.append(_unreadable(left_out[0][2], "The run keeps the native stacks of %d processes; those of %s were left out." %
                               (_MOST_PROCESSES, more), "heap-left-out"))
        for row in left_out:
            for path in row[4]:
                _take_away(path)
    return [row[2:] for row in sorted(rows[:_MOST_PROCESSES], key=lambda row: row[1])], bad


def _head(path, pid):
    fields = Log.head(path)
    if fields[3] != pid:
        raise BadLog("it is that of process %d" % fields[3])
    return fields


def _is_blank(error):
    return isinstance(error, OSError) and isinstance(error, FileNotFoundError)  # it has just gone


def _notes(log, was_replaced, is_late, changed):
    notes = [(code, text % (log.pid, log.program)) for flag, code, text in _NOTES if log.flags & flag]
    if was_replaced:
        notes.append(("heap-replaced", "Process %d became another program; the native stacks are those of %s." % (log.pid, log.program)))
    others = sorted(changed.intersection(path for path, _ in log.modules))
    if others:
        notes.append(("heap-file-changed", "Of %s the functions in the native stacks of process %d have no names: it is another "
                      "file now than the one that the process used." % (", ".join(others[:3]), log.pid)))
    if is_late:
        notes.append(("heap-names-late", "There was no time to name all functions in the native stacks of process %d." % log.pid))
    return notes


def _write(log, folder, out_folder, names, functions, notes):
    """gpu.sums where the process met CUDA, else None."""
    is_ours = log.counters and os.path.realpath(os.path.dirname(log.counters)) == os.path.realpath(folder)
    files = files_of(log.counters) if is_ours else []
    frames = Frames(log.pid, files, functions)
    executions = Executions(log, files, functions)
    notes += executions.notes()
    labels = Labels(log.modules, names, frames.name, gpu.has_several(log))
    made = MassifFile(log, labels, executions)
    out, beside = made.texts(notes)
    gpu_out, gpu_beside, found = gpu.texts(log, labels, frames) if gpu.was_met(log) else (None, None, None)
    # What names the frames first: who sees the stacks finds the rest there.
    texts = [("massif.frames.%d.jsonl" % log.pid, frames.text()), ("heap.%d.json" % log.pid, beside)]
    if found is not None:
        texts += [("gpu.%d.json" % log.pid, gpu_beside), ("gpu.out.%d" % log.pid, gpu_out)]
    for name, text in texts + executions.texts(made.of_mark) + [("massif.out.%d" % log.pid, out)]:
        path = os.path.join(out_folder, name)
        if os.sep in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, text, sync=False)
    return found


def _take_away(path):
    try:
        os.unlink(path)
    except OSError:
        pass
