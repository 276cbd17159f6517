"""PyTorch's CUDA memory by line, with a stand-in for torch (tests/standin): no machine of the tests has CUDA."""
import os
import re
import signal
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from test_engine_accounts import Project
from truth import harness

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")
M = 1 << 20
#: A script begins with these lines: from then on a change is noticed at the event after it.
BEGIN = """\
import os, signal, sys, threading, time
import torch
from torch.standin import *
start(%d)
turn = 0
while warm_up(turn):
    turn += 1
first = torch._C.total()
"""
BEGIN_LINES = BEGIN.count("\n")
#: Not measured. The next look waits, when it is about to ask for the figures of a device, until `run` has run a function.
HELD = """
waits, ended = threading.Event(), threading.Event()
def hold(device):
    def wait():
        nonlocal device
        device -= 1
        if device < 0:
            torch._C.meanwhile = lambda: None
            waits.set()
            ended.wait()
    torch._C.meanwhile = wait
def run(function):
    waits.wait()
    function()
    ended.set()
"""
_COLUMNS = ("net", "self", "max", "peak", "most", "reserved", "reserved_self", "reserved_peak", "device", "uncertain")


class Cuda(Project):
    #: Of the BEGIN of `check`.
    devices = 1

    def both(self, text, env=None, status=0, torch=None):
        """The runs of both implementations; they run side by side, as they mostly wait."""
        self.write("script.py", text)

        def run(accelerator):
            more = {} if torch is None else {"torch": torch}
            with harness.Folder(self.folder, False, accelerator, **more) as folder:
                path = folder.environment()["PYTHONPATH"] + os.pathsep + STANDIN
                return folder.run(["script.py"], self.folder, env=dict(env or {}, PYTHONPATH=path))

        with ThreadPoolExecutor(len(harness.BOTH)) as pool:
            runs = list(pool.map(run, harness.BOTH))
        for accelerator, run in zip(harness.BOTH, runs):
            self.assertEqual(status, run.status, run.stderr)
            self.assertEqual("accelerator" if accelerator else "pure", run.processes[0].implementation)
        return runs

    def check(self, text, **more):
        """What the comments `#: net=2*M, self=0` of the script's lines promise; returns [(run, {line: figures})].

        The script is `text` after BEGIN. A line without a comment promises nothing.
        """
        found = []
        for run in self.both(BEGIN % self.devices + text, **more):
            view = run.processes[0]
            self.assertEqual("counter", view.cuda_reading[0])
            rows = figures(view)
            for number, line in enumerate(text.split("\n"), BEGIN_LINES + 1):
                promised = re.search(r"#: (.*)", line)
                if promised:
                    wanted = eval("dict(%s)" % promised.group(1), {"M": M})
                    row = rows.get(number, {})
                    self.assertEqual(wanted, dict((name, row.get(name, 0)) for name in wanted),
                                     "%s, %s: %r" % (view.implementation, line, row))
            found.append((run, rows))
        return found


def figures(view):
    return dict((row[1], dict(zip(_COLUMNS, row[2:]))) for row in view.changed_cuda())


def total(rows, name):
    return sum(row[name] for row in rows.values())


