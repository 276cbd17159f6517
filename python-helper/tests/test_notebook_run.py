"""Notebooks run as a script: each cell is a measured file of its own."""
import json
import os
import shutil
import unittest

from test_board_common import BoardCase, read_records, read_table
from truth.harness import BOTH

M = 1 << 20
BOUND = 64 << 10


def notebook(*cells, **more):
    """A notebook of format 4.5; a cell is its source, or a whole cell as a dict."""
    found = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        cell if isinstance(cell, dict) else {"cell_type": "code", "id": "c%d" % at, "metadata": {}, "outputs": [],
                                             "execution_count": None, "source": cell}
        for at, cell in enumerate(cells)]}
    found.update(more)
    return json.dumps(found)


class AsAScript(BoardCase):
    def run_cells(self, *cells, **changes):
        self.write("train.ipynb", notebook(*cells))
        self.start("r1", "train.ipynb", **changes)
        return self.attach("r1").wait()

    def refusal(self, text):
        self.write("train.ipynb", text)
        reply = self.start("r1", "train.ipynb", check=False)["error"]
        self.assertEqual(("not-started", reply["message"]), (
            self.load("r1")["exit"]["kind"], self.load("r1")["exit"]["message"]))
        return reply["message"]

    def out(self, mirror):
        return mirror.files.get("stdout.log", b"").decode("utf-8")

    def test_each_line_of_each_cell_has_its_figures(self):
        for accelerator in BOTH:
            for exact in (False, True):
                with self.subTest(accelerator=accelerator, exact=exact):
                    run = "r-%d-%d" % (accelerator, exact)
                    self.write("train.ipynb", notebook(
                        "kept = []\ndef take(count):\n    block = bytearray(count << 20)\n    kept.append(block)\n",
                        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Text"]},
                        ["for count in (2, 3):\n", "    take(count)\n", "more = bytearray(8 << 20)"],
                        "del more\nkept.pop();\n"))
                    self.start(run, "train.ipynb", accelerator=accelerator, exact=exact)
                    mirror = self.attach(run).wait()
                    self.assertEqual({"kind": "exited", "code": 0}, mirror.record["exit"])
                    self.assertEqual([], mirror.record["warnings"])
                    self.assertEqual("accelerator" if accelerator else "pure",
                                     mirror.record["processes"][0]["implementation"])
                    pid = mirror.record["processes"][0]["pid"]
                    table = read_table(mirror.files["lines.jsonl"])
                    for cell, line, hits, net in ((1, 3, 2, 5 * M), (2, 2, 2, 5 * M), (2, 3, 1, 8 * M), (3, 1, 1, -8 * M),
                                                  (3, 2, 1, -3 * M), (1, 2, 1, 0)):
                        row = table[pid, "train.ipynb#cell%d.py" % cell, line]
                        self.assertEqual(hits, row[0], (cell, line))
                        self.assertLess(abs(row[1] - net), BOUND, (cell, line, row))

    def test_the_record_says_which_cell_each_file_is(self):
        mirror = self.run_cells("a = 1", "", " \n", "b = 2\nb")
        self.assertEqual({"path": "train.ipynb", "cells": [
            {"number": 1, "id": "c0", "path": "train.ipynb#cell1.py"},
            {"number": 2, "id": "c3", "path": "train.ipynb#cell2.py"}]}, mirror.record["notebook"])
        self.assertEqual(["train.ipynb#cell1.py", "train.ipynb#cell2.py"],
                         sorted(entry["path"] for entry in mirror.record["files"]))
        self.assertEqual(b"b = 2\nb", mirror.files["sources/train.ipynb#cell2.py"])
        self.assertEqual("train.ipynb", mirror.record["command"]["script"])

    def test_it_looks_to_the_cells_as_a_script_does(self):
        self.write("beside.py", "VALUE = 5\n")
        mirror = self.run_cells(
            "import sys\nprint(__name__, sys.argv, sys.modules['__main__'].__dict__ is globals())",
            "import beside, os\nprint(beside.VALUE, os.getcwd() == os.path.dirname(os.path.abspath(beside.__file__)))",
            "print('jetson_memprof' in sys.path[0], sorted(name for name in globals() if not name.startswith('__')))",
            args=["--epochs", "2"])
        self.assertEqual(["__main__ ['train.ipynb', '--epochs', '2'] True", "5 True",
                          "False ['beside', 'display', 'os', 'sys']"], self.out(mirror).splitlines())

    def test_a_notebook_in_a_folder_runs_there(self):
        self.write("sub/nb.ipynb", notebook("import os\nprint(os.path.basename(os.getcwd()))\nkept = bytearray(3 << 20)"))
        self.start("r2", "sub/nb.ipynb")
        mirror = self.attach("r2").wait()
        self.assertEqual("sub\n", self.out(mirror))
        self.assertIn("sub/nb.ipynb#cell1.py", [entry["path"] for entry in mirror.record["files"]])

    def test_the_last_expression_is_displayed_as_python_does(self):
        mirror = self.run_cells("x = 20\nx + 1", "x + 2;", "x + 3 # said; so", "'hidden'\nNone", "display('shown', 2)")
        self.assertEqual(["21", "23", "'shown'", "2"], self.out(mirror).splitlines())

    def test_a_future_import_holds_for_the_cells_after_it(self):
        mirror = self.run_cells("from __future__ import barry_as_FLUFL", "print(1 <> 2)")
        self.assertEqual("True\n", self.out(mirror))

    def test_what_only_jupyter_knows_is_left_out_and_said(self):
        mirror = self.run_cells(
            "%matplotlib inline\nimport os\n!pip install x \\\n  y\nfiles = !ls\nprint('here')",
            "%%bash\necho no", "%%time\nprint('timed')", "%time n = 3\n%memprof --top 3 n += 1\nn",
            "text = '''\n%no magic\n!nor this'''\nprint(text[1:10], 7\n% 4)\nos?", "%%capture out\nprint('captured')")
        self.assertEqual(["here", "timed", "4", "%no magic 3", "captured"], self.out(mirror).splitlines())
        said = [warning["message"] for warning in mirror.record["warnings"] if warning["code"] == "notebook-left-out"]
        self.assertEqual([
            "Cell 1 of train.ipynb was run without what only Jupyter knows: line 1, %matplotlib inline; "
            "line 3, !pip install x \\; line 5, files = !ls",
            "Cell 2 of train.ipynb was left out, as it is not Python: %%bash",
            "Cell 5 of train.ipynb was run without what only Jupyter knows: line 6, os?"], said)

    def test_a_traceback_names_the_cell_and_its_line(self):
        mirror = self.run_cells("def fail():\n    kept = bytearray(1 << 20)\n    return 1 / 0", "import os\nfail()")
        self.assertEqual({"kind": "exited", "code": 1}, mirror.record["exit"])
        errors = mirror.files["stderr.log"].decode("utf-8").splitlines()
        self.assertEqual("Traceback (most recent call last):", errors[0])
        self.assertTrue(errors[1].endswith('/train.ipynb#cell2.py", line 2, in <module>'), errors)
        self.assertEqual("fail()", errors[2].strip())
        self.assertTrue(any(line.endswith('/train.ipynb#cell1.py", line 3, in fail') for line in errors), errors)
        self.assertEqual("ZeroDivisionError: division by zero", errors[-1])
        self.assertFalse(any("running.py" in line for line in errors), errors)

    def test_a_cell_that_is_no_python_is_named_before_anything_runs(self):
        mirror = self.run_cells("print('ran')", "x = 1\ndef broken(:\n")
        self.assertEqual({"kind": "exited", "code": 1}, mirror.record["exit"])
        self.assertEqual("", self.out(mirror))
        self.assertIn('train.ipynb#cell2.py", line 2', mirror.files["stderr.log"].decode("utf-8"))

    def test_a_cell_that_python_cannot_read_is_named_too(self):
        for at, cell in enumerate(("x = '\0'", "x = '\ud800'", "(" * 5000 + ")" * 5000)):
            with self.subTest(at):
                self.write("train.ipynb", notebook("print('ran')", cell))
                self.start("r%d" % at, "train.ipynb")
                mirror = self.attach("r%d" % at).wait()
                self.assertEqual({"kind": "exited", "code": 1}, mirror.record["exit"])
                said = mirror.files["stderr.log"].decode("utf-8")
                self.assertIn("train.ipynb#cell2.py", said)
                self.assertNotIn("running.py", said)
                self.assertEqual("", self.out(mirror))

    def test_a_semicolon_hides_the_value_a_string_with_one_does_not(self):
        mirror = self.run_cells("'a;#b'", "('c#');")
        self.assertEqual("'a;#b'\n", self.out(mirror))

    def test_await_outside_a_function_is_refused_in_words(self):
        mirror = self.run_cells("import asyncio", "await asyncio.sleep(0)")
        self.assertIn("asyncio.run(...)", mirror.files["stderr.log"].decode("utf-8"))

    def test_exit_codes_are_the_scripts(self):
        self.assertEqual({"kind": "exited", "code": 5}, self.run_cells("raise SystemExit(5)", "print(1)").record["exit"])

    def test_source_code_can_be_asked_for_as_in_jupyter(self):
        mirror = self.run_cells("def f():\n    return 1", "import inspect\nprint(inspect.getsource(f))")
        self.assertEqual(["def f():", "    return 1"], self.out(mirror).splitlines()[:2])

    def test_where_it_was_when_it_was_killed(self):
        mirror = self.run_cells("x = 1", "import os, signal, time\nkept = bytearray(1 << 20)\n"
                                "time.sleep(0.5)\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual("signalled", mirror.record["exit"]["kind"])
        self.assertEqual(("train.ipynb#cell2.py", 4), (
            mirror.record["last_lines"][0]["path"], mirror.record["last_lines"][0]["line"]))

    def test_the_notebook_edited_while_it_runs_changes_nothing(self):
        mirror = self.run_cells("open('train.ipynb', 'w').write('gone');", "print('second')\nkept = bytearray(2 << 20)")
        self.assertEqual("second\n", self.out(mirror))
        self.assertEqual(b"print('second')\nkept = bytearray(2 << 20)", mirror.files["sources/train.ipynb#cell2.py"])

    def test_imported_files_and_forked_children_are_measured_too(self):
        self.write("helper.py", "def take():\n    return bytearray(4 << 20)\n")
        mirror = self.run_cells(
            "import os, helper\nblock = helper.take()", "pid = os.fork()\nif not pid:\n    mine = bytearray(6 << 20)\n"
            "    os._exit(0)\nos.waitpid(pid, 0);")
        table = read_table(mirror.files["lines.jsonl"])
        (main,), (child,) = [[entry["pid"] for entry in mirror.record["processes"] if entry["kind"] == kind]
                             for kind in ("main", "fork")]
        self.assertLess(abs(table[main, "helper.py", 2][1] - 4 * M), BOUND)
        self.assertLess(abs(table[child, "train.ipynb#cell2.py", 3][1] - 6 * M), BOUND)

    def test_functions_have_their_totals(self):
        mirror = self.run_cells("def take():\n    return bytearray(4 << 20)", "a = take()\nb = take()")
        records = read_records(mirror.files["lines.jsonl"])
        file = [record for record in records if record["record"] == "file" and record["path"] == "train.ipynb#cell1.py"][0]
        self.assertEqual([["take", 1]], [[one["name"], one["key"]] for one in file["functions"]])
        rows = [row for record in records if record["record"] == "functions" for row in record["rows"]
                if row[0] == file["file"]]
        self.assertEqual(2, rows[-1][2])

    def test_what_is_no_notebook_is_refused_in_words(self):
        for text, said in (
                ("", "cannot be read as a notebook"), ("{\"cells\": [", "cannot be read as a notebook"), ("[]", "no notebook"),
                ("{}", "no notebook"), (notebook(nbformat=2), "format 2"), (notebook(), "no code cell"),
                (notebook("", "  \n"), "no code cell"),
                (notebook({"cell_type": "code", "source": 5}), "number 1 in the file has no text"),
                (notebook("x", metadata={"language_info": {"name": "R"}}), "the language \"r\""),
                (notebook({"cell_type": "raw", "source": "x"}), "no code cell")):
            with self.subTest(text=text[:60]):
                shutil.rmtree(self.root, True)
                self.assertIn(said, self.refusal(text))

    def test_the_older_format_and_other_line_ends(self):
        old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 1, "source": "x"},
            {"cell_type": "code", "language": "python", "input": ["a = 1\r\n", "print(a)"], "outputs": []}]}]}
        self.write("old.ipynb", json.dumps(old))
        self.start("r3", "old.ipynb")
        mirror = self.attach("r3").wait()
        self.assertEqual("1\n", self.out(mirror))
        self.assertEqual(b"a = 1\nprint(a)", mirror.files["sources/old.ipynb#cell1.py"])
        self.assertIsNone(mirror.record["notebook"]["cells"][0]["id"])

    def test_other_engines_are_refused(self):
        self.write("train.ipynb", notebook("x = 1"))
        reply = self.start("r4", "train.ipynb", engine="memory_profiler", check=False)["error"]
        self.assertEqual("notebook-engine", reply["code"])


if __name__ == "__main__":
    unittest.main()
