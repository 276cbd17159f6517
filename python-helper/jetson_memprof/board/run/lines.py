"""lines.jsonl: the line table, appended as it changes.

Figures are cumulative, so what could not be written yet (its file not analysed,
the disk full) is simply held until it can be, the newest value per line.
"""
import os

from ... import lean_json
from .. import names
from ..files import AppendFile
from .labels import label_of

_ROWS_PER_RECORD = 500
_FIRST_STEP, _STEEP_FROM = 4 << 20, 16 << 20
_TABLES = ("rows", "functions", "cuda", "system")
_PHASE_FIGURES = ("rss", "mem_available", "nvmap", "allocated", "reserved", "device_used")
_COMPACT = (",", ":")


def encode(record):
    return lean_json.dumps(record, separators=_COMPACT).encode("ascii") + b"\n"


class Sources(object):
    """Which absolute paths are the project's, as text relative to it; see names.native for the way back."""

    def __init__(self, project_root):
        self._roots = {os.path.normpath(project_root), os.path.realpath(project_root)}
        self._known = {}

    def relative(self, path):
        """The path with `/` below the project's root, or None where it lies or leads outside."""
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path):
        if not os.path.isabs(path) or "\0" in path:
            return None
        real = os.path.realpath(path)
        if not any(real.startswith(root.rstrip("/") + "/") for root in self._roots):
            return None
        plain = os.path.normpath(path)
        for root in self._roots:
            if plain.startswith(root.rstrip("/") + "/"):
                return names.portable(plain[len(root.rstrip("/")) + 1:])
        return None


def _at(paths, file):
    return paths[file] if 0 <= file < len(paths) else None


def _heights(take):
    """Gives `take` how high the process was at a row."""
    def see(row):
        hits, net, peak, usage = row[2], row[3], row[6], row[7]
        # Where a line ran once, what it began with is known, and so how high it went.
        take(usage - net + peak if hits == 1 and usage and None not in (net, peak) else usage)
    return None if take is None else see


def _project_stack(stack, paths):
    """[[path, line]] of those that are the project's; None where there is no stack."""
    if stack is None:
        return None
    return [[paths[file], line] for file, line in stack if paths[file] is not None]


