"""How the supervisor reads the counters of the profiled processes, live or after they were killed."""
import mmap
import os
import time

from .. import lean_json
from ..json_text import native
from . import layout

_CELL = layout.CELL_WORDS
_MAX_INDEX_BYTES = 16 << 20
#: record of the index: (where its tables are kept, words of a cell)
_TABLES = {"functions": ("_functions", layout.FUNCTION_WORDS), "cuda": ("_cuda", layout.CUDA_ROW_WORDS),
           "system": ("_system", layout.SYSTEM_ROW_WORDS), "phases": ("_phases", layout.PHASE_WORDS)}


class Reader(object):
    """Reads every counters file in `folder`. Files that are torn, cut short or not ours are read as far as they go."""

    def __init__(self, folder):
        self._folder = folder
        self._views = {}

    def poll(self):
        """Look again; returns the `ProcessView`s, one per process, in the order in which they were found."""
        for name in sorted(os.listdir(self._folder)):
            if name.endswith(".cnt") and name not in self._views:
                view = ProcessView.open(os.path.join(self._folder, name[:-4]))
                if view is not None:
                    self._views[name] = view
        for view in self._views.values():
            view.refresh()
        views = list(self._views.values())
        # Not worth showing: a child that ran nothing of the project (multiprocessing starts such ones for itself), or
        # that called exec at once.
        return [view for view in views if view.files or view.warnings or view.kind == "main"]


