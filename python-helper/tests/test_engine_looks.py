"""Looks at what is not RSS: those that another thread is in the way of, and how the allocator's own figures are found."""
import ctypes
import itertools
import mmap
import os
import sys
import threading
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from jetson_memprof.cuda import allocator, beside, memory, reading, system, watch  # noqa: E402
from jetson_memprof.cuda.allocator import Device, Stat  # noqa: E402
from jetson_memprof.cuda.at import At  # noqa: E402

M = 1 << 20


def device(allocated, reserved=0):
    return Device(Stat(allocated, allocated, allocated, 0), Stat(reserved, reserved, reserved, 0))


class Counters(object):
    def __init__(self):
        self.head = [0] * 64


class Doubtful(unittest.TestCase):
    def test_lines_that_began_since_the_reading_before_are(self):
        at = At(1, [(0, 1, 10.0), (0, 5, 20.5), (0, 7, 20.75)], 21.0, False)
        self.assertEqual({(0, 5): 0.5, (0, 7): 1.0}, at.doubtful_since(20.0, False))
        self.assertEqual({}, at.doubtful_since(21.0, False))

    def test_all_are_where_it_may_be_another_threads(self):
        at = At(1, [(0, 1, 10.0), (0, 5, 20.5)], 21.0, True)
        self.assertEqual({(0, 1), (0, 5)}, set(at.doubtful_since(21.0, True)))

    def test_a_board_reading_that_a_call_shares_with_lines_before_it_is_on_the_call_too(self):
        used, now = [0], [100.0]
        with mock.patch.object(system, "perf_counter", lambda: now[0]), \
                mock.patch.object(system.Files, "read", lambda _: system.Board(used[0], 0, None)), \
                mock.patch.object(system.SystemAccounts, "charge") as charge:
            reading = system.BoardReading(Counters())
            used[0], now[0] = 10 * M, 101.0
            reading.look(At(1, [(0, 1, 99.0), (0, 5, 100.5), (0, 7, 100.6)], 100.7, False), True)
        self.assertEqual({(0, 5): 10 * M, (0, 7): 10 * M}, charge.call_args[0][3])


