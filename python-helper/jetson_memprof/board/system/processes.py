"""The memory of every process of the board, as moments.jsonl and the survey list it.

An entry is `[pid, name, uid, rss, anon, file, shmem, swap, pss, uss]` in bytes, None where a figure is not told.
Reading them all takes a small board some 20 ms, smaps of a large process as much: both have a budget.
"""
import os
import time

from ..files import read_some
from . import proc

# The shares of one core that reading others' processes and reading smaps may take; savings last ten seconds.
_OTHERS_SHARE, _SMAPS_SHARE = 0.002, 0.001
_SAVED_S = 10.0
# A figure counts as changed beyond both of these, that of a process of the run beyond the first.
_CHANGED_BYTES, _CHANGED_PART = 64 << 10, 0.01
_STATUS_BYTES, _SMAPS_BYTES = 8192, 64 << 20
_NAME, _UID, _RSS, _ANON, _PSS = 1, 2, 3, 4, 8
_NOT_READ = (None, None, 0.0, 0)
_FIELDS = (b"VmRSS", b"RssAnon", b"RssFile", b"RssShmem", b"VmSwap")
_PSS_LINE, _PRIVATE_LINES = b"\nPss:", (b"\nPrivate_Clean:", b"\nPrivate_Dirty:")


class Budget(object):
    """CPU time of this thread that may be spent: a share of what has passed, not all of it at once."""

    def __init__(self, share, now=None):
        self._share = share
        self._credit = share * _SAVED_S
        self._seen = time.monotonic() if now is None else now

    def allows(self, now):
        self._credit = min(self._share * _SAVED_S, self._credit + self._share * max(0.0, now - self._seen))
        self._seen = now
        return self._credit > 0

    def spend(self, work, *arguments):
        """What `work` returns; its time is charged."""
        before = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)
        try:
            return work(*arguments)
        finally:
            self._credit -= time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) - before


def parse_status(pid, data):
    """An entry from the text of /proc/<pid>/status; None for a kernel thread or one that has ended."""
    rss = proc.kib(data, _FIELDS[0])
    if rss is None:
        return None
    name, uid, at = "", None, data.find(b"\nUid:")
    if data.startswith(b"Name:"):
        name = data[5:data.find(b"\n")].strip().decode("utf-8", "replace")
    if at >= 0:
        word = data[at + 5:at + 40].split(None, 1)[:1]
        uid = int(word[0]) if word and word[0].isdigit() else None
    return [pid, name, uid, rss] + [proc.kib(data, field) for field in _FIELDS[1:]] + [None, None]


def read_shares(folder):
    """(PSS, USS) in bytes from a process's smaps_rollup or smaps; (None, None) where they may not be read."""
    try:
        # smaps waits for a lock that a process stuck in the kernel may hold.
        if b"\nState:\tD" in proc.read(folder + "/status", _STATUS_BYTES):
            return None, None
    except OSError:
        return None, None
    for name in ("/smaps_rollup", "/smaps"):
        try:
            return _sum_of_smaps(folder + name)
        except OSError:
            continue
    return None, None


def _sum_of_smaps(path):
    pss = private = 0
    found, rest, left = False, b"", _SMAPS_BYTES
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        while left > 0:
            part = os.read(fd, 1 << 16)
            left -= len(part)
            data = rest + part
            # Half a line waits for its other half.
            end = data.rfind(b"\n") + 1 if part else len(data)
            lines = b"\n" + data[:end]
            shares = _figures(lines, _PSS_LINE)
            found = found or bool(shares)
            pss += sum(shares)
            private += sum(sum(_figures(lines, name)) for name in _PRIVATE_LINES)
            rest = data[end:]
            if not part:
                break
    finally:
        os.close(fd)
    return (pss << 10, private << 10) if found else (None, None)


def _figures(lines, name):
    """The figures in kB of the lines that begin with `name`."""
    words = [rest.split(None, 1)[0] for rest in lines.split(name)[1:] if rest.strip()]
    return [int(word) for word in words if word.isdigit()]


def _differs(before, now, part):
    if before[_NAME] != now[_NAME] or before[_UID] != now[_UID]:
        return True
    for old, new in zip(before[_RSS:], now[_RSS:]):
        if old is None or new is None:
            if old is not new:
                return True
        elif _moved(old, new, part):
            return True
    return False


def _moved(before, now, part=_CHANGED_PART):
    return abs(now - before) > max(_CHANGED_BYTES, part * before)


