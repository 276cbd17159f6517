/** The records of lines.jsonl on PyTorch's CUDA memory and the board's. docs/run-folder.md has the format. */
import * as v from "valibot";
import { amount, change, index, lineNumber, present } from "../files/jsonRecords.ts";
import { type CudaFigures, type CudaReading, PHASES, type Phase, type SystemFigures } from "../model.ts";

const cudaRowSchema = v.tuple([
  index,
  lineNumber,
  change,
  change,
  change,
  amount,
  amount,
  change,
  change,
  amount,
  v.nullable(change),
  amount,
]);
const systemRowSchema = v.tuple([index, lineNumber, change, change, v.nullable(change), amount]);
const cudaOnSchema = v.object({
  pid: index,
  noticed_by: v.picklist(["counter", "asking"]),
  peaks: v.picklist(["bounds", "exact"]),
});
const figure = v.nullish(amount);
const phaseSchema = v.object({
  pid: index,
  phase: v.picklist(PHASES),
  t: amount,
  file: v.nullish(index),
  line: v.nullish(lineNumber),
  rss: figure,
  mem_available: figure,
  nvmap: figure,
  allocated: figure,
  reserved: figure,
  device_used: figure,
});

interface PlacedFigures<T> {
  readonly file: number;
  readonly line: number;
  readonly figures: T;
}

/** Undefined, as of the other readers here, for what is no such row or record. */
export function readCudaRow(raw: unknown): PlacedFigures<CudaFigures> | undefined {
  const row = v.safeParse(cudaRowSchema, raw);
  if (!row.success) return undefined;
  const [file, line, net, self, maxIncrement, peak, peakMost, ...rest] = row.output;
  const [reservedNet, reservedSelf, reservedPeak, deviceNet, uncertain] = rest;
  const figures = present({
    net,
    self,
    maxIncrement,
    peak,
    peakMost: Math.max(peak, peakMost),
    reservedNet,
    reservedSelf,
    reservedPeak,
    deviceNet,
    uncertain,
  });
  return { file, line, figures };
}

export function readSystemRow(raw: unknown): PlacedFigures<SystemFigures> | undefined {
  const row = v.safeParse(systemRowSchema, raw);
  if (!row.success) return undefined;
  const [file, line, net, self, nvmapNet, uncertain] = row.output;
  return { file, line, figures: present({ net, self, nvmapNet, uncertain }) };
}

export function readCudaOn(record: unknown): { readonly pid: number; readonly reading: CudaReading } | undefined {
  const parsed = v.safeParse(cudaOnSchema, record);
  if (!parsed.success) return undefined;
  const { pid, noticed_by: noticedBy, peaks } = parsed.output;
  return { pid, reading: { noticedBy, peaks } };
}

/** A phase whose place still has its file's number. */
export interface NumberedPhase extends Omit<Phase, "at"> {
  readonly file?: number;
  readonly line?: number;
}

export function readPhase(record: unknown): NumberedPhase | undefined {
  const parsed = v.safeParse(phaseSchema, record);
  if (!parsed.success) return undefined;
  const { mem_available: memAvailable, device_used: deviceUsed, ...rest } = parsed.output;
  return present({ ...rest, memAvailable, deviceUsed });
}

export function placedPhase(
  { file, line, ...phase }: NumberedPhase,
  pathOf: (file: number) => string | undefined,
): Phase {
  const path = file === undefined ? undefined : pathOf(file);
  return path === undefined || line === undefined ? phase : { ...phase, at: { path, line } };
}
