"""Being told that a package has been imported, without importing it."""
import importlib
import os
import shutil
import sys
import tempfile
import unittest

from truth import harness  # noqa: F401 (the helper's path)

from jetson_memprof.model.imports import when_imported

NAME = "package_that_is_waited_for"


class WhenImported(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="jmp-imports-")
        self.addCleanup(shutil.rmtree, folder)
        self.package = os.path.join(folder, NAME)
        os.mkdir(self.package)
        finders = list(sys.meta_path)
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        self.addCleanup(sys.path.remove, folder)
        self.addCleanup(sys.meta_path.__setitem__, slice(None), finders)
        self.addCleanup(sys.modules.pop, NAME, None)
        self.finders = len(finders)
        self.told = []
        when_imported(NAME, lambda: self.told.append(sys.modules[NAME].done))

    def write(self, text):
        with open(os.path.join(self.package, "__init__.py"), "w") as file:
            file.write(text)

    def test_tells_once_it_has_run_and_is_gone_then(self):
        self.write("done = 1\n")
        self.assertEqual(1, importlib.import_module(NAME).done)
        self.assertEqual([1], self.told)
        self.assertEqual(self.finders, len(sys.meta_path))
        self.assertNotIn("exec_module", vars(sys.modules[NAME].__spec__.loader))

    def test_waits_on_where_it_failed(self):
        self.write("raise ValueError(1)\n")
        with self.assertRaises(ValueError):
            importlib.import_module(NAME)
        self.assertEqual([], self.told)
        self.write("done = 'later'\n")
        importlib.invalidate_caches()
        importlib.import_module(NAME)
        self.assertEqual(["later"], self.told)

    def test_a_folder_of_that_name_without_code_is_imported_as_always(self):
        self.assertEqual([self.package], list(importlib.import_module(NAME).__path__))


if __name__ == "__main__":
    unittest.main()