class Processes(object):
    """What is known of the board's processes, and which of it is not written yet.

    The run's own processes are read from the real /proc, others below the system's root.
    """

    def __init__(self, system, budget=None, smaps_budget=None):
        self._others_at = system.path("proc")
        self._read = proc.read if system.simulated is None else read_some
        self._all_readable = os.geteuid() == 0 or system.simulated is not None
        self._uid = os.geteuid()
        self._budget = budget or Budget(_OTHERS_SHARE)
        self._smaps_budget = smaps_budget or Budget(_SMAPS_SHARE)
        self._known = {}     # pid -> entry
        self._pages = {}     # pid -> resident pages when its entry was read
        self._shares = {}    # pid -> (PSS, USS, when they were read, RSS then)
        self._written = {}   # pid -> entry
        self._run = frozenset()
        self.read_at = None  # when those of others were read, on the clock of time.monotonic

    def look(self, run, now):
        """Read the run's processes, and the others where the budget allows."""
        run = frozenset(run)
        if run != self._run:
            # What several processes share is divided anew: what was read of each before says nothing any more.
            for pid in self._run | run:
                self._shares.pop(pid, None)
        for pid in self._run - run:
            self._forget(pid)
        self._run = run
        for pid in run:
            self._take(pid, "/proc/%d" % pid, proc.read)
        if self._budget.allows(now):
            self.read_at = now
            self._budget.spend(self._look_at_others)

    def look_at_shares(self, now):
        """Read PSS and USS where the budget allows: of all of the run's processes at once, as their PSS belong
        together, and of others one by one; what was read longest ago first, the run ten times as often."""
        if not self._smaps_budget.allows(now):
            return
        run = self.known(self._run)
        groups = [run] if run else []
        groups += [[pid] for pid, entry in self._known.items() if pid not in self._run and self._readable(entry)]

        def staleness(pids):
            return (now - self._shares.get(pids[0], _NOT_READ)[2]) * (10 if pids is run else 1)

        for pids in sorted(groups, key=staleness, reverse=True):
            found = self._smaps_budget.spend(self._read_shares, pids)
            if None in [pss for pss, _ in found]:
                found = [(None, None)] * len(pids)
            for pid, (pss, uss) in zip(pids, found):
                self._shares[pid] = (pss, uss, now, self._known[pid][_RSS])
                self._known[pid] = self._known[pid][:_PSS] + [pss, uss]
            if not self._smaps_budget.allows(now):
                return

    def _read_shares(self, pids):
        return [read_shares("/proc/%d" % pid if pid in self._run else "%s/%d" % (self._others_at, pid)) for pid in pids]

    def changes(self):
        """(entries that changed, pids that are gone) since the last `written`."""
        changed = [entry for pid, entry in self._known.items() if pid not in self._written
                   or _differs(self._written[pid], entry, 0 if pid in self._run else _CHANGED_PART)]
        return changed, [pid for pid in self._written if pid not in self._known]

    def written(self, changed, gone):
        """What `changes` gave is written down."""
        for entry in changed:
            self._written[entry[0]] = entry
        for pid in gone:
            self._written.pop(pid, None)

    def known(self, pids):
        """Those of the processes that were there when they were looked at last."""
        return [pid for pid in pids if pid in self._known]

    def entries(self):
        return [self._known[pid] for pid in sorted(self._known)]

    def _look_at_others(self):
        try:
            present = {int(name) for name in os.listdir(self._others_at) if name.isdigit()}
        except OSError:
            present = set()
        for pid in set(self._known) - present - self._run:
            self._forget(pid)
        for pid in present - self._run:
            folder = "%s/%d" % (self._others_at, pid)
            try:
                pages = int(self._read(folder + "/statm", 256).split()[1])
            except (OSError, ValueError, IndexError):
                pages = None
            # 0 is a kernel thread; what did not move is not asked further, `status` costs three times as much.
            if pages == 0:
                self._forget(pid)
            elif pages is None or pages != self._pages.get(pid):
                self._take(pid, folder, self._read)
                if pid in self._known:
                    self._pages[pid] = pages

    def _take(self, pid, folder, read):
        try:
            entry = parse_status(pid, read(folder + "/status", _STATUS_BYTES))
            if entry is not None and entry[_ANON] is None:
                # Kernels before 4.5: what is resident and not of a file or shared.
                words = read(folder + "/statm", 256).split()
                entry[_ANON] = (int(words[1]) - int(words[2])) * proc.PAGE
        except (OSError, ValueError, IndexError):
            entry = None
        if entry is None:
            self._forget(pid)
            return
        before = self._known.get(pid)
        pss, uss, _, rss = self._shares.get(pid, _NOT_READ)
        if before is not None and before[_NAME:_RSS] != entry[_NAME:_RSS]:
            self._shares.pop(pid, None)  # another program by now
        elif not _moved(rss, entry[_RSS]):
            entry[_PSS:] = [pss, uss]  # else they belong to what it had then
        self._known[pid] = entry

    def _forget(self, pid):
        for table in (self._known, self._pages, self._shares):
            table.pop(pid, None)

    def _readable(self, entry):
        return self._all_readable or entry[_UID] == self._uid