class Lines(Cuda):
    def test_a_line_has_what_it_took_and_gave_back(self):
        self.check("a = alloc(10 * M)  #: net=10*M, self=10*M, max=10*M, peak=10*M, most=10*M, uncertain=0\n"
                   "free(4 * M)  #: net=-4*M, self=-4*M, max=-4*M, peak=0, most=0, uncertain=0\n"
                   "x = 1  #: net=0, self=0, peak=0\n".replace("M)", "(1 << 20))"))

    def test_net_has_callees_and_self_has_not(self):
        self.check("def inner():\n"
                   "    return alloc(3 << 20)  #: net=6*M, self=6*M, max=3*M\n"
                   "def outer():\n"
                   "    alloc(1 << 20)  #: net=2*M, self=2*M\n"
                   "    return inner()  #: net=6*M, self=0, max=3*M, peak=3*M\n"
                   "outer()  #: net=4*M, self=0, max=4*M, peak=4*M\n"
                   "outer()  #: net=4*M, self=0, max=4*M\n")

    def test_in_a_loop_the_largest_execution_counts(self):
        self.check("for i in range(5):  #: net=0\n"
                   "    if i % 2:\n"
                   "        alloc(i << 20)  #: net=4*M, max=3*M, peak=3*M\n"
                   "    else:\n"
                   "        free(1 << 20) if i else None  #: net=-2*M, max=0, peak=0\n")

    def test_a_line_that_only_gave_back_has_a_negative_largest_increment(self):
        self.check("alloc(9 << 20)\nfor i in (3, 1, 2):\n    free(i << 20)  #: net=-6*M, max=-1*M\n")

    def test_a_recursion_counts_once(self):
        self.check("def down(n):\n"
                   "    alloc(1 << 20)  #: net=4*M, self=4*M, max=1*M\n"
                   "    if n:\n"
                   "        down(n - 1)  #: net=3*M, self=0, max=3*M, peak=3*M\n"
                   "down(3)  #: net=4*M, self=0, max=4*M\n")

    def test_a_generator_is_charged_for_its_own_parts_only(self):
        self.check("def parts():\n"
                   "    alloc(1 << 20)  #: net=1*M, max=1*M\n"
                   "    yield 1  #: net=0\n"
                   "    alloc(2 << 20)  #: net=2*M\n"
                   "    yield 2\n"
                   "for part in parts():  #: net=3*M, self=0\n"
                   "    alloc(4 << 20)  #: net=8*M, max=4*M\n")

    def test_an_exception_ends_the_lines_that_it_leaves(self):
        self.check("def fail():\n"
                   "    alloc(2 << 20)  #: net=4*M, max=2*M\n"
                   "    raise ValueError(alloc(1 << 20))  #: net=2*M, max=1*M\n"
                   "for i in range(2):\n"
                   "    try:\n"
                   "        fail()  #: net=6*M, max=3*M, self=0\n"
                   "    except ValueError:\n"
                   "        free(3 << 20)  #: net=-6*M, max=-3*M\n")

    def test_selves_add_up_to_the_change_of_memory_allocated(self):
        text = ("def f(i):\n    alloc(i << 10)\n    brief(i << 14)\n    return i\n"
                "for i in range(300):\n    f(i)\n    if i % 3 == 0:\n        free(i << 10)\n"
                "print(torch._C.total() - first, torch._C.reserved())\n")
        for run, rows in self.check(text):
            change, reserved = map(int, run.stdout.split())
            self.assertEqual(change, sum(row["self"] for line, row in rows.items() if line > BEGIN_LINES))
            self.assertEqual(reserved, total(rows, "reserved_self"))
            self.assertEqual(0, total(rows, "uncertain"))

    def test_devices_are_added_up(self):
        self.devices = 3
        self.check("alloc(1 << 20, 0)  #: net=1*M, uncertain=0\n"
                   "alloc(2 << 20, 2)  #: net=2*M, uncertain=0\n"
                   "def both():\n"
                   "    alloc(1 << 20, 1), free(1 << 20, 2)  #: net=0, peak=0, most=1*M\n"
                   "both()\n")

    def test_lines_of_several_threads_have_their_own(self):
        text = ("def work(size):\n"
                "    for i in range(20):\n"
                "        alloc(size)  #: net=60*M, self=60*M\n"
                "threads = [threading.Thread(target=work, args=(n << 20,)) for n in (1, 2)]\n"
                "for t in threads: t.start()\n"
                "for t in threads: t.join()\n")
        for run, rows in self.both_rows(text):
            self.assertEqual(60 * M, sum(row["self"] for line, row in rows.items() if line > BEGIN_LINES))
            own = rows[BEGIN_LINES + 3]["self"] if BEGIN_LINES + 3 in rows else 0
            self.assertLessEqual(60 * M - own, total(rows, "uncertain"), rows)

    def test_a_line_whose_looks_were_all_skipped_leaves_a_charge_uncertain(self):
        self.devices = 2
        for device, found, later in ((0, 61, 1), (1, 1, 61)):  # of the second one the first has said already what it has
            with self.subTest(device=device):
                self.check("exec(%r)\n"
                           "def work():\n"
                           "    alloc(60 << 20)  #: self=0\n"
                           "    return 1\n"
                           "thread = threading.Thread(target=run, args=(work,))\n"
                           "thread.start()\n"
                           "hold(%d), alloc(1 << 20)  #: self=%d*M, uncertain=%d*M\n"
                           "alloc(1 << 20)  #: self=%d*M, uncertain=%d*M\n"
                           "thread.join()\n"
                           "alloc(2 << 20)  #: self=2*M, uncertain=0\n" % (HELD, device, found, found, later, later))

    def both_rows(self, text, **more):
        return [(run, figures(run.processes[0])) for run in self.both(BEGIN % self.devices + text, **more)]


