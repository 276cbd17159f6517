"""How a change of RSS is divided among threads, with the kernel's figures made up."""
import unittest

from truth import harness  # noqa: F401: finds the package
from jetson_memprof.engine import sharing

ALL = 1 << 60


class Seen(sharing.Share):
    """A thread that is said to have had so many page faults and can have given back so much."""
    __slots__ = ("faults", "time")

    def __init__(self, faults=0, can=ALL, late=0):
        super(Seen, self).__init__(1)
        self.faults, self.time, self.late = faults, can, late

    def look(self, is_own=False):
        self.fresh, self.faults = self.faults, 0
        return self.fresh

    def begin_running(self):
        pass

    def look_at_clock(self):
        self.can, self.passed = self.time, float(self.time)


class Process(sharing.Sharing):
    """One with so many page faults more than its threads, where all programs were given so many huge pages."""

    def __init__(self, strange=0, huge=0, batches=False):
        super(Process, self).__init__(4, sharing.BATCH_PAGES if batches else 0)
        self._strange, self._huge_now = strange, huge

    def _huge_pages(self):
        return self._huge_now

    def _run_time(self):
        return 0.0

    def shares(self, change, threads, by=0, after=0, files=0):
        sharing.faults_of_process = lambda: self.counted + self._strange + sum(thread.faults for thread in threads)
        self._files = 0
        self.found = found = self.divide(change, 0, threads, threads[0], by, lambda: (after, files))
        self.might = [might for _, _, might in found]
        return [(pages, doubt) for pages, doubt, _ in found]


class Asking(unittest.TestCase):
    def test_takes_a_small_share_of_the_time_however_slow_the_system_is(self):
        for takes, expected in ((1e-7, sharing.ASK_SECONDS), (8e-6, 200e-6)):
            # A reading before each call and one after it; once something else ran meanwhile.
            readings = [reading for at in (0.0, 1.0, 2.0, 3.0, 4.0) for reading in (at, at + takes)]
            readings[3] += 0.5
            clock = type("Time", (), {"perf_counter": lambda: readings.pop(0), "clock_gettime": lambda which: 0.0,
                                      "CLOCK_THREAD_CPUTIME_ID": 3})
            self.addCleanup(setattr, sharing, "time", sharing.time)
            sharing.time = clock
            self.assertAlmostEqual(expected, sharing.between_asking(), delta=1e-9)


