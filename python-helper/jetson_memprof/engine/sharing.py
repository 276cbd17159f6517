"""Whose a change of RSS was, where several threads have an open line: the kernel tells what each of them did.

A thread can have taken no more than its page faults brought, so what RSS grew less than that was given back. By whom
the kernel does not tell: not by a thread that had no time on a processor. What is left open is uncertain.

RSS and the faults must be read together. Python lets other threads run at each of its own system calls, for 5 ms and
many faults, so these go through ctypes, which can be told not to.
"""
import os
import time

try:
    import ctypes
    _libc = ctypes.PyDLL(None)
    _libc.pread.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
    _libc.pread.restype = ctypes.c_ssize_t
    # Others may run before what was read is out of its buffer. In the first there is the same file's text then, only
    # newer; the second is for callers who hold a lock.
    _rss_text, _other_text = ctypes.create_string_buffer(512), ctypes.create_string_buffer(16384)
except (ImportError, OSError, AttributeError, MemoryError):
    # A Python built without it, or one that may make no machine code: less sure whose a change was.
    ctypes = _libc = None
try:
    from resource import RUSAGE_SELF, RUSAGE_THREAD, getrusage
except ImportError:  # a Python built without it
    getrusage = RUSAGE_SELF = RUSAGE_THREAD = None

#: So many pages must have moved, or been faulted in by other threads, before each thread is looked at: 10 us a thread.
LOOK_PAGES = 8
#: Faults are asked for at most so often, and for at most this share of the time: what one thread took and another gave
#: back does not show in RSS.
ASK_SECONDS, ASK_SHARE = 40e-6, 0.04
#: Up to Linux 6.1 so many pages of a thread may not be in RSS yet, on later ones twice as many as a CPU keeps back.
BATCH_PAGES = 64
#: Huge pages are asked for that often at most as threads come and go: 40 us.
HUGE_SECONDS = 1e-3
#: Pages of a file that one fault may map.
AROUND_PAGES = 16
#: Pages a second that RSS is taken to grow and shrink by at most: 15e6 and 86e6 were measured.
GROWTH_RATE, SHRINK_RATE = 32e6, 128e6
#: A thread takes so long on a processor to wake up and get Python's lock.
WAKING_SECONDS = 30e-6
#: On a processor, which can have given back all memory.
_LONGEST = 1e6
#: What a thread's clock says where the thread is gone: no longer than that, and never more again.
_GONE = 1e12
_FLAGS = os.O_RDONLY | os.O_CLOEXEC


def this_thread():
    """The calling thread's id as the kernel counts them; 0 where it does not say."""
    try:
        return int(os.readlink("/proc/thread-self").rsplit("/", 1)[1])
    except (OSError, ValueError, IndexError):
        return 0


def library():
    """ctypes, and the C library so that no other thread runs meanwhile; None where they cannot be had."""
    return ctypes, _libc


def read_rss(statm, size):
    """As os.pread(statm, size, 0) for at most 512 bytes, without letting other threads run."""
    return os.pread(statm, size, 0) if _libc is None else _pread(statm, _rss_text, size, 0)


def _pread(fd, buffer, size, at):
    got = _libc.pread(fd, buffer, size, at)
    if got < 0:
        raise OSError("descriptor %d cannot be read" % fd)
    return ctypes.string_at(buffer, got)


def _read(path, size):
    """The file's first `size` bytes, without letting other threads run; b"" where it cannot be read. One caller at a time."""
    fd = -1
    try:
        fd = os.open(path, _FLAGS) if _libc is None else _libc.open(path, _FLAGS)
        if fd < 0:
            return b""
        data = b""
        while len(data) < size:
            part = (os.pread(fd, size - len(data), len(data)) if _libc is None
                    else _pread(fd, _other_text, size - len(data), len(data)))
            if not part:
                break
            data += part
        return data
    except OSError:
        return b""
    finally:
        if fd >= 0:
            os.close(fd) if _libc is None else _libc.close(fd)


def _faults(path):
    data = _read(path, 512)
    try:
        fields = data[data.rindex(b")") + 2:].split(None, 10)
        return int(fields[7]) + int(fields[9])
    except (ValueError, IndexError):
        return 0


#: Page faults by which RSS was made to show all (readings.Kept), of each thread and, at 0, of all: they are nobody's.
_passed_over = {0: 0}


def pass_over_faults(thread, count, is_first):
    """`is_first`: of a thread whose number another one may have had before."""
    _passed_over[thread] = count if is_first else _passed_over.get(thread, 0) + count
    _passed_over[0] += count


def forget_passed_over():
    """In a forked child, which has had no page faults."""
    _passed_over.clear()
    _passed_over[0] = 0


def faults_of(thread):
    """Page faults that the thread of this process has had so far; 0 where it is gone. One caller at a time."""
    return _faults(b"/proc/self/task/%d/stat" % thread) - _passed_over.get(thread, 0)


def _own_faults(who, path):
    if getrusage is None:
        return _faults(path)
    usage = getrusage(who)
    return usage.ru_minflt + usage.ru_majflt


def faults_of_process():
    return _own_faults(RUSAGE_SELF, b"/proc/self/stat") - _passed_over[0]


