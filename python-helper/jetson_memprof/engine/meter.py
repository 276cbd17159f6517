"""The two kernel figures everything rests on: RSS now, and its high-water mark since it was last reset."""
import mmap
import os

from .mapped import raise_descriptor

#: Bytes of /proc/self/statm to read: always holds its first two fields, and always the same object size.
STATM_BYTES = 22
#: A high-water mark so little above RSS may be the kernel's own rounding: it keeps part of its count per CPU.
SLACK_KIB = 256
#: How the kernel counts RSS, where that is no number of pages that each CPU keeps back (readings.Kept).
EXACTLY, BY_THREAD = 0, -1
#: Pages that a thread keeps back at most; and the kinds of pages of which a CPU does, of memory and of files.
_THREADS_PAGES, _KINDS = 64, 2


class Meter(object):
    """One process's meter. Descriptors keep their numbers when they are opened again (`reopen`).

    `statm` is the descriptor to pread, `counts` how the kernel counts: EXACTLY, BY_THREAD, or by CPU, which keeps back
    fewer pages than that of each kind. `peak` is whether high-water marks can be had, `high_water()` the mark in KiB,
    `reset()` sets it to RSS. Of a mark each thread, or each CPU, keeps `kept_of_mark` KiB back at most.
    """

    def __init__(self):
        self.page_kib = os.sysconf("SC_PAGE_SIZE") // 1024
        #: What the heap sampler took of this process's RSS, where it is loaded: nobody's line took that. And of files.
        self.samplers_pages = self.samplers_files = _none
        self.statm = raise_descriptor(os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC))
        self.clear = self.status = -1
        self.counts = self._how_it_counts()
        self.cpus = os.sysconf("SC_NPROCESSORS_ONLN")
        self.kept_of_mark = self._pages_kept_of_mark() * self.page_kib
        self._switches, self._switched = None, 0
        self.peak = self._open_peak()

    def _how_it_counts(self):
        """By trial, as distributions change their kernels without another version. What no trial tells is as the version says."""
        shown = self._shown_pages
        if _shows_each_page(shown):
            return EXACTLY
        if _shows_each_page(lambda: _come_and_go() or shown()):
            return BY_THREAD
        batch = max(32, 2 * os.sysconf("SC_NPROCESSORS_ONLN"))
        for batch in (batch, 4 * batch):  # a container may be told of fewer
            if _shows_each_page(lambda: _come_and_go(2 * batch) or shown()):
                return batch
        return BY_THREAD if _version() <= (6, 1) else EXACTLY

    def _pages_kept_of_mark(self):
        """A kernel whose RSS is exact since 6.17 still has marks of what each CPU has counted by then."""
        if self.counts == BY_THREAD:
            return _THREADS_PAGES
        if self.counts == EXACTLY and _version() <= (6, 1):
            return 0
        return _KINDS * ((self.counts or max(32, 2 * self.cpus)) - 1)

    def _shown_pages(self):
        return int(os.pread(self.statm, STATM_BYTES, 0).split(None, 2)[1])

    def rss_pages(self):
        """To the page, but where each CPU keeps some back."""
        if self.counts == BY_THREAD:
            _come_and_go()
        return self._shown_pages()

    def sync_call(self):
        """What to call before `statm` is read, as often as need be; None on kernels where that is no use."""
        return _sync_call() if self.counts == BY_THREAD else None

    def reopen(self):
        """In a forked child, whose descriptors still speak of the parent; or after the program closed them all."""
        for path, flags, fd in (("/proc/self/statm", os.O_RDONLY, self.statm),
                                ("/proc/self/clear_refs", os.O_WRONLY, self.clear),
                                ("/proc/self/status", os.O_RDONLY, self.status)):
            if fd >= 0:
                fresh = os.open(path, flags | os.O_CLOEXEC)
                if fresh != fd:
                    os.dup2(fresh, fd, inheritable=False)
                    os.close(fresh)

    def close(self):
        """A thread's `reopen` that comes after this opens nothing."""
        opened = self.statm, self.clear, self.status
        self.statm = self.clear = self.status = -1
        for fd in opened:
            if fd >= 0:
                os.close(fd)

    def _open_peak(self):
        try:
            self.clear = raise_descriptor(os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC))
            self.reset()
        except OSError:
            return False
        try:
            import resource
        except ImportError:  # a Python built without it
            resource = None
        if resource is not None:
            getrusage, me = resource.getrusage, resource.RUSAGE_SELF
            self.high_water = lambda: getrusage(me).ru_maxrss
            self._switches = lambda: _times_switched(getrusage(me))
        if resource is None or self._below_floor():
            self.status = raise_descriptor(os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC))
            self.high_water = self._status_high_water
        return True

    def _below_floor(self):
        """Whether ru_maxrss cannot be used: it never falls below what the parent held when it started us.

        VmHWM has no such floor, at 5 us instead of 0.6 us per reading.
        """
        return self.high_water() > self.rss_pages() * self.page_kib + 1024

    def reset(self):
        os.write(self.clear, b"5")
        if self._switches is not None:
            self._switched = self._switches()

    def most_off(self, bias):
        """By how many KiB a mark can be off that was `bias` KiB below RSS at its reset. Where CPUs keep pages back, those count
        on which threads ran since then: of each, what it kept back may have turned into its opposite."""
        if not self.kept_of_mark:
            return 0
        threads = max(1, os.stat("/proc/self/task").st_nlink - 2)
        if self.counts == BY_THREAD:
            return threads * self.kept_of_mark
        used = self.cpus if self._switches is None else threads + self._switches() - self._switched
        return min(2 * used * self.kept_of_mark, self.cpus * self.kept_of_mark + abs(bias))

    def _status_high_water(self):
        status = os.pread(self.status, 4096, 0)
        at = status.find(b"VmHWM:")
        return int(status[at + 6:].split(None, 1)[0])


