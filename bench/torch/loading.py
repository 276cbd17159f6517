#!/usr/bin/env python3
"""Ways to load a checkpoint, each in a process of its own: what each holds at its highest, and how long it takes.

    python3 bench/torch/loading.py [--mib 1024] [--check]

`--check`: exit code 1 where a way that should hold the weights once, or not at all, holds more. Prints words, then one
line of JSON. A way that this Python's packages cannot go is named with the reason. Peak: the highest RSS (VmHWM) above
what the process had before, so with the pages of mapped files, which the kernel can drop; anonymous pages it cannot.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
LAYERS = 8
# name -> (what it is, how often it should hold the weights at its highest, the code); `used` also looks at every weight.
WAYS = (
    ("bytes", "torch.load(io.BytesIO(file.read()))", 2, "kept = torch.load(io.BytesIO(open(pt, 'rb').read()))"),
    ("path", "torch.load(path)", 1, "kept = torch.load(pt)"),
    ("mmap", "torch.load(path, mmap=True)", 0, "kept = torch.load(pt, mmap=True)"),
    ("mmap-used", "the same, and every weight is used", 1, "kept = torch.load(pt, mmap=True); use(kept)"),
    ("state", "model.load_state_dict(torch.load(path))", 2, "kept = model(); kept.load_state_dict(torch.load(pt))"),
    ("assign", "mmap=True, assign=True into a model on the meta device, every weight used", 1,
     "with torch.device('meta'): kept = model()\nkept.load_state_dict(torch.load(pt, mmap=True), assign=True); use(kept.state_dict())"),
    ("safetensors", "safetensors.torch.load_file(path), every weight used", 1,
     "from safetensors.torch import load_file; kept = load_file(st); use(kept)"),
    ("safetensors-clone", "the same, and each weight cloned", 2,
     "from safetensors.torch import load_file; kept = load_file(st); kept = [kept, [one.clone() for one in kept.values()]]"),
    ("safetensors-pread", "load_file(path, backend='pread'), every weight used", 1,
     "from safetensors.torch import load_file; kept = load_file(st, backend='pread'); use(kept)"),
)
_COMMON = """
import io, json, sys, time, torch
pt, st, side, layers = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def model():
    return torch.nn.Sequential(*[torch.nn.Linear(side, side, bias=False) for _ in range(layers)])
def use(weights):
    return [float(one.sum()) for one in weights.values()]
def kib(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))
"""
_MAKE = _COMMON + """
weights = model().state_dict()
torch.save(weights, pt)
try:
    from safetensors.torch import save_file
    save_file(weights, st)
except ImportError:
    pass
"""
_GO = _COMMON + """
use({"a": torch.zeros(4)})
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = {name: kib(name) for name in ("VmRSS", "RssAnon", "RssFile")}
began = time.perf_counter()
%s
seconds = time.perf_counter() - began
print(json.dumps({"peak": (kib("VmHWM") - before["VmRSS"]) * 1024, "seconds": seconds,
                  "anonymous": (kib("RssAnon") - before["RssAnon"]) * 1024, "file": (kib("RssFile") - before["RssFile"]) * 1024}))
"""


def start(code, arguments):
    return subprocess.run([sys.executable, "-c", code] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def versions():
    found = {"python": sys.version.split()[0]}
    for name in ("torch", "safetensors"):
        done = start("import %s; print(%s.__version__)" % (name, name), [])
        found[name] = done.stdout.decode().strip() or None
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    side = int((options.mib * MIB / 4 / LAYERS) ** 0.5)
    size = side * side * 4 * LAYERS
    found, wrong = dict(versions(), size=size, ways={}), []
    print("Weights: %.1f MiB, float32. PyTorch %s, safetensors %s, Python %s."
          % (size / MIB, found["torch"], found["safetensors"], found["python"]))
    with tempfile.TemporaryDirectory() as folder:
        arguments = [os.path.join(folder, "model.pt"), os.path.join(folder, "model.safetensors"), str(side), str(LAYERS)]
        made = start(_MAKE, arguments)
        if made.returncode:
            sys.exit(made.stderr.decode("utf-8", "replace"))
        for name, what, times, code in WAYS:
            done = start(_GO % code, arguments)
            if done.returncode:
                why = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
                print("%s: not here: %s" % (what, why))
                found["ways"][name] = {"absent": why}
                continue
            one = found["ways"][name] = json.loads(done.stdout.decode())
            print("%s: peak %.2f x the weights; at the end %.2f x anonymous, %.2f x pages of the file; %.2f s"
                  % (what, one["peak"] / size, one["anonymous"] / size, one["file"] / size, one["seconds"]))
            if one["peak"] > (times + 0.15) * size:
                wrong.append(name)
    print(json.dumps(found))
    if wrong and options.check:
        sys.exit("Held more than expected: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