class Peaks(Cuda):
    def test_what_is_given_back_within_a_line_is_known_where_the_allocators_peak_rose(self):
        self.check("alloc(1 << 20)\nbrief(64 << 20)  #: net=0, peak=64*M, most=64*M\n")

    def test_below_the_allocators_peak_it_is_bounded(self):
        # The peak was 64 MiB; 20 were taken and given back in parts, of which no more than 5 at a time.
        self.check("brief(64 << 20)\n"
                   "for i in range(1): [brief(5 << 20) for j in range(4)]  #: net=0, peak=0, most=20*M\n"
                   "alloc(50 << 20)\n"
                   "[brief(5 << 20) for j in range(4)]  #: net=0, peak=0, most=14*M\n")

    def test_a_callees_peak_is_the_callers_above_its_own_beginning(self):
        self.check("def f():\n"
                   "    alloc(2 << 20)\n"
                   "    brief(80 << 20)  #: peak=80*M, most=80*M\n"
                   "    free(2 << 20)\n"
                   "f()  #: net=0, peak=82*M, most=82*M\n")

    def test_exact_peaks_are_reset_at_each_change(self):
        for run, _ in self.check("brief(64 << 20)  #: peak=64*M, most=64*M\n"
                                 "[brief(5 << 20) for j in range(4)]  #: net=0, peak=5*M, most=5*M\n"
                                 "brief(7 << 20)  #: peak=7*M, most=7*M\n", torch={"exact_peaks": True}):
            self.assertEqual("exact", run.processes[0].cuda_reading[1])

    def test_without_that_pytorchs_own_peak_is_left_alone(self):
        for run, _ in self.check("brief(64 << 20)\nbrief(5 << 20)\nprint(torch._C.devices[0].allocated_bytes[0].peak >> 20)\n"):
            self.assertEqual((b"64\n", "bounds"), (run.stdout, run.processes[0].cuda_reading[1]))

    def test_a_peak_that_the_program_resets_does_not_mislead(self):
        self.check("brief(64 << 20)\n"
                   "brief(9 << 20), torch._C._cuda_resetPeakMemoryStats(0), brief(4 << 20)  #: peak=4*M, most=13*M\n")


class Reserved(Cuda):
    def test_segments_are_charged_apart_and_the_devices_memory_with_them(self):
        self.check("empty_cache()\n"
                   "alloc(3 << 20)  #: reserved=4*M, reserved_self=4*M, reserved_peak=4*M, device=4*M\n"
                   "alloc(1 << 20)  #: reserved=0, reserved_self=0\n"
                   "free(4 << 20)\n"
                   "empty_cache()  #: net=0, reserved=-4*M, reserved_self=-4*M, reserved_peak=0\n")

    def test_before_torch_1_10_the_devices_memory_is_not_known(self):
        for _, rows in self.check("alloc(3 << 20)  #: net=3*M, device=None\n", env={"STANDIN_TORCH": "1.4"}):
            self.assertEqual({None}, set(row["device"] for row in rows.values()))

    def test_whether_the_devices_use_the_boards_ram(self):
        for told, expected in (("11", True), ("00", False), ("10", None), ("1", None), ("", None)):
            for run in self.both("import time, torch\nfrom torch.standin import *\nstart(2)\nalloc(1 << 20)\n"
                                 "while torch._C.asked < 1: time.sleep(0.01)\n", env={"STANDIN_INTEGRATED": told}):
                self.assertEqual(expected, run.processes[0].cuda.get("integrated"), told)

    def test_a_device_without_a_reservation_is_not_asked(self):
        # The helper rests after a look that took long, as any may on a busy machine.
        for run in self.both("import torch\nfrom torch.standin import *\nstart(2)\ntorch.cuda.asked = []\n"
                             "for i in range(200):\n    alloc(9 << 20, 1)\n    time.sleep(0.01)\n"
                             "    if torch.cuda.asked: break\n"
                             "print(set(torch.cuda.asked))\n"):
            self.assertEqual(b"{1}\n", run.stdout)


