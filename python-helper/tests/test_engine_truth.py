"""The ground truth: scripts whose allocations are known, under both implementations and both modes."""
import os
import unittest

from truth import harness

_SCRIPTS = sorted(name for name in os.listdir(harness.SCRIPTS) if name.endswith(".py"))
_STATUS = {"exceptions.py": 7}


class Truth(unittest.TestCase):
    def check(self, exact, accelerator, machine=None, scripts=_SCRIPTS, warnings=()):
        for name in scripts:
            with self.subTest(script=name):
                run = harness.run_script(name, exact, accelerator, machine=machine)
                self.assertEqual((_STATUS.get(name, 0), set(warnings)), (run.status, set(run.warnings)), run.stderr.decode())
                self.assertEqual("accelerator" if accelerator else "pure", run.processes[0].implementation)
                wrong = harness.broken_promises(name, run)
                self.assertEqual([], wrong, "\n".join(wrong))

    def test_pure_exact(self):
        self.check(True, False)

    def test_pure_default(self):
        self.check(False, False)

    @unittest.skipUnless(len(harness.BOTH) == 2, "the accelerator is not built")
    def test_accelerator_exact(self):
        self.check(True, True)

    @unittest.skipUnless(len(harness.BOTH) == 2, "the accelerator is not built")
    def test_accelerator_default(self):
        self.check(False, True)

    def test_on_a_kernel_that_counts_in_batches(self):
        # The readings made exact must be; what the kernel would do without that, only such a kernel can show.
        for accelerator in harness.BOTH:
            self.check(True, accelerator, "batches", ("straight.py", "loops.py", "transient.py", "threaded.py", "forked.py"))

    def test_without_a_global_lock(self):
        # That one event at a time gives the same figures; what threads do that run at the same time, only such a Python shows.
        self.check(True, False, "no-global-lock", warnings=["python-untried"])


if __name__ == "__main__":
    unittest.main()