class LineTable(object):
    """Collects what changed from the counters and appends it to lines.jsonl."""

    def __init__(self, path, run, sources):
        self._file = AppendFile(path)
        self._sources = sources
        self._numbers = {}        # relative path -> file number
        self._queue = []          # encoded records that must be written once, in order
        # What is not written yet, by the record's name: pid -> {path: {line or key: the row after its file}}. Rows are
        # text, which takes a third of what their numbers would: all lines come at once at first.
        self._tables = {name: {} for name in _TABLES}
        self._cuda_on = {}        # pid -> (noticed by, peaks)
        self._cuda_on_written = {}
        self._system_read = False
        self._phases = []         # [(pid, phase, t or None, relative path or None, line or None, figures)]
        self._phases_had = set()  # (pid, phase) that another process wrote
        self._loads = {}          # (pid, relative path, line, path of the file) -> as its record has it
        self._started = None      # by the monotonic clock, s
        self._at = {}             # pid -> [(thread, path, line, rss, for_ms, stack)]
        self._at_written = {}
        self._processes = {}      # pid -> as in run.json
        self._ended = False
        self.files = []           # as in run.json
        self._highest = {}        # RSS that the rows and counters of the main process and of ranks prove, bytes, by pid
        if self._file.size == 0:
            self._queue.append(encode({"schema": 1, "record": "header", "run": run}))

    def resume(self, records):
        """Take over the file and process numbers of a table another process began, and which phases it has."""
        for record in records:
            if record.get("record") == "file":
                self._numbers[record["path"]] = record["file"]
            elif record.get("record") == "process":
                self._processes[record["pid"]] = {key: record[key] for key in (
                    "pid", "ppid", "kind", "label", "implementation", "rank", "ranks") if key in record}
            elif record.get("record") == "phase":
                self._phases_had.add((record["pid"], record["phase"]))

    def started(self, monotonic):
        """The moment that is t 0, by the monotonic clock in s."""
        self._started = monotonic

    @property
    def metrics(self):
        """What is measured by line, as run.json has it."""
        return ["rss"] + ["cuda"] * bool(self._cuda_on) + ["system"] * self._system_read

    @property
    def processes(self):
        """As in run.json: with how high a rank's processes went, once the table is complete."""
        peaks = self._highest if self._ended else {}
        return [dict(one, rss_peak=peaks[pid]) if one["kind"] != "main" and pid in peaks else one
                for pid, one in self._processes.items()]

    @property
    def highest_rss(self):
        """That the main process's rows and counters prove, bytes; None where they prove none."""
        return max([self._highest[pid] for pid, one in self._processes.items()
                    if one["kind"] == "main" and pid in self._highest] or [None])

    @property
    def latest(self):
        """The latest moment of a phase that is not written yet, in ms; 0 where there is none."""
        return max([phase[2] or 0 for phase in self._phases] or [0])

    @property
    def error(self):
        return self._file.error

    @property
    def size(self):
        return self._file.size

    def interval_factor(self):
        """How many times slower to append as the file grows: doubled at 4, 8 and 16, four times at 32, 64 … MiB.

        300 lines that never rest come to 65 MiB in 8 hours (without the steeper part to twice that).
        """
        factor, step = 1, _FIRST_STEP
        while self._file.size > step:
            factor, step = factor * (2 if step <= _STEEP_FROM else 4), step * 2
        return factor

    def collect(self, views):
        """Take what changed in the counters, to be written by the next `flush`; returns as `look`."""
        waiting = self.look(views)
        for view in views:
            paths = self._paths(view)
            self._take("rows", view.changed_rows(), view.pid, paths, _heights(self._raising(view)))
            self._take("functions", view.changed_functions(), view.pid, paths)
            self._take("cuda", view.changed_cuda(), view.pid, paths)
            if self._take("system", view.changed_system(), view.pid, paths):
                self._system_read = True
        return waiting

    def look(self, views):
        """Take in which files, processes and phases there are and where they are; returns relative paths not analysed yet.

        Between two flushes that is enough: what rows come to in between is not written.
        """
        waiting = set()
        for view in views:
            self._process(view)
            paths = self._paths(view)
            waiting.update(path for path in paths if path is not None and path not in self._numbers)
            raise_highest = self._raising(view)
            if raise_highest is not None:
                raise_highest(view.highest_rss)
            if view.cuda_reading is not None:
                self._cuda_on[view.pid] = view.cuda_reading
            self._phases += [self._phase(view.pid, paths, phase) for phase in view.new_phases()
                             if (view.pid, phase[0]) not in self._phases_had]
            self._at[view.pid] = [(name, paths[file], line, rss, for_ms, _project_stack(stack, paths))
                                  for name, file, line, rss, for_ms, stack in view.threads() if paths[file] is not None]
        return waiting

    def _paths(self, view):
        return [self._sources.relative(path) for path in view.files]

    def _take(self, name, rows, pid, paths, see=None):
        """Put each row whose file is the project's into the table, and show it to `see`; True where there were any."""
        table, taken = self._tables[name].setdefault(pid, {}), False
        for row in rows:
            path = _at(paths, row[0])
            if path is not None:
                table.setdefault(path, {})[row[1]] = lean_json.dumps(row[1:], separators=_COMPACT)[1:].encode("ascii")
                taken = True
                if see is not None:
                    see(row)
        return taken

    def _phase(self, pid, paths, phase):
        name, stamp, file, line = phase[:4]
        path = None if file is None else _at(paths, file)
        t = None if self._started is None else max(0, int(stamp - self._started * 1000))
        return pid, name, t, path, None if path is None else line, phase[4:]

    def add_loads(self, loads):
        """Take what long lines are loading, as loading.Loading tells it; a later one replaces an earlier one."""
        self._loads.update(loads)

    def main_threads(self, pids):
        """[(pid, relative path, line, RSS at its start, for how many ms)] of those processes' main threads."""
        return [(pid,) + at[1:5] for pid in pids for at in self._at.get(pid, ()) if at[0] == "MainThread"]

    def _raising(self, view):
        """What takes a height that the process had; None where nobody asks for it."""
        if view.kind != "main" and "rank" not in self._processes[view.pid]:
            return None

        def rise(height):
            if height and height > self._highest.get(view.pid, 0):
                self._highest[view.pid] = height
        return rise

    def _process(self, view):
        known = self._processes.get(view.pid)
        if known is not None and known.get("implementation") == view.implementation:
            return
        if known is not None:
            # It was seen before it had found out how it can measure.
            entry = dict(known, implementation=view.implementation)
        else:
            entry = {"pid": view.pid, "ppid": view.ppid, "kind": view.kind,
                     "label": label_of(view, self._processes), "implementation": view.implementation}
            if view.rank is not None:
                entry["rank"], entry["ranks"] = view.rank
        self._processes[view.pid] = entry
        self._queue.append(encode(dict([("record", "process")] + list(entry.items()))))

    def add_file(self, report, functions):
        """A file was analysed: {'path', 'sha256'|None, 'lines', 'source'|None}; `functions` is JSON in bytes."""
        path = report["path"]
        if path in self._numbers:
            return
        number = len(self._numbers)
        self._numbers[path] = number
        self._queue.append(encode({
            "record": "file", "file": number, "path": path, "sha256": report["sha256"],
            "lines": report["lines"]})[:-2] + b',"functions":' + functions + b"}\n")
        self.files.append({"path": path, "sha256": report["sha256"], "source": report["source"]})

    def flush(self, t):
        """Append what is ready; False when the disk did not take it (it is held)."""
        records = list(self._queue)
        cuda_on = {pid: reading for pid, reading in self._cuda_on.items() if reading != self._cuda_on_written.get(pid)}
        for pid, (noticed_by, peaks) in cuda_on.items():
            records.append(encode({"record": "cuda-on", "t": t, "pid": pid, "noticed_by": noticed_by, "peaks": peaks}))
        done = [(table, self._add_rows(records, name, table, t)) for name, table in self._tables.items()]
        phases = [phase for phase in self._phases if phase[3] is None or phase[3] in self._numbers]
        records += [self._phase_record(phase, t) for phase in phases]
        loads = [key for key in self._loads if key[1] in self._numbers]
        records += [self._load_record(key, self._loads[key]) for key in loads]
        at = {}
        for pid, threads in self._at.items():
            known = [one for one in threads if one[1] in self._numbers]
            place = [one[:3] for one in known]
            if place != self._at_written.get(pid, []):
                at[pid] = place
                records.append(encode({"record": "at", "t": t, "pid": pid, "threads": [
                    {"thread": name, "file": self._numbers[path], "line": line, "rss": rss, "for_ms": for_ms}
                    for name, path, line, rss, for_ms, _ in known]}))
        if not self._file.append(b"".join(records)):
            return False
        self._queue = []
        self._at_written.update(at)
        self._cuda_on_written.update(cuda_on)
        self._phases = [phase for phase in self._phases if phase not in phases]
        for key in loads:
            del self._loads[key]
        for table, written in done:
            for pid, path in written:
                del table[pid][path]
        return self._file.error is None

    def _phase_record(self, phase, now):
        pid, name, t, path, line, figures = phase
        return encode(dict([("record", "phase"), ("t", now if t is None else t), ("pid", pid), ("phase", name),
                            ("file", None if path is None else self._numbers[path]), ("line", line)]
                           + list(zip(_PHASE_FIGURES, figures))))

    def _load_record(self, key, load):
        pid, path, line, name = key
        return encode(dict(load, record="load", pid=pid, file=self._numbers[path], line=line, path=name))

    def _add_rows(self, records, name, table, t):
        """Add the records of the files that are known; returns them as [(pid, path)]."""
        done = []
        for pid, paths in table.items():
            ready, head = [], encode({"record": name, "t": t, "pid": pid})[:-2] + b',"rows":['
            for path in [one for one in paths if one in self._numbers]:
                done.append((pid, path))
                for row in paths[path].values():
                    ready.append(b"[%d,%s" % (self._numbers[path], row))
                    if len(ready) == _ROWS_PER_RECORD:
                        records.append(head + b",".join(ready) + b"]}\n")
                        ready = []
            if ready:
                records.append(head + b",".join(ready) + b"]}\n")
        return done

    def end(self, t):
        """Append the record that says the table is complete; False when the disk did not take it."""
        if not self._ended:
            if not self.flush(t) or not self._file.append(encode({"record": "end", "t": t})):
                return False
            self._ended = True
        return self._file.append(b"")  # what is left of the last record

    def last_lines(self):
        """Where each thread was at the last moment known, as run.json writes it."""
        found = []
        for pid, threads in sorted(self._at.items()):
            for name, path, line, _, _, stack in threads:
                found.append({"pid": pid, "thread": name, "path": path, "line": line})
                if stack is not None:
                    found[-1]["stack"] = stack
        return found

    def longest_at(self, pid):
        """For how many ms a thread of a process was at its last line, the longest of them; 0 where none is known."""
        return max([at[4] for at in self._at.get(pid, ())] or [0])

    def place(self, pid, thread="MainThread"):
        """[file number, line] of a thread of a process, or None."""
        found = self.where(pid, thread)
        return [self._numbers[found[0]], found[1]] if found is not None and found[0] in self._numbers else None

    def where(self, pid, thread="MainThread"):
        """[relative path, line] of a thread of a process, or None."""
        for at in self._at.get(pid, ()):
            if at[0] == thread:
                return [at[1], at[2]]
        return None

    def close(self):
        self._file.close()