class Division(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, sharing, "faults_of_process", sharing.faults_of_process)

    def check(self, expected, change, threads, process=None, **more):
        found = (process or Process()).shares(change, threads, **more)
        self.assertEqual(expected, found)
        self.assertEqual(change, sum(pages for pages, _ in found), "selves add up to the change")

    def test_what_grew_as_the_faults_say_is_certain(self):
        self.check([(30, 0), (0, 0), (90, 0)], 120, [Seen(30), Seen(0), Seen(90)])

    def test_a_huge_page_counts_as_many(self):
        found = Process(huge=1).shares(513, [Seen(1), Seen(1)])
        self.assertEqual(513, sum(pages for pages, _ in found))
        for (pages, doubt), truths in zip(found, ((1, 512), (1, 512))):
            for truth in truths:
                self.assertLessEqual(abs(pages - truth), doubt)

    def test_what_was_given_back_is_uncertain_where_several_had_the_time_to(self):
        self.check([(-30, 30), (10, 30)], -20, [Seen(0), Seen(40)])
        self.check([(-60, 50), (40, 50)], -20, [Seen(0), Seen(40, can=10)])
        self.check([(-30, 30), (-30, 30), (40, 50)], -20, [Seen(0, can=60), Seen(0, can=100), Seen(40, can=10)])
        self.check([(-60, 40), (40, 40)], -20, [Seen(0), Seen(40, can=0)])
        self.check([(0, 0), (-20, 0)], -20, [Seen(0, can=0), Seen(40)], by=1)
        self.check([(-20, 40), (20, 40), (-20, 40)], -20, [Seen(0), Seen(40), Seen(0)])

    def test_what_nobody_had_the_time_to_give_back_is_the_readers(self):
        self.check([(-60, 60), (40, 100)], -20, [Seen(0, can=0), Seen(40, can=0)])

    def test_what_was_given_back_is_more_than_who_ran_longest_can_have(self):
        self.check([(-95, 5), (-25, 5)], -120, [Seen(0, can=100), Seen(0, can=30)])

    def test_what_one_took_and_another_gave_back_shows_in_faults(self):
        self.check([(-20, 20), (20, 20)], 0, [Seen(0), Seen(40)])

    def test_what_threads_without_open_lines_took_is_the_readers_and_uncertain(self):
        self.check([(25, 20), (3, 20)], 28, [Seen(5), Seen(3)], Process(strange=20))

    def test_growth_without_a_fault_is_the_readers_and_uncertain(self):
        self.check([(25, 20), (3, 20)], 28, [Seen(5), Seen(3)])

    def test_faults_that_took_nothing_are_no_other_threads_matter(self):
        # As reading pages to which nobody has written: by a thread that ran, while the one that reads RSS waited.
        self.check([(0, 0), (256, 0)], 256, [Seen(0, can=0), Seen(1280)])
        self.check([(0, 40), (256, 40)], 256, [Seen(0, can=40), Seen(1280)])

    def test_huge_pages_of_another_program_or_of_before_are_not_anybodys_for_sure(self):
        self.check([(-2575, 2565), (2565, 2565)], -10, [Seen(0), Seen(10, can=0)], Process(huge=1000))

    def test_no_part_is_outside_of_what_its_thread_can_have_done(self):
        threads = [Seen(1) for _ in range(5)]
        process = Process(strange=10, huge=1)
        for pages, _ in process.shares(526, threads)[1:]:
            self.assertTrue(0 <= pages <= 512, pages)

    def test_what_moved_since_the_latest_look_is_uncertain_of_those_that_ran(self):
        threads = [Seen(30), Seen(0, can=0), Seen(0, can=5)]
        sharing.faults_of_process = lambda: 30
        found = Process().divide(30, 6, threads, threads[0], 0, lambda: (0, 0))
        self.assertEqual([(30, 6), (0, 0), (0, 6)], [(pages, doubt) for pages, doubt, _ in found])

    def test_what_a_thread_can_have_held_is_what_its_faults_brought(self):
        process = Process(strange=20)
        self.check([(25, 20), (3, 20), (0, 20)], 28, [Seen(5), Seen(3), Seen(0)], process)
        self.assertEqual([25, 3, 0], process.might)
        process = Process()
        self.check([(0, 0), (-40, 0)], -40, [Seen(0, can=0), Seen(60)], process)
        self.assertEqual([0, 60], process.might)

    def test_pages_that_come_while_it_is_looked_are_not_taken_for_given_back(self):
        other = Seen(50)
        self.check([(3, 3), (47, 3)], 50, [Seen(5), other], after=5)
        self.assertEqual(5, other.late)
        other.faults = 10
        self.check([(0, 0), (15, 0)], 15, [Seen(0), other])
        self.assertEqual(0, other.late)

    def test_nor_are_those_that_the_kernel_has_not_counted_yet(self):
        other = Seen(40)
        self.check([(0, 0), (0, 0)], 0, [Seen(0, can=0), other], Process(batches=True))
        self.check([(0, 0), (40, 0)], 40, [Seen(0, can=0), other], Process(batches=True))

    def test_a_fault_in_a_file_may_bring_its_neighbors(self):
        self.check([(16, 0), (0, 0)], 16, [Seen(1), Seen(0)], files=15)

    def check_held(self, expected, threads, high, ceiling, change=0, off=0):
        process = Process()
        process.shares(change, threads)
        self.assertEqual(expected, process.held(threads, process.found, 1000, change, high, off, ceiling))

    def test_what_one_thread_took_and_gave_back_it_held_for_sure(self):
        self.check_held([(4400, 0), (0, 0)], [Seen(100), Seen(0, can=0)], 4400, 4400)

    def test_the_mark_may_be_off(self):
        self.check_held([(4400, 4420), (0, 0)], [Seen(120), Seen(0, can=0)], 4400, 4400, off=20)
        self.check_held([(0, 4060), (0, 0)], [Seen(100, can=ALL), Seen(0, can=10)], 0, 4000, off=20)

    def test_which_of_two_held_what_came_and_went_is_uncertain(self):
        self.check_held([(4400, 4800), (4400, 4800)], [Seen(100), Seen(100)], 4400, 4400)
        self.check_held([(4260, 4380), (4260, 4380)], [Seen(100), Seen(30)], 4400, 4400)

    def test_without_a_mark_a_thread_can_have_held_what_its_faults_brought(self):
        self.check_held([(0, 4400), (0, 0)], [Seen(100), Seen(0, can=0)], 0, 1 << 50)

    def test_a_thread_held_no_more_than_the_mark_and_what_others_gave_back(self):
        self.check_held([(0, 4040), (0, 0)], [Seen(100, can=ALL), Seen(0, can=10)], 0, 4000)

    def test_what_others_took_is_not_what_a_thread_held(self):
        self.check_held([(0, 0), (0, 0)], [Seen(0, can=0), Seen(100, can=0)], 4400, 4400, 100)


if __name__ == "__main__":
    unittest.main()
