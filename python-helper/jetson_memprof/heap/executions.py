"""Executions of marked lines, from the marks of a log: massif.lines.<pid>.jsonl and the snapshots that it names, as of engine
massif."""
import re
from math import sqrt

from .. import lean_json
from ..json_text import portable
from ..overlap import OVERLAP
from .sources import file_records, hits_of

#: As heap/marked.py and accel/marks.h write it: file, line, first line of its statement, which execution, thread.
_LABEL = re.compile(r"(before|after) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9}) (.*)", re.DOTALL)


class Executions(object):
    """`files` are the paths of the process's files by number, `functions` is a sources.Functions."""

    def __init__(self, log, files, functions):
        self._log = log
        self._files = files
        self._functions = functions
        self._names = {}  # of marks, by their places in the log
        self._pairs = []  # [(file, line, statement, hit, thread, place of the mark before, after)]
        self.has_overlapped = None  # (path, line) where lines ran in several threads at once
        self._read()

    def _read(self):
        is_open = {}
        for place, mark in enumerate(self._log.marks):
            found = _LABEL.match(mark[3])
            file, line, statement, hit = (int(number) for number in found.groups()[1:5]) if found else (-1, 0, 0, 0)
            if not 0 <= file < len(self._files):
                continue
            thread = found.group(6).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            key = file, line, hit
            self._names[place] = "%s %s:%d, %d" % (found.group(1), self._path(file), line, hit)
            if found.group(1) == "before":
                if any(other != thread for other, _ in is_open.values()):
                    self.has_overlapped = self._path(file), line
                is_open[key] = thread, place
            elif key in is_open:
                self._pairs.append((file, line, statement, hit, thread, is_open.pop(key)[1], place))

    def _path(self, file):
        return portable(self._functions.relative(self._files[file]))

    def name(self, place):
        """What the mark at that place in the log is called, None where it is none of a line."""
        return self._names.get(place)

    def notes(self):
        return [("massif-lines-overlapped", OVERLAP % self.has_overlapped)] if self.has_overlapped else []

    def texts(self, snapshot_of):
        """[(name below the run's folder, bytes)]; what names others comes last. `snapshot_of(mark)` is a file of massif's with
        that mark of the log."""
        if not self._pairs:
            return []
        pid = self._log.pid
        header = {"schema": 1, "record": "header", "pid": pid, "mean_bytes": self._log.last_mean}
        records, sums, out, files = [header], {}, [], file_records(self._log.counters)
        for file, line, statement, hit, thread, first, second in self._pairs:
            before, after = self._log.marks[first], self._log.marks[second]
            variance = _variance(before[4], after[4])
            tree = None
            if before[4] is not None and after[4] is not None:
                tree = len(out) // 2 + 1
                for side, mark in (("before", before), ("after", after)):
                    out.append(("massif-lines/%d/%d.%s" % (pid, tree, side), snapshot_of(mark)))
            path = self._path(file)
            records.append(dict({
                "record": "hit", "path": path, "line": line, "function": self._functions.function(self._files[file], statement),
                "hit": hit, "thread": thread, "before": max(0, before[1]), "after": max(0, after[1]), "tree": tree}, **_error(variance)))
            known = sums.get((path, line), (0, 0, 0.0, 0))
            sums[path, line] = (known[0] + 1, known[1] + records[-1]["after"] - records[-1]["before"],
                                None if variance is None or known[2] is None else known[2] + variance,
                                max(known[3], hit, hits_of(self._log.counters, files, file, statement) or 0))
        for (path, line), (measured, net, variance, count) in sorted(sums.items()):
            records.append(dict({"record": "line", "path": path, "line": line, "hits": max(count, measured), "measured": measured,
                                 "net": net}, **_error(variance)))
        text = "".join(lean_json.dumps(record, separators=(",", ":")) + "\n" for record in records)
        return out + [("massif.lines.%d.jsonl" % pid, text.encode("ascii"))]


def _variance(before, after):
    """Of the difference, at most: what a stack has that changed may all be new. None: not known."""
    if before is None or after is None:
        return None
    nothing = (0, 0)
    found = 0.0
    for stack in set(before) | set(after):
        one, other = before.get(stack, nothing), after.get(stack, nothing)
        if one != other:
            found += one[1] + other[1]
    return found


def _error(variance):
    return {} if variance is None else {"error": int(round(sqrt(variance)))}