class Skipped(unittest.TestCase):
    """Two threads at a Beside. Time stands still except between looks, so every look that is taken is due."""

    def setUp(self):
        self.now = 100.0
        self.board_used = 0
        self.allocated = [0, 0]
        self.meanwhile = [None, None]  # what happens right before the device is asked, once
        self.charged, self.board_charged = [], []
        for module in (beside, reading, system):
            self.patch(module, "perf_counter", lambda: self.now)
        self.patch(reading, "is_in_use", lambda: True)
        self.patch(allocator, "Allocator", lambda: self)
        self.patch(system.Files, "read", lambda _: system.Board(self.board_used, 0, None))
        self.patch(reading.CudaAccounts, "charge", lambda _, thread, stack, interval, unsure: self.charged.append(
            (stack[-1][1], interval.change // M, stack[-1][:2] in unsure)))
        self.patch(system.SystemAccounts, "charge", lambda _, stack, change, nvmap, unsure: self.board_charged.append(
            (stack[-1][1], change // M, unsure.get(stack[-1][:2], 0) // M)))
        self.patch(memory, "OwnMemory", mock.Mock(side_effect=OSError))
        self.beside = beside.Beside(Counters(), mock.Mock(), {})
        self.look(1)

    def patch(self, owner, name, value):
        patched = mock.patch.object(owner, name, value)
        patched.start()
        self.addCleanup(patched.stop)

    # The allocator that is asked.
    count, can_reset, uses_boards_ram = 2, False, None

    def devices(self):
        found = []
        for number in range(self.count):
            happens, self.meanwhile[number] = self.meanwhile[number], None
            if happens is not None:
                happens()
            found.append(device(self.allocated[number]))
        return found

    def device_used(self, devices):
        return None

    def take(self, size):
        self.allocated[0] += size
        self.board_used += size

    def look(self, line, shared=False):
        self.now += 10.0
        self.beside.look(At(1, [(0, line, line)] if line else [], 0.0, shared))

    def line_of_another_thread(self):
        """It begins, takes 60 MiB and ends, while somebody's look goes on: each of its events finds the lock held."""
        def run():
            self.beside.look(At(2, [(0, 50, 50)], 0.0, True))
            self.take(60 * M)
            self.beside.look(At(2, [(0, 50, 50)], 0.0, True))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    def check(self, *wanted):
        self.assertEqual(list(wanted), self.charged)

    def test_a_recursion_error_is_the_programs_where_python_would_abort_it_later(self):
        self.beside._board.look = mock.Mock(side_effect=RecursionError)
        if sys.version_info < (3, 10):
            self.assertRaises(RecursionError, self.look, 2)
        else:
            self.look(2)

    def test_without_any_what_one_thread_takes_is_certain(self):
        self.take(M)
        self.look(2)
        self.check((2, 1, False))
        self.assertEqual([(2, 1, 0)], self.board_charged)

    def test_what_the_look_that_goes_on_finds_of_it_is_uncertain(self):
        self.meanwhile[0] = self.line_of_another_thread
        self.look(2)
        self.take(M)
        self.look(3)
        self.take(M)
        self.look(4)
        self.check((2, 60, True), (3, 1, True), (4, 1, False))

    def test_what_the_next_look_finds_of_it_is_uncertain(self):
        self.meanwhile[1] = self.line_of_another_thread  # the device that it takes from was asked already
        self.look(2)
        self.check()
        self.look(3)
        self.take(M)
        self.look(4)
        self.check((3, 60, True), (4, 1, False))

    def test_it_waits_for_a_look_that_takes_its_figures_in(self):
        self.meanwhile[1] = self.line_of_another_thread
        self.look(2)
        self.look(None)  # with no open line nobody is charged
        self.look(3)
        self.check((3, 60, True))

    def test_before_cuda_is_in_use_it_says_nothing_of_cuda(self):
        self.beside = beside.Beside(Counters(), mock.Mock(), {})
        in_use = iter([False, False, True])
        self.patch(reading, "is_in_use", lambda: next(in_use))
        with mock.patch.object(system.Files, "read", lambda _: self.line_of_another_thread()):  # None: no more is read of it
            self.look(1)
        self.allocated[0] = 0
        self.look(2)
        self.take(M)
        self.look(3)
        self.check((3, 1, False))

    def test_the_board_is_uncertain_at_its_own_next_reading(self):
        board = self.beside._board
        board.next_look = self.now + 15.0
        self.meanwhile[0] = self.line_of_another_thread
        self.look(2)
        self.assertEqual([], self.board_charged)
        self.look(3)
        self.take(M)
        self.look(4)
        self.assertEqual([(3, 60, 60), (4, 1, 0)], self.board_charged)
        self.check((2, 60, True), (4, 1, False))


class Search(object):
    """A search of which each slice comes to the addresses of one of the lists."""

    def __init__(self, memory, slices):
        self._memory = memory
        self._left = [list(addresses) for addresses in slices]

    @property
    def is_over(self):
        return not self._left

    def go_on(self, wanted, seconds):
        return [at for at in self._left.pop(0) if self._memory.at[at].startswith(wanted)]


class Memory(object):
    """Memory with bytes at some addresses."""
    descriptor = -1

    def __init__(self, slices):
        self.at = {}
        self.searches = 0
        self._slices = slices

    def search(self):
        self.searches += 1
        return Search(self, self._slices)

    def read(self, address, size):
        return self.at.get(address, b"")

    view = read

    def refresh(self):
        pass


def figures(stat):
    return watch._STAT.pack(*stat)


def whole(told):
    return figures(told.allocated) + bytes(64) + figures(told.reserved)


class Found(unittest.TestCase):
    """`TRUE` is where the figures lie; a decoy has those of the latest time that they were asked for."""
    TRUE = 9000

    def setUp(self):
        patched = mock.patch.object(watch, "perf_counter", lambda: 0.0)  # a slice is due at each take
        patched.start()
        self.addCleanup(patched.stop)
        self.watch = watch.Watch()
        self.held = 0
        self.decoys = []

    def search(self, *slices):
        self.memory = self.watch.memory = Memory(slices)
        self.decoys = [at for addresses in slices for at in addresses if at != self.TRUE]

    def change(self):
        self.held += 512
        self.memory.at[self.TRUE] = whole(device(self.held, self.held))

    def ask(self):
        for at in self.decoys:
            self.memory.at[at] = self.memory.at[self.TRUE]
        return [device(self.held, self.held)]

    def take(self):
        self.watch.take(self.ask)
        return [place.address for place in self.watch.places]

    def change_and_take(self):
        self.change()
        return self.take()

    def test_a_slice_that_ends_before_it_leaves_no_decoy_believed(self):
        self.search([1000], [2000, 3000], [], [self.TRUE])
        for _ in range(5):  # one begins the search, four are its slices
            self.assertEqual([], self.change_and_take())
        self.decoys = []
        self.assertEqual([self.TRUE], self.change_and_take())
        self.change()
        self.assertTrue(self.watch.moved())
        self.assertEqual(1, self.memory.searches)

    def test_what_was_found_last_has_a_change_to_follow_too(self):
        self.search([1000], [self.TRUE])
        self.change_and_take()
        self.change_and_take()
        self.assertEqual([], self.change_and_take())
        for _ in range(3):  # the decoy has followed a change already
            self.assertEqual([], self.take())
        self.decoys = []
        self.assertEqual([self.TRUE], self.change_and_take())

    def test_decoys_that_follow_to_the_end_go_when_they_stand_still(self):
        self.search([1000], [self.TRUE])
        for _ in range(3):
            self.change_and_take()
        self.assertEqual([1000, self.TRUE], self.change_and_take())
        self.decoys = []
        self.assertEqual([self.TRUE], self.change_and_take())

    def test_another_search_follows_one_that_found_decoys_only(self):
        self.search([1000])
        for _ in range(2):
            self.change_and_take()
        self.decoys = []
        for _ in range(20):
            self.assertEqual([], self.change_and_take())
        self.assertEqual(4, self.memory.searches)

    def test_too_many_are_not_told_apart(self):
        self.search(range(1000, 1000 + 200 * watch._MOST_CANDIDATES, 200), [self.TRUE])
        for _ in range(20):
            self.assertEqual([], self.change_and_take())
        self.assertEqual(4, self.memory.searches)


class OwnMemory(unittest.TestCase):
    """The memory of this process, with figures in a mapping of its own."""
    SIZE = 1 << 20

    def setUp(self):
        self.mapping = mmap.mmap(-1, self.SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.mapping))
        self.memory = memory.OwnMemory()
        self.addCleanup(self.memory.close)
        self.mappings = memory._mappings()
        # Of a process that has run many tests the whole takes half a minute.
        searched = mock.patch.object(memory, "_mappings", lambda: [(self.address, self.address + self.SIZE)])
        searched.start()
        self.addCleanup(searched.stop)

    def test_a_private_mapping_is_searched(self):
        self.assertTrue(any(first <= self.address and self.address + self.SIZE <= end for first, end in self.mappings))

    def slices(self, chunks):
        """Time goes on by so much that a slice has so many chunks; None: it stands still."""
        step = 0.0 if chunks is None else watch._SLICE_SECONDS / (chunks + 0.5)
        ticks = itertools.count()
        return mock.patch.object(memory, "thread_seconds", lambda: next(ticks) * step)

    def test_a_search_finds_what_lies_across_its_chunks_once(self):
        wanted = watch._STAT.pack(0x7a5d0000, 0x1357, 0x2468, 0)
        places = range(0, self.SIZE - 40, 40)
        for at in places:
            self.mapping[at:at + len(wanted)] = wanted
        search = self.memory.search()
        with self.slices(1):
            found = []
            while not search.is_over:
                found.extend(search.go_on(wanted, watch._SLICE_SECONDS))
        self.assertEqual([self.address + at for at in places], sorted(found))

    def test_a_slice_ends_by_the_cpu_time_of_its_thread(self):
        search = self.memory.search()
        with self.slices(None):
            search.go_on(b"\1" * 32, watch._SLICE_SECONDS)
        self.assertTrue(search.is_over)
        before = memory.thread_seconds()
        sum(range(100000))
        self.assertGreater(memory.thread_seconds(), before)

    def test_a_decoy_far_from_the_figures_is_never_believed_alone(self):
        found = watch.Watch()
        found.memory = self.memory
        true, decoy = 0, self.SIZE - 4096  # a search goes downwards, and a slice of it is 128 KiB here
        held = 0x51373000

        def ask():
            self.mapping[decoy:decoy + watch.WATCHED_BYTES] = told
            return [device(held, held)]

        alone = 0
        with self.slices(1), mock.patch.object(watch, "perf_counter", lambda: 0.0):
            while not found.places:
                held += 512
                told = whole(device(held, held))
                self.mapping[true:true + watch.WATCHED_BYTES] = told
                found.take(ask)
                self.assertFalse(found._finders[0].has_given_up)
                addresses = [address for address, _ in found._finders[0]._candidates]
                alone += self.address + decoy in addresses and self.address + true not in addresses
        self.assertGreater(alone, 1)
        self.assertEqual({self.address + true, self.address + decoy}, {place.address for place in found.places})


if __name__ == "__main__":
    unittest.main()
