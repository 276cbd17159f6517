"""Kernels that show RSS late: how that is found out, and what is read all the same. The kernels are stand-ins."""
import os
import random
import shutil
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

from truth import harness
from jetson_memprof.engine import meter, readings

_STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin_kernel", "keeps_back.c")
#: Pages of a kind that it shows a CPU to keep back.
_MOST_KEPT = 31
_COMPILER = shutil.which("gcc") or shutil.which("cc")


class Kernel(object):
    """A stand-in for a kernel whose CPUs keep back fewer than `batch` pages of each kind, and for readings.Pools."""

    thread_id = 7

    def __init__(self, batch=32, cpus=4):
        self.cpus, self._batch = cpus, batch
        self._cpu, self.now, self.folds, self.can_take = 0, 1e6, 0, True
        self._shown, self._kept, self.pages = [1000, 500], [[0] * cpus, [0] * cpus], 1500
        self._size, self._faults, self._others, self._passed = 9000, 0, 0, 0
        self.anonymous, self.files = readings.pool_sizes(batch)

    def move_to(self, cpu):
        self._cpu = cpu

    def add(self, pages, kind=0, own=True, cpu=None):
        """As many come at once, or go."""
        cpu = self._cpu if cpu is None else cpu
        kept = self._kept[kind]
        kept[cpu] += pages
        self.pages += pages
        if abs(kept[cpu]) >= self._batch:
            self._shown[kind] += kept[cpu]
            kept[cpu] = 0
        if pages > 0:
            self._faults += own
            self._others += not own

    def touch(self, count, **how):
        for _ in range(count):
            self.add(1, **how)

    def unmap(self, count):
        self._size -= count
        self.add(-count)

    def pread(self, fd, size):
        return b"%d %d %d 1 0 5 0\n" % (self._size, sum(self._shown), self._shown[1])

    def faults(self):
        return self._faults

    def faults_of_all(self):
        return self._faults + self._others - self._passed

    def made(self, thread, faults, is_first):
        assert thread == self.thread_id
        self._passed += faults

    def thread(self):
        return self.thread_id

    def cpu(self):
        return self._cpu

    def clock(self):
        self.now += 10e-6
        return self.now

    def drop(self):
        self.folds += 1
        self.add(-self.anonymous)
        self.add(-self.files, 1)

    def take(self):
        if self.can_take:
            self.touch(self.anonymous)
            for _ in range(0, self.files, 16):
                self.add(16, 1)
        return self.can_take


