"""The two kernel figures everything rests on: RSS now, and its high-water mark since it was last reset."""
import mmap
import os

from .mapped import raise_descriptor

#: Bytes of /proc/self/statm to read: always holds its first two fields, and always the same object size.
STATM_BYTES = 22
#: A high-water mark so little above RSS may be the kernel's own rounding: it keeps part of its count per CPU.
SLACK_KIB = 256


class Meter(object):
    """One process's meter. Descriptors keep their numbers when they are opened again (`reopen`).

    `statm` is the descriptor to pread, `batches` whether the kernel may keep some of what it counts back until then,
    `peak` whether high-water marks can be had, `high_water()` the mark in KiB, `reset()` sets it to RSS.
    """

    def __init__(self):
        self.page_kib = os.sysconf("SC_PAGE_SIZE") // 1024
        self.batches = counts_in_batches()
        #: What the heap sampler took of this process's RSS, where it is loaded: nobody's line took that. And of files.
        self.samplers_pages = self.samplers_files = _none
        self.statm = raise_descriptor(os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC))
        self.clear = self.status = -1
        self.peak = self._open_peak()

    def rss_pages(self):
        if self.batches:
            _come_and_go()
        return int(os.pread(self.statm, STATM_BYTES, 0).split(None, 2)[1])

    def sync_call(self):
        """What to call before `statm` is read, as often as need be; None on kernels that count exactly."""
        return _sync_call() if self.batches else None

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

    def _status_high_water(self):
        status = os.pread(self.status, 4096, 0)
        at = status.find(b"VmHWM:")
        return int(status[at + 6:].split(None, 1)[0])


def _none():
    return 0


def counts_in_batches():
    """Up to Linux 6.1 each thread keeps up to 64 pages to itself before the process's RSS shows them."""
    release = os.uname().release.split("-")[0].split(".")
    try:
        return (int(release[0]), int(release[1])) <= (6, 1)
    except (IndexError, ValueError):
        return True


def _advises(page):
    return hasattr(page, "madvise")  # from Python 3.8 on


def _fresh_page():
    return mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _come_and_go():
    """Makes the kernel fold the calling thread's batch in."""
    page = _fresh_page()
    page[0] = 1
    page.close()


def _sync_call():
    """Dropping one already dropped page folds the batch in as well, in half the time."""
    page = _fresh_page()
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
