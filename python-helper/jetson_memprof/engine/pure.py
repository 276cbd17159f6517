"""The accounting of the line engine in pure Python: charges every change of RSS to one line.

Per thread there is a stack of activations of user frames; the process has one `last` RSS. At each event the
change since `last` is `self` of the current thread's open line and part of that activation's `run`. A line's end
adds `run` to its net; an activation's end adds its whole total to the caller's `run`. So selves add up to the
process's change, threads do not count anything twice, and nets include callees.

Everything lives in closures because each event costs about a microsecond and attribute look-ups would double it.
The counters are brought up to date first and RSS is read last, so that the tracer's own objects do not land on the
user's next line.
"""
import os
import sys
from _thread import RLock, _local
from time import perf_counter

from .. import tried
from ..cuda.at import At
from ..exceptions import is_of_program
from .layout import (C_MAX, C_MOVED, C_NET, C_PEAK, C_PEAK_MOST, C_SELF, C_UNCERTAIN, C_USAGE, CELL_WORDS, F_CALLS, F_NET,
                     F_PEAK, F_TIME, H_HIGHEST, S_RSS, S_STACK, STACK_SHOWN, STACK_WORDS, depth_bits)
from .meter import BY_THREAD, SLACK_KIB, STATM_BYTES
from .readings import LINES_KNOWN, REST_GATES, SAVED_READINGS, gate_and_price, kept_by_cpus
from .registry import INLINE_NAMES
from .sharing import (BATCH_PAGES, GROWTH_RATE, LOOK_PAGES, SHRINK_RATE, Share, Sharing, between_asking, forget_passed_over,
                      read_rss, this_thread)
from .slots import Slots
from .threads import thread_name

#: After any change every event is read for so many events; else see readings.py.
HOLD_EVENTS = 1024
#: The high-water mark is looked at after so long without a reading: taking and giving back 256 KiB takes longer.
#: Looking oftener would cost more than time: the object it comes in would take the place of the user's small ones.
PEAK_SECONDS = 10e-6
#: Leaves room between numbers for the tracer's own: without it each would start a page of its own, which the
#: user's next object then finds taken already, on whichever line that was.
_ROOM = [10 ** 6 + i for i in range(400)][::9]
#: What the engine takes to make a function known, at most.
OWN_PAGES = 64
#: In place of a Function, of library code that was met before.
_PASSED = object()
#: `begun_at` of an activation whose first statement is yet to begin.
_NOT_BEGUN = 1 << 40
_NO_CEILING = 1 << 50  # KiB
_NEVER = float("inf")


class _Nobodys(object):
    """In place of the registry's files once nothing is measured any more: who still asks is not traced from then on."""

    def get(self, filename):
        sys.settrace(None)
        return False