class Reading(unittest.TestCase):
    def begin(self, is_paid=True, **kernel):
        self.kernel = Kernel(**kernel)
        self.kept = readings.Kept(self.kernel._batch, is_paid, self.kernel)
        self.kept.begin()
        self.last = self.before = None
        self.read()

    def read(self):
        """(change of RSS since the last reading, pages that are unsure, as many pages really came)"""
        rss, pages = int(self.kept.pread(3, 22, 0).split()[1]), self.kernel.pages
        before, self.last, self.before = (self.last, self.before), rss, pages
        return (rss - before[0], self.kept.unsure(False), pages - before[1]) if before[0] is not None else None

    def test_each_page_is_seen_at_once(self):
        for batch in (32, 40, 256):
            self.begin(batch=batch)
            for count in list(range(1, 70)) + [512]:
                self.kernel.touch(count)
                self.assertEqual(self.read(), (count, 0, count))
            for count in (1, 20, 31, 32, 40, 500):
                self.kernel.unmap(count)
                self.assertEqual(self.read(), (-count, 0, -count))

    def test_pages_of_files_too(self):
        self.begin()
        for count in (1, 7, 16, 16, 3, 16, 16, 16):
            self.kernel.add(count, kind=1)
            self.kernel.touch(3)
            self.assertEqual(self.read(), (count + 3, 0, count + 3))

    def test_nothing_is_done_where_nothing_moved(self):
        self.begin()
        text, folds = self.kept.pread(3, 22, 0), self.kernel.folds
        for _ in range(100):
            self.assertIs(self.kept.pread(3, 22, 0), text)
        self.assertEqual(self.kernel.folds, folds)

    def test_it_takes_its_share_of_the_time_and_no_more(self):
        self.begin()
        began, saved = self.kernel.now, self.kernel.folds + readings.SAVED_FOLDS
        for _ in range(20000):
            self.kernel.touch(1)
            self.kernel.now += 20e-6
            self.read()
        # The stand-in's clock says that each one takes 10 us.
        self.assertLess(self.kernel.folds, saved + 2 + (self.kernel.now - began) * readings.FOLD_SHARE / 10e-6)
        self.assertGreater(self.kernel.folds, saved)

    def test_where_exactness_is_asked_for_it_is_not_saved(self):
        self.begin(is_paid=False)
        for _ in range(2000):
            self.kernel.touch(1)
            self.assertEqual(self.read(), (1, 0, 1))

    def spent(self):
        self.begin()
        for _ in range(300):
            self.kernel.touch(1)
            self.read()
        self.assertLess(self.kernel.folds, 290)

    def test_in_between_page_faults_are_pages(self):
        self.spent()
        folds = self.kernel.folds
        for count in (1, 2, 1, 5, 1, 31, 1, 40, 100):
            self.kernel.touch(count)
            self.assertEqual(self.read()[::2], (count, count))
        for count in (4, 1, 20):
            self.kernel.unmap(count)
            self.assertEqual(self.read()[::2], (-count, -count))
        self.assertEqual(self.kernel.folds, folds)

    def test_what_was_guessed_wrong_is_put_right_and_said(self):
        self.spent()
        self.kernel.add(16, kind=1)
        guess, unsure, truth = self.read()
        self.assertEqual((guess, unsure, truth), (1, 0, 16))
        self.kernel.now += 1.0
        self.assertEqual(self.read(), (15, 15, 0))

    def test_a_guess_is_never_further_off_than_can_be_kept_back(self):
        self.spent()
        told = real = 0
        for turn in range(200):
            self.kernel.add(16 if turn % 3 else 1, kind=turn % 2)
            change, _, truth = self.read()
            told, real = told + change, real + truth
            self.assertLessEqual(abs(told - real), 2 * 31)

    def test_what_was_taken_on_another_cpu_is_unsure_and_so_is_what_comes_back(self):
        self.begin()
        self.kernel.touch(9)
        self.kernel.move_to(2)
        self.kernel.touch(5)
        change, unsure, truth = self.read()
        self.assertEqual((change, truth), (5, 14))
        self.assertGreaterEqual(unsure, 9)
        self.kernel.move_to(0)
        self.kernel.touch(1)
        change, unsure, truth = self.read()
        self.assertEqual((change, truth), (10, 1))
        self.assertGreaterEqual(unsure, 9)
        self.kernel.touch(1)
        self.assertEqual(self.read(), (1, 0, 1))

    def test_moving_leaves_nothing_of_its_own_behind(self):
        self.begin()
        for cpu in (1, 2, 3, 0, 2):
            self.kernel.move_to(cpu)
            self.kernel.touch(1)
            self.assertEqual(self.read()[::2], (1, 1))

    def test_what_others_may_keep_back_is_unsure_unless_their_lines_are_known(self):
        self.begin()
        for several in (False, True):
            self.kernel.touch(20, own=False, cpu=3)
            self.kernel.touch(2)
            self.kept.pread(3, 22, 0)
            self.assertEqual(self.kept.unsure(several), 0 if several else 20)
        for cpu in (1, 2, 3):
            self.kernel.touch(400, own=False, cpu=cpu)
        self.kernel.touch(1)
        self.kept.pread(3, 22, 0)
        self.assertEqual(self.kept.unsure(False), 3 * 31)

    def test_without_memory_for_it_the_rest_is_guessed(self):
        self.begin()
        self.kernel.can_take = False
        self.kernel.touch(1)
        self.assertEqual(self.read()[0], 1)
        for _ in range(100):
            self.kernel.touch(1)
            self.assertEqual(self.read()[0], 1)
        self.assertEqual(self.kernel.folds, 2)

    def test_a_thread_waits_for_one_that_reads(self):
        self.begin()
        self.kernel.touch(9)
        drop, answers = self.kernel.drop, []

        def read():
            answers.append(int(self.kept.pread(3, 22, 0).split()[1]))

        def drop_beside():
            other.start()
            other.join(0.2)  # as long as it waits for this one, that is all
            drop()

        other = threading.Thread(target=read)
        self.kernel.drop = drop_beside
        with mock.patch.object(readings, "LONGEST_TURN", 600):
            read()
            self.kernel.drop = drop
            other.join()
        self.assertEqual(answers, [self.kernel.pages] * 2)

    def test_in_a_forked_child_nobody_else_reads(self):
        self.begin()
        held, over = threading.Event(), threading.Event()

        def hold():
            with self.kept._lock:
                held.set()
                over.wait()

        other = threading.Thread(target=hold)
        other.start()
        held.wait()
        self.kept.begin()
        self.kernel.touch(9)
        text = self.kept.pread(3, 22, 0)
        over.set()
        other.join()
        self.assertEqual(int(text.split()[1]), self.kernel.pages)

    def test_in_a_forked_child_it_begins_anew(self):
        self.begin()
        self.kernel.touch(40)
        self.kernel._faults = self.kernel._passed = 0
        self.kept.begin()
        self.last = None
        self.read()
        for count in (1, 5):
            self.kernel.touch(count)
            self.assertEqual(self.read(), (count, 0, count))


