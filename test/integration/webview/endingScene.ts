/** A run that ran out of GPU memory, with the advice that fits. */
import type { Advice } from "../../../src/board/advice/model.ts";
import type { EndingReport } from "../../../src/board/ending/model.ts";
import type { RunEnding } from "../../../src/protocol/board/ending.ts";

export const MIB = 1024 * 1024;
export const FOLDER = "/p/.jetson-memprof/runs/r1";
const TORCH = "/usr/local/lib/python3.6/dist-packages/torch/nn/modules";

export const REPORT: EndingReport = {
  kind: "cuda-out-of-memory",
  headline: "CUDA ran out of memory at models/lenet.py:12.",
  meaning:
    "The GPU has no memory of its own on this board: it takes it from the same 3956.1 MiB as all programs. " +
    "GPU memory cannot be moved to swap, so free swap does not help here.",
  sureness: "exact",
  evidence: "PyTorch said so in the script's error output.",
  place: { path: "models/lenet.py", line: 12 },
  stackSource: "traceback",
  stack: [
    { path: "train.py", line: 40, function: "<module>", text: "    train(model, loader)", own: true },
    { path: "train.py", line: 33, function: "train", text: "    loss = model(x.cuda())", own: true },
    { path: `${TORCH}/module.py`, line: 1102, function: "_call_impl", own: false },
    { path: `${TORCH}/container.py`, line: 141, function: "forward", own: false },
    { path: "models/lenet.py", line: 12, function: "forward", text: "    x = F.relu(self.conv2(x))", own: true },
    { path: `${TORCH}/conv.py`, line: 446, function: "forward", own: false },
  ],
  message:
    "RuntimeError: CUDA out of memory. Tried to allocate 192.00 MiB (GPU 0; 3.86 GiB total capacity; " +
    "1.66 GiB already allocated; 11.27 MiB free; 1.81 GiB reserved in total by PyTorch)",
  kernelLog: [
    "[ 1234.567890] nvmap_alloc_handle: pid 4242 PID:4242",
    "[ 1234.567999] NvMapMemAllocInternalTagged: 1075072515 error 12",
  ],
  allocator: {
    form: "up-to-2.0",
    device: 0,
    tried: 192 * MIB,
    total: 3_953 * MIB,
    free: 11 * MIB,
    allocated: 1_700 * MIB,
    reserved: 1_853 * MIB,
  },
  last: Array.from({ length: 12 }, (_, i) => ({
    t: 20_000 + i * 1_000,
    ...(i === 5 ? {} : { memAvailable: (1_200 - i * 108) * MIB }),
    swapFree: (i < 8 ? 1_978 : 1_978 - (i - 7) * 400) * MIB,
    runRss: (900 + i * 20) * MIB,
    at: { path: "models/lenet.py", line: 12 },
  })),
};

export const ADVICE: Advice[] = [
  {
    rule: "desktop",
    symptom: "A desktop session takes memory that the training could have.",
    evidence: ["At the baseline, 612.4 MiB in 11 processes of the desktop (Xorg, gnome-shell, …)"],
    remedy: "Train without the desktop and come in over SSH.",
    steps: [
      { kind: "command", label: "Stop the Desktop on the Board…", command: "sudo systemctl isolate multi-user.target" },
    ],
    saves: { bytes: 610 * MIB, how: "what the desktop's processes held at the baseline" },
    source: { title: "Jetson documentation", url: "https://docs.nvidia.com/jetson/" },
    strength: "certain",
  },
  {
    rule: "allocator-split",
    symptom: "PyTorch had reserved much more than it used.",
    evidence: ["Reserved 1853.0 MiB, allocated 1700.0 MiB"],
    remedy: "Let the allocator split large blocks less.",
    steps: [
      {
        kind: "environment",
        label: "Set PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 for the script",
        name: "PYTORCH_CUDA_ALLOC_CONF",
        value: "max_split_size_mb:128",
      },
      {
        kind: "edit",
        label: "Change Line 35",
        place: { path: "train.py", line: 35 },
        find: "total += loss",
        replace: "total += loss.item()",
      },
    ],
    source: { title: "PyTorch, CUDA semantics", url: "https://pytorch.org/docs/stable/notes/cuda.html" },
    place: { path: "train.py", line: 35 },
    strength: "likely",
  },
];

export const ENDING: RunEnding = {
  title: "train.py --batch-size 64",
  board: "NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)",
  simulated: "Jetson Nano",
  target: "ssh://nano@192.168.1.20",
  report: REPORT,
  advice: ADVICE,
};
