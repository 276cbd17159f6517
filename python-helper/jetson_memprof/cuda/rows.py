"""Rows of the counters file that are made as lines are first charged. A kill at any moment leaves true figures."""
from ..engine import layout


class Rows(object):
    """Cells of `width` words, in segments that the index calls `record`."""

    def __init__(self, counters, record, width):
        self._counters = counters
        self._record = record
        self._width = width
        self._words = None
        self._used = layout.ROWS_PER_SEGMENT
        self._is_full = False

    def new(self):
        """(memoryview of int64, first word) of a fresh cell, all 0; one that nobody reads where there is no room."""
        if self._used == layout.ROWS_PER_SEGMENT and not self._is_full:
            self._grow()
        if self._is_full:
            return memoryview(bytearray(8 * self._width)).cast("q"), 0
        at = self._used * self._width
        self._used += 1
        return self._words, at

    def _grow(self):
        count = layout.ROWS_PER_SEGMENT
        try:
            offset, self._words = self._counters.segment(count * self._width)
        except OSError as error:
            self._is_full = True
            self._counters.warn("not-recorded", "Figures of PyTorch's CUDA memory, of the board's memory or of the phases "
                                "are missing for some lines: %s." % error)
            return
        self._counters.note({"record": self._record, "offset": offset, "count": count})
        self._used = 0


class LineRows(object):
    """One cell for each line; its first two words, R_FILE and R_LINE, say which line it is."""

    def __init__(self, counters, record, width, make):
        self._rows = Rows(counters, record, width)
        self._make = make
        self._of = {}

    def of(self, file, line):
        known = self._of.get((file, line))
        if known is None:
            words, at = self._rows.new()
            known = self._of[file, line] = self._make(words, at)
            words[at + layout.R_LINE] = line
            words[at + layout.R_FILE] = file + 1  # last: 0 is a cell that is not in use
        return known

    def has(self, file, line):
        return (file, line) in self._of
