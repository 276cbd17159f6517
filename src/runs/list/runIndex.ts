/**
 * `runs-index.json` beside the runs folder: what lists say of each finished run, so that it need not be read again. It
 * only saves time: an entry counts while the run's files look as they did, and an index that is damaged, of another
 * version or cannot be written counts as none.
 */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { amount, change, lineNumber, parseObject } from "../../profile/files/jsonRecords.ts";
import { IMPORT_FORMATS, METRICS } from "../../profile/model.ts";
import { projectOfRun } from "../../profile/run/runsFolder.ts";
import type { RunSummary } from "../model.ts";

/** To be raised whenever a summary says something else of the same files. */
const VERSION = 1;
const NAME = "runs-index.json";
const LARGEST = 64 * 1024 * 1024;

export interface Indexed {
  readonly stamp: string;
  readonly run: RunSummary;
}
/** By the name of the run folder. */
export type Index = ReadonlyMap<string, Indexed>;

const text = v.exactOptional(v.string());
const member = { id: v.string(), index: lineNumber, of: lineNumber };
const exit = v.variant("kind", [
  v.object({ kind: v.literal("exited"), code: change }),
  v.object({ kind: v.literal("signalled"), signal: v.string() }),
  v.object({
    kind: v.literal("out-of-memory"),
    signal: v.string(),
    evidence: text,
    kernelLog: v.exactOptional(v.array(v.string())),
  }),
  v.object({ kind: v.literal("cancelled"), signal: text }),
  v.object({ kind: v.literal("not-started"), message: v.string() }),
  v.object({ kind: v.literal("lost"), restarted: v.exactOptional(v.literal(true)) }),
]);
const summary = v.object({
  id: v.string(),
  title: v.string(),
  script: text,
  started: text,
  elapsedMs: v.exactOptional(amount),
  state: v.literal("finished"),
  exit: v.exactOptional(exit),
  target: text,
  simulated: v.boolean(),
  rssPeak: v.exactOptional(amount),
  massif: v.boolean(),
  sampled: v.exactOptional(v.literal(true)),
  metrics: v.array(v.picklist(METRICS)),
  label: v.object({ name: text, tags: v.array(v.string()), pinned: v.boolean() }),
  group: v.exactOptional(
    v.variant("kind", [
      v.object({ kind: v.literal("repeat"), ...member }),
      v.object({ kind: v.literal("sweep"), ...member, values: v.record(v.string(), v.string()) }),
    ]),
  ),
  git: v.exactOptional(
    v.object({ commit: v.string(), branch: text, changed: v.array(v.string()), truncated: v.boolean() }),
  ),
  imported: v.exactOptional(
    v.object({ format: v.picklist(IMPORT_FORMATS), file: v.string(), measures: v.string(), timeline: text }),
  ),
  model: v.boolean(),
  snapshots: v.array(v.string()),
  warnings: v.array(v.string()),
});
const indexSchema = v.object({
  schema: v.literal(1),
  version: v.literal(VERSION),
  runs: v.record(v.string(), v.object({ stamp: v.string(), run: summary })),
});

/** Undefined where runs do not lie in a project's usual place. */
function indexFile(runsFolder: string): string | undefined {
  return projectOfRun(path.join(runsFolder, "run")) === undefined
    ? undefined
    : path.join(path.dirname(path.resolve(runsFolder)), NAME);
}

/** Empty where there is none that can be used. */
export async function readIndex(runsFolder: string): Promise<Index> {
  const file = indexFile(runsFolder);
  const content = file === undefined ? undefined : await indexText(file).catch(() => undefined);
  const parsed = v.safeParse(indexSchema, content === undefined ? undefined : parseObject(content));
  if (!parsed.success) return new Map();
  const place = path.join(runsFolder, path.sep);
  return new Map(
    Object.entries(parsed.output.runs).map(([name, { stamp, run }]) => {
      return [name, { stamp, run: { folder: place + name, ...run } }];
    }),
  );
}

async function indexText(file: string): Promise<string | undefined> {
  // A link is not followed, and a pipe would be waited for without end.
  const stat = await fs.lstat(file);
  return stat.isFile() && stat.size <= LARGEST ? await fs.readFile(file, "utf8") : undefined;
}

/** Replaced as a whole; who writes last wins. Where it cannot be written, the next list takes longer. */
export async function writeIndex(runsFolder: string, index: Index): Promise<void> {
  const file = indexFile(runsFolder);
  if (file === undefined) return;
  const runs = Object.fromEntries(
    [...index].map(([name, { stamp, run }]) => {
      const { folder: _itsPlace, ...said } = run;
      return [name, { stamp, run: said }];
    }),
  );
  const fresh = `${file}.${process.pid}.new`;
  try {
    // A link that came with a project is not written through; it goes with the next try.
    await fs.writeFile(fresh, JSON.stringify({ schema: 1, version: VERSION, runs }), { flag: "wx" });
    await fs.rename(fresh, file);
  } catch {
    await fs.rm(fresh, { force: true }).catch(() => {});
  }
}
