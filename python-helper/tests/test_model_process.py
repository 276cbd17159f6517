"""The model account in a profiled process, started by the specification of a run."""
import json
import os
import shutil
import signal
import tempfile
import unittest

from test_engine_accounts import Project
from truth import harness

try:
    import torch
except ImportError:
    torch = None

MODEL = """\
import os, signal, torch
from torch import nn
torch.set_num_threads(1)
def model():
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(10, 40), nn.Sigmoid(), nn.Linear(40, 10))
def train(net, steps, batch=8):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        net(torch.ones(batch, 10)).sum().backward()
        optimizer.step()
"""
#: Freed tensors leave RSS at once.
AT_ONCE = {"MALLOC_MMAP_THRESHOLD_": "65536"}


class Models(Project):
    def setUp(self):
        super(Models, self).setUp()
        self.out = tempfile.mkdtemp(prefix="jmp-model-")
        self.addCleanup(shutil.rmtree, self.out, True)

    def account(self, text, steps=3, trial=None, accelerator=True, status=0, env=None):
        """(the run, {pid: [record]}) of a script that begins with MODEL."""
        settings = {"exact_peaks": False, "snapshots": None, "model": {"steps": steps, "trial": trial},
                    "folder": self.out, "began": 0}
        self.write("script.py", text)
        with harness.Folder(self.folder, False, accelerator and harness.BOTH[-1], torch=settings) as folder:
            run = folder.run(["script.py"], self.folder, env=env)
        self.assertEqual(run.status, status)
        # Of a killed script the shell may say so: dash in one word, bash in a line or not at all.
        said = rb"((\S+: line \d+: +\d+ )?Killed\b[^\n]*\n)?" if status == 128 + signal.SIGKILL else b""
        self.assertRegex(run.stderr, rb"\A" + said + rb"\Z")
        return run, self.written()

    def written(self):
        found = {}
        for name in sorted(os.listdir(self.out)):
            with open(os.path.join(self.out, name)) as file:
                found[int(name.split(".")[1])] = [json.loads(line) for line in file.read().splitlines()]
        return found

    def kinds(self, records):
        return sorted(set(record["record"] for record in records))


class WithoutTorch(Models):
    def test_a_script_without_pytorch_leaves_nothing(self):
        run, written = self.account("import sys, json\nprint('torch' in sys.modules, sys.meta_path[0].__class__.__name__)\n")
        self.assertEqual(run.stdout.split()[0], b"False")
        self.assertEqual((written, run.warnings), ({}, []))

    def test_a_package_of_that_name_that_is_none_is_a_warning(self):
        self.write("torch.py", "print('mine')\n")
        run, written = self.account("import torch\nprint(torch.__spec__.loader.__class__.__name__)\n")
        self.assertEqual(run.stdout.split(), [b"mine", b"SourceFileLoader"])
        self.assertEqual((written, run.warnings), ({}, ["model-not-accounted"]))

    def test_an_import_that_fails_may_be_tried_again(self):
        self.write("torch.py", "import os\nif not os.environ.pop('AGAIN', None): raise ImportError('not yet')\n")
        run, _ = self.account("import os\ntry:\n    import torch\nexcept ImportError as error:\n    print(error)\n"
                              "os.environ['AGAIN'] = '1'\nimport torch\n")
        self.assertEqual((run.stdout, run.warnings), (b"not yet\n", ["model-not-accounted"]))