class Pages(object):
    """Stand-in for a mapping."""

    def __init__(self, kernel, count):
        self._kernel, self._count = kernel, count

    def __len__(self):
        return self._count * meter.mmap.PAGESIZE

    def __setitem__(self, at, value):
        self._kernel.add(1)

    def close(self):
        self._kernel.add(-self._count)


class ByThread(Kernel):
    """Stand-in for Linux 6.1: what a thread kept back is counted as pages go."""

    def add(self, pages, **how):
        self.pages += pages
        self._kept[0][0] += pages
        if pages < 0 or self._kept[0][0] > 64:
            self._shown[0] += self._kept[0][0]
            self._kept[0][0] = 0


class Trial(unittest.TestCase):
    def counts(self, kernel, version="6.8.0-1-tegra"):
        with mock.patch.object(meter, "_fresh_pages", lambda count=1: Pages(kernel, count)), \
                mock.patch.object(meter.Meter, "_shown_pages", lambda _: int(kernel.pread(0, 0).split()[1])), \
                mock.patch.object(meter.os, "uname", lambda: mock.Mock(release=version)), \
                mock.patch.object(meter.os, "sysconf", lambda _: 4):
            return meter.Meter._how_it_counts(meter.Meter.__new__(meter.Meter))

    def test_tells_how_the_kernel_counts_whatever_its_version(self):
        for version in ("4.9.337-tegra", "6.8.12-tegra", "7.0", "odd"):
            self.assertEqual(self.counts(Kernel(batch=1), version), meter.EXACTLY)
            self.assertEqual(self.counts(ByThread(), version), meter.BY_THREAD)
            self.assertEqual(self.counts(Kernel(), version), 32)

    def test_finds_more_where_a_container_is_told_of_few_cpus(self):
        self.assertEqual(self.counts(Kernel(batch=128)), 128)

    def test_what_no_trial_tells_is_as_the_version_says(self):
        for version, counts in (("4.9.337-tegra", meter.BY_THREAD), ("6.1.0", meter.BY_THREAD), ("6.2", meter.EXACTLY),
                                ("odd", meter.BY_THREAD)):
            self.assertEqual(self.counts(Kernel(batch=1 << 20), version), counts)


class Marks(unittest.TestCase):
    """By how much a high-water mark can be off, which is made of what CPUs, or threads, had counted by then."""

    def meter(self, counts, cpus, version="6.8.0-1-tegra"):
        made = meter.Meter.__new__(meter.Meter)
        made.counts, made.cpus, made.page_kib, made.clear = counts, cpus, 4, os.open(os.devnull, os.O_WRONLY)
        self.addCleanup(os.close, made.clear)
        made._switches = lambda: self.switches
        with mock.patch.object(meter.os, "uname", lambda: mock.Mock(release=version)):
            made.kept_of_mark = made._pages_kept_of_mark() * made.page_kib
        self.switches = 0
        made.reset()
        return made

    def most_off(self, of, bias=0, threads=1):
        with mock.patch.object(meter.os, "stat", lambda _: mock.Mock(st_nlink=threads + 2)):
            return of.most_off(bias)

    def test_a_mark_is_never_further_off(self):
        for seed in range(40):
            chance, kernel = random.Random(seed), Kernel()
            worst = 0

            def go_on(steps):
                for _ in range(steps):
                    if not chance.randrange(8):
                        kernel.move_to(chance.randrange(kernel.cpus))
                        self.switches += 1
                    kernel.add(chance.choice((1, 1, 16, 40, -1, -30)), kind=chance.randrange(2))
                    yield kernel.pages - sum(kernel._shown)

            of = self.meter(counts=32, cpus=kernel.cpus)
            bias = list(go_on(200))[-1]
            of.reset()
            for now in go_on(60):
                most = self.most_off(of, bias * 4)
                self.assertLessEqual(abs(now - bias) * 4, most)
                worst = max(worst, abs(now - bias) * 4 / most)
            self.assertGreater(worst, 0.1)

    def test_how_much_is_kept_back(self):
        for counts, version, threads, most in (
                (meter.BY_THREAD, "4.9.337-tegra", 1, 256), (meter.BY_THREAD, "5.15.148-tegra", 3, 768),
                (meter.EXACTLY, "4.9.337-tegra", 9, 0),
                # Since 6.17 RSS is exact, and marks are not.
                (meter.EXACTLY, "6.18.0", 1, 496), (32, "6.8.0-1-tegra", 1, 496), (32, "6.8.0-1-tegra", 3, 1488),
                (32, "6.8.0-1-tegra", 90, 2976), (128, "6.8.0-1-tegra", 1, 2032)):
            self.assertEqual(self.most_off(self.meter(counts, 12, version), threads=threads), most)

    def test_what_it_was_off_at_its_reset_may_come_on_top(self):
        of = self.meter(32, 12)
        self.assertEqual(self.most_off(of, 100, 90), 3076)
        self.assertEqual(self.most_off(of, -100, 90), 3076)
        self.switches = 2
        self.assertEqual(self.most_off(of, 100), 1488)
        of.reset()
        self.assertEqual(self.most_off(of, 100), 496)

    def test_where_switches_are_not_counted_each_cpu_may_have_been_used(self):
        of = self.meter(32, 2)
        of._switches = None
        self.assertEqual(self.most_off(of, 8), 504)


