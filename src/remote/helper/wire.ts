/** The helper's replies and frames as they come over the wire: checked here, believed nowhere else. */
import * as v from "valibot";
import type { BoardIdentity } from "../../profile/model.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));
const text = v.pipe(v.string(), v.maxLength(10_000));
/** Absolute, on the board; it goes into command lines and messages as it is. */
const boardPath = v.pipe(text, v.regex(/^\/[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u));
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
export const RUN_ID = /^[A-Za-z0-9._-]{1,200}$/;
const runId = v.pipe(
  v.string(),
  v.regex(RUN_ID),
  v.check((id) => id !== "." && id !== ".."),
);

export const errorReply = v.object({
  error: v.object({
    code: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,99}$/)),
    message: text,
    hint: v.optional(v.nullable(text)),
  }),
});

export const bootstrapReply = v.object({
  python: v.object({
    executable: text,
    version: v.pipe(v.array(count), v.minLength(2)),
    implementation: text,
  }),
  machine: text,
  system: text,
  root: boardPath,
  helper: v.nullable(boardPath),
  replaced: v.nullable(text),
  gzip: v.boolean(),
  free: v.nullable(v.number()),
});
export type BootstrapReply = v.InferOutput<typeof bootstrapReply>;

/** A figure or name the board could not tell is null or missing; both become absent. */
const known = <T extends v.GenericSchema>(schema: T) => v.optional(v.nullable(v.fallback(v.nullable(schema), null)));

export const boardSchema = v.pipe(
  v.object({
    model: known(text),
    l4t: known(text),
    kernel: known(text),
    machine: known(text),
    hostname: known(text),
    cpus: known(count),
    mem_total: known(count),
    compatible: known(text),
    simulated: known(text),
  }),
  v.transform((raw): BoardIdentity => {
    const { mem_total, ...rest } = raw;
    const entries = Object.entries({ ...rest, memTotal: mem_total }).filter(([, value]) => value != null);
    return Object.fromEntries(entries);
  }),
);

export const versionsSchema = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform(
    (raw): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(raw).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      ),
  ),
);

/** Facts by their names. They are sent back with the run's start: nothing that is nested, however deep, is one. */
const facts = v.record(text, v.nullable(v.union([text, v.number(), v.boolean()])));

export const probeReply = v.object({
  board: facts,
  versions: facts,
  packages: v.optional(v.record(v.string(), v.nullable(text)), {}),
  capabilities: v.optional(v.record(v.string(), v.boolean()), {}),
  memory: v.optional(v.object({ mem_available: known(count), swap_free: known(count) }), {}),
  runs: v.array(v.object({ id: runId, pid: v.nullable(count), script: v.nullable(text) })),
});
export type ProbeReply = v.InferOutput<typeof probeReply>;

/** What is in it is judged where it is understood: `decodeSurvey`. */
export const surveyReply = v.object({ survey: v.unknown() });

export const syncPlanReply = v.object({
  folder: boardPath,
  send: v.array(v.string()),
  hash: v.array(v.tuple([v.string(), v.nullable(sha256)])),
  gone: v.optional(count),
  first: v.optional(v.boolean()),
});
export type SyncPlanReply = v.InferOutput<typeof syncPlanReply>;

export const syncApplyReply = v.object({
  written: count,
  removed: v.array(v.string()),
  kept: v.array(v.tuple([v.string(), v.string()])),
});
export type SyncApplyReply = v.InferOutput<typeof syncApplyReply>;

/** Of an engine's own texts; home tells them to the board again, whose they are. */
const engineWord = v.pipe(v.string(), v.maxLength(4096), v.regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u));
const engineName = v.picklist(["docker", "podman", "nerdctl"]);
const MOST_LISTED = 200;
export const containersReply = v.object({
  engines: v.pipe(
    v.array(
      v.object({
        name: engineName,
        containers: v.pipe(v.array(v.object({ name: engineWord, image: engineWord })), v.maxLength(MOST_LISTED)),
        images: v.pipe(v.array(engineWord), v.maxLength(MOST_LISTED)),
        error: v.nullable(errorReply.entries.error),
      }),
    ),
    v.maxLength(8),
  ),
});
export const enterReply = v.object({
  engine: engineName,
  program: boardPath,
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/)),
  name: engineWord,
  image: engineWord,
  pid: v.nullable(count),
  made: v.boolean(),
  out_of_memory: v.boolean(),
  exec: v.pipe(v.array(engineWord), v.maxLength(16)),
  root: boardPath,
  project_root: v.nullable(boardPath),
});

export const startReply = v.object({ id: runId, folder: boardPath, pid: v.nullable(count) });
export const snapshotReply = v.object({ asked: count });
export const cancelReply = v.object({ state: v.picklist(["cancelled", "finished"]) });

const frameLength = v.pipe(count, v.maxValue(64 * 1024 * 1024));
/** Written to the disk as it comes; Massif's largest files shrink to a twentieth. */
const packedLength = v.pipe(count, v.maxValue(1024 * 1024 * 1024));
const packedReplace = v.object({
  frame: v.literal("replace"),
  file: v.pipe(text, v.regex(/^(massif\.out|heap|allocator)\.\d/)),
  length: packedLength,
  encoding: v.literal("gzip"),
  size: packedLength,
});
export const attachFrame = v.variant("frame", [
  packedReplace,
  v.object({ frame: v.literal("append"), file: text, offset: count, length: frameLength }),
  v.object({ frame: v.literal("replace"), file: text, length: frameLength, encoding: v.optional(v.undefined()) }),
  v.object({ frame: v.literal("alive"), t: v.optional(v.nullable(v.number())) }),
  v.object({ frame: v.literal("end"), state: v.picklist(["finished", "lost", "running"]) }),
]);
export type AttachFrame = v.InferOutput<typeof attachFrame>;