def make_process(registry, meter, exact, beside):
    """The state that threads share. Returns (start_thread, rebase after a fork, end).

    `start_thread()` gives the calling thread's trace functions: one for call events, which answers None for a
    frame that is not measured, and one for the line and return events of measured frames. After `end()` nothing
    more is read, charged or asked, whatever threads that are still traced do.
    """
    pread, statm, sync, clock, getpid = os.pread, meter.statm, meter.sync_call(), perf_counter, os.getpid
    pid = getpid()
    page_kib, peak = meter.page_kib, meter.peak
    files, slots, marked = registry.files, Slots(registry.counters), registry.marked
    gate, price = gate_and_price(exact)
    kept = kept_by_cpus(meter.counts, price > 0) if meter.counts > 0 else None
    if kept is not None:
        pread = kept.pread
    saved_for, rest = SAVED_READINGS * gate, REST_GATES * gate
    next_saved = 0.0 if price else _NEVER  # when a saved reading is there
    # Until when a line is to have none; each a number of its own, so that the first ones take the place of these.
    rests = [float(-i) for i in range(LINES_KNOWN)]
    # It knows its owner: see settle().
    lock = RLock()
    acquire, release = lock.acquire, lock.release  # `with` would make objects of both: see `spare`
    raw = b""
    # The latest reading and the parts of one are let go right before their places are needed again: places that were
    # free meanwhile might be the user's by then, and the engine's would begin a page, which the user's next object
    # then finds taken already, on whichever line that was.
    spare = parts = None
    last = 0  # pages
    mark = 0  # KiB: the high-water mark right after its latest reset,
    bias = 0  # and how much RSS was above it: the mark is made of rounded counts
    next_read = read_at = 0.0
    hold = 0
    skipped_at = 0.0  # when the latest event was that went by without a reading; 0: none since the latest reading
    latest = None  # charge() of the thread that had the latest event
    threads = []  # (fold(), charge(), Share, move()) of each thread with open lines
    sharing = Sharing(page_kib, BATCH_PAGES if meter.counts == BY_THREAD else 2 * meter.counts)
    settling = False  # another thread's line may be about to be charged: it must not end meanwhile
    moved = 0  # pages, since the threads were looked at
    asked_at = 0.0  # when their page faults were last asked for,
    asking = None  # and seconds until they are asked for again; None: there never were several
    watch = beside.watch
    next_look = 0.0  # at what `beside` reads; 0 while each event is to ask `watch`
    outer_places = STACK_WORDS - 1

    def read(size=STATM_BYTES):
        if sync is not None:
            sync()
        try:
            return read_rss(statm, size) if len(threads) > 1 and kept is None else pread(statm, size, 0)
        except OSError:  # the program closed all descriptors that it does not know
            meter.reopen()
            return pread(statm, size, 0)

    def pages_of(reading):
        return int(reading.split(None, 2)[1]) - meter.samplers_pages()

    def guarded(work):
        """`work`, after a defect in which the program goes on without being measured."""
        def attempt(*arguments):
            try:
                work(*arguments)
            except (RecursionError, MemoryError):
                raise  # the program is at its own limits
            except Exception as error:
                if is_of_program(error):
                    raise
                end()
                registry.fail(error)
        return attempt

    @guarded
    def settle(fresh, now, mine):
        """Take in a reading and charge the change since `last`; `mine` as in book(). One thread at a time."""
        nonlocal raw, parts, last, settling
        change, unbooked, found, off, ceiling, inside = 0, 0, None, 0, _NO_CEILING, False
        try:
            # From Python 3.12 on Ctrl-C may come right behind a call: here the lock is taken, and nothing says so.
            acquire()
            inside = settling = True
            before = last
            if fresh != raw:
                if len(threads) > 1:
                    fresh = read()  # another thread may have settled meanwhile
                parts = None
                parts = fresh.split(None, 2)
                pages = int(parts[1]) - meter.samplers_pages()
                change, last, raw = pages - last, pages, fresh
                unbooked = change
            high = 0
            if peak and (now - read_at >= PEAK_SECONDS or change * page_kib < -SLACK_KIB):
                samplers = meter.samplers_pages() * page_kib
                high = meter.high_water() - samplers
                new = high > mark
                high += bias
                ceiling = max(high, last * page_kib)
                if high > last * page_kib + SLACK_KIB and (new or change < 0):
                    if not new:
                        high = 0
                    elif high + samplers > registry.counters.head[H_HIGHEST]:
                        registry.counters.head[H_HIGHEST] = high + samplers
                    off = meter.most_off(bias)
                    reset_mark()
                else:
                    high = 0
            if change or len(threads) > 1 or kept is not None and kept.off:
                found = book(change, mine, now)
                unbooked = 0
            if found is not None:
                if ceiling != _NO_CEILING:
                    off = off or meter.most_off(bias)
                fold_looked(high, off, ceiling, before, change, found)
            elif high:
                fold_all(high, off, mine)
        finally:
            # Also where the script's recursion has no end: the engine's own calls count in it.
            if unbooked:  # to be noticed anew
                last -= unbooked
                raw = b""
            if inside:
                settling = False
            try:
                release()
            except RuntimeError:
                pass  # it was waited for when Ctrl-C came

    def reset_mark():
        nonlocal mark, bias
        meter.reset()
        mark = meter.high_water() - meter.samplers_pages() * page_kib
        # Else another thread moved memory meanwhile, as this takes long, and that is no rounding: it is as it was.
        if pages_of(read()) == last:
            bias = last * page_kib - mark

    def fold_all(high, off, mine):
        """RSS was `high` KiB at some moment, or up to `off` KiB more or less, and nobody but the thread with charge() `mine` had
        to do with it."""
        several = len(threads) > 1
        for fold, charge, _, _ in threads:
            if not several or charge is (latest if mine is None else mine):
                fold(high, high + off, 0)

    def fold_looked(high, off, ceiling, before, change, found):
        """Tell each thread what it held, as sharing.held() has it. `found` as book() returns it."""
        held = sharing.held([share for _, _, share, _ in threads], found, before, change, high, off, ceiling)
        for (fold, _, _, _), (own, most) in zip(threads, held):
            fold(own, 0, most)

    def book(change, mine, now):
        """Charge a change to an open line. `mine` is charge() of the thread that has read it, None: no open line. Returns
        what sharing.divide() found of each thread, None: it was not asked."""
        nonlocal hold, next_read
        unsure = 0
        if skipped_at and change:
            rate = GROWTH_RATE if change > 0 else SHRINK_RATE
            # Another thread may have read since: then what went by was before that.
            unsure = min(abs(change), 1 + int(max(0.0, skipped_at - read_at) * rate))
        if kept is not None:
            unsure = max(unsure, kept.unsure(len(threads) > 1))
        if len(threads) > 1:
            if is_to_look(change, now):
                return divide(change, mine, unsure)
            if latest is not mine:
                for _, charge, share, _ in threads:
                    if charge is latest:
                        sharing.pass_over_run(share)
        if change or unsure:
            if change:
                hold, next_read = HOLD_EVENTS, 0.0
            if mine is None:  # this thread was made or woken by the one that had the latest event
                give(latest, change, 0, abs(change))
            elif latest is not mine and latest is not None:
                give(mine, change, unsure, abs(change))
                latest(0, 0, abs(change))  # its line may lack it
            else:
                give(mine, change, unsure, 0)
        return None

    def is_to_look(change, now):
        """Whether enough moved since the latest look, or can have."""
        nonlocal moved, asked_at
        moved += abs(change)
        if moved >= LOOK_PAGES:
            return True
        if now - asked_at < asking:
            return False
        asked_at = now
        return sharing.others_moved(share_of_this())

    def share_of_this():
        """The calling thread's Share; None where it has no open line."""
        return getattr(current, "share", None)

    def divide(change, mine, unsure):
        """Charge a change to the threads with open lines. Returns what sharing.divide() found of each."""
        nonlocal moved, hold, next_read
        unlooked = min(LOOK_PAGES, max(0, moved - abs(change)))
        moved, hold, next_read = 0, HOLD_EVENTS, 0.0
        charges = [charge for _, charge, _, _ in threads]
        places = dict((charge, at) for at, charge in enumerate(charges))
        by = places.get(mine, places.get(latest, 0))
        found = sharing.divide(change, unlooked, [share for _, _, share, _ in threads], share_of_this(), by, since_then)
        for at, (pages, doubt, _) in enumerate(found):
            if pages or doubt:
                give(charges[at], pages, unsure if at == by else 0, doubt)
        return found

    def since_then():
        """RSS less what it was when it was last taken in, and its pages of files."""
        fields = read(64).split(None, 3)
        return int(fields[1]) - meter.samplers_pages() - last, int(fields[2]) - meter.samplers_files()

    def give(charge, change, unsure, doubt):
        """Where that thread has no open line (any more), another one takes it: the selves must add up. `unsure` pages
        may be of the lines before, `doubt` pages another thread's."""
        nonlocal last, raw
        if charge is None or not charge(change, unsure, doubt):
            for _, charge, _, _ in threads:
                if charge(change, 0, abs(change) + doubt):
                    break
            else:
                if threads:  # each is between two of its lines: to be noticed anew
                    last -= change
                    raw = b""
                return
        if change and len(threads) > 1:
            for _, other, _, move in threads:
                if other is not charge:
                    move(change)

    def start_from_here():
        """Start again from here, charging nobody."""
        nonlocal raw, last
        raw = read()
        last = pages_of(raw)
        if peak:
            reset_mark()

    @guarded
    def forget_own_change(allowed):
        """The engine itself took up to `allowed` pages: nobody's. More than that was another thread meanwhile."""
        nonlocal raw, last, settling
        unbooked = 0
        with lock:
            settling = True
            try:
                raw = read()
                pages = pages_of(raw)
                unbooked = change = pages - last
                last = pages
                own = share_of_this() if len(threads) > 1 else None
                is_own = 0 <= change <= allowed
                if is_own:
                    if own is not None:
                        sharing.pass_over(own)
                    if change:
                        for _, _, _, move in threads:
                            move(change)
                elif len(threads) > 1:
                    found = divide(change, getattr(current, "charge", None), 0)
                    fold_looked(0, 0, _NO_CEILING, pages - change, change, found)
                else:
                    give(None, change, 0, abs(change))
                unbooked = 0
            finally:
                if unbooked:  # as in settle()
                    last -= unbooked
                    raw = b""
                settling = False

    def wait_until_settled():
        with lock:
            pass

    def is_due(now):
        return now >= beside.next_look or watch.moved()

    @guarded
    def look(at):
        """Take what `beside` reads. What that takes is nobody's."""
        nonlocal next_look
        used = registry.counters.used
        beside.look(at)
        next_look = 0.0 if watch.places else beside.next_look
        forget_own_change(OWN_PAGES + (registry.counters.used - used) // (page_kib * 1024))

    rebases = {}  # depth-carrying threads' rebase(), by their charge()

    def rebase_all():
        nonlocal pid, lock, acquire, release, slots, latest, hold, next_read, settling, watch, next_look
        lock = RLock()
        acquire, release = lock.acquire, lock.release
        slots = Slots(registry.counters)
        mine = rebases.get(current.charge) if hasattr(current, "charge") else None
        rebases.clear()
        del threads[:]
        latest, hold, next_read, settling = None, 0, 0.0, False
        watch, next_look = beside.watch, 0.0
        if kept is not None:
            forget_passed_over()
            kept.begin()
        start_from_here()
        if mine is not None:
            mine()
        pid = getpid()

    current = _local()

    def start_thread():
        stack = []  # what push() saved of the activations below the open one
        windows = {}  # by the stack's depth: (line, label) of those that are measured before and after
        tops = []  # their lines' highest marks, KiB
        top_frame = source = words = cells = resumed_from = function = None
        tag = cell = begun_at = entry = run = total = function_entry = function_top = top = 0
        again = False  # the open function is open further out too
        # Another line or function is being opened: what stands here goes together only afterwards. To be set before
        # `settling` is looked at, as who settles sets that before this is looked at.
        switching = False
        missed = None  # what fold() was told meanwhile
        # KiB: how high the open line, and those of its function that ended, can have been; 0: no higher than `top`, but for
        # what was doubtful since. So many pages were charged so far that may be another's, or the other way around; and
        # as the open line began, less what may be of the lines before.
        most = function_most = doubted = line_doubted = 0
        # Pages that other threads took, which only they count, and so much of it the open lines took account of.
        others = known_of_others = 0
        function_since = began = 0.0  # `began` is also what tells executions of a line apart
        # What ended last, in the line that began then, and how many pages of its net may still be given back: its own
        # variables are freed only after it has returned.
        ended = None
        ended_within = 0.0
        ended_room = 0
        slot = -1
        head = None
        thread = this_thread()
        share = Share(thread)

        def local(frame, event, arg):
            nonlocal skipped_at, latest, hold, next_read, next_saved, read_at, spare, cell, begun_at, entry, began, switching
            if frame is not top_frame and not find(frame):
                return local
            if event == "line":
                try:
                    new = cells[frame.f_lineno]
                except IndexError:  # the file on disk is not the one that was compiled
                    new = 0
                at = frame.f_lasti
                start = at
                if new < 0:
                    known = resumed_from[new]
                    new = known[0]
                    if known[1] <= cell <= known[2]:
                        # It goes on from where it began, whatever of it comes now; more than that, so that it is not
                        # `at` where Python jumps back to there (3.14 in a `while True`).
                        start = known[3] + .5
                    elif known[3] != at and (new != cell or at <= begun_at):
                        known[3] = at
                if new == cell and at > begun_at:
                    return local  # the same statement goes on
                if start == at:
                    words[new] += 1
                if marked is not None and (len(stack) in windows or new in source.marked):
                    charge_marked()
                if slot >= 0:
                    head[slot] = tag + new
                now = clock()
                if now >= next_look and is_due(now):
                    attend(now)
                if now >= next_read or (now >= next_saved and now >= rests[cell & 63]):
                    if sync is not None:
                        sync()
                    spare = None
                    try:
                        fresh = pread(statm, STATM_BYTES, 0)
                    except OSError:
                        fresh = read()
                    if fresh != raw or settling or now - read_at >= PEAK_SECONDS:
                        settle(fresh, now, charge)
                    spare = fresh
                    skipped_at = 0.0
                    read_at = now
                    if hold:
                        hold -= 1
                    else:
                        next_read = clock() + gate
                        if price:
                            next_saved = (next_saved if next_saved > now - saved_for else now - saved_for) + price
                            rests[cell & 63] = now + rest
                else:
                    skipped_at = now
                latest = charge
                switching = True
                pages = last
                if settling or others != known_of_others:
                    pages = in_step()
                if pages > words[cell + C_USAGE] and begun_at != _NOT_BEGUN:
                    words[cell + C_USAGE] = pages
                if run or top or pages != entry:
                    end_line(pages)
                    entry = pages
                    if slot >= 0:
                        head[slot + S_RSS] = entry
                cell = new
                begun_at = start
                began = now
                switching = False
                if missed:
                    take_missed(False)
                if marked is not None and start == at and new in source.marked:
                    begin_marked()
                return local
            if event == "return":
                leave()
            return local

        def enter(frame, event, arg):
            nonlocal next_read, top_frame, source, words, cells, resumed_from, function, tag, cell, begun_at, entry
            nonlocal run, total, again, function_entry, function_top, function_since, began, top, switching
            nonlocal most, function_most, line_doubted
            code = frame.f_code
            found = files.get(code.co_filename)
            if found is False or code.co_name in INLINE_NAMES:
                return None
            at = frame.f_lasti
            called = None if found is None else found.functions.get((code.co_firstlineno, code.co_name))
            if called is None:
                if getpid() != pid:
                    return None  # a forked child on its way to rebase_all()
                before = skipped_at or read_at
                next_read = 0.0
                observe(clock())  # before the engine takes memory for what is new
                used = registry.counters.used
                if found is None:
                    found = registry.source_file(code.co_filename)
                    if found:
                        found.prepare()
                if not found:
                    if found is not False:
                        pass_by(found, code, before)
                    return None
                called = registry.function(found, code, at)
                forget_own_change(OWN_PAGES + (registry.counters.used - used) // (page_kib * 1024))
            elif called is _PASSED:
                return None
            now = clock()
            observe(now)
            depth = len(stack)
            open_already = called is function
            if called.active and not open_already:
                for below in range(depth - 1, 0, -1):
                    if stack[below][5] is called:
                        open_already = True
                        break
            if not depth:
                occupy()
            elif slot >= 0:
                head[slot + S_STACK + (depth - 1 & outer_places)] = tag + cell
            switching = True
            pages = last
            if settling or others != known_of_others:
                pages = in_step()
            stack.append((top_frame, source, cell, begun_at, entry, function, run, total, again,
                          function_entry, function_top, function_since, tag, began, most, function_most, line_doubted))
            tops.append(top)
            called.active += 1
            top_frame, source, function, again = frame, found, called, open_already
            words, cells, resumed_from, tag = found.words, found.cells, found.resumed_from, found.tag + depth_bits(depth)
            try:
                cell = cells[frame.f_lineno]
                if cell < 0:
                    cell = resumed_from[cell][0]
            except IndexError:
                cell = 0
            if called.resumes_after is not None and at > called.resumes_after:
                begun_at = at
            elif called.slot < 0 and is_open_below():  # a lambda on the line that calls it goes on with that line
                begun_at = at
            else:
                begun_at = _NOT_BEGUN
                if called.slot >= 0:
                    called.words[called.slot + F_CALLS] += 1
            run = total = function_top = top = most = function_most = 0
            line_doubted = doubted
            entry = function_entry = pages
            function_since = began = now
            switching = False
            if missed:
                take_missed(False)
            if slot >= 0:
                head[slot] = tag + cell
                head[slot + S_RSS] = entry
            return local

        def pass_by(file, code, before):
            """A function of a library's file that wants to know of it."""
            file.functions[code.co_firstlineno, code.co_name] = _PASSED
            if file.enter(code):
                look_from_here(before)

        def charge_marked():
            """A line that is measured before and after may end, or the next one may begin: the RSS until then is the open
            line's, and what a mark takes is nobody's."""
            nonlocal next_read
            next_read = 0.0
            charge_rss(clock())
            window = windows.pop(len(stack), None)
            if window is not None:
                marked.end(window[1])
                forget_own_change(OWN_PAGES)

        def begin_marked():
            """Of a recursion the outermost execution has it all."""
            if any(window[0] == (source, cell) for window in windows.values()):
                return
            label = marked.begin(source.index, cell, source.marked.get(cell))
            if label is None:
                source.marked.pop(cell, None)
                return
            windows[len(stack)] = ((source, cell), label)
            forget_own_change(OWN_PAGES)

        def attend(now):
            """Something beside RSS has changed, or may have: RSS first, as the look takes some itself."""
            nonlocal next_read
            before = skipped_at or read_at
            next_read = 0.0
            charge_rss(now)
            look_from_here(before)

        def look_from_here(before):
            """`before` is when the previous event was."""
            lines = [(saved[1].index, saved[2] // CELL_WORDS, saved[13]) for saved in stack[1:]]
            if source is not None:
                lines.append((source.index, cell // CELL_WORDS, began))
            look(At(thread, lines, before, len(threads) > 1))

        def observe(now):
            """Read what is to be read, and charge the changes to the thread's open line."""
            if top_frame is not None and now >= next_look and is_due(now):
                attend(now)
            charge_rss(now)

        def charge_rss(now):
            nonlocal latest, skipped_at, hold, next_read, next_saved, read_at, spare
            if now >= next_read or (now >= next_saved and now >= rests[cell & 63]):
                spare = None
                fresh = read()
                if fresh != raw or settling or now - read_at >= PEAK_SECONDS:
                    settle(fresh, now, None if top_frame is None else charge)
                spare = fresh
                skipped_at = 0.0
                read_at = now
                if hold:
                    hold -= 1
                else:
                    next_read = clock() + gate
                    if price:
                        next_saved = (next_saved if next_saved > now - saved_for else now - saved_for) + price
                        rests[cell & 63] = now + rest
            else:
                skipped_at = now
            latest = charge

        def leave():
            """The top activation returns, yields or is unwound."""
            now = clock()
            observe(now)
            if last > words[cell + C_USAGE] and begun_at != _NOT_BEGUN:
                words[cell + C_USAGE] = last
            pop(now)

        def pop(now):
            nonlocal top_frame, source, words, cells, resumed_from, function, tag, cell, begun_at, entry
            nonlocal run, total, again, function_entry, function_top, function_since, began, top, switching
            nonlocal most, function_most, line_doubted, ended, ended_within, ended_room
            if windows and len(stack) in windows:
                charge_marked()
            switching = True
            pages = last
            if settling or others != known_of_others:
                pages = in_step()
            if run or top or pages != entry:
                end_line(pages)
            function.active -= 1
            at = function.slot
            ended_room = 0
            if at >= 0 and not again:
                totals = function.words
                totals[at + F_TIME] += int((now - function_since) * 1e9) or 1
                if total:
                    totals[at + F_NET] += total
                ended, ended_room = function, total
                held = function_top - function_entry * page_kib
                if held > totals[at + F_PEAK]:
                    totals[at + F_PEAK] = held
            gone, high, highest = total, function_top, function_most
            (top_frame, source, cell, begun_at, entry, function, run, total, again,
             function_entry, function_top, function_since, tag, began, most, function_most, line_doubted) = stack.pop()
            top = tops.pop()
            ended_within = began
            run += gone
            if high > top:
                top = high
            if highest > most:
                most = highest
            if source is not None:
                words, cells, resumed_from = source.words, source.cells, source.resumed_from
            switching = False
            if missed:
                take_missed(True)
            if source is None:
                vacate()
                return
            if slot >= 0:
                if len(stack) > STACK_SHOWN:
                    show_outer(len(stack) - STACK_SHOWN)
                head[slot] = tag + cell
                head[slot + S_RSS] = entry

        def show_outer(above):
            """Say where the activation is that has its line saved at `above`."""
            saved = stack[above]
            head[slot + S_STACK + (above - 1 & outer_places)] = saved[12] + saved[2]

        def is_open_below():
            """Whether the open line is open further out too, in the same code (recursion) or in other code on it."""
            below = len(stack) - 1
            while below > 0 and (stack[below][2] != cell or stack[below][1] is not source):
                below -= 1
            return below > 0

        def end_line(pages):
            """Book what the open line's execution moved and held, to its end at an RSS of `pages`."""
            nonlocal run, total, top, function_top, most, function_most, line_doubted
            if run:
                total += run
                if not is_open_below():  # else it will be counted there
                    words[cell + C_NET] += run
                    moved = words[cell + C_MOVED] + 1
                    words[cell + C_MOVED] = moved
                    if moved == 1 or run > words[cell + C_MAX]:
                        words[cell + C_MAX] = run
                run = 0
            if pages * page_kib > top:
                top = pages * page_kib
            held = top - entry * page_kib
            if held > words[cell + C_PEAK]:
                words[cell + C_PEAK] = held
            if most or doubted != line_doubted:
                held = max(held, most - entry * page_kib) + (doubted - line_doubted) * page_kib
                if held > words[cell + C_PEAK_MOST]:
                    words[cell + C_PEAK_MOST] = held
                if most > function_most:
                    function_most = most
                most, line_doubted = 0, doubted
            if top > function_top:
                function_top = top
            top = 0

        def charge(change, unsure, doubt):
            """Returns whether the thread has an open line to charge. Doubt is in the nets of all that is open."""
            nonlocal run, top, doubted, line_doubted, ended_room
            if switching or top_frame is None:
                doubted += abs(change) + doubt
                return False
            run += change
            words[cell + C_SELF] += change
            if change < 0 < ended_room and ended_within == began:
                back = max(change, -ended_room)
                ended.words[ended.slot + F_NET] += back
                ended_room += back
            if unsure or doubt:
                words[cell + C_UNCERTAIN] += max(unsure, doubt)
                doubted += doubt
                line_doubted -= max(0, unsure - doubt)
                top = top or 1  # so that the line's end books it
            if doubt:
                met = {(source.index, cell)}
                for saved in stack[1:]:
                    line = saved[1].index, saved[2]
                    if line not in met:
                        met.add(line)
                        saved[1].words[saved[2] + C_UNCERTAIN] += doubt
            return True

        def fold(high, or_so, highest):
            """Every open line held `high` KiB at some moment, which can have been `or_so`, unless so much was read that `high`
            may be its rounding, and can have held `highest` KiB; 0: no more than is known."""
            nonlocal top, most, missed
            if switching:
                missed = tuple(map(max, missed or (0, 0, 0), (high, or_so, highest)))
                return
            if others != known_of_others:
                catch_up()
            if highest:
                raise_most(highest)
            sure = high - SLACK_KIB
            known = top
            if sure > known and sure > entry * page_kib:
                top, most = high, max(most, or_so)
            if function_top > known:
                known = function_top
            for below in range(len(tops) - 1, 0, -1):
                saved = stack[below]
                if tops[below] > known:
                    known = tops[below]
                if sure > known and sure > saved[4] * page_kib:
                    tops[below] = high
                    stack[below] = saved[:14] + (max(saved[14], or_so),) + saved[15:]
                if saved[10] > known:
                    known = saved[10]

        def raise_most(highest):
            nonlocal most, top
            known = most
            if highest > known and highest > entry * page_kib:
                most = highest
                top = top or 1  # so that the line's end books it
            known = max(known, function_most)
            for below in range(len(stack) - 1, 0, -1):
                saved = stack[below]
                known = max(known, saved[14])
                if highest > known and highest > saved[4] * page_kib:
                    stack[below] = saved[:14] + (highest,) + saved[15:]
                known = max(known, saved[15])

        def move(pages):
            """Other threads took so many, or the engine."""
            nonlocal others
            others += pages

        def catch_up():
            """What other threads took is no part of what the open lines hold: it was there at their entry, so to say."""
            nonlocal known_of_others, entry, function_entry, top, function_top, most, function_most
            before, known_of_others = known_of_others, others
            pages = known_of_others - before
            kib = pages * page_kib
            entry += pages
            function_entry += pages
            top += kib if top else 0
            function_top += kib if function_top else 0
            most += kib if most else 0
            function_most += kib if function_most else 0
            for below in range(1, len(stack)):
                saved = stack[below]
                stack[below] = (saved[:4] + (saved[4] + pages,) + saved[5:9]
                                + (saved[9] + pages, saved[10] + kib if saved[10] else 0) + saved[11:14]
                                + (saved[14] + kib if saved[14] else 0, saved[15] + kib if saved[15] else 0, saved[16]))
                if tops[below]:
                    tops[below] += kib

        def in_step():
            """RSS as it was when the open lines took account of all that others took until then; to be asked while
            `switching`. Whoever settles meanwhile changes RSS first, and `settling` only after both."""
            while True:
                if settling:
                    wait_until_settled()
                pages = last
                catch_up()
                if not settling and others == known_of_others:
                    return pages

        def take_missed(by_open):
            """A mark from between two lines is that of the lines that were open then: the open one may have begun since."""
            nonlocal top, most, missed
            with lock:
                if others != known_of_others:
                    catch_up()
                told, own, own_most = missed, top, most
                missed = None
                fold(*told)
                if not by_open:
                    top, most = own, own_most

        def find(frame):
            """Events were missed (another tracer came and went): drop what lies above `frame`, if it is known."""
            for saved in stack:
                if saved[0] is frame:
                    break
            else:
                return False
            while top_frame is not frame:
                pop(clock())
            return True

        def occupy():
            nonlocal slot, head, known_of_others, asking
            with lock:
                head = registry.counters.head
                slot = slots.take(charge, thread_name(), thread, slot)
                known_of_others = others
                threads.append((fold, charge, share, move))
                if len(threads) == 2:
                    asking = asking or between_asking()
                    sharing.begin(since_then()[1])
                    threads[0][2].begin()
                if len(threads) > 1:
                    share.begin()
                rebases[charge] = rebase
                current.charge, current.share = charge, share

        def vacate():
            with lock:
                if slot >= 0:
                    slots.release(slot)
                if (fold, charge, share, move) in threads:
                    threads.remove((fold, charge, share, move))
                    current.share = None
                rebases.pop(charge, None)

        def rebase():
            """In a forked child: the open lines go on in this process's own counters, from its own RSS."""
            nonlocal words, run, total, top, entry, function_entry, function_top, slot, thread, share
            nonlocal most, function_most, line_doubted, ended_room
            if top_frame is None:
                return
            thread = this_thread()
            share = Share(thread)
            slot = -1
            windows.clear()
            occupy()
            words = source.words
            run = total = top = function_top = most = function_most = ended_room = 0
            line_doubted = doubted
            entry = function_entry = last
            function.active += 1
            for at, (frame, file, line, begun, _, called, _, _, inner, _, _, entered, mark, since, _, _, _) in enumerate(stack):
                stack[at] = (frame, file, line, begun, last, called, 0, 0, inner, last, 0, entered, mark, since, 0, 0, doubted)
                if called is not None:
                    called.active += 1
            tops[:] = [0] * len(tops)
            if slot >= 0:
                for above in range(max(1, len(stack) - STACK_SHOWN), len(stack)):
                    show_outer(above)
                head[slot] = tag + cell
                head[slot + S_RSS] = entry

        return enter, local

    def end():
        nonlocal files, pread, read, peak, next_look
        files, peak, next_look = _Nobodys(), False, float("inf")
        if getpid() == pid:  # in a forked child whoever held the lock does not exist
            with lock:
                del threads[:]
        known = raw  # so nothing changes any more; what was read from may be closed
        pread, read = (lambda fd, size, at: known), (lambda size=0: known)

    start_from_here()
    doubt = tried.doubt()
    if doubt is not None:
        registry.counters.warn("python-untried", doubt)
    if not tried.has_global_lock():
        from .turns import in_turns
        return in_turns(registry.files, start_thread, rebase_all, end)
    return start_thread, rebase_all, end
