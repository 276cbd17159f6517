"""The aarch64 heap sampler, run by an emulator: the same programs, with the same results.

`JETSON_MEMPROF_AARCH64_PYTHON` names an aarch64 Python, as in test_engine_aarch64.py.
"""
import os
import shutil
import tempfile
import unittest

import heap_harness as heap
import test_heap_engine as engine
import test_heap_gpu as gpu
import test_heap_gpu_contexts as contexts
import test_heap_gpu_devices as devices
import test_heap_gpu_ways as ways
import test_heap_reserved as reserved
from truth import harness

PYTHON = os.environ.get("JETSON_MEMPROF_AARCH64_PYTHON")
WHY_NOT = "no aarch64 Python; scripts/test-aarch64.mjs brings one"
LIBRARY = os.path.join(harness.HELPER, "accel", "heap-aarch64.so")


def emulated(case):
    """The same test case, with its programs run by the emulator."""
    return unittest.skipUnless(PYTHON, WHY_NOT)(type(case.__name__, (case,), {"target": heap.EMULATED, "__module__": __name__}))


WhatIsCounted = emulated(engine.WhatIsCounted)
WhatIsGone = emulated(engine.WhatIsGone)
Reserved = emulated(reserved.Reserved)
WhatIsRecorded = emulated(gpu.WhatIsRecorded)
WhoIsAsked = emulated(gpu.WhoIsAsked)
Captures = emulated(ways.Captures)
WhichOneIsCalled = emulated(ways.WhichOneIsCalled)
Physical = emulated(ways.Physical)
WhatAContextTakesWithIt = emulated(contexts.WhatAContextTakesWithIt)
WhereItLies = emulated(devices.WhereItLies)


@unittest.skipUnless(PYTHON, WHY_NOT)
class OtherProcesses(engine.OtherProcesses):
    target = heap.EMULATED
    # The emulator makes a vfork a fork, and its own machine's programs do not take the library.
    test_vfork_and_exec = test_a_small_program_leaves_nothing = None


@unittest.skipUnless(PYTHON and os.path.exists(LIBRARY), WHY_NOT)
class Lines(unittest.TestCase):
    def test_known_lines_have_their_bytes(self):
        project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, project)
        text = "def big():\n    return bytearray(24 << 20)\na = big()\nb = bytearray(8 << 20)\n"
        for accelerator in (False, True):
            with self.subTest(accelerator=accelerator):
                run = heap.Brought(project, text, accelerator, python=PYTHON, env={"LD_PRELOAD": LIBRARY})
                self.addCleanup(run.close)
                self.assertEqual((0, []), (run.run.status, run.run.warnings), run.run.stderr)
                held = run.at_peak(run.main)
                self.assertLessEqual(abs(held[2] - (24 << 20)), 65536)
                self.assertLessEqual(abs(held[4] - (8 << 20)), 65536)


if __name__ == "__main__":
    unittest.main()
