"""Counters that only their own process reads: in memory, so that nothing is left of them and no descriptor is open."""
import mmap
import os

from ..engine import layout
from ..engine.counters import ProcessView
from ..engine.mapped import Counters
from ..json_text import encoded


class OwnCounters(Counters):
    """`index` is what would stand in the index file."""

    def __init__(self):
        self.index = b""
        Counters.__init__(self, None, "main", "pure", "line")

    def _open(self, kind):
        view = memoryview(mmap.mmap(-1, layout.MAP_BYTES))
        for at in range(0, layout.HEADER_BYTES, mmap.PAGESIZE):
            view[at] = 0
        self._begin(view, os.getpid(), kind)

    def _reserve(self, offset, size):
        pass

    def note(self, record):
        self.index += encoded(record) + b"\n"


class OwnView(ProcessView):
    """What a process's OwnCounters say."""

    def __init__(self, counters):
        self._counters = counters
        ProcessView.__init__(self, None, counters.view.cast("q"))

    def _rest_of_index(self):
        return self._counters.index[self._index_at:]
