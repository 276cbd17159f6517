"""The kit that checks figures of GPU memory (bench/cuda), with the stand-in: no machine of the tests has CUDA."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CUDA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "cuda")
_FOLDERS = [CUDA, os.path.join(CUDA, "lib")]
sys.path[:0] = _FOLDERS
import device_checks  # noqa: E402
import results  # noqa: E402
import smi  # noqa: E402

for _folder in _FOLDERS:
    sys.path.remove(_folder)

MIB = 1 << 20
#: Checks beside the kit's own: what each does must not keep the others from running.
MORE = """
import os, signal, time
from measuring import Unknown
from results import figure

def differs(place):
    place.say("a note")
    return [figure("right", 5, 5), figure("too much", 3 << 20, 1 << 20, allowed=1 << 20), figure("unheard of", None, 1)]
def raises(place):
    return {}["figure"]
def is_lost(place):
    os._exit(7)
def cannot(place):
    raise Unknown("there is none")
def hangs(place):
    if os.fork() == 0:
        os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1000)
def passes(place):
    return [figure("all is", 1, 1)]
CHECKS = [(name, name, 6000) for name in ("differs", "raises", "is_lost", "cannot")]
CHECKS += [("hangs", "hangs", 1), ("passes", "passes", 6000)]
"""


class Kit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="jmp-test-")
        more = os.path.join(cls.folder, "more.py")
        with open(more, "w") as file:
            file.write(MORE)
        command = [sys.executable, "-B", os.path.join(CUDA, "kit.py"), "--stand-in", "--patient", "--check", "--more", more,
                   "--out", cls.folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        cls.said, cls.errors = (stream.decode("utf-8") for stream in process.communicate())
        cls.status = process.returncode
        with open(os.path.join(cls.folder, "results.json"), encoding="utf-8") as file:
            cls.results = json.load(file)
        cls.checks = dict((check["name"], check) for check in cls.results["checks"])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_says_first_that_there_is_no_gpu_and_in_its_results(self):
        self.assertTrue(self.said.startswith("STAND-IN: "), self.said)
        self.assertEqual(("stand-in driver (no GPU)", True), (self.results["device"], self.results["is_stand_in"]))
        self.assertEqual((None, None, "stand-in"), tuple(self.results[name] for name in ("driver", "cuda", "torch")))

    def test_comes_to_its_end_with_all_that_is_described(self):
        self.assertEqual([], results.problems(self.results))
        self.assertEqual(1, self.status, self.errors)  # --check, and one failed on purpose
        with open(os.path.join(self.folder, "table.md"), encoding="utf-8") as file:
            table = file.read()
        self.assertIn(table, self.said)
        rows = [line for line in table.splitlines() if line.startswith("| ")]
        self.assertEqual(1 + len(self.checks), len(rows))
        self.assertEqual({4}, set(line.replace("\\|", "").count("|") - 1 for line in rows))

    def test_what_the_stand_in_can_say_is_so(self):
        for name in ("lines", "peaks", "device", "counters", "phases"):
            check = self.checks[name]
            self.assertEqual("pass", check["state"], check)
        # Without a compiler, or a helper that records them, there are no calls to CUDA.
        calls = self.checks["past-pytorch"]["figures"][:2]
        self.assertEqual(["pass"] * len(calls), [figure["state"] for figure in calls], calls)

    def test_what_only_a_gpu_can_say_is_unknown(self):
        for name in ("context", "move", "profiler", "line-cost", "lenet", "resnet"):
            self.assertEqual(("unknown", "only a GPU can say"), (self.checks[name]["state"], self.checks[name]["why"]))
        for name in ("moments", "snapshot", "past-pytorch"):
            self.assertNotEqual("pass", self.checks[name]["state"])

    def test_one_that_fails_is_told_with_its_figures(self):
        check = self.checks["differs"]
        self.assertEqual(("fail", "too much is 3.00 MiB, not = 1.00 MiB, within 1.00 MiB"), (check["state"], check["why"]))
        self.assertEqual(["pass", "fail", "unknown"], [figure["state"] for figure in check["figures"]])
        self.assertEqual(["a note"], check["notes"])

    def test_none_stops_the_others(self):
        self.assertEqual(("fail", "KeyError: 'figure'"), (self.checks["raises"]["state"], self.checks["raises"]["why"]))
        self.assertEqual("fail", self.checks["is_lost"]["state"])
        self.assertIn("ended with 7", self.checks["is_lost"]["why"])
        self.assertEqual(("unknown", "there is none"), (self.checks["cannot"]["state"], self.checks["cannot"]["why"]))
        self.assertEqual(("unknown", "it had not ended after 1 s"), (self.checks["hangs"]["state"], self.checks["hangs"]["why"]))
        self.assertEqual("pass", self.checks["passes"]["state"])

    def test_nothing_is_left_running(self):
        left = []
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/cmdline" % name, "rb") as file:
                    if os.path.join(self.folder, "more.py").encode() in file.read():
                        left.append(name)
            except OSError:  # no process, or it has ended
                pass
        self.assertEqual([], left)


class Judging(unittest.TestCase):
    def test_what_is_not_known_is_never_right(self):
        self.assertEqual("unknown", results.judge(None, 0, "equal", 5))
        self.assertEqual("unknown", results.judge(0, None, "at most", 5))
        self.assertEqual("unknown", results.check_state([]))
        self.assertEqual("unknown", results.check_state([results.figure("a", 1, 1), results.figure("b", None, 1)]))
        self.assertEqual("fail", results.check_state([results.figure("a", 1, 2), results.figure("b", None, 1)]))

    def test_relations_and_what_is_allowed(self):
        for ours, theirs, relation, allowed, state in (
                (5, 7, "equal", 2, "pass"), (5, 8, "equal", 2, "fail"), (9, 8, "at most", 0, "fail"), (9, 8, "at most", 1, "pass"),
                (7, 8, "at most", 0, "pass"), (7, 8, "at least", 0, "fail"), (9, 8, "at least", 0, "pass"),
                ("a", "a", "equal", 0, "pass"), ("a", "b", "equal", 9, "fail")):
            self.assertEqual(state, results.judge(ours, theirs, relation, allowed), (ours, theirs, relation, allowed))

    def test_results_that_lack_something_are_found(self):
        check = {"name": "c", "title": "t", "row": "r", "state": "pass", "why": None, "seconds": 1.0, "figures": [], "notes": []}
        whole = dict((key, 1) for key in ("schema", "version", "device", "is_stand_in", "driver", "cuda", "torch", "python",
                                          "machine", "kernel", "libraries", "began", "seconds", "limit_s", "load"))
        self.assertEqual(["c passed without its figures"], results.problems(dict(whole, checks=[check])))
        self.assertEqual(["c does not say why"], results.problems(dict(whole, checks=[dict(check, state="unknown")])))
        del whole["device"]
        self.assertEqual(["results lacks or has too much: device"], results.problems(dict(whole, checks=[])))


class Smi(unittest.TestCase):
    def test_its_answer_is_read(self):
        self.assertEqual({4242: 512 * MIB, 7: None}, smi.parse_apps("4242, 512\n7, [N/A]\nNo running processes\n"))
        self.assertEqual((3 * MIB, None), (smi.parse_mib(" 3\n"), smi.parse_mib("[N/A]\n")))

    def test_a_script_in_a_container_is_the_one_that_is_new(self):
        def told(apps):
            return {"smi": {"apps": apps, "used": 0}}
        self.assertEqual(5, device_checks.own_bytes(told({}), told({"12": 5, "13": 6}), 12))
        self.assertEqual(6, device_checks.own_bytes(told({"12": 5}), told({"12": 5, "13": 6}), 99))
        self.assertIsNone(device_checks.own_bytes(told({}), told({"12": 5, "13": 6}), 99))
        self.assertIsNone(device_checks.own_bytes(told({}), told({}), 99))


if __name__ == "__main__":
    unittest.main()