def _none():
    return 0


def _times_switched(usage):
    return usage.ru_nvcsw + usage.ru_nivcsw


def _version():
    release = os.uname().release.split("-")[0].split(".")
    try:
        return int(release[0]), int(release[1])
    except (IndexError, ValueError):
        return 0, 0


def _shows_each_page(rss):
    """Whether `rss()` grows by one for each page that is touched. The tries may be disturbed by this process's own work."""
    for _ in range(5):
        pages, grown = _fresh_pages(3), []
        if _advises(pages):  # else it would take ctypes
            pages.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, 3 * mmap.PAGESIZE, mmap.PAGESIZE):
            before = rss()
            pages[at] = 1
            grown.append(rss() - before)
        pages.close()
        if grown == [1, 1, 1]:
            return True
    return False


def _advises(page):
    return hasattr(page, "madvise")  # from Python 3.8 on


def _fresh_pages(count=1):
    return mmap.mmap(-1, count * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _come_and_go(count=1):
    """Makes the kernel fold in what is kept back of the calling thread, or, by enough pages, on this CPU."""
    pages = _fresh_pages(count)
    for at in range(0, len(pages), mmap.PAGESIZE):
        pages[at] = 1
    pages.close()


def _sync_call():
    """Dropping one already dropped page folds the batch in as well, in half the time."""
    page = _fresh_pages()
    page[0] = 1
    if _advises(page):
        return lambda madvise=page.madvise, advice=mmap.MADV_DONTNEED: madvise(advice)
    try:
        import ctypes
        libc = ctypes.CDLL(None)
    except (ImportError, OSError, MemoryError):
        return _come_and_go
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return lambda madvise=libc.madvise, at=at, size=mmap.PAGESIZE, page=page: madvise(at, size, 4)


def code_to_map(pages):
    """(descriptor, offset) of so many pages of a file that are in memory, most likely, as it runs; None: there are none."""
    most, found = pages * mmap.PAGESIZE, None
    with open("/proc/self/maps", "rb") as file:
        for line in file:
            fields = line.split(None, 5)
            if len(fields) == 6 and fields[1] == b"r-xp" and fields[5].startswith(b"/"):
                begin, _, end = fields[0].partition(b"-")
                size = int(end, 16) - int(begin, 16)
                if size >= most:
                    most, found = size, (fields[5].rstrip(b"\n"), int(fields[2], 16))
    try:
        return None if found is None else (os.open(found[0], os.O_RDONLY | os.O_CLOEXEC), found[1])
    except OSError:
        return None
