"""%memprof and %%memprof: in a small stand-in for IPython's shell, and in a real kernel where there is one."""
import gc
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_board_common import read_records, read_table
from truth.harness import HELPER

from jetson_memprof.engine.meter import Meter

try:
    import ipykernel  # noqa: F401
    from jupyter_client.manager import start_new_kernel
except ImportError:
    start_new_kernel = None

M = 1 << 20
BOUND = 64 << 10
#: Descriptors of what the engine reads, other threads, and whether nothing traces.
_STATE = """import os, sys, threading
links = [os.readlink("/proc/self/fd/%s" % fd) for fd in os.listdir("/proc/self/fd")
         if os.path.lexists("/proc/self/fd/%s" % fd)]
read = [link for link in links if link.endswith(("/statm", "/clear_refs", "/status", "/mem", ".cnt", ".idx"))]
read, threading.active_count(), sys.gettrace() is None"""


class Magics(object):
    """`run(cells)` gives for each cell {"out", "shown" [bundle], "error" name or None, "said", "result" repr or None}."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="jmp-test-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def run_well(self, *cells):
        answers = self.run_cells(cells)
        self.assertEqual([None] * len(cells), [answer["error"] for answer in answers], answers)
        return answers

    def text(self, answer):
        self.assertEqual(1, len(answer["shown"]), answer)
        return answer["shown"][0]["text/plain"]

    def saved(self):
        """(run.json, {(path, line): row}) of the only run that was kept."""
        folder, = glob.glob(os.path.join(self.folder, ".jetson-memprof", "runs", "*"))
        with open(os.path.join(folder, "run.json")) as file:
            record = json.load(file)
        with open(os.path.join(folder, "lines.jsonl"), "rb") as file:
            data = file.read()
        self.assertEqual("end", read_records(data)[-1]["record"])
        for entry in record["files"]:
            self.assertTrue(os.path.isfile(os.path.join(folder, entry["source"])), entry)
        return record, dict(((path, line), row) for (_, path, line), row in read_table(data).items())

    def assert_nets(self, table, path, nets):
        for line, (hits, net) in nets.items():
            row = table[path, line]
            self.assertEqual(hits, row[0], (path, line, table))
            self.assertLess(abs(row[1] - net), max(BOUND, abs(net) // 100), (path, line, row))

    def test_each_line_has_what_it_took_and_functions_of_earlier_cells_too(self):
        self.run_well(
            "kept = []\ndef take(count):\n    block = bytearray(count << 20)\n    kept.append(block)\n",
            "%%memprof --save\nfor count in (40, 50):\n    take(count)\nmore = (bytearray(60 << 20),\n    1)\n"
            "if more:\n    again = bytearray(70 << 20)\n",)
        record, table = self.saved()
        first, second = [cell["path"] for cell in sorted(record["notebook"]["cells"], key=lambda cell: cell["number"])]
        self.assertEqual("notebook.ipynb#cell%d.py" % record["notebook"]["cells"][0]["number"], second)
        self.assert_nets(table, second, {2: (3, 0), 3: (2, 90 * M), 4: (1, 60 * M), 7: (1, 70 * M)})
        self.assert_nets(table, first, {3: (2, 90 * M), 4: (2, 0)})
        self.assertLess(abs(table[second, 4][4] - 60 * M), BOUND + 256 * 1024)  # its peak
        self.assertEqual(("line", "finished"), (record["engine"]["name"], record["state"]))

    def test_exact_figures(self):
        self.run_well("%%memprof --exact --save=exact\na = bytearray(40 << 20)\nb = bytearray(50 << 20)")
        record, table = self.saved()
        self.assertTrue(record["engine"]["exact"])
        self.assert_nets(table, record["notebook"]["cells"][0]["path"], {2: (1, 40 * M), 3: (1, 50 * M)})
        folder, = glob.glob(os.path.join(self.folder, ".jetson-memprof", "runs", "*"))
        with open(os.path.join(folder, "label.json")) as file:
            self.assertEqual({"schema": 1, "name": "exact"}, json.load(file))

    def test_where_nothing_says_which_notebook_it_is_the_user_is_told(self):
        answer, = self.run_well("%%memprof --save\nx = 1")
        self.assertIn("Name the notebook with --save --notebook=PATH", answer["out"])
        self.assertEqual("notebook.ipynb", self.saved()[0]["notebook"]["path"])

    def test_the_user_names_the_notebook(self):
        for given, path in (("=train.ipynb", "train.ipynb"), (" 'my notes/a b.ipynb'", "my notes/a b.ipynb"),
                            (' "%s/deep/c.ipynb"' % self.folder, "deep/c.ipynb")):
            shutil.rmtree(os.path.join(self.folder, ".jetson-memprof"), True)
            answer, = self.run_well("%%memprof --notebook" + given + " --save\nx = 1")
            self.assertNotIn("--notebook", answer["out"])
            record = self.saved()[0]
            self.assertEqual(path, record["notebook"]["path"])
            self.assertTrue(record["notebook"]["cells"][0]["path"].startswith(path + "#cell"))

    def test_jupyter_tells_the_notebook(self):
        answer = self.run_well("__vsc_ipynb_file__ = %r" % os.path.join(self.folder, "told.ipynb"),
                               "%%memprof --save\nx = 1")[1]
        self.assertNotIn("--notebook", answer["out"])
        self.assertEqual("told.ipynb", self.saved()[0]["notebook"]["path"])

    def test_the_result_and_the_names_are_those_of_any_cell(self):
        answers = self.run_well("%%memprof\nvalue = 20\nvalue + 1", "value", "%memprof other = value + 5", "%memprof other * 2")
        self.assertEqual(["21", "20", None, "50"], [answer["result"] for answer in answers])
        self.assertIn("other * 2", self.text(answers[3]))

    def test_the_table(self):
        answer, = self.run_well("%%memprof\nblock = bytearray(48 << 20)\nif not block:\n    never = '<b>&'\ndel block")
        lines = self.text(answer).splitlines()
        self.assertRegex(lines[0], r"^RSS of this process [\d.]+ MiB before, [\d.]+ MiB after \(.*\)\.$")
        at = lines.index("This cell")
        self.assertRegex(lines[at + 1], r"^Line +Net +Self +Peak +Hits( +Uncertain)?( +Peak uncertain)? +Source$")
        self.assertRegex(lines[at + 2], r"^ +1 +%%memprof$")
        self.assertRegex(lines[at + 3], r"^ +2 +\+48.0 MiB +\+48.0 MiB +48.0 MiB +1( +\d+ KiB){0,2} +block = ")
        self.assertRegex(lines[at + 5], r"^ +4 +never = '<b>&'$")
        page = answer["shown"][0]["text/html"]
        self.assertIn("never = &#x27;&lt;b&gt;&amp;&#x27;", page)
        self.assertNotIn("<b>", page)
        self.assertIn("+48.0 MiB</td>", page)

    def test_only_the_largest_lines_in_the_order_that_was_asked_for(self):
        answer, = self.run_well("%%memprof --top 1 --metric peak\na = 1\nblock = bytearray(48 << 20)\nb = 2")
        lines = self.text(answer).splitlines()
        self.assertRegex(lines[3], r"^Line +Peak +Net +Self")
        self.assertRegex(lines[4], r"^ +3 +48.0 MiB +\+48.0 MiB")
        self.assertFalse([line for line in lines[5:] if line.startswith("   ")], lines)

    def test_imported_files_only_on_request(self):
        with open(os.path.join(self.folder, "library.py"), "w") as file:
            file.write("def grab(count):\n    return bytearray(count << 20)\n")
        answers = self.run_well("import sys\nsys.path.insert(0, '')\nimport library",
                                "%%memprof\na = library.grab(40)", "%%memprof --files\nb = library.grab(45)")
        self.assertNotIn("library.py", self.text(answers[1]).splitlines())
        lines = self.text(answers[2]).splitlines()
        self.assertRegex(lines[lines.index("library.py") + 2], r"^ +2 +\+45.0 MiB +\+45.0 MiB")

    def test_nothing_is_left_of_it(self):
        answers = self.run_well(*([_STATE] + ["%%memprof\ny = bytearray(3 << 20)"] * 20 + [_STATE]))
        self.assertEqual(answers[0]["result"], answers[-1]["result"])
        self.assertRegex(answers[-1]["result"], r"^\(\[\], \d+, True\)$")
        self.assertEqual([], os.listdir(self.folder))

    def test_each_begins_afresh(self):
        answers = self.run_well("def f():\n    return 1\n", "%%memprof\nf()\nf();", "%%memprof\nf();")
        for answer, hits in ((answers[1], 2), (answers[2], 1)):
            line = self.text(answer).splitlines()[-1]
            self.assertRegex(line, r" %d +return 1$" % hits)

    def test_an_error_shows_what_was_measured_until_then(self):
        answers = self.run_cells(["%%memprof --save\nblock = bytearray(48 << 20)\n1 / 0\nnever = 1", "1 + 1"])
        self.assertEqual(["ZeroDivisionError", None], [answer["error"] for answer in answers])
        self.assertIn("+48.0 MiB", self.text(answers[0]))
        self.assertEqual({"kind": "exited", "code": 1}, self.saved()[0]["exit"])

    def test_an_interrupt_does_too(self):
        answers = self.run_cells(["%%memprof\nblock = bytearray(48 << 20)\nimport os, signal, time\n"
                                  "os.kill(os.getpid(), signal.SIGINT)\nfor _ in range(1000):\n    time.sleep(0.01)", _STATE])
        self.assertEqual("KeyboardInterrupt", answers[0]["error"])
        self.assertIn("+48.0 MiB", self.text(answers[0]))
        self.assertTrue(answers[1]["result"].endswith("True)"))

    def test_one_inside_another_is_refused_in_words(self):
        answers = self.run_cells(["%%memprof\ndone = get_ipython().run_cell('%%memprof\\nx = 1')\nblock = bytearray(48 << 20)",
                                  "repr(done.error_in_exec)", "%%memprof\n%%time\nx = 2"])
        self.assertIn("measured already", answers[1]["result"])
        self.assertIn("+48.0 MiB", answers[0]["shown"][-1]["text/plain"])
        self.assertIn("another cell magic (%%time)", answers[2]["said"])

    def test_however_the_cell_begins_it_ends_with_the_cell(self):
        answers = self.run_well(" \t\n%%memprof\nx = 1", _STATE)
        self.assertEqual(1, len(answers[0]["shown"]))
        self.assertTrue(answers[1]["result"].startswith("([]") and answers[1]["result"].endswith("True)"), answers[1])

    def test_a_refused_one_inside_ends_nothing(self):
        answers = self.run_cells([
            "%%memprof\nget_ipython().run_cell('%%memprof\\n%%time\\nx = 1')\nkept = bytearray(8 << 20)"])
        self.assertRegex(self.text(answers[0]), r"\n +3 .*MiB.*  kept = ")

    def test_unloaded_by_the_cell_itself(self):
        answers = self.run_well("%%memprof\nimport jetson_memprof\n"
                                "jetson_memprof.unload_ipython_extension(get_ipython())\nx = 1", _STATE)
        self.assertEqual(1, len(answers[0]["shown"]))
        self.assertTrue(answers[1]["result"].endswith("True)"), answers[1])

    def test_a_cell_that_leaves_its_folder_is_kept_where_it_began(self):
        answers = self.run_well("%%memprof --save\nimport os, tempfile\ngone = tempfile.mkdtemp()\nos.chdir(gone)\n"
                                "os.rmdir(gone)\nkept = bytearray(8 << 20)")
        self.assertIn("Kept as the run", answers[0]["out"])
        self.assertEqual(self.folder, self.saved()[0]["cwd"])

    def test_another_tracer_stays_where_it_is(self):
        answers = self.run_cells(["import sys\ndef mine(*_):\n    return None\nsys.settrace(mine)", "%%memprof\nx = 1",
                                  "sys.gettrace() is mine", "sys.settrace(None)", "%%memprof\nx = 2"])
        self.assertIn("Another tracer", answers[1]["said"])
        self.assertEqual("True", answers[2]["result"])
        self.assertEqual(1, len(answers[4]["shown"]))

    def test_a_tracer_that_takes_over_is_told(self):
        answers = self.run_cells(["import sys\ndef mine(*_):\n    return None", "%%memprof\nx = 1\nsys.settrace(mine)\ny = 1",
                                  "sys.gettrace() is mine", "sys.settrace(None)"])
        if sys.version_info < (3, 12):
            self.assertIn("took over", self.text(answers[1]))
        self.assertEqual("True", answers[2]["result"])

    def test_a_thread_that_goes_on_is_no_longer_traced(self):
        answers = self.run_well(
            "import sys, threading\nends, told, go = threading.Event(), [], threading.Event()\n"
            "def step():\n    return sys.gettrace()\n"
            "def work():\n    go.set()\n    ends.wait(60)\n    step()\n    told.append(step())\n",
            "%%memprof\nthread = threading.Thread(target=work)\nthread.start()\ngo.wait(60)",
            "ends.set()\nthread.join()\ntold")
        self.assertEqual("[None]", answers[2]["result"])

    def test_a_thread_that_was_there_before_is_left_out(self):
        answers = self.run_well(
            "import threading\nbegins = threading.Event()\ndef step():\n    return 1\n"
            "def work():\n    begins.wait(60)\n    step()\nthread = threading.Thread(target=work)\nthread.start()",
            "%%memprof\nbegins.set()\nthread.join()\nstep()")
        self.assertRegex(self.text(answers[1]), r"(?m) 1  +return 1$")

    def test_a_forked_child_is_not_measured_and_changes_nothing(self):
        answers = self.run_well("%%memprof\nimport os\npid = os.fork()\nif not pid:\n    mine = bytearray(90 << 20)\n"
                                "    os._exit(0)\nos.waitpid(pid, 0)\nblock = bytearray(48 << 20)")
        text = self.text(answers[0])
        self.assertIn("+48.0 MiB", text)
        self.assertNotIn("90.0 MiB", text)

    def test_options_that_are_none_are_refused(self):
        for line, said in (("--bogus", "no option"), ("--top none", "whole number"), ("--metric rss", "net, self, peak"),
                           ("--top", "needs a value"), ("--notebook", "needs a value"), ("--notebook=a.ipynb", "--save too"),
                           ("--save --notebook=train.py", "path of a notebook")):
            answer, = self.run_cells(["%%memprof " + line + "\nx = 1"])
            self.assertIn(said, answer["said"], line)
            self.assertEqual([], answer["shown"])


class AMeter(unittest.TestCase):
    def test_that_is_closed_opens_nothing_again(self):
        gc.collect()  # what earlier tests left would close its own meanwhile
        before = sorted(os.listdir("/proc/self/fd"))
        meter = Meter()
        meter.close()
        meter.reopen()
        self.assertEqual(before, sorted(os.listdir("/proc/self/fd")))


class InAStandIn(Magics, unittest.TestCase):
    def run_cells(self, cells):
        done = subprocess.Popen([sys.executable, os.path.join(HELPER, "tests", "notebook_shell.py")], cwd=self.folder,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, errors = done.communicate(json.dumps(list(cells)).encode("utf-8"), timeout=120)
        self.assertEqual(0, done.returncode, errors.decode("utf-8", "replace"))
        return json.loads(out.decode("utf-8"))

    def test_where_the_front_end_says_it_the_cell_keeps_its_id(self):
        self.run_well("%%memprof --save\nx = 1")
        self.assertEqual("id-of-cell", self.saved()[0]["notebook"]["cells"][0]["id"])


@unittest.skipIf(start_new_kernel is None, "no ipykernel for this Python; on Debian: python3-ipykernel for /usr/bin/python3")
class InAKernel(Magics, unittest.TestCase):
    """One kernel for all: each test has its own folder, and what is allocated is more than malloc keeps."""

    @classmethod
    def setUpClass(cls):
        cls.settings = tempfile.mkdtemp(prefix="jmp-test-")
        cls.addClassCleanup(shutil.rmtree, cls.settings, True)
        env = dict(os.environ, PYTHONPATH=HELPER, IPYTHONDIR=cls.settings, PYDEVD_DISABLE_FILE_VALIDATION="1")
        cls.manager, cls.client = start_new_kernel(
            startup_timeout=180, kernel_name="python3", cwd=cls.settings, env=env, stderr=subprocess.DEVNULL,
            extra_arguments=["--InteractiveShell.colors=NoColor"])

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)

    def run_cells(self, cells):
        # An error makes the kernel leave out what is asked of it soon after, unless that says not to.
        self._run_one("import os\nos.chdir(%r)\nget_ipython().reset(new_session=False)\nget_ipython().run_line_magic('load_ext', 'jetson_memprof')" % self.folder)
        return [self._run_one(cell) for cell in cells]

    def _run_one(self, cell):
        answer = {"out": "", "shown": [], "error": None, "said": "", "result": None}

        def take(message):
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                answer["out" if content["name"] == "stdout" else "said"] += content["text"]
            elif kind == "display_data":
                answer["shown"].append(content["data"])
            elif kind == "execute_result":
                answer["result"] = content["data"]["text/plain"]
            elif kind == "error":
                answer["error"] = content["ename"]
                answer["said"] += content["evalue"]

        self.client.execute_interactive(cell, timeout=180, output_hook=take, stop_on_error=False)
        return answer

    def test_await_in_a_measured_cell(self):
        answer, = self.run_well("%%memprof\nimport asyncio\na = bytearray(40 << 20)\nawait asyncio.sleep(0.01)\n"
                                "b = bytearray(45 << 20)")
        self.assertRegex(self.text(answer), r"5 +\+45.0 MiB")

    def test_a_cell_that_fails_stops_those_after_it_as_always(self):
        answer, = self.run_cells(["%%memprof\nraise ValueError('mine')"])
        self.assertEqual(("ValueError", "mine"), (answer["error"], answer["said"]))

    def test_unloading_takes_it_away(self):
        answers = self.run_cells(["%unload_ext jetson_memprof", "%%memprof\nx = 1"])
        self.assertIn("`%%memprof` not found", answers[1]["said"])


if __name__ == "__main__":
    unittest.main()
