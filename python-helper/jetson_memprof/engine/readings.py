"""When RSS is read, and how where the kernel keeps some of it back. Both implementations keep to it; the accelerator is told the times.

A reading costs about as much as the events around it, so the default mode has one in `PRICE_SECONDS` on average. Would
one be due as often, a loop of short lines had them all, and what the next line takes were found at the loop's next turn,
and stood there. So they are due at the first event a little later than that, and what is left over adds up to saved ones:
for events that come before one is due, at the end of a line that had none lately.
"""
import mmap
import os
from _thread import RLock, _local
from time import perf_counter

from .meter import STATM_BYTES, code_to_map

#: A page fault costs 0.25 to 2 us, so little can move in between; in exact mode a reading itself costs as much as this.
GATE_SECONDS, EXACT_GATE_SECONDS = 12.5e-6, 1.5e-6
PRICE_SECONDS = 10e-6
#: So many are saved at most.
SAVED_READINGS = 64
#: After a reading its line has no saved one for so many gates: a loop of eight lines cannot use all that is saved.
REST_GATES = 40
#: Lines that are so far apart, or a multiple of it, share that: a power of two.
LINES_KNOWN = 64
#: Having the kernel count what a CPU kept back takes 20 to 50 us, so it may take such a share of the time. What that
#: leaves is saved, for so many times at most.
FOLD_SHARE, SAVED_FOLDS = 0.03, 256
#: Seconds to wait for another thread that reads: it may be in a handler of a signal, which waits for this one.
LONGEST_TURN = 0.1
#: For madvise(), where Python 3.6 and 3.7 have no names for it; the last two since Linux 5.14.
_DROP, _NO_HUGE_PAGES, _POPULATE_READ, _POPULATE_WRITE = 4, 15, 22, 23
_MAP_FAILED = (1 << 64) - 1
_AROUND_PAGES = 16  # of a file that one fault may map


def gate_and_price(exact):
    """Seconds after a reading until the next one is due, and what each is paid with; 0: none are saved."""
    return (EXACT_GATE_SECONDS, 0.0) if exact else (GATE_SECONDS, PRICE_SECONDS)


