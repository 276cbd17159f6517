"""GPU memory by process: an nvidia-smi that lists, fails, hangs or floods. A stand-in for it: no such board is at hand."""
import os
from unittest import mock

from test_board_common import runs_now, until
from test_board_system import RootCase

from jetson_memprof.board.system import compute_apps


class Asking(RootCase):
    def apps(self, script, sizes="echo '[N/A]'"):
        """One that has been told the GPUs' memory; `script` is what the list is asked of."""
        self.put("usr/bin/nvidia-smi", "#!/bin/sh\ncase $* in *query-gpu*) %s; exit;; esac\necho $$ \"$@\" >> %s/asked\n%s\n"
                 % (sizes, self.root, script), 0o755)
        one = compute_apps.ComputeApps(self.system)
        self.addCleanup(one.close)
        self.answer(one, 0.0)
        return one

    def asked(self):
        try:
            with open(os.path.join(self.root, "asked")) as file:
                return file.read().splitlines()
        except OSError:
            return []

    def answer(self, one, now):
        """Ask once, and wait for its end."""
        one.look(now)
        self.assertTrue(one._program.is_on)
        program = one._program

        def ended():
            one.look(now)
            return not program.is_on
        until(ended, what="its answer")
        return one.text

    def test_none_where_it_is_not_installed(self):
        one = compute_apps.ComputeApps(self.system)
        one.look(0.0)
        one.close()
        self.assertIsNone(one.text)

    def test_how_much_memory_the_gpus_have_is_asked_first_and_once(self):
        for sizes, told in (("echo '[N/A]'", "[N/A]\n"), ("echo 8192; echo 16384", "8192\n16384\n"),
                            ("echo No devices were found", ""), ("exit 9", ""), ("printf 8192", "")):
            one = self.apps("echo 1, 2", sizes)
            self.assertEqual((told, None), (one.sizes, one.text), sizes)
            self.assertEqual("1, 2\n", self.answer(one, 0.0))
            self.assertEqual((told, "1, 2\n"), (one.sizes, self.answer(one, 1000.0)))

    def test_its_list_is_kept_as_it_is_until_the_next(self):
        one = self.apps("cat %s/list" % self.root)
        for at, text in enumerate(("4242, 650\n31, [N/A]\n", "4242, 700\n")):
            self.put("list", text)
            self.assertEqual(text, self.answer(one, at * 1000.0))
        self.put("list", "")
        self.assertIsNone(self.answer(one, 2000.0))
        self.assertIn("--query-compute-apps=pid,used_gpu_memory --format=csv,noheader,nounits", self.asked()[0])

    def test_it_rests_a_hundred_times_as_long_as_it_took(self):
        one = self.apps("echo 1, 2")
        end = compute_apps.SideProgram.end

        def half_a_second(program):
            end(program)
            return 0.5
        with mock.patch.object(compute_apps.SideProgram, "end", half_a_second):
            self.answer(one, 1000.0)
        for now, is_asked in ((1001.0, False), (1049.9, False), (1050.0, True)):
            one.look(now)
            self.assertEqual(is_asked, one._program.is_on)

    def test_it_rests_too_where_somebody_else_waited_for_it(self):
        one = self.apps("sleep 0.1; echo 1, 2")
        one.look(1000.0)
        program = one._program
        os.waitpid(program._pid, 0)
        until(lambda: one.look(1000.0) or not program.is_on, what="its answer")
        self.assertGreater(one._next, 1000.0 + 100 * 0.1)

    def test_what_it_says_of_a_failure_is_no_list_and_it_is_left_alone_after_three(self):
        for script in ("echo NVIDIA-SMI has failed; exit 9", "echo No devices were found", "echo 1, 2; echo Failed",
                       "printf '1, 2'", "yes 1, 2", "exec /nowhere 2>&1"):
            one = self.apps(script)
            for at in range(3):
                self.assertIsNone(self.answer(one, at * 1000.0), script)
            one.look(9000.0)
            self.assertIsNone(one._program, script)

    def test_a_list_that_is_lost_is_told_no_more(self):
        one = self.apps("cat %s/list" % self.root)
        self.put("list", "1, 2\n")
        self.assertEqual("1, 2\n", self.answer(one, 0.0))
        self.put("list", "Failed\n")
        self.assertIsNone(self.answer(one, 1000.0))

    def test_one_that_hangs_is_ended_and_its_old_list_is_told_no_more(self):
        one = self.apps("cat %s/list || exec sleep 1000" % self.root)
        self.put("list", "1, 2\n")
        self.answer(one, 0.0)
        os.unlink(os.path.join(self.root, "list"))
        one.look(1000.0)
        until(lambda: len(self.asked()) == 2)
        one.look(1020.0)
        self.assertEqual(("1, 2\n", True), (one.text, one._program.is_on))
        one.look(1021.0)
        self.assertEqual((None, False), (one.text, one._program.is_on))
        until(lambda: not runs_now(int(self.asked()[1].split()[0])), what="its end")

    def test_one_that_hangs_is_ended_with_us(self):
        one = self.apps("exec sleep 1000")
        one.look(0.0)
        until(self.asked)
        one.look(10.0)
        self.assertIsNone(one.text)
        one.close()
        until(lambda: not runs_now(int(self.asked()[0].split()[0])), what="its end")
