"""The board's memory in use by line: on this machine, and on a folder that stands for a board."""
import os
import unittest
from unittest import mock

from test_engine_accounts import Project
from truth import harness
from jetson_memprof.cuda import system

M = 1 << 20
_MEMINFO = "MemTotal:        4051264 kB\nMemFree:          100000 kB\nMemAvailable:   %8d kB\n"
#: `meminfo(available, nvmap)` writes the board's figures in MiB; `work()` is a line that takes a while.
BEGIN = """\
import os, time
path = os.path.join(os.environ["JETSON_MEMPROF_SYSTEM_ROOT"], "proc/meminfo")
def meminfo(available, nvmap):
    with open(path + ".new", "w") as file:
        file.write(%r %% (available << 10) + ("" if nvmap is None else "NvMapMemUsed: %%7d kB\\n" %% (nvmap << 10)))
    os.rename(path + ".new", path)
""" % _MEMINFO
BEGIN_LINES = BEGIN.count("\n")


class System(Project):
    def simulated(self, text, nvmap=0, **more):
        """[{line: (net, self, nvmap net, uncertain)}] of each implementation, of a board with 2,000 MiB available."""
        board = os.path.join(self.folder, "board")
        os.makedirs(os.path.join(board, "proc"), exist_ok=True)
        found = []
        for accelerator in harness.BOTH:
            with open(os.path.join(board, "proc/meminfo"), "w") as file:
                file.write(_MEMINFO % (2000 << 10) + ("" if nvmap is None else "NvMapMemUsed: %d kB\n" % (nvmap << 10)))
            with open(os.path.join(board, "proc/zoneinfo"), "w"):
                pass
            self.write("script.py", BEGIN + text)
            with harness.Folder(self.folder, False, accelerator) as folder:
                run = folder.run(["script.py"], self.folder, env=dict(JETSON_MEMPROF_SYSTEM_ROOT=board))
            self.assertEqual((0, []), (run.status, run.warnings), run.stderr)
            found.append(dict((row[1] - BEGIN_LINES, row[2:]) for row in run.processes[0].changed_system()))
        return found

    def test_a_line_has_the_boards_change_and_that_of_nvmap(self):
        for rows in self.simulated("def step(available, nvmap):\n"
                                   "    meminfo(available, nvmap), time.sleep(0.05)\n"
                                   "step(1900, 60)\n"
                                   "step(1950, 50)\n"):
            self.assertEqual([(50 * M, 50 * M), (100 * M, 60 * M), (-50 * M, -10 * M)],
                             [rows[line][:3:2] for line in (2, 3, 4)])
            self.assertEqual(50 * M, sum(own for _, own, _, _ in rows.values()))

    def test_nvmap_is_unknown_where_the_kernel_does_not_print_it(self):
        for rows in self.simulated("meminfo(1900, None), time.sleep(0.05)\n", nvmap=None):
            # Whether the look comes due in the call that writes or after it, the line that calls has the change.
            self.assertEqual((100 * M, None), rows[1][:3:2])
            self.assertEqual({None}, set(nvmap for _, _, nvmap, _ in rows.values()))

    def test_free_pages_that_the_cores_keep_are_not_in_use(self):
        # 100 MiB go from the free pages to a core, which the kernel tells as less available; then 30 MiB of them are taken.
        pages = 4096 * M // os.sysconf("SC_PAGE_SIZE") // 4096
        for rows in self.simulated("def step(available, kept):\n"
                                   "    with open(os.path.join(os.path.dirname(path), 'zoneinfo'), 'w') as file:\n"
                                   "        file.write('    count: %%d\\n    high_max: 9\\n' %% (kept * %d))\n"
                                   "    meminfo(available, None), time.sleep(0.05)\n"
                                   "step(1900, 100)\n"
                                   "step(1900, 70)\n" % pages, nvmap=None):
            self.assertEqual((0, 30 * M), (rows[5][0] if 5 in rows else 0, rows[6][0]))

    def test_nothing_is_said_where_meminfo_cannot_be_read(self):
        # From the second line on.
        for rows in self.simulated("os.unlink(path), time.sleep(0.05)\nfor i in range(3):\n    time.sleep(0.02)\n"):
            self.assertEqual({}, rows)

    def test_what_short_lines_share_is_uncertain_on_the_line_that_is_charged(self):
        for rows in self.simulated("for i in range(50):\n    meminfo(1900 - i, 0)\n    x = i\nend = 1\n"):
            self.assertEqual(149 * M, sum(own for _, own, _, _ in rows.values()))

    def test_two_hundred_mib_that_a_line_maps_are_on_it(self):
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run = self.profile("import time; from known import take\nM = 1 << 20\nkept = [take(M)]\n"
                                   # A look is due then at the end of either line.
                                   "time.sleep(0.03)\nkept.append(take(200 * M)), time.sleep(0.03)\n", False, accelerator)
                self.assertEqual((0, []), (run.status, run.warnings), run.stderr)
                # Other programs of this machine move too: by how much it changed is told below.
                self.assertIn(5, [row[1] for row in run.processes[0].changed_system()])

    def test_two_hundred_mib_are_on_the_line_that_maps_them_where_nothing_else_moves(self):
        # The board has what the script itself leaves of it.
        text = ("from known import take\nM, pages = 1 << 20, os.sysconf('SC_PAGE_SIZE')\n"
                "def rss():\n    with open('/proc/self/statm') as file:\n        return int(file.read().split()[1]) * pages\n"
                "def tell():\n    meminfo((2000 * M - rss() + begin) >> 20, None)\n"
                "kept, begin = [take(M)], rss()\ntell(), time.sleep(0.05)\n"
                "kept.append(take(200 * M)), tell(), time.sleep(0.05)\nkept.__delitem__(1), tell(), time.sleep(0.05)\n")
        for rows in self.simulated(text, nvmap=None):
            self.assertLessEqual(abs(rows[10][0] - 200 * M), M, rows)
            self.assertLessEqual(abs(rows[11][0] + 200 * M), M, rows)

    def test_this_machines_own_figures_are_read(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("JETSON_MEMPROF_SYSTEM_ROOT", None)
            found = system.Files(system._folder()).read()
        with open("/proc/meminfo") as file:
            self.assertEqual(int(file.readline().split()[1]) << 10, found.used + found.available)


if __name__ == "__main__":
    unittest.main()