def faults_of_this_thread(thread):
    return all_faults_of_this_thread() - _passed_over.get(thread, 0)


def all_faults_of_this_thread():
    return _own_faults(RUSAGE_THREAD, b"/proc/thread-self/stat")


def between_asking():
    """Seconds from one time that `others_moved` is asked to the next, by what its system calls take on this machine."""
    takes = 1.0
    for _ in range(5):  # the least, as others may run meanwhile
        began = time.perf_counter()
        faults_of_process()
        time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)
        takes = min(takes, time.perf_counter() - began)
    return max(ASK_SECONDS, takes / ASK_SHARE)


class Share(object):
    """What was seen of one thread with an open line: at the latest look `faulted` page faults and `ran` seconds on a
    processor, `late` pages of those faults that were not in RSS yet; in a look see `divide`."""
    __slots__ = ("thread", "faulted", "fresh", "late", "ran", "passed", "can", "most")

    def __init__(self, thread):
        self.thread = thread
        self.faulted = self.fresh = self.late = self.can = self.most = 0
        self.ran = self.passed = 0.0

    def begin(self):
        """It counts from now on."""
        self.look()
        self.begin_running()
        self.late = 0

    def look(self, is_own=False):
        """Page faults since the latest look. `is_own`: of the calling thread."""
        faulted = faults_of_this_thread(self.thread) if is_own else faults_of(self.thread)
        self.fresh = max(0, faulted - self.faulted)
        self.faulted += self.fresh
        return self.fresh

    def begin_running(self):
        """Time on a processor counts from now on."""
        try:
            self.ran = time.clock_gettime((~self.thread << 3) | 6)  # the kernel's own numbering of processor clocks
        except (OSError, OverflowError):
            self.ran = _GONE

    def look_at_clock(self):
        """Seconds on a processor since it began running, `passed`, and the pages it `can` have given back in that time."""
        before = self.ran
        self.begin_running()
        self.passed = min(self.ran - before, _LONGEST)
        self.can = _freed_in(self.passed)


def _freed_in(seconds):
    """Pages that can have been given back in so long on a processor; 0 where that is no longer than waking up takes."""
    return int(min(seconds - WAKING_SECONDS, _LONGEST) * SHRINK_RATE) + 1 if seconds > WAKING_SECONDS else 0


