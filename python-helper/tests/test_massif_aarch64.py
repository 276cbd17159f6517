"""The landing pads' aarch64 machine code in an aarch64 Python, run by an emulator: the guard's trials pass there.

`JETSON_MEMPROF_AARCH64_PYTHON` names the interpreter (a wrapper that starts the emulator); scripts/test-aarch64.mjs sets it.
"""
import os
import unittest

import test_massif_parts

PYTHON = os.environ.get("JETSON_MEMPROF_AARCH64_PYTHON")


@unittest.skipUnless(PYTHON, "no aarch64 Python; scripts/test-aarch64.mjs brings one")
class Aarch64(unittest.TestCase):
    def test_trials_pass(self):
        self.assertEqual(b"aarch64 passed\n", test_massif_parts.try_out(PYTHON))


if __name__ == "__main__":
    unittest.main()
