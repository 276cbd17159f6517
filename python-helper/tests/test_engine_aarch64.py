"""The aarch64 accelerator in an aarch64 Python, run by an emulator: loads, passes its trial, counts as pure does.

Memory there is the emulator's, so hits and calls are compared, not sizes. `JETSON_MEMPROF_AARCH64_PYTHON` names the
interpreter (a wrapper that starts the emulator); scripts/test-aarch64.mjs sets it.
"""
import os
import unittest

from truth import harness

PYTHON = os.environ.get("JETSON_MEMPROF_AARCH64_PYTHON")
# Forked children of an emulated process are left to the native tests.
SCRIPTS = ("callees.py", "exceptions.py", "generators.py", "loops.py", "shapes.py", "straight.py", "transient.py")


@unittest.skipUnless(PYTHON, "no aarch64 Python; scripts/test-aarch64.mjs brings one")
class Aarch64(unittest.TestCase):
    def test_accelerator_counts_as_pure_does(self):
        for name in SCRIPTS:
            with self.subTest(script=name):
                counted = {}
                for accelerator in (False, True):
                    run = harness.run_script(name, True, accelerator, python=PYTHON)
                    self.assertEqual([], run.warnings, run.stderr.decode())
                    self.assertEqual("accelerator" if accelerator else "pure", run.processes[0].implementation)
                    hits = dict((key, row[0]) for key, row in run.of("main").items() if row[0])
                    calls = dict((key, row[0]) for key, row in run.functions[0].items())
                    counted[accelerator] = (run.status, hits, calls)
                self.assertTrue(counted[True][1])
                self.assertEqual(counted[False], counted[True])


if __name__ == "__main__":
    unittest.main()
