/** `<group>.sweep.json` beside the runs of a sweep: what was planned. docs/run-folder.md has the format. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { readText } from "../../profile/files/fileReading.ts";
import { checkSchema, damaged, parseObject, present, relativePath } from "../../profile/files/jsonRecords.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { PlannedSweep } from "../command.ts";
import { MOST_RUNS } from "../grid.ts";

const ENDING = ".sweep.json";
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const text = v.pipe(v.string(), v.maxLength(10_000));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(100));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(10_000_000));
const schema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.regex(ID)),
    parameters: v.array(
      v.object({
        name,
        values: v.pipe(v.array(text), v.minLength(1)),
        way: v.picklist(["option", "flag", "placeholder", "environment", "board"]),
      }),
    ),
    repeat: v.pipe(count, v.maxValue(MOST_RUNS)),
    larger: v.picklist(["skip", "run"]),
    command: v.object({
      entry: v.variant("kind", [
        v.object({ kind: v.literal("script"), path: relativePath }),
        v.object({ kind: v.literal("module"), name: v.pipe(v.string(), v.regex(/^[\p{L}\p{N}_.]+$/u)) }),
      ]),
      args: v.array(text),
      target: text,
      launch: v.nullish(v.array(text)),
      together: v.nullish(v.boolean()),
      python: v.nullish(text),
      engine: v.picklist(["line", "memory_profiler"]),
      exact: v.boolean(),
      accelerator: v.boolean(),
      torch: v.nullish(
        v.object({
          exactPeaks: v.boolean(),
          snapshots: v.exactOptional(v.object({ entries: count })),
          model: v.exactOptional(v.object({ steps: count })),
        }),
      ),
      excludes: v.array(text),
      variables: v.array(name),
    }),
  }),
  v.check(({ parameters, repeat }) => runsOf(parameters, repeat) <= MOST_RUNS, `plans more than ${MOST_RUNS} runs`),
);

function runsOf(parameters: readonly { readonly values: readonly string[] }[], repeat: number): number {
  return parameters.reduce((product, { values }) => product * values.length, repeat);
}

/** @throws UserError `sweep-not-kept` */
export async function writePlan(runsFolder: string, plan: PlannedSweep): Promise<void> {
  const file = path.join(runsFolder, plan.id + ENDING);
  try {
    await fs.writeFile(file, `${JSON.stringify({ schema: 1, ...plan })}\n`, { flag: "wx" });
  } catch (error) {
    throw new UserError(
      "sweep-not-kept",
      t("What the sweep will run cannot be written to {0}: {1}", file, (error as Error).message),
      t("Check that you may write there and that the disk is not full."),
      { cause: error },
    );
  }
}

/**
 * Undefined where there is none.
 * @throws UserError `run-damaged`, `schema-too-new`, `run-unreadable`
 */
export async function readPlan(runsFolder: string, id: string): Promise<PlannedSweep | undefined> {
  if (!ID.test(id)) return undefined;
  const file = path.join(runsFolder, id + ENDING);
  const content = await readText(file);
  const record = content === undefined ? undefined : parseObject(content);
  if (record === undefined) return undefined;
  checkSchema(record, file);
  const parsed = v.safeParse(schema, record);
  if (!parsed.success) throw damaged(file, parsed.issues);
  return { ...parsed.output, command: present(parsed.output.command) };
}

/** The ids of the sweeps planned in a runs folder. */
export async function listPlans(runsFolder: string): Promise<string[]> {
  const names = await fs.readdir(runsFolder).catch(() => []);
  return names.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length));
}
