"""The records of moments.jsonl (docs/run-folder.md): one moment of the whole board each, as raw as it was read."""
import time

from ..run.lines import encode
from ..servers.beside import Servers
from . import memory
from .compute_apps import ComputeApps
from .devices import Devices
from .processes import Processes
from .tegrastats import Tegrastats

INTERVAL_MS = 1000
# After the baseline: a run may end within its first interval, and its memory is gone when that is noticed.
_FIRST_MS = 200
# Memory in use that grew by this part of MemTotal is a moment at once.
_GROWTH = 0.02
_FIRST_STEP = 4 << 20
_BUDDYINFO_EVERY_MS = 60000


class Moments(object):
    """Takes moments and hands them to `write`, which says whether it took the bytes; what it did not take is told again.

    Times are ms since the run, or the watching, began.
    """

    def __init__(self, system, write, interval_ms):
        self._system = system
        self._write = write
        self._interval_ms = interval_ms
        self._devices = Devices(system)
        self._processes = Processes(system)
        self._tegrastats = Tegrastats(system, interval_ms)
        self._tegrastats.start()
        self._apps = ComputeApps(system)
        self._servers = Servers(system)
        self._names = None       # of meminfo's fields, as in the header that is written
        self._told = {}          # what is written only as it changes
        self._next_ms = 0
        self._next_buddyinfo = 0
        self._used = None        # bytes in use at the last moment
        self._began, self._began_unix = time.monotonic(), time.time()

    def begin(self, meminfo=None):
        """The run, or the watching, begins now; with meminfo's text from right before, that moment is the baseline.

        Returns when it began, on the clocks of time.monotonic and time.time.
        """
        before = time.monotonic()
        if meminfo is not None:
            self._processes.look((), before)  # no smaps: their time is kept for the run's own
        self._began = time.monotonic()
        self._began_unix = time.time()
        if meminfo is not None:
            t = min(-1, int((before - self._began) * 1000))
            self._put(t, {"t": t, "baseline": True}, meminfo)
            self._next_ms = _FIRST_MS
        return self._began, self._began_unix

    def count_from(self, began):
        """The run began at that moment on the clock of time.monotonic, after `begin`; the header's `unix_ms` before and now."""
        before = int(self._began_unix * 1000)
        self._began_unix += began - self._began
        self._began = began
        return before, int(self._began_unix * 1000)

    def due(self, t, meminfo, size=0):
        """Whether a moment should be taken; `size` is the file's, which makes them rarer as it grows."""
        self._tegrastats.drain(time.monotonic())
        self._apps.look(time.monotonic())
        self._servers.look(time.monotonic(), self._processes.entries)
        if t >= self._next_ms:
            interval, step = self._interval_ms, _FIRST_STEP
            while size >= step:
                interval, step = interval * 2, step * 2
            # On a grid, so that what wakes us a little late does not add up.
            self._next_ms = t - t % interval + interval
            return True
        used = memory.used(meminfo)
        return used is not None and self._used is not None and used[0] - self._used > _GROWTH * used[1]

    def wait_ms(self, t):
        """How long until the next moment is due, where memory does not grow."""
        return max(0, self._next_ms - t)

    def take(self, t, meminfo, run=(), cuda=None, at=None, more=None):
        """One moment: `run` are the run's pids, `cuda` as the file has it, `at` the main thread's [path, line].

        `more` are figures by name that only some runs have, None where one is not told.
        """
        now = time.monotonic()
        self._processes.look(run, now)
        self._processes.look_at_shares(now)
        record = {"t": t}
        run = self._processes.known(run)
        if run:
            record["run"] = run
        if cuda is not None:
            record["cuda"] = cuda
        if at is not None:
            record["at"] = at
        record.update((key, value) for key, value in (more or {}).items() if value is not None)
        self._put(t, record, meminfo)

    def close(self):
        self._tegrastats.close()
        self._apps.close()
        self._servers.close()

    def _put(self, t, record, meminfo):
        names, numbers = memory.fields(meminfo)
        header = b""
        if self._names is None or (names and names != self._names):
            header = self._header(names)
        if names:
            record["m"] = numbers
        used = memory.used(meminfo)
        self._used = None if used is None else used[0]
        changed, gone = self._processes.changes()
        if changed:
            record["p"] = changed
        if gone:
            record["gone"] = gone
        if self._processes.read_at is not None:
            record["p_t"] = min(t, int((self._processes.read_at - self._began) * 1000))
        servers, told = self._servers.said, {}
        if servers is None and self._told.get("servers") is not None:
            servers = []
        told["servers"] = servers
        if servers != self._told.get("servers"):
            record["servers"] = servers
        for key, text in (("nvmap", self._devices.nvmap()), ("gpu_apps", self._apps.text),
                          ("gpu_memory", self._apps.sizes or None)):
            before = self._told.get(key)
            told[key] = text if text is not None or before is None else ""
            if told[key] != before:
                record[key] = told[key]
        buddyinfo_due = t >= self._next_buddyinfo or "baseline" in record
        for key, value in (("tegrastats", self._tegrastats.newest()), ("gpu_load", self._devices.gpu_load()),
                           ("zram", self._devices.zram()), ("pagesets", self._devices.pagesets()),
                           ("buddyinfo", self._devices.buddyinfo() if buddyinfo_due else None)):
            if value is not None:
                record[key] = value
        if not self._write(header + encode(record)):
            return
        if header:
            self._names = names
        if buddyinfo_due:
            self._next_buddyinfo = t + _BUDDYINFO_EVERY_MS
        self._told = told
        self._processes.written(changed, gone)

    def _header(self, names):
        header = {"schema": 1, "record": "header", "unix_ms": int(self._began_unix * 1000),
                  "interval_ms": self._interval_ms, "meminfo": names}
        if self._system.simulated is not None:
            header["simulated"] = self._system.simulated
        return encode(header)
