/** One line of moments.jsonl. docs/run-folder.md has the format; the line comes from a machine we do not trust. */
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import {
  amount,
  change,
  checkSchema,
  index,
  isAmount,
  lineNumber,
  parseObject,
  relativePath,
} from "../../profile/files/jsonRecords.ts";
import { readProcess } from "../parse/processTuple.ts";
import { type ServersSaid, serversSchema } from "../parse/serversSaid.ts";
import type { CudaFigures, ProcessMemory } from "./model.ts";

/** Far above what a board has: more is no board's. */
const MOST_FIELDS = 400;
const MOST_PROCESSES = 20_000;
const MOST_TEXT = 64 * 1024;

export interface MomentsHeader {
  /** The clock at t = 0, milliseconds since 1970. */
  readonly unixMs?: number;
  readonly intervalMs?: number;
  readonly simulated?: string;
  /** The names of a record's `m`, in order. */
  readonly meminfo: readonly string[];
}

export interface MomentRecord {
  readonly t: number;
  readonly baseline: boolean;
  /** As the kernel prints them: kB, and counts. */
  readonly m: readonly number[];
  readonly changed: readonly ProcessMemory[];
  readonly gone: readonly number[];
  /** When the processes that are not the run's were read. */
  readonly processesT?: number;
  readonly run: readonly number[];
  /** `""`: it can be read no longer. */
  readonly nvmap?: string;
  /** `""`: nobody is listed, or nothing any longer. */
  readonly gpuApps?: string;
  readonly gpuMemory?: string;
  /** Empty: nothing is said any longer. */
  readonly servers?: ServersSaid;
  readonly tegrastats?: string;
  readonly gpuLoad?: number;
  readonly zram?: readonly [used: number, stored: number];
  readonly pagesets?: number;
  readonly cuda?: CudaFigures;
  readonly at?: readonly [path: string, line: number];
  readonly container?: readonly [used: number, limit: number | null];
}

export type DecodedLine =
  | { readonly kind: "header"; readonly header: MomentsHeader }
  /** A newer helper's; it is none of ours. */
  | { readonly kind: "other" }
  | { readonly kind: "moment"; readonly record: MomentRecord };

const text = v.pipe(v.string(), v.maxLength(MOST_TEXT));
const pids = v.pipe(v.array(index), v.maxLength(MOST_PROCESSES));
/** A key that is damaged is taken as missing: the others still tell something. */
const lenient = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);

const headerSchema = v.object({
  unix_ms: lenient(amount),
  interval_ms: lenient(amount),
  simulated: lenient(v.pipe(v.string(), v.maxLength(200))),
  meminfo: v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(MOST_FIELDS)),
});

// Checked by hand: it is by far the longest list, in every record.
const figures = v.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.length <= MOST_FIELDS && value.every(isAmount),
);

const recordSchema = v.object({
  t: change,
  baseline: lenient(v.boolean()),
  m: v.optional(figures, []),
  p: lenient(v.pipe(v.array(v.unknown()), v.maxLength(MOST_PROCESSES))),
  p_t: lenient(change),
  run: lenient(pids),
  gone: lenient(pids),
  nvmap: lenient(text),
  gpu_apps: lenient(text),
  gpu_memory: lenient(text),
  servers: lenient(serversSchema),
  tegrastats: lenient(v.pipe(v.string(), v.maxLength(4096))),
  gpu_load: lenient(amount),
  zram: lenient(v.tuple([amount, amount])),
  pagesets: lenient(amount),
  cuda: lenient(
    v.object({
      pid: index,
      age_ms: amount,
      allocated: amount,
      reserved: amount,
      allocated_peak: lenient(amount),
      integrated: lenient(v.boolean()),
    }),
  ),
  at: lenient(v.tuple([relativePath, lineNumber])),
  container: lenient(v.tuple([amount, v.nullable(amount)])),
});

/**
 * @returns undefined for a line that is no such record
 * @throws UserError `schema-too-new`, `run-damaged`
 */
export function decodeLine(line: string, file: string): DecodedLine | undefined {
  const object = parseObject(line);
  if (object === undefined) return undefined;
  if (object["record"] === "header") {
    checkSchema(object, file);
    const header = v.safeParse(headerSchema, object);
    if (!header.success) return undefined;
    const { unix_ms, interval_ms, simulated, meminfo } = header.output;
    return {
      kind: "header",
      header: {
        meminfo,
        ...defined({ unixMs: unix_ms, intervalMs: interval_ms, simulated }),
      },
    };
  }
  if ("record" in object) return { kind: "other" };
  const parsed = v.safeParse(recordSchema, object);
  return parsed.success ? { kind: "moment", record: recordOf(parsed.output) } : undefined;
}

function recordOf(raw: v.InferOutput<typeof recordSchema>): MomentRecord {
  const { p_t, gpu_load, zram, pagesets, cuda, at, nvmap, gpu_apps, gpu_memory, tegrastats, container, servers } = raw;
  return {
    t: raw.t,
    baseline: raw.baseline ?? false,
    m: raw.m,
    changed: (raw.p ?? []).flatMap((entry) => readProcess(entry) ?? []),
    gone: raw.gone ?? [],
    run: raw.run ?? [],
    ...defined({
      processesT: p_t,
      nvmap,
      gpuApps: gpu_apps,
      gpuMemory: gpu_memory,
      servers,
      tegrastats,
      gpuLoad: gpu_load === undefined ? undefined : Math.min(1, gpu_load / 1000),
      zram,
      pagesets,
      cuda: cuda === undefined ? undefined : cudaOf(cuda),
      at,
      container,
    }),
  };
}

function cudaOf({
  pid,
  age_ms,
  allocated,
  reserved,
  allocated_peak,
  integrated,
}: NonNullable<v.InferOutput<typeof recordSchema>["cuda"]>): CudaFigures {
  return {
    pid,
    ageMs: age_ms,
    allocated,
    reserved,
    ...defined({ allocatedPeak: allocated_peak, integrated }),
  };
}