#: Each line takes, or gives back, as many pages as its comment says, where page faults are asked for one by one.
_SCRIPT = """import ctypes
import mmap
import threading
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
PAGE = mmap.PAGESIZE
room = mmap.mmap(-1, 9000 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
begin = [0]
filled = b"x" * 1000
with open("/proc/self/maps") as maps:
    for mapped in maps:
        if "/" in mapped and " r" in mapped and "locale" not in mapped:
            at, end = (int(place, 16) for place in mapped.split()[0].split("-"))
            ctypes.string_at(at, end - at)
def touch(count):
    room[begin[0] * PAGE:(begin[0] + count) * PAGE:PAGE] = filled[:count]
    begin[0] += count
held = [mmap.mmap(-1, count * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for count in (20, 33, 5, 1)]
for pages in held:
    pages[::PAGE] = filled[:len(pages) // PAGE]
def once():
    touch(1)  # 1
    touch(2)  # 2
    touch(30)  # 30
    touch(31)  # 31
    touch(33)  # 33
    touch(64)  # 64
    touch(300)  # 300
    held.pop().close()  # -1
    held.pop().close()  # -5
    held.pop().close()  # -33
    held.pop().close()  # -20
    return touch  # 0
def turns():
    for turn in range(1000):
        touch(1)  # 1000
        turn += 1  # 0
        touch(3)  # 3000
def beside():
    touch(7)  # 7
    touch(20)  # 20
once()
turns()
thread = threading.Thread(target=beside)
thread.start()
thread.join()
"""


@unittest.skipUnless(_COMPILER, "SKIPPED: there is no C compiler")
class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="jmp-kept-")
        cls.kernel = os.path.join(cls.folder, "keeps_back.so")
        subprocess.check_call([_COMPILER, "-O1", "-fPIC", "-shared", "-o", cls.kernel, _STANDIN])
        with open(os.path.join(cls.folder, "script.py"), "w") as file:
            file.write(_SCRIPT)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_lines_have_the_pages_that_they_took(self):
        path = os.path.realpath(os.path.join(self.folder, "script.py"))
        for accelerator in harness.BOTH:
            for exact in (True, False):
                with harness.Folder(self.folder, exact, accelerator) as folder:
                    run = folder.run(["script.py"], self.folder, env={"LD_PRELOAD": self.kernel})
                self.assertEqual((0, []), (run.status, run.warnings), run.stderr)
                rows = run.of("main")
                for number, text in enumerate(_SCRIPT.splitlines(), 1):
                    if "  # " not in text:
                        continue
                    pages = int(text.split("  # ")[1])
                    net, uncertain = rows[path, number][1] // meter.mmap.PAGESIZE, rows[path, number][6] // meter.mmap.PAGESIZE
                    with self.subTest(accelerator=accelerator, exact=exact, line=number, text=text, net=net):
                        # Python's own objects, and pages of its code that are met first, take a few too.
                        self.assertLessEqual(abs(net - pages), uncertain + 3)

    def test_the_truth_is_kept(self):
        # A thread that is let in while another one has RSS counted reads what was known before: off by what this CPU keeps
        # back of both kinds, and the others of one, and the row says so.
        left_open = (2 * _MOST_KEPT + _MOST_KEPT * (os.sysconf("SC_NPROCESSORS_ONLN") - 1)) * meter.mmap.PAGESIZE
        for accelerator in harness.BOTH:
            for name in ("straight.py", "loops.py", "transient.py", "threaded.py", "shared.py", "forked.py"):
                with self.subTest(script=name, accelerator=accelerator):
                    run = harness.run_script(name, True, accelerator, preload=self.kernel)
                    self.assertEqual((0, []), (run.status, run.warnings), run.stderr.decode())
                    has_threads = name in ("threaded.py", "shared.py")
                    wrong = harness.broken_promises(name, run, left_open if has_threads else 0)
                    self.assertEqual([], wrong, "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
