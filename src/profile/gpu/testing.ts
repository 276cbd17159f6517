/** A gpu.<pid>.json made by hand after docs/run-folder.md, for tests: no GPU was there. */
import { MIB } from "../testing.ts";

const bytes = (live: number, peak: number, most: number) => ({
  live: live * MIB,
  peak: peak * MIB,
  most: most * MIB,
  taken: most * MIB,
  count: 2,
});
const at = (line: number) => ({ file: "train.py", line, function: "main" });

/** train.py:7 has workspaces of cuDNN and pinned memory; train.py:4 starts CUDA and has tensors of PyTorch's. */
export const gpuRecord = (pid: number) => ({
  schema: 1,
  pid,
  ppid: 9,
  command: "python3 train.py",
  finished: true,
  seen: ["runtime", "driver"],
  calls: 9,
  peak: { ms: 900, bytes: 216 * MIB },
  live: { bytes: 140 * MIB },
  device: { free: null, total: 4096 * MIB, least_free: null },
  rows: [
    { kind: "context", measured: "free-memory", library: null, pytorch: false, ...at(4), ...bytes(300, 300, 300) },
    { kind: "device", measured: "call", library: "libc10_cuda.so", pytorch: true, ...at(4), ...bytes(128, 128, 160) },
    {
      kind: "device",
      measured: "call",
      library: "libcudnn_cnn_infer.so.8",
      pytorch: false,
      ...at(7),
      ...bytes(0, 64, 72),
    },
    {
      kind: "device",
      measured: "call",
      library: "libcudnn_ops_infer.so.8",
      pytorch: false,
      ...at(7),
      ...bytes(8, 8, 8),
    },
    { kind: "pinned", measured: "call", library: "libtorch_cuda.so", pytorch: false, ...at(7), ...bytes(4, 16, 16) },
    {
      kind: "module",
      measured: "free-memory",
      library: "libcublasLt.so.11",
      pytorch: false,
      ...at(7),
      ...bytes(20, 20, 20),
    },
    {
      kind: "array",
      measured: "call",
      library: null,
      pytorch: false,
      file: null,
      line: null,
      function: null,
      live: 0,
      peak: 0,
      most: null,
      taken: MIB,
      count: 1,
    },
  ],
  notes: [["gpu-unseen", "Calls of a library that was linked statically are not seen."]],
});