@unittest.skipIf(torch is None, "this Python has no PyTorch")
class WithTorch(Models):
    def test_a_run_is_recorded_with_the_line_that_called_the_model(self):
        for accelerator in harness.BOTH:
            with self.subTest(accelerator=accelerator):
                run, written = self.account(MODEL + "train(model(), 5)\n", accelerator=accelerator)
                (pid, records), = written.items()
                self.assertEqual(records[0]["pid"], pid)
                self.assertEqual((run.warnings, records[0]["record"], records[0]["schema"], records[0]["activations"]),
                                 ([], "header", 1, "saved-tensors"))
                self.assertEqual([(record["path"], record["line"]) for record in records if record["record"] == "root"],
                                 [("script.py", 11)])
                self.assertEqual(self.kinds(records), ["activations", "chain", "end", "gradients", "header", "module",
                                                       "optimizer", "root", "step"])
                os.remove(os.path.join(self.out, "model.%d.jsonl" % pid))

    def test_any_import_order_and_form_does(self):
        for text in ("import torch.nn as nn, torch", "from torch.utils import data\nimport torch",
                     "import importlib.util\nimportlib.util.find_spec('torch')\nimport torch"):
            with self.subTest(text=text):
                _, written = self.account(text + "\nprint(type(torch.__spec__.loader).exec_module is not None)\n"
                                          "torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()\n")
                (pid, records), = written.items()
                self.assertIn("activations", self.kinds(records))
                os.remove(os.path.join(self.out, "model.%d.jsonl" % pid))

    def test_a_kill_leaves_whole_records(self):
        text = MODEL + ("net = model()\nnet[2].register_forward_hook(lambda *_: os.kill(os.getpid(), signal.SIGKILL))\n"
                        "train(net, 1)\n")
        _, written = self.account(text, status=128 + signal.SIGKILL)
        (_, records), = written.items()
        self.assertEqual(self.kinds(records), ["header", "module", "root", "step"])
        self.assertGreater(records[-1]["memory_before"], 1 << 20)

    def test_a_forked_child_has_an_account_of_its_own(self):
        text = MODEL + ("net = model()\nnet(torch.ones(8, 10))\npid = os.fork()\nif pid == 0:\n    train(net, 2, 4)\n"
                        "    os._exit(0)\nos.waitpid(pid, 0)\nprint(pid)\ntrain(net, 1)\n")
        run, written = self.account(text)
        child = written.pop(int(run.stdout))
        (_, parent), = written.items()
        self.assertEqual([record["batch"] for record in parent if "memory_peak" in record], [8, 8])
        self.assertEqual(set(record["batch"] for record in child if record["record"] == "step"), set([4]))

    def test_a_trial_is_made_and_said(self):
        _, written = self.account(MODEL + "train(model(), 1)\n", trial={"kind": "checkpoint", "every": 3})
        (_, records), = written.items()
        trial, = [record for record in records if record["record"] == "trial"]
        self.assertEqual(trial, {"record": "trial", "kind": "checkpoint", "every": 3, "applied": "3 layers in 1 groups",
                                 "refused": None})

    def test_a_folder_that_cannot_be_written_is_a_warning(self):
        os.rmdir(self.out)
        run, _ = self.unwritten(MODEL + "net = model()\ntrain(net, 2)\nprint(net[0].weight.grad is not None)\n")
        self.assertEqual((run.stdout, run.warnings), (b"True\n", ["model-not-accounted"]))

    def unwritten(self, text):
        self.written = dict
        return self.account(text)

    def test_activations_are_what_a_forward_adds_to_rss(self):
        text = """\
import torch
from torch import nn
torch.set_num_threads(1)
class Gate(nn.Module):
    def __init__(self):
        super(Gate, self).__init__()
        self.weight, self.act = nn.Parameter(torch.rand(512)), nn.Sigmoid()
    def forward(self, value):
        return self.act(value * self.weight)
net = nn.Sequential(*[Gate() for _ in range(6)])
def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
inputs = torch.ones(8192, 512)
for _ in range(3):
    before = rss()
    loss = net(inputs).mean()
    print(rss() - before)
    loss.backward()
    del loss
    torch.optim.SGD(net.parameters(), 0.1).step()
"""
        run, written = self.account(text, env=AT_ONCE)
        (_, records), = written.items()
        grown = int(run.stdout.split()[-1])
        rows = [row for record in records if record["record"] == "activations" and record["step"] == 3
                for row in record["rows"]]
        saved = sum(row[2] for row in rows if row[6] != "input")
        self.assertEqual(saved, 6 * (16 << 20))
        self.assertLess(abs(grown - saved), saved * 0.02)
        peak, = [record for record in records if "memory_peak" in record and record["step"] == 3]
        taken = peak["memory_peak"] - peak["memory_before"]
        self.assertGreater(taken, saved * 0.98)
        self.assertLess(taken, saved + 5 * (16 << 20))


if __name__ == "__main__":
    unittest.main()
