"""samples.jsonl: the timeline of the run's memory and the board's."""
from ..files import AppendFile
from ..system import memory, proc
from .lines import encode

SLOW_AFTER_MS = 600000
SLOW_INTERVAL_MS = 1000


class Sampler(object):
    """`started_unix_ms` is to be set before the first sample."""

    def __init__(self, path, interval_ms):
        self._file = AppendFile(path)
        self._headed = False
        self.started_unix_ms = None
        self._interval_ms = interval_ms
        self._next_ms = 0
        self.peak = None

    @property
    def error(self):
        return self._file.error

    def due(self, t):
        """Whether it is time; a long run is sampled less often, as its timeline would only grow."""
        return t >= self._next_ms

    def take(self, t, tree, views, at, meminfo):
        """Append one sample; `at` is the main thread's [file, line] or None, `meminfo` as memory.read_meminfo gives it.

        Unknown figures are absent.
        """
        slow = t >= SLOW_AFTER_MS
        self._next_ms = t + (max(SLOW_INTERVAL_MS, self._interval_ms) if slow else self._interval_ms) - 5
        sample = {"t": t}
        if views:
            sample["hits"] = sum(view.total_hits for view in views)
        processes = []
        for pid in tree.members:
            value = proc.rss(pid)
            if value is not None:
                processes.append([pid, value])
                if pid == tree.main_pid:
                    sample["rss"] = value
        self.see_peak(sample.get("rss"))
        # The engine may reset this mark; the highest ever seen is kept here.
        self.see_peak(proc.high_water(tree.main_pid))
        if self.peak is not None:
            sample["rss_peak"] = self.peak
        sample["processes"] = sorted(processes)
        sample.update(memory.figures(meminfo))
        if at is not None:
            sample["at"] = at
        if not self._headed:
            self._headed = self._file.append(encode({
                "schema": 1, "record": "header", "started_unix_ms": self.started_unix_ms,
                "interval_ms": self._interval_ms}))
            if not self._headed:
                return
        self._file.append(encode(sample))

    def see_peak(self, value):
        if value is not None and (self.peak is None or value > self.peak):
            self.peak = value

    def close(self):
        self._file.append(b"")
        self._file.close()