class Noticing(Cuda):
    def test_pytorch_is_not_asked_while_nothing_changes(self):
        for run, _ in self.check("asked = torch._C.asked\nbegan = time.time()\n"
                                 "for i in range(20000):\n    x = i\n"
                                 "print(torch._C.asked - asked, int(time.time() - began))\n"):
            asked, seconds = map(int, run.stdout.split())
            self.assertLessEqual(asked, seconds + 2)

    def test_where_the_counter_cannot_be_found_it_is_asked_for(self):
        # Until it was asked often: it rests after a look that took long, as any may on a busy machine.
        text = ("import os, sys, time\nimport torch\nfrom torch.standin import *\ntorch._C.hide()\nstart()\n"
                "while torch._C.asked < 100:\n    alloc(1 << 20)\n    time.sleep(0.001)\n    free(1 << 19)\n"
                "print(torch._C.total())\n")
        for run in self.both(text):
            view = run.processes[0]
            rows = figures(view)
            self.assertEqual("asking", view.cuda_reading[0])
            self.assertEqual(int(run.stdout), total(rows, "self"))
            asleep = rows[8]  # has what the short lines beside it moved
            self.assertLessEqual(abs(asleep["self"]), asleep["uncertain"])

    def test_memory_that_is_equal_by_chance_is_not_believed(self):
        # Copies of the figures of some moment, and one that goes on as they do until the script's own lines begin.
        self.check("torch._C.decoys[:] = []\n"
                   "alloc(1 << 20)  #: net=1*M, uncertain=0\n"
                   "brief(2 << 20)  #: net=0\n"
                   "alloc(3 << 20)  #: net=3*M, uncertain=0\n", env={"STANDIN_DECOYS": "4"})

    def test_a_program_that_closes_all_descriptors_is_still_measured(self):
        for run, rows in self.check("os.closerange(3, 4096)\nalloc(1 << 20)\nalloc(2 << 20)\nprint(torch._C.total() - first)\n"):
            self.assertEqual(3 * M, sum(row["self"] for line, row in rows.items() if line > BEGIN_LINES))

    def test_cuda_is_never_initialised_by_the_helper(self):
        for run in self.both("import time, torch\nfor i in range(5):\n    time.sleep(0.05)\n"
                             "print(torch.cuda._initialized, torch._C.asked)\n"):
            view = run.processes[0]
            self.assertEqual((b"False 0\n", None, None, []),
                             (run.stdout, view.cuda_reading, view.cuda, view.changed_cuda()))

    def test_nothing_is_said_where_pytorch_goes_past_its_allocator(self):
        for run in self.both("import time, torch\nfrom torch.standin import *\nstart()\nalloc(1 << 20)\ntime.sleep(0.1)\n"
                             "print(torch._C.asked)\n", env={"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}):
            self.assertEqual((b"0\n", None, None), (run.stdout, run.processes[0].cuda, run.processes[0].cuda_reading))

    def test_a_failure_is_one_warning_and_no_more_looks(self):
        for run in self.both("import time, torch\nfrom torch.standin import *\ntorch._C._cuda_memoryStats = {}.__getitem__\n"
                             "start()\nfor i in range(5):\n    time.sleep(0.05)\n"):
            (code, message), = run.processes[0].warnings
            self.assertEqual("cuda-not-read", code)
            self.assertIn("KeyError: 0", message)


class Endings(Cuda):
    def test_the_rows_are_true_after_a_kill(self):
        for run, rows in self.check("def f():\n"
                                    "    alloc(5 << 20)  #: net=10*M, self=10*M, max=5*M, peak=5*M\n"
                                    "    return 1\n"
                                    "f()  #: net=5*M, self=0, max=5*M\n"
                                    "f(), os.kill(os.getpid(), signal.SIGKILL)  #: net=5*M, self=0, max=5*M\n",
                                    status=128 + signal.SIGKILL):
            self.assertEqual(10 * M, sum(row["self"] for line, row in rows.items() if line > BEGIN_LINES))

    def test_a_forked_child_has_no_figures_of_its_parents_cuda(self):
        text = ("alloc(1 << 20)\npid = os.fork()\nif not pid:\n    for i in range(3):\n        time.sleep(0.03)\n"
                "    os._exit(0)\nos.waitpid(pid, 0)\nalloc(2 << 20)  #: net=2*M\n")
        for run, _ in self.check(text):
            child, = [view for view in run.processes if view.kind == "fork"]
            self.assertEqual((None, None, []), (child.cuda_reading, child.cuda, child.changed_cuda()))

    def test_the_exception_of_a_signals_handler_reaches_the_program(self):
        text = ("class Enough(Exception):\n    pass\ndef enough(*_):\n    raise Enough\n"
                "signal.signal(signal.SIGUSR1, enough)\n"
                "def once():\n    torch._C.meanwhile = lambda: None\n    os.kill(os.getpid(), signal.SIGUSR1)\n"
                "try:\n    torch._C.meanwhile = once\n    alloc(1 << 20)\n    time.sleep(20)\nexcept Enough:\n    pass\n"
                "alloc(2 << 20)\nprint('enough')\n")
        for run in self.both(BEGIN % 1 + text):
            self.assertEqual(b"enough\n", run.stdout)
            # Before 3.12 Python drops a tracer in Python that an exception goes through.
            keeps = run.processes[0].implementation == "accelerator" or hasattr(sys, "monitoring")
            self.assertEqual([] if keeps else ["measuring-stopped"], run.warnings)

    def test_what_looking_takes_is_on_no_line(self):
        for run, _ in self.check("from known import take\nkept = []\n"
                                 "torch._C.meanwhile = lambda: kept.append(take(30 << 12))\n"
                                 "alloc(1 << 20)\nalloc(1 << 20)\nx = 1\n"):
            rows = dict((line, row) for (_, line), row in run.of("main").items())
            for line in (BEGIN_LINES + 4, BEGIN_LINES + 5):
                self.assertLess(abs(rows[line][2]), 64 << 10, (line, rows))


if __name__ == "__main__":
    unittest.main()
