"""The figures of PyTorch's CUDA allocator, with a stand-in for torch: no machine of the tests has CUDA."""
import os
import signal
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from test_engine_accounts import Project
from truth import harness

#: The parts of torch 1.4 to 2.x that matter here. `asked` counts the calls for statistics.
STAND_IN = {
    "__init__.py": "from . import _C, cuda\n",
    "_C.py": """\
asked = 0
devices = [(5 << 20, 20 << 20, 7 << 20), (1 << 20, 2 << 20, 3 << 20)]
meanwhile = lambda: None
def _cuda_getDeviceCount():
    return len(devices)
def _cuda_memoryStats(device):
    global asked
    asked += 1
    meanwhile()
    allocated, reserved, peak = devices[device]
    return {"allocated_bytes": {"all": {"current": allocated, "peak": peak}, "small_pool": {"current": 1}},
            "reserved_bytes": {"all": {"current": reserved, "peak": reserved}}}
""",
    "cuda/__init__.py": """\
_initialized = False
def is_initialized():
    return _initialized
def init():
    global _initialized
    _initialized = True
""",
}
#: `torch` is the stand-in; turn(n) goes on until it was asked for n devices' figures, or for a time.
BEGIN = """\
import os, signal, sys, time
sys.path.insert(0, os.path.abspath("site-packages"))
import torch
def turn(times=1 << 60, seconds=60):
    end = time.time() + seconds
    while torch._C.asked < times and time.time() < end:
        time.sleep(0.002)
"""


class Cuda(Project):
    def setUp(self):
        super(Cuda, self).setUp()
        for name, text in STAND_IN.items():
            self.write("site-packages/torch/" + name, text)

    def check(self, text, examine, env=None, status=0):
        """Call `examine(run, view)` for each implementation; they run side by side, as they mostly wait."""
        self.write("script.py", BEGIN + text)

        def run(accelerator):
            with harness.Folder(self.folder, False, accelerator) as folder:
                return folder.run(["script.py"], self.folder, env=env)

        with ThreadPoolExecutor(len(harness.BOTH)) as pool:
            runs = list(pool.map(run, harness.BOTH))
        for accelerator, run in zip(harness.BOTH, runs):
            with self.subTest(accelerator=accelerator):
                self.assertEqual(status, run.status, run.stderr)
                view, = run.processes
                self.assertEqual("accelerator" if accelerator else "pure", view.implementation)
                self.assertEqual([os.path.join(self.folder, "script.py")], view.files)
                examine(run, view)

    def test_summed_over_devices_about_once_a_second_and_after_a_kill(self):
        def examine(run, view):
            figures = view.cuda
            age, spent = figures.pop("age_ms"), float(run.stdout)
            self.assertEqual({"allocated": 7 << 20, "reserved": 23 << 20, "allocated_peak": 11 << 20}, figures)
            self.assertLess(age, 60000)
            self.assertGreaterEqual(spent, 1.9)  # two looks after the first
        self.check("torch.cuda.init()\nbegun = time.time()\nturn(2)\n"
                   "torch._C.devices[0] = (6 << 20, 21 << 20, 8 << 20)\nturn(6)\nprint(time.time() - begun, flush=True)\n"
                   "os.kill(os.getpid(), signal.SIGKILL)\n", examine, status=128 + signal.SIGKILL)

    def test_a_process_that_has_not_initialised_cuda_is_not_asked(self):
        def examine(run, view):
            self.assertEqual((b"0\n", None), (run.stdout, view.cuda))
        self.check("turn(1, 1.2)\nprint(torch._C.asked)\n", examine)

    def test_nothing_is_said_where_pytorch_goes_past_its_allocator(self):
        def examine(run, view):
            self.assertEqual((b"0\n", None), (run.stdout, view.cuda))
        self.check("torch.cuda.init()\nturn(1, 1.2)\nprint(torch._C.asked)\n", examine,
                   {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})

    def test_a_failure_is_one_warning_and_no_more_looks(self):
        def examine(run, view):
            self.assertEqual((b"2\n", None), (run.stdout, view.cuda))
            (code, message), = view.warnings
            self.assertEqual("cuda-not-read", code)
            self.assertIn("KeyError: 'allocated_bytes'", message)
        self.check("torch.cuda.init()\nanswers = [{}, {}, {}]\ntorch._C._cuda_memoryStats = answers.pop\n"
                   "turn(1, 2.3)\nprint(len(answers))\n", examine)

    def test_what_looking_takes_is_on_no_line(self):
        def examine(run, view):
            self.assertIsNotNone(view.cuda)
            rows = dict((line, row) for (_, line), row in run.of("main").items())
            for line in (6, 7, 12):
                self.assertLess(abs(rows[line][2]), 40 << 10, (line, rows))
            for line in (6, 7):  # that of a line further out has it in its peak
                self.assertLess(rows[line][4], 64 << 10, (line, rows))
            self.assertGreater(rows[13][5] - rows[11][5], 120 << 12)
        # 30 pages for each device, kept.
        self.check("from known import take\nkept = []\ntorch.cuda.init()\n"
                   "torch._C.meanwhile = lambda: kept.append(take(30 << 12))\nturn(4)\nend = 1\n", examine)

    def test_the_exception_of_a_signals_handler_reaches_the_program(self):
        def examine(run, view):
            self.assertEqual(b"enough\n", run.stdout)
            # Before 3.12 Python drops a tracer in Python that an exception goes through.
            keeps = view.implementation == "accelerator" or hasattr(sys, "monitoring")
            self.assertEqual([] if keeps else ["measuring-stopped"], run.warnings)
            last = run.of("main").get((view.files[0], 19))
            self.assertEqual((1,) if keeps else None, last and last[:1])
        self.check("class Enough(Exception):\n    pass\ndef enough(*_):\n    raise Enough\n"
                   "signal.signal(signal.SIGUSR1, enough)\ntorch.cuda.init()\n"
                   "torch._C.meanwhile = lambda: os.kill(os.getpid(), signal.SIGUSR1)\n"
                   "try:\n    turn()\nexcept Enough:\n    torch._C.meanwhile = lambda: None\nprint('enough')\n", examine)


if __name__ == "__main__":
    unittest.main()
