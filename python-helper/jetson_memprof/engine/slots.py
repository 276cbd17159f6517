"""Thread slots: where each thread with an open user line says which line that is."""
from . import layout


class Slots(object):
    """Hands the slots of the counters' header to threads. Every call is made under the tracer's lock."""

    def __init__(self, counters):
        self.counters = counters
        self._owners = [None] * layout.SLOTS
        self._busy = [False] * layout.SLOTS

    def take(self, owner, name, thread, last):
        """A free slot's first word for `owner`, its `last` one if still free; -1 when all are taken."""
        if last >= 0:
            at = (last - layout.SLOTS_AT) // layout.SLOT_WORDS
            if self._owners[at] is owner:
                self._busy[at] = True
                self.counters.head[last + layout.S_THREAD] = thread
                return last
        if all(self._busy):
            return -1
        at = self._busy.index(False)
        self._owners[at], self._busy[at] = owner, True
        word = layout.SLOTS_AT + at * layout.SLOT_WORDS
        self.counters.head[word + layout.S_THREAD] = thread
        data = name.encode("utf-8", "replace")[:layout.NAME_BYTES]
        start = (word + layout.S_NAME) * 8
        self.counters.view[start:start + layout.NAME_BYTES] = data.ljust(layout.NAME_BYTES, b"\0")
        return word

    def release(self, word):
        self._busy[(word - layout.SLOTS_AT) // layout.SLOT_WORDS] = False
        self.counters.head[word] = 0
