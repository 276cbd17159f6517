/** What run.json and our own exports say of a run alike. docs/run-folder.md has the format. */
import * as v from "valibot";
import { amount, index, lineNumber, present, relativePath } from "../files/jsonRecords.ts";
import { type Exit, IMPORT_FORMATS, type ProcessInfo } from "../model.ts";

const text = v.nullish(v.string());

export const exitSchema = v.variant("kind", [
  v.object({ kind: v.literal("exited"), code: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("signalled"), signal: v.string() }),
  v.object({
    kind: v.literal("out-of-memory"),
    signal: v.string(),
    evidence: text,
    kernel_log: v.nullish(v.array(v.string())),
  }),
  v.object({ kind: v.literal("cancelled"), signal: text }),
  v.object({ kind: v.literal("not-started"), message: v.string() }),
  v.object({ kind: v.literal("lost"), restarted: v.nullish(v.literal(true)) }),
]);

export function exitOf(raw: v.InferOutput<typeof exitSchema>): Exit {
  if (raw.kind !== "out-of-memory") return present(raw) as Exit;
  const { kernel_log: kernelLog, ...rest } = raw;
  return present({ ...rest, kernelLog }) as Exit;
}

export const outputSchema = v.object({ bytes: amount, kept: amount });

export const processSchema = v.object({
  pid: index,
  kind: v.picklist(["main", "fork", "spawn"]),
  label: v.string(),
  rank: v.nullish(index),
  ranks: v.nullish(index),
  rss_peak: v.nullish(amount),
  implementation: v.nullish(
    v.picklist(["accelerator", "pure", "memory_profiler", "massif-lines", "massif-functions", "massif-plain"]),
  ),
});

export function processOf({ rss_peak: rssPeak, ...raw }: v.InferOutput<typeof processSchema>): ProcessInfo {
  return present({ ...raw, rssPeak });
}

/** As files have it. */
export function processRecord({ rssPeak, ...process }: ProcessInfo): object {
  return present({ ...process, rss_peak: rssPeak });
}

export const importedSchema = v.object({
  format: v.picklist(IMPORT_FORMATS),
  file: v.string(),
  measures: v.pipe(v.string(), v.maxLength(200)),
  timeline: v.nullish(v.pipe(v.string(), v.maxLength(200))),
});

export const notebookSchema = v.object({
  path: relativePath,
  cells: v.array(v.object({ number: lineNumber, id: text, path: relativePath })),
});

export const boardSchema = v.object({
  model: text,
  l4t: text,
  kernel: text,
  machine: text,
  hostname: text,
  cpus: v.nullish(amount),
  mem_total: v.nullish(amount),
  compatible: text,
  simulated: text,
});