class Sharing(object):
    """A process's: `counted` page faults were looked at so far, `kept_back` pages of a thread may not be in RSS yet."""

    def __init__(self, page_kib, kept_back):
        self._page_kib = page_kib
        self._huge = 2048 // page_kib - 1
        self._batch = kept_back
        self.counted = self._files = self._given = 0
        self.strangers_can = 0  # pages that threads without an open line can have given back in the latest look
        self._ran = self._given_at = 0.0

    def begin(self, files):
        """From now on several threads have open lines, all of which begin after this: what one takes meanwhile is counted
        as taken by a thread without."""
        self.counted = faults_of_process()
        self._files = files
        self._run_time()
        if time.monotonic() - self._given_at >= HUGE_SECONDS:
            self._huge_pages()

    def others_moved(self, own):
        """Whether others than the calling thread can have moved some pages since it was last asked, though RSS is as it was;
        `own` is the calling thread's Share, None: it has no open line."""
        fresh = faults_of_process() - self.counted
        if own is None:
            return fresh >= LOOK_PAGES
        ran = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) - own.ran
        if fresh >= LOOK_PAGES:
            # What this thread took others may have given back meanwhile.
            can = _freed_in(time.process_time() - self._ran - ran)
            if can >= LOOK_PAGES or fresh - (faults_of_this_thread(own.thread) - own.faulted) >= LOOK_PAGES:
                return True
            self.pass_over(own)
        self._ran += ran
        own.ran += ran
        return False

    def pass_over(self, own):
        """What the calling thread took until now it gave back until now, or it was the engine's own."""
        self.counted += own.look(True)

    def _huge_pages(self):
        """Huge pages that all programs together got since this was last asked."""
        text = _read(b"/proc/vmstat", 16384)
        at = text.find(b"\nthp_fault_alloc ")
        now = int(text[at + 17:].split(None, 1)[0]) if at >= 0 else 0
        before, self._given, self._given_at = self._given, now, time.monotonic()
        return max(0, now - before)

    def _most(self, faults, huge, files):
        """The most pages that so many faults can have brought, `huge` of which at most a huge page."""
        return faults + self._huge * min(faults, huge) + min((AROUND_PAGES - 1) * faults, files)

    def divide(self, change, unlooked, shares, own, by, since_then):
        """[(pages, uncertain pages, at most at a time)] of each of the threads' `shares`: how a change of `change` pages is
        divided, and what each can have taken at some moment.

        A thread took at most what its faults brought, and gave back at most what it had time for. Together with the
        others' limits that is from where to where each one's part can be; the parts lie equally far along. `own` is the
        calling thread's Share, if it is among them; the one at `by` gets the part of threads without an open line. Before
        that `unlooked` pages moved since the latest look. `since_then()` reads (RSS since the change was read, pages of
        files in RSS).
        """
        process = self._run_time()
        for share in shares:
            share.look_at_clock()
        strangers_ran = process - sum(share.passed for share in shares)
        strangers_can = _freed_in(strangers_ran)
        strange = self._look_at_faults(shares, own)
        faults = strange + sum(share.fresh for share in shares)
        early = sum(share.late for share in shares)
        huge = self._huge_pages() if not 0 <= early + faults - change <= LOOK_PAGES else 0
        after, files = since_then()
        after = max(0, after) + self._batch
        from_files, self._files = max(0, files - self._files), files
        for share in shares:
            share.most = share.late + self._most(share.fresh, huge, from_files)
        # What cannot have been anybody's was somebody's all the same.
        unexplained = max(0, change - early - self._most(faults, huge, from_files))
        strangers_most = self._most(strange, huge, from_files) + unexplained
        if change < -strangers_can - sum(share.can for share in shares):
            strangers_can = early + self._most(faults, huge, from_files) - change
        self.strangers_can = strangers_can

        def limits(cans, floors):
            """[(least, most)] of each one's part, if each took as much as its floor and can have given so much back; the
            last is the strangers'."""
            room, found = sum(cans) - sum(floors), []
            everyone = [(share.late, share.fresh, share.most, unexplained) for share in shares]
            everyone.append((0, strange, strangers_most, 0))
            for (late, fresh, most, more), can, floor in zip(everyone, cans, floors):
                others = early - late + self._most(faults - fresh, huge, from_files) + more
                found.append((max(floor - can, change - others), min(most, change + room - can + floor)))
            return found

        nothing = [0] * (len(shares) + 1)
        sure = limits([share.can for share in shares] + [strangers_can], nothing)
        # Most likely each fault brought a page, and who had about as much time for it as any other gave it back.
        longest = max(share.passed for share in shares)
        likely = [share.can if 2 * share.passed >= longest else 0 for share in shares]
        likely.append(strangers_can if 2 * strangers_ran >= longest else 0)
        floors = [share.fresh for share in shares] + [strange]
        room, taken = change + sum(likely), sum(floors)
        if max(0, room) < taken:
            floors = [floor * max(0, room) // taken for floor in floors]
        parts = _along(change, limits(likely, floors) if room >= 0 else sure)
        parts.pop()
        parts[by] += change - sum(parts)
        low, high = sure.pop()
        found = []
        for at, (share, part, (least, most)) in enumerate(zip(shares, parts, sure)):
            doubt = max(most + max(0, high) - part, part - least - min(0, low))
            if share.fresh or share.can:
                doubt += unlooked
            found.append((part, doubt, share.most + (strangers_most if at == by else 0)))
            # What it took after RSS was read, by faults that were counted, comes next time.
            share.late = min(after, share.most - share.late) if share is not own else 0
        if own is not None:
            own.begin_running()  # what was done here is none of its work
        self._run_time()
        return found

    def held(self, shares, found, before, change, high, off, ceiling):
        """[(KiB, KiB at most)] that each thread held at some moment since RSS was `before` pages, beside what it holds
        now, counted as if what the others took had been there before; 0: no more than that. RSS was `high` KiB at some
        moment, where that is not 0, and no higher than `ceiling` KiB; both may be `off` by so many. `found` as divide() returns
        it."""
        kib, last = self._page_kib, before + change
        can = self.strangers_can + sum(share.can for share in shares)
        might_all = sum(might for _, _, might in found)
        held = []
        for share, (pages, _, might) in zip(shares, found):
            others = change - pages
            first = before + others
            read = max(first, last) * kib
            most = (first + might) * kib
            own = min(high + min(0, others) * kib, most) if high else 0
            # No more than where the others gave back all that they can have.
            most = min(most, ceiling + off + (others + can - share.can) * kib)
            doubt = most - max(own, read)
            if own > read:
                # At least that where the others took all that they might.
                sure = high - off + (others - (might_all - might)) * kib
                doubt = max(doubt, own - max(read, sure))
            held.append((own if own > read else 0, max(own, read) + doubt if doubt > 0 else 0))
        return held

    def pass_over_run(self, share):
        """What that thread did until now is known."""
        before = share.ran
        share.begin_running()
        if share.ran < _GONE:
            self._ran += share.ran - before

    def _run_time(self):
        """Seconds that all threads were on processors since this was last asked."""
        before, self._ran = self._ran, time.process_time()
        return self._ran - before

    def _look_at_faults(self, shares, own):
        """Page faults since the latest look of each thread, and all others'."""
        strange = faults_of_process() - self.counted
        if own is not None:
            strange -= own.look(True)
        for share in shares:
            if share is not own:
                share.fresh = 0
                if strange > 0:
                    strange -= share.look()
        strange = max(0, strange)
        self.counted += strange + sum(share.fresh for share in shares)
        return strange


def _along(total, limits):
    """Whole numbers between the limits that are equally far along, and `total` in all but for rounding."""
    least, most = sum(low for low, _ in limits), sum(high for _, high in limits)
    if most == least:
        return [low for low, _ in limits]
    return [low + (high - low) * (total - least) // (most - least) for low, high in limits]