def pool_sizes(batch):
    """Pages of anonymous memory, and of a file, which come by 16; taken where nothing is kept back, nothing of them is."""
    return 2 * batch, 2 * ((batch + _AROUND_PAGES - 1) // _AROUND_PAGES * _AROUND_PAGES)


class Pools(object):
    """Memory that is there to be dropped and taken again, `anonymous` and `files` pages of it, and what else Kept asks of the
    kernel. `libc` lets no other thread run meanwhile. Raises MemoryError."""

    def __init__(self, batch, sharing):
        ctypes, libc = sharing.library()
        if libc is None:
            raise MemoryError
        self.cpus, self.cpu = os.sysconf("SC_NPROCESSORS_ONLN"), libc.sched_getcpu
        self.pread, self.clock = sharing.read_rss, perf_counter
        self.faults, self.faults_of_all = sharing.all_faults_of_this_thread, sharing.faults_of_process
        self.thread, self.made = sharing.this_thread, sharing.pass_over_faults
        libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [
            ctypes.c_long]
        libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self._mmap, self._madvise = libc.mmap, libc.madvise
        self.anonymous, self.files = pool_sizes(batch)
        self._held = [self._mapped(self.anonymous, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_ANONYMOUS, -1, 0)]
        self._madvise(*self._held[0][:2] + (_NO_HUGE_PAGES,))
        found = code_to_map(self.files)
        if found is None:
            self.files = 0
        else:
            try:
                self._held.append(self._mapped(self.files, mmap.PROT_READ, 0, *found))
            finally:
                os.close(found[0])
        if not self.take():
            raise MemoryError

    def _mapped(self, pages, may, flags, fd, offset):
        """(address, size, what takes it). Faults of a file bring 16 pages from such an address on."""
        around = _AROUND_PAGES * mmap.PAGESIZE
        at = self._mmap(None, pages * mmap.PAGESIZE + around, may, flags | mmap.MAP_PRIVATE, fd, offset)
        if at in (None, _MAP_FAILED):
            raise MemoryError
        return -(-at // around) * around, pages * mmap.PAGESIZE, _POPULATE_READ if fd >= 0 else _POPULATE_WRITE

    def drop(self):
        for at, size, _ in self._held:
            self._madvise(at, size, _DROP)

    def take(self):
        return not any([self._madvise(*held) for held in self._held])


def _figures(statm):
    """Pages mapped, in RSS, of those of files."""
    fields = statm.split(None, 3)
    return int(fields[0]), int(fields[1]), int(fields[2])


class _Seen(_local):
    """Of a thread: its page faults at its latest reading; and when RSS was made to show all there, and where that was."""
    thread = faults = folded = 0
    cpu = None


class Kept(object):
    """Reads RSS where each CPU keeps back fewer than `batch` pages of each kind before RSS shows them (Linux 6.2 to 6.16).

    Where twice as many are dropped at once, what this CPU kept back is counted. So some are there to be dropped, and taken
    again, where the thread had page faults or RSS moved: RSS is exact then, but for what other CPUs keep. More often than
    FOLD_SHARE allows it is not done (`is_paid`): then each page fault counts as a page, and what was unmapped as if it had
    been there, as far as that can have been kept back. How far off that was is found the next time.
    """

    def __init__(self, batch, is_paid, pools):
        self._most, self._is_paid, self._pools = batch - 1, is_paid, pools
        self._seen = _Seen()
        self.begin()

    def begin(self):
        """From here on; also in a forked child, where whoever held the lock does not exist."""
        self._lock = RLock()  # it knows its owner: see settle() in pure.py
        self._raw = self.text = b""
        self._shown = self._rss = self._size = self._base = self.off = self._strange = 0
        self._counted = None
        self._is_guess = True
        self._next = self._takes = 0.0

    def pread(self, fd, size, at):
        """As os.pread() of statm, whose first three figures are what it should show; the same text until that changes."""
        pools = self._pools
        if pools.faults() != self._seen.faults or self._is_guess or pools.pread(fd, 64) != self._raw:
            try:
                # Who holds it is soon done: this one's pages would be found once its line is over.
                if self._lock.acquire(True, LONGEST_TURN):
                    self._read(fd)
            finally:
                try:
                    self._lock.release()
                except RuntimeError:
                    pass  # it is not ours
        return self.text

    def _read(self, fd):
        pools, seen = self._pools, self._seen
        raw, faults, now = pools.pread(fd, 64), pools.faults(), pools.clock()
        fresh = max(0, faults - seen.faults)
        if fresh or self._is_guess or raw != self._raw:
            seen.faults = faults
            if now < self._next:
                self._guess(raw, fresh)
            else:
                self._fold(raw, fresh, fd, now)

    def unsure(self, several):
        """Pages that may be of the lines before, or missing; asked once. Of other threads more is known where `several` have
        lines."""
        off, strange, self.off = self.off, self._strange, 0
        return off - strange if several else off

    def _guessed(self, size, rss, fresh):
        shown, change, gone = rss + self._base, rss - self._shown, self._size - size
        if change < 0 or change > fresh + self._most:
            return shown
        likely = self._rss + fresh - (gone if 0 < gone <= self._most else 0)
        return max(min(likely, shown + self._most), shown if change else shown - self._most)

    def _guess(self, raw, fresh):
        if fresh or raw != self._raw:
            size, rss, files = _figures(raw)
            likely = self._rss + fresh - max(0, self._size - size)
            self._set(size, self._guessed(size, rss, fresh), files)
            off = abs(self._rss - likely)  # of the lines before, or missing
            if self.off < off <= 2 * self._most:
                self.off, self._strange = off, 0
            self._raw, self._shown, self._is_guess = raw, rss, True

    def _fold(self, raw, fresh, fd, now):
        pools, seen, known = self._pools, self._seen, self._guessed(*_figures(raw)[:2] + (fresh,))
        elsewhere, strange = self._missing(fresh) if self.text else (0, 0)
        pools.drop()
        size, rss, files = _figures(pools.pread(fd, 64))
        taken = pools.take()
        self._raw = raw = pools.pread(fd, 64)
        rss += pools.anonymous + pools.files
        if self.text and self._is_guess:
            elsewhere = max(elsewhere, abs(rss - known))
        if elsewhere + strange > self.off:
            self.off, self._strange = elsewhere + strange, strange
        self._shown = _figures(raw)[1]
        self._base, self._is_guess = rss - self._shown, False
        self._set(size, rss, files + pools.files)
        before = seen.faults
        seen.faults = seen.folded = pools.faults()
        is_first = not seen.thread
        seen.thread = seen.thread or pools.thread()
        pools.made(seen.thread, seen.faults - before, is_first)
        seen.cpu, self._counted = pools.cpu(), pools.faults_of_all()
        if self._is_paid:
            took = pools.clock() - now
            self._takes = min(self._takes or took, took)
            price = self._takes / FOLD_SHARE
            self._next = max(self._next, now - SAVED_FOLDS * price) + price
        if not taken:
            self._next = float("inf")

    def _missing(self, fresh):
        """Pages that the thread may have taken on another CPU, and others where they run."""
        moved = fresh and self._seen.cpu not in (None, self._pools.cpu())
        strange = self._pools.faults_of_all() - self._counted - (self._seen.faults - self._seen.folded)
        return (min(_AROUND_PAGES * fresh, 2 * self._most) if moved else 0,
                max(0, min(strange, self._most * (self._pools.cpus - 1))))

    def _set(self, size, rss, files):
        self._size, self._rss = size, rss
        self.text = (b"%d %d %d" % (size, rss, files)).ljust(STATM_BYTES)


def kept_by_cpus(batch, is_paid):
    """A Kept; None where it cannot be, and readings may be off by as much."""
    from . import sharing
    try:
        return Kept(batch, is_paid, Pools(batch, sharing))
    except (OSError, MemoryError, AttributeError):
        return None