class ProcessView(object):
    """One process's counters. All sizes are bytes; a figure that was not taken is None.

    `pid`, `ppid`, `kind`, `rank` (it and how many there are; None where no launcher says so), `implementation`, `finished`, `warnings` [(code, message)], `files` [absolute path] and
    `total_hits` are as of the latest poll; `highest_rss` is as of now.
    """

    def __init__(self, stem, words):
        self._stem = stem
        self._words = words
        self._index_at = 0
        self._tables = []
        self._functions = []
        self._cuda = []
        self._system = []
        self._phases = []
        self._seen_lines = {}
        self._names_lost = False
        self.pid = words[layout.H_PID]
        self.ppid = words[layout.H_PPID]
        self.kind = _named(layout.KINDS, words[layout.H_KIND])
        self.rank = (words[layout.H_RANK] - 1, words[layout.H_RANKS]) if words[layout.H_RANK] > 0 else None
        self._page = words[layout.H_PAGE]
        self._engine = _named(layout.ENGINES, words[layout.H_ENGINE])
        self.warnings = []
        self.files = []
        self.refresh()

    @classmethod
    def open(cls, stem):
        """The view of `<stem>.cnt`, or None while it has no whole header."""
        try:
            with open(stem + ".cnt", "rb") as file:
                size = min(os.fstat(file.fileno()).st_size, layout.MAP_BYTES)
                if size < layout.HEADER_BYTES:
                    return None
                mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        words = memoryview(mapped)[:size // 8 * 8].cast("q")
        if words[layout.H_MAGIC] != layout.MAGIC or words[layout.H_VERSION] != layout.VERSION:
            return None
        if not 512 <= words[layout.H_PAGE] <= 1 << 20:
            return None
        return cls(stem, words)

    @property
    def implementation(self):
        return _named(layout.IMPLEMENTATIONS, self._words[layout.H_IMPLEMENTATION])

    @property
    def finished(self):
        return self._words[layout.H_STATE] == layout.STATE_FINISHED

    @property
    def highest_rss(self):
        """The highest mark that was seen before it was reset; None where it never was, or cannot be."""
        return self._words[layout.H_HIGHEST] * 1024 or None

    @property
    def total_hits(self):
        return sum(table.hits() for table in self._tables)

    def refresh(self):
        """Take in what the index has gained."""
        data = self._rest_of_index()
        end = data.rfind(b"\n") + 1
        self._index_at += end
        for line in data[:end].splitlines():
            try:
                record = lean_json.loads(line.decode("utf-8", "surrogateescape"))
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                self._take(record)
        if self._words[layout.H_INDEX_LOST] and not self._names_lost:
            self._names_lost = True
            self.warnings.append(("index-lost", "The place of the counters ran full while process %d ran; "
                                  "files that it used first after that are missing. Free some space." % self.pid))

    def _rest_of_index(self):
        path = self._stem + ".idx"
        try:
            if os.stat(path).st_size <= self._index_at:
                return b""  # nearly always, and a fifth of what opening it costs
            with open(path, "rb") as index:
                index.seek(self._index_at)
                return index.read(_MAX_INDEX_BYTES)
        except OSError:
            return b""

    def _take(self, record):
        kind = record.get("record")
        if kind == "warning" and isinstance(record.get("code"), str) and isinstance(record.get("message"), str):
            self.warnings.append((record["code"], record["message"]))
        elif kind == "file" and record.get("file") == len(self.files) and isinstance(record.get("path"), str):
            words = self._slice(record.get("offset"), record.get("lines"), 1, _CELL)
            if words is not None:
                self.files.append(native(record["path"]))
                self._tables.append(_Table(words, _CELL))
        elif kind in _TABLES:
            name, width = _TABLES[kind]
            words = self._slice(record.get("offset"), record.get("count"), 0, width)
            if words is not None:
                getattr(self, name).append(_Table(words, width))

    def _slice(self, offset, count, extra, width):
        """The int64 words of `count` + `extra` cells; None where the record makes no sense or the file is cut off."""
        if type(offset) is not int or type(count) is not int or not 0 <= count <= layout.MAX_LINES:
            return None
        if offset < layout.HEADER_BYTES or offset % 8:
            return None
        start = offset // 8
        words = self._words[start:start + (count + extra) * width]
        return words[:len(words) // width * width]

    def changed_rows(self):
        """Yields (file index, line, hits, net, self, max increment, peak, usage, uncertain, uncertain of peak) of each line
        changed since the last call; the next call must wait for the last of them.

        A line that has never ended has no net, increment, peak or usage.
        The memory_profiler package knows hits (its occurrences), net (its increment) and usage only, massif hits only.
        """
        page, peak_known = self._page, self._words[layout.H_PEAK]
        for file, table in enumerate(self._tables):
            for line, cell in table.changed():
                hits, net, own, largest, peak, usage, unsure, moved, most = cell
                if line == 0 or not any(cell):
                    continue
                if self._engine == "massif":
                    yield (file, line, hits) + (None,) * 7
                    continue
                if self._engine == "memory_profiler":
                    yield file, line, hits, net * page, None, None, None, usage * page, None, None
                    continue
                if moved < hits:
                    largest = max(largest, 0)
                ended = usage or moved or peak  # else it is still open, or was when the process died or forked
                has_peak = peak_known and ended
                yield (file, line, hits, net * page if ended else None, own * page,
                       largest * page if ended else None, peak * 1024 if has_peak else None,
                       usage * page if usage else None, unsure * page, max(0, most - peak) * 1024 if has_peak else None)

    def changed_functions(self):
        """[(file index, key, calls, time in ns, net, peak)] changed since the last call.

        The last three are of the calls that ended, and None where none did.
        """
        page, peak_known, rows = self._page, self._words[layout.H_PEAK], []
        for table in self._functions:
            for _, (file, key, calls, spent, net, peak, _, _) in table.changed():
                if 0 < file <= len(self.files):
                    ended = spent > 0  # every call that ends adds something
                    rows.append((file - 1, key, calls, spent if ended else None, net * page if ended else None,
                                 peak * 1024 if peak_known and ended else None))
        return rows

    @property
    def cuda_reading(self):
        """How PyTorch's CUDA allocator is read: ("counter"|"asking", "bounds"|"exact"); None where it is not.

        "counter": the allocator's own counter is looked at, so a change is noticed at the event after it; "asking":
        PyTorch is asked now and then. "exact": its peaks are reset at each change.
        """
        reading = self._words[layout.H_CUDA_READING]
        if not reading & layout.READ:
            return None
        return ("asking" if reading & layout.READ_BY_ASKING else "counter",
                "exact" if reading & layout.READ_EXACT_PEAKS else "bounds")

    def changed_cuda(self):
        """[(file index, line, net, self, max increment, peak, peak most, reserved net, reserved self, reserved peak,
        device net or None, uncertain)] changed since the last call."""
        rows = []
        for file, line, net, own, largest, moved, peak, most, reserved, reserved_own, reserved_peak, device, unsure in \
                self._changed_in(self._cuda, 13):
            if moved < self._tables[file].words[line * _CELL + layout.C_HITS]:
                largest = max(largest, 0)
            rows.append((file, line, net, own, largest, peak, most, reserved, reserved_own, reserved_peak,
                         _known(device), unsure))
        return rows

    def changed_system(self):
        """[(file index, line, net, self, NvMap net or None, uncertain)] changed since the last call."""
        return [(file, line, net, own, _known(nvmap), unsure)
                for file, line, net, own, nvmap, unsure in self._changed_in(self._system, 6)]

    def _changed_in(self, tables, count):
        """The first `count` words of the rows that changed, the first of them the file's index."""
        for table in tables:
            for _, cell in table.changed():
                file, line = cell[0] - 1, cell[1]
                if 0 <= file < len(self.files) and line > 0 and self._tables[file].holds(line * _CELL):
                    yield (file,) + cell[1:count]

    def new_phases(self):
        """[(phase, time, file index, line, rss, mem available, NvMap, allocated, reserved, device used)] begun since
        the last call, in the order in which they came; time is the monotonic clock in ms. What is not known is None."""
        found = []
        for table in self._phases:
            for _, cell in table.changed():
                phase, stamp, file, line = cell[:4]
                if 0 < phase <= len(layout.PHASES):
                    place = (file - 1, line) if 0 < file <= len(self.files) else (None, None)
                    found.append((layout.PHASES[phase - 1], stamp / 1e6) + place + tuple(map(_known, cell[4:10])))
        return found

    def threads(self):
        """[(thread name, file index, line, RSS at the line's start, for_ms, stack)] of the threads inside a measured line.

        `for_ms` counts from the poll at which the line was first seen without another hit since. `stack` has the
        (file index, line) of the lines that are open, outermost first, at most the 24 innermost.
        Engine massif reads no RSS and keeps no stack: None.
        """
        now, found, seen = time.monotonic(), [], {}
        first = layout.SLOTS_AT + layout.S_AT
        words = self._words[first:first + layout.SLOTS * layout.SLOT_WORDS:layout.SLOT_WORDS].tolist()
        for at, word in enumerate(words):
            place = self._place(word) if word else None
            if place is None:
                continue
            file, line = place
            base, cell = layout.SLOTS_AT + at * layout.SLOT_WORDS, line * _CELL
            state = (word, self._tables[file].words[cell + layout.C_HITS])
            known = self._seen_lines.get(at)
            since = known[1] if known is not None and known[0] == state else now
            seen[at] = (state, since)
            name = self._words[base + layout.S_NAME:base + layout.S_STACK].tobytes().split(b"\0")[0]
            rss = stack = None
            if self._engine != "massif":
                rss, stack = self._words[base + layout.S_RSS] * self._page, self._stack(base, word)
            found.append((name.decode("utf-8", "replace"), file, line, rss, int((now - since) * 1000), stack))
        self._seen_lines = seen
        return found

    def _place(self, word):
        """(file index, line) of a word of a thread's slot, or None."""
        file, cell = (word >> layout.FILE_SHIFT) - 1, word & layout.CELL_MASK
        if 0 <= file < len(self.files) and self._tables[file].holds(cell) and cell >= _CELL:
            return file, cell // _CELL
        return None

    def _stack(self, base, word):
        depth = word >> layout.DEPTH_SHIFT & 2 * layout.STACK_WORDS - 1
        outer = [self._words[base + layout.S_STACK + at % layout.STACK_WORDS]
                 for at in range(depth - min(depth, layout.STACK_SHOWN), depth)]
        return [place for place in map(self._place, outer + [word]) if place is not None]

    @property
    def cuda(self):
        """What PyTorch's CUDA allocator said last, summed over devices, how old that is, and whether the devices use the
        board's RAM, where CUDA says so; None where it never did."""
        places = [self._words[at:at + layout.CUDA_WORDS].tolist() for at in range(
            layout.H_CUDA, layout.H_CUDA + layout.CUDA_PLACES * layout.CUDA_WORDS, layout.CUDA_WORDS)]
        stamp, allocated, reserved, peak = max(places)
        if stamp <= 0:
            return None
        told = {"age_ms": max(0, int(time.monotonic() * 1000) - stamp // 1000000), "allocated": allocated,
                "reserved": reserved, "allocated_peak": peak}
        if self._words[layout.H_CUDA_IS_IN]:
            told["integrated"] = self._words[layout.H_CUDA_IS_IN] == layout.IN_BOARDS_RAM
        return told


class _Table(object):
    """A run of cells, and what it held when it was last looked at."""

    def __init__(self, words, width):
        self.words = words
        self._width = width
        self._before = bytes(len(words) * 8)  # no array: that module brings `collections` along

    def hits(self):
        return sum(self.words[layout.C_HITS::self._width].tolist())

    def holds(self, cell):
        return 0 <= cell and cell + self._width <= len(self.words)

    def changed(self):
        """Yields (number, words of the cell) of the cells that differ from the last call's."""
        now = self.words.tobytes()
        before, self._before = self._before, now
        if now == before:
            return
        size = self._width * 8
        words = memoryview(now).cast("q")
        for number, at in enumerate(range(0, len(now), size)):
            if now[at:at + size] != before[at:at + size]:
                yield number, tuple(words[number * self._width:(number + 1) * self._width])


def _known(figure):
    return None if figure == layout.UNKNOWN else figure


def _named(names, number):
    return names[number] if 0 <= number < len(names) else names[0]
