"""The phases of a program that uses PyTorch: with a stand-in, and with the real one where there is one."""
import os
import subprocess
import sys
import unittest

from test_engine_accounts import Project
from test_engine_cuda import STANDIN
from truth import harness

M = 1 << 20
STEPS = """\
import torch
from torch.standin import alloc

class Net(torch.nn.Module):
    def forward(self, x):
        return torch._tensor.Tensor()

def train():
    model = Net()
    optimizer = torch.optim.SGD()
    torch.cuda.init()
    model.to("cuda")
    alloc(3 << 20)
    for i in range(3):
        loss = model(i)
        loss.backward()
        optimizer.step()
        done = i
train()
"""
REAL = """\
import torch
def train():
    torch.set_num_threads(1)
    model = torch.nn.Linear(64, 8)
    model.to("cpu")
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 64)).sum()
        loss.backward()
        optimizer.step()
        done = i
train()
"""


class Phases(Project):
    def phases(self, text, env=None):
        """[(view, [phase])] of each implementation."""
        found = []
        for accelerator in harness.BOTH:
            self.write("script.py", text)
            with harness.Folder(self.folder, False, accelerator) as folder:
                run = folder.run(["script.py"], self.folder, env=env and env(folder))
            self.assertEqual((0, []), (run.status, run.warnings), run.stderr)
            found.append((run.processes[0], run.processes[0].new_phases()))
        return found

    def standin(self, text):
        return self.phases(text, lambda folder: {
            "PYTHONPATH": folder.environment()["PYTHONPATH"] + os.pathsep + STANDIN})

    def test_each_begins_once_at_its_line(self):
        for view, phases in self.standin(STEPS):
            self.assertEqual([("import-torch", 1), ("cuda", 11), ("to-device", 12), ("first-forward", 15),
                              ("first-backward", 16), ("first-step", 17)], [(one[0], one[3]) for one in phases[:6]])
            self.assertEqual([("steady", 18)], [(one[0], one[3]) for one in phases[6:]])
            self.assertEqual([one[1] for one in phases], sorted(one[1] for one in phases))
            self.assertEqual([0] * 7, [one[2] for one in phases])
            self.assertEqual([], view.new_phases())

    def test_the_figures_are_those_of_their_beginning(self):
        for _, phases in self.standin(STEPS):
            allocated = dict((one[0], one[7:9]) for one in phases)
            self.assertEqual((0, 0), allocated["to-device"])
            self.assertEqual((3 * M, 4 * M), allocated["first-forward"])
            used = dict((one[0], one[9]) for one in phases)
            self.assertIsNone(used["to-device"])
            self.assertEqual(304 * M, used["first-backward"])
            for one in phases:
                self.assertTrue(4 * M < one[4] < 200 * M and one[5] > 0, one)

    def test_what_is_allocated_is_not_known_where_pytorch_goes_past_its_allocator(self):
        for _, phases in self.standin("import os\nos.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] = '1'\n" + STEPS):
            self.assertEqual({(None, None)}, set(one[7:9] for one in phases))

    def test_files_of_the_program_that_are_named_alike_begin_none(self):
        self.write("torch_like/torch/optim/sgd.py", "def step():\n    return 1\n")
        self.write("optim.py", "class Mine(object):\n    def step(self):\n        return 1\n")
        for _, phases in self.standin("import sys\nsys.path.insert(0, 'torch_like/torch/optim')\nimport sgd, optim\n"
                                      "sgd.step()\noptim.Mine().step()\n"):
            self.assertEqual([], phases)

    def test_a_build_without_cuda_does_not_begin_it(self):
        for _, phases in self.standin("import torch\ndel torch._C._cuda_getDeviceCount\n"
                                      "try:\n    torch.cuda.init()\nexcept AssertionError:\n    pass\n"):
            self.assertEqual(["import-torch"], [one[0] for one in phases])

    def test_a_forked_child_does_not_begin_its_parents_again(self):
        text = STEPS + "import os\npid = os.fork()\nif not pid:\n    train()\n    os._exit(0)\nos.waitpid(pid, 0)\n"
        self.write("script.py", text.replace("    torch.cuda.init()\n", ""))
        for accelerator in harness.BOTH:
            with harness.Folder(self.folder, False, accelerator) as folder:
                run = folder.run(["script.py"], self.folder, env={
                    "PYTHONPATH": folder.environment()["PYTHONPATH"] + os.pathsep + STANDIN})
            child, = [view for view in run.processes if view.kind == "fork"]
            self.assertEqual([], child.new_phases())

    @unittest.skipUnless(subprocess.call([sys.executable, "-c", "import torch"], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL) == 0, "this Python has no torch")
    def test_with_the_real_torch(self):
        for view, phases in self.phases(REAL):
            self.assertEqual([("import-torch", 1), ("to-device", 5), ("first-forward", 9), ("first-backward", 10),
                              ("first-step", 11), ("steady", 12)], [(one[0], one[3]) for one in phases])
            rss = [one[4] for one in phases]
            self.assertEqual(rss, sorted(rss))
            self.assertGreater(rss[1] - rss[0], 20 * M)  # the import
            self.assertIsNone(view.cuda_reading)


if __name__ == "__main__":
    unittest.main()
