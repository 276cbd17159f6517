/** A trace of the PyTorch profiler. */
import type { Trace } from "../../../src/protocol/timeline.ts";

const MIB = 1024 * 1024;

/** Weights on the GPU, an activation that comes and goes, and a batch on the CPU. */
export const trace: Trace = {
  kind: "trace",
  title: "step.pt.trace.json",
  devices: [
    { name: "CPU", totals: "summed" },
    { name: "CUDA 0", totals: "trace" },
  ],
  events: 4,
  moments: [
    {
      t: 0,
      device: 1,
      bytes: 30 * MIB,
      allocated: [null, 130 * MIB],
      reserved: [null, 160 * MIB],
      path: ["aten::to", "aten::copy_"],
    },
    { t: 2.5, device: 0, bytes: 4 * MIB, allocated: [4 * MIB, 130 * MIB], reserved: [0, 160 * MIB], path: [] },
    {
      t: 5,
      device: 1,
      bytes: 70 * MIB,
      allocated: [4 * MIB, 200 * MIB],
      reserved: [0, 240 * MIB],
      path: ["aten::conv2d"],
    },
    { t: 9, device: 1, bytes: -70 * MIB, allocated: [4 * MIB, 130 * MIB], reserved: [0, 240 * MIB], path: [] },
  ],
  held: [
    { device: "CPU", holdings: [{ path: [], bytes: 4 * MIB, allocations: 1 }], others: 0, before: 0 },
    {
      device: "CUDA 0",
      holdings: [{ path: ["aten::conv2d", "aten::empty"], bytes: 70 * MIB, allocations: 1 }],
      others: 30 * MIB,
      before: 100 * MIB,
    },
  ],
  problems: ["Only the first 2,000,000 memory events of the trace are shown."],
};
