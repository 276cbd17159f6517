"""Lines that are measured before and after: what lives at both moments is kept in the sampler's log, as marks."""
import ctypes
import os
from _thread import allocate_lock

from ..engine.layout import CELL_WORDS
from ..engine.threads import thread_name
from . import layout

#: Of the thread's name in a label.
_NAME_BYTES = 24


class Marked(object):
    """`lines` are [(absolute path, line)], `hits` how many executions of each are measured; `room` how many of all.

    accel/marks.h does what begin() and end() do, by the same rules. Raises OSError or AttributeError where this process is
    not sampled."""

    def __init__(self, lines, hits):
        # Keeps Python's lock: nobody else runs between a reading of RSS and the mark.
        self._mark = ctypes.PyDLL(None).jetson_memprof_heap_mark
        self._lines = {}
        for path, line in lines:
            self._lines.setdefault(path, []).append(line)
        self.hits = hits
        self.room = min(layout.MARKS // 2, hits * len(lines))
        self.forget()

    def forget(self):
        """Nothing was measured in this process."""
        self._lock = allocate_lock()
        self._begun = {}
        self._left = self.room

    def of(self, path, statement_of):
        """{first word of the statement's counters: the line, as its user has it} of a file."""
        found = {}
        for line in self._lines.get(path, ()):
            if 0 < line < len(statement_of):
                found.setdefault(statement_of[line] * CELL_WORDS, line)
        return found

    def begin(self, file, cell, line):
        """The line begins. Returns what end() is to be given; None where no more of it are measured."""
        with self._lock:
            hit = self._begun.get((file, cell), 0) + 1
            if line is None or hit > self.hits or self._left <= 0:
                return None
            self._begun[file, cell] = hit
            name = thread_name().encode("utf-8", "replace")[:_NAME_BYTES]
            label = b" %d %d %d %d %s" % (file, line, cell // CELL_WORDS, hit, name)
            if not self._mark(b"before" + label):
                return None
            self._left -= 1
        return label

    def end(self, label):
        self._mark(b"after" + label)


def made(root, heap):
    """Of the specification's `heap`; None where no line is marked, or the sampler is not in this process."""
    lines = heap.get("lines")
    if not lines:
        return None
    try:
        return Marked([(os.path.join(root, path), line) for path, line in lines], heap["max_hits"])
    except (OSError, AttributeError):
        return None  # the run has been told why
