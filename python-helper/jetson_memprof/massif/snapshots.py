"""Line-scoped snapshots: massif's heap before and after executions of chosen lines, exact to the byte."""
import os
from _thread import allocate_lock, get_ident
from time import perf_counter

from ..engine.threads import thread_name
from ..overlap import OVERLAP
from . import requests
from .names import SCHEMA, Journal

#: Measuring may take this part of the time; executions beyond it are counted and not measured.
_MOST = 0.1
#: So many executions of a line have a record of their own; the line's record has the sum of all.
_MOST_RECORDS = 1000
_SAVE_SECONDS = 1.0


class ChosenLine(object):
    """A line to be measured and what it came to. `net` is bytes, summed over `measured` executions."""

    def __init__(self, path, line):
        self.path = path
        self.line = line
        self.function = ""
        self.forget()

    def forget(self):
        self.hits = self.measured = self.net = 0
        self.saved_hits = 0
        self.open_in = set()  # threads

    def record(self):
        return {"record": "line", "path": self.path, "line": self.line, "hits": self.hits, "measured": self.measured,
                "net": self.net}


class _Execution(object):
    """`begins` and `ends` are the commands for massif, made beforehand: nothing is to be allocated between the two."""
    __slots__ = ("chosen", "thread", "name", "before", "after", "begins", "ends", "detailed")

    def __init__(self, chosen, stem, detailed):
        self.chosen = chosen
        self.thread = get_ident()
        self.name = thread_name()
        self.before = stem + ".before"
        self.after = stem + ".after"
        command = b"detailed_snapshot " if detailed else b"snapshot "
        self.begins = command + os.fsencode(self.before)
        self.ends = command + os.fsencode(self.after)
        self.detailed = detailed


class LineSnapshots(object):
    """Measures executions, each named by `key`, any hashable that tells those open at once apart.

    `folder` is where the run's files go. Raises OSError where they cannot be made.
    """

    def __init__(self, valgrind, folder, lines, max_hits, warn):
        self._monitor = valgrind.monitor
        self._folder = folder
        self._max_hits = max_hits
        self._warn = warn
        self.lines = lines
        self._open()

    def _open(self):
        pid = os.getpid()
        self._lock = allocate_lock()
        self._executions = {}
        self._since = perf_counter()
        self._spent = 0.0
        self._begun = self._trees = 0
        self._overlapped = False
        self._saved_at = perf_counter()
        self._pairs = os.path.join(self._folder, "massif-lines", str(pid))
        os.makedirs(self._pairs, exist_ok=True)
        self._noise = self._measure_noise()
        self._journal = Journal(os.path.join(self._folder, "massif.lines.%d.jsonl" % pid),
                                {"schema": SCHEMA, "record": "header", "pid": pid, "noise_bytes": self._noise})

    def _measure_noise(self):
        """What an execution that allocates nothing seems to take, in bytes."""
        empty, found = ChosenLine("", 0), 0
        for _ in range(4):  # what the first ones allocate stays
            execution = self._begin(empty, False)
            self.end(None)
            self._monitor(execution.ends)
            found = abs(requests.heap_bytes(execution.after) - requests.heap_bytes(execution.before))
            self._remove(execution)
            del execution  # else the next one's begin would keep it
        return found

    def reopen_in_child(self):
        for line in self.lines:
            line.forget()
        self._open()

    def begin(self, key, chosen):
        chosen.hits += 1
        thread = get_ident()
        if thread in chosen.open_in:  # a recursion: its outermost execution has it all
            return
        if chosen.measured >= self._max_hits and self._spent > _MOST * (perf_counter() - self._since):
            return
        since = perf_counter()
        if not self._overlapped and any(other.thread != thread for other in self._executions.values()):
            self._overlapped = True
            self._warn("massif-lines-overlapped", OVERLAP % (chosen.path, chosen.line))
        chosen.open_in.add(thread)
        self._executions[key] = None  # the table grows before the snapshot
        self._executions[key] = self._begin(chosen, chosen.measured < self._max_hits)
        self._spent += perf_counter() - since

    def _begin(self, chosen, detailed):
        with self._lock:
            self._begun += 1
            # Hidden until the pair is whole.
            stem = os.path.join(self._folder, ".massif-%d-%d" % (os.getpid(), self._begun))
        execution = _Execution(chosen, stem, detailed)
        self._monitor(execution.begins)
        return execution

    def end(self, key):
        execution = self._executions.get(key)
        if execution is None:
            return
        since = perf_counter()
        self._monitor(execution.ends)
        del self._executions[key]
        chosen = execution.chosen
        chosen.open_in.discard(execution.thread)
        try:
            before, after = requests.heap_bytes(execution.before), requests.heap_bytes(execution.after)
            tree = self._keep(execution) if execution.detailed else None
        except (OSError, ValueError):  # the disk is full: as if it had not been measured
            return
        finally:
            self._remove(execution)
        chosen.measured += 1
        chosen.net += after - before
        self._note(execution, before, after, tree)
        self._spent += perf_counter() - since

    def _keep(self, execution):
        number = self._trees + 1
        os.rename(execution.before, os.path.join(self._pairs, "%d.before" % number))
        os.rename(execution.after, os.path.join(self._pairs, "%d.after" % number))
        self._trees = number
        return number

    def _note(self, execution, before, after, tree):
        chosen, records = execution.chosen, []
        if chosen.measured <= _MOST_RECORDS:
            records.append({"record": "hit", "path": chosen.path, "line": chosen.line, "function": chosen.function,
                            "hit": chosen.hits, "thread": execution.name, "before": before, "after": after, "tree": tree})
            records.append(chosen.record())
            chosen.saved_hits = chosen.hits
        if perf_counter() - self._saved_at >= _SAVE_SECONDS:
            self._saved_at = perf_counter()
            records += self._unsaved()
        if records:
            self._journal.append(records)

    def _unsaved(self):
        changed = [line for line in self.lines if line.hits != line.saved_hits]
        for line in changed:
            line.saved_hits = line.hits
        return [line.record() for line in changed]

    def _remove(self, execution):
        for path in (execution.before, execution.after):
            try:
                os.unlink(path)
            except OSError:
                pass

    def finish(self):
        records = self._unsaved()
        if records:
            self._journal.append(records)
        if self._journal.lost:
            self._warn("massif-lines-lost", "Some of what was measured before and after lines could not be written to %s "
                       "(is the disk full?)." % self._journal.path)
