"""What a run's processes load of Python's library: the user pays for it in the board's memory, at each run."""
import os
import shutil
import subprocess
import sys
import unittest

from test_board_common import HELPER, BoardCase, python, until

from jetson_memprof.board.run.runs import RunFolder

#: Each holds a MiB, or brings one that does.
_LARGE = {"array", "collections", "ctypes", "enum", "functools", "hashlib", "json", "pickle", "random", "re", "shutil", "signal",
          "socket", "subprocess", "tempfile", "threading", "typing"}
_NOTING = ("import atexit, sys\n"
           "atexit.register(lambda: open(%r + sys.argv[1], 'w').write(' '.join(sys.modules)))\n")
_TOLD = "import sys\nprint(' '.join(sys.modules))\n"


class Lean(BoardCase):
    def setUp(self):
        super(Lean, self).setUp()
        bare = subprocess.run(python("-c", _TOLD), stdout=subprocess.PIPE, check=True)
        self.bare = set(bare.stdout.decode().split())

    def large(self, modules):
        """Beyond those that this Python loads for every program."""
        return sorted(_LARGE & (set(modules.split()) - self.bare))

    def test_the_processes_beside_the_script(self):
        self.helper = os.path.join(self.top, "helper")
        shutil.copytree(HELPER, self.helper)
        entry = os.path.join(self.helper, "board.py")
        with open(entry) as file:
            program = file.read()
        with open(entry, "w") as file:
            file.write(_NOTING % os.path.join(self.top, "modules-") + program)
        self.write("script.py", "kept = bytearray(1 << 20)\n")
        self.start("r1", "script.py")
        until(lambda: not RunFolder(self.root, "r1").is_held(), what="the supervisor's end")
        for command in ("start", "supervise"):
            path = os.path.join(self.top, "modules-" + command)
            until(lambda: os.path.exists(path) and os.path.getsize(path), what="what %s had loaded" % command)
            with open(path) as file:
                modules = file.read()
            self.assertIn("jetson_memprof.board.run.runs", modules)
            self.assertEqual([], self.large(modules), command)

    def test_the_script_itself(self):
        for name, accelerator, needed in (("accelerated", True, []), ("pure", False, ["ctypes"])):
            modules = self.run_script(name, _TOLD, accelerator=accelerator).files["stdout.log"].decode()
            self.assertIn("jetson_memprof.engine.launch", modules)
            self.assertEqual(needed, self.large(modules), name)


if __name__ == "__main__":
    unittest.main()
