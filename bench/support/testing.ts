/** Made-up rows for tests. */
import { parseRow, type Row } from "./row.ts";

/** A row as a program writes it: ours against memory_profiler and Scalene. */
export function writtenRow(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    row: "line-time/hot",
    title: "Hot loop, 10^6 lines",
    measures: "CPU seconds of the whole process beyond the bare script",
    unit: "s",
    better: "less",
    ours: "ours",
    goal: { kind: "ahead", of: ["memory_profiler", "Scalene"] },
    work: { unit: "lines", sizes: [1_000_000, 10_000_000] },
    contestants: [
      contestant("ours", [0.2, 0.22, 0.21], [0.6, 0.62, 0.61]),
      contestant("memory_profiler", [25, 26, 27], null),
      contestant("Scalene", [0.5, 0.9, 0.7], [0.8, 0.9, 1]),
    ],
    absent: [{ name: "pytorch_memlab", why: "it measures CUDA memory only" }],
    ...changes,
  };
}

export function contestant(name: string, ...runs: readonly (readonly (number | null)[] | null)[]) {
  return { name, version: "1.0", command: `python3 -m ${name} hot.py`, runs, notes: "" };
}

export function madeUpRow(changes: Readonly<Record<string, unknown>> = {}): Row {
  return parseRow(writtenRow(changes));
}
