"""What a long line is loading: the large files that its process reads, and how memory rises meanwhile.

A line counts as long when it was seen in several looks; then a look costs nothing until RSS has risen, and what it may
cost is bounded.
"""
from ..system import proc
from ..system.large_files import LEAST, large_files
from ..system.processes import Budget
from .. import names

_LONG_MS = 400
# RSS that moved by less since the last look has nothing new to say.
_STEP, _STEP_PART = 4 << 20, 0.02
# The share of one core, which ten seconds may save up.
_SHARE = 0.005
_MOST_PROCESSES, _MOST_LOADS = 16, 256
_COUNTED = ("size", "position", "mapped", "resident", "copied")
_OF_PROCESS = (("anon", b"RssAnon"), ("mapped", b"RssFile"))
_OF_BOARD = (("mem_available", b"MemAvailable"), ("cached", b"Cached"), ("nvmap", b"NvMapMemUsed"))


def _figures(pid, meminfo, rss):
    """Bytes by name: of the process, its anonymous pages and those of mapped files; of the board. Unknown ones are absent."""
    try:
        status = proc.read("/proc/%d/status" % pid)
    except OSError:
        status = b""
    found = {"rss": rss}
    for text, fields in ((status, _OF_PROCESS), (meminfo, _OF_BOARD)):
        for key, field in fields:
            found[key] = proc.kib(text, field)
    return {key: value for key, value in found.items() if value is not None}


class _Line(object):
    """A line that a process's main thread has been on since it was seen first."""

    def __init__(self, place, t, before):
        self.place = place
        self.t = t
        self.before = before   # figures
        self.most = None       # those of the look at which the process and the GPU's buffers held the most
        self.for_ms = 0
        self.looked_at = before["rss"]


class Loading(object):
    """Looks at the lines of a run's processes in turn, some five times a second."""

    def __init__(self, budget=None, files_of=large_files):
        self._budget = budget or Budget(_SHARE)
        self._files_of = files_of
        self._lines = {}   # pid -> _Line
        self._loads = {}   # (pid, relative path, line, path of the file) -> what its record has

    def look(self, t, places, meminfo, now):
        """`places` are the main threads' [(pid, relative path, line, RSS at its start, for how many ms)], `t` the run's
        ms. Returns the loads that have news, by (pid, relative path, line, path of the file)."""
        news = {}
        for pid, path, line, rss, for_ms in places[:_MOST_PROCESSES]:
            if rss is None:
                continue
            known = self._lines.get(pid)
            if known is None or known.place != (path, line) or for_ms <= known.for_ms:
                known = self._lines[pid] = _Line((path, line), t, _figures(pid, meminfo, rss))
            known.for_ms = for_ms
            if for_ms >= _LONG_MS and self._is_rising(known, pid) and self._budget.allows(now):
                news.update(self._budget.spend(self._look_at, known, pid, meminfo))
        for pid in set(self._lines) - {place[0] for place in places}:
            del self._lines[pid]
        return news

    @staticmethod
    def _is_rising(line, pid):
        rss = proc.rss(pid)
        return (rss is not None and rss - line.before["rss"] >= LEAST
                and abs(rss - line.looked_at) >= max(_STEP, _STEP_PART * line.looked_at))

    def _look_at(self, line, pid, meminfo):
        files = self._files_of("/proc/%d" % pid)
        rss = proc.rss(pid)
        if rss is None:
            return {}
        line.looked_at = rss
        now = _figures(pid, meminfo, rss)
        if line.most is None or _held(now) > _held(line.most):
            line.most = now
        return dict(filter(None, (self._note(line, pid, path, file) for path, file in files.items())))

    def _note(self, line, pid, path, file):
        key = (pid,) + line.place + (names.portable(path),)
        before = self._loads.get(key)
        if before is None and len(self._loads) >= _MOST_LOADS:
            return None
        load = dict(before or {}, t=line.t, for_ms=line.for_ms, before=line.before, most=line.most)
        for name in _COUNTED:
            counts = [one for one in ((before or {}).get(name), getattr(file, name)) if one is not None]
            load[name] = max(counts) if counts else None
        self._loads[key] = load
        return key, load


def _held(figures):
    return figures["rss"] + figures.get("nvmap", 0)
