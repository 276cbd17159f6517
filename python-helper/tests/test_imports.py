"""Every module of the helper can be imported by this Python: the standard library loses some with each version."""
import os
import subprocess
import sys
import unittest

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: The first needs IPython, the second is a program.
_LEFT_OUT = ("jetson_memprof.notebook.magics", "jetson_memprof.notebook.run")
_ALL = ("import importlib, pkgutil, sys\n"
        "sys.path.insert(0, %r)\n"
        "import jetson_memprof\n"
        "for found in pkgutil.walk_packages(jetson_memprof.__path__, 'jetson_memprof.'):\n"
        "    if found.name not in %r:\n"
        "        print(importlib.import_module(found.name).__name__)\n" % (HELPER, _LEFT_OUT))


class Imports(unittest.TestCase):
    def test_every_module(self):
        made = subprocess.run([sys.executable, "-I", "-B", "-W", "error", "-c", _ALL], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual((0, ""), (made.returncode, made.stderr.decode()))
        self.assertGreater(len(made.stdout.split()), 100)
