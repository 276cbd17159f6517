/** label.json, group.json and git.json of a run folder. docs/run-folder.md has the formats. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { readText } from "../profile/files/fileReading.ts";
import { checkSchema, damaged, lineNumber, parseObject, present } from "../profile/files/jsonRecords.ts";
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";
import type { GitState, Keeping, RunGroup, RunLabel } from "./model.ts";

const LABEL = "label.json";
const GROUP = "group.json";
const GIT = "git.json";
/** The files that are kept beside a run's own. */
export const KEPT: readonly string[] = [LABEL, GROUP, GIT];

/** The longest name, note and tag, in characters; a view's row holds less. */
export const LONGEST_NAME = 200;
export const LONGEST_NOTE = 1000;
export const LONGEST_TAG = 50;
export const MOST_TAGS = 20;

const ofAtMost = (length: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(length));
const labelSchema = v.object({
  name: v.nullish(ofAtMost(LONGEST_NAME)),
  note: v.nullish(ofAtMost(LONGEST_NOTE)),
  tags: v.nullish(v.pipe(v.array(ofAtMost(LONGEST_TAG)), v.maxLength(MOST_TAGS))),
  pinned: v.nullish(v.boolean()),
});

const member = { id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,100}$/)), index: lineNumber, of: lineNumber };
const groupSchema = v.variant("kind", [
  v.object({ kind: v.literal("repeat"), ...member }),
  v.object({ kind: v.literal("sweep"), ...member, values: v.record(v.string(), v.string()) }),
]);

const gitSchema = v.object({
  commit: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)),
  branch: v.nullish(v.string()),
  changed: v.array(v.string()),
  truncated: v.boolean(),
});

export const NO_LABEL: RunLabel = { tags: [], pinned: false };
/** Of a run that nothing is kept beside. */
export const NOTHING_KEPT: Keeping = { label: NO_LABEL, problems: [] };

/** What cannot be read is left out and told in `problems`: the run itself can be shown without it. */
export async function readKeeping(folder: string): Promise<Keeping> {
  const reading = KEPT.map((file) => {
    const place = path.join(folder, file);
    return readText(place).catch((error: Error) => error);
  });
  return keepingOf(folder, new Map((await Promise.all(reading)).map((text, at) => [KEPT[at] ?? "", text])));
}

/** @param texts of the files by name, or why one cannot be read; absent where there is none */
export function keepingOf(folder: string, texts: ReadonlyMap<string, string | Error | undefined>): Keeping {
  const problems: string[] = [];
  const content = <T extends v.GenericSchema>(file: string, schema: T): v.InferOutput<T> | undefined => {
    const text = texts.get(file);
    if (text === undefined) return undefined;
    try {
      if (typeof text !== "string") throw text;
      return decode(path.join(folder, file), text, schema).content;
    } catch (error) {
      problems.push((error as Error).message);
      return undefined;
    }
  };
  const label = content(LABEL, labelSchema);
  const group = content(GROUP, groupSchema);
  const git = content(GIT, gitSchema);
  return present({
    label: label === undefined ? NO_LABEL : labelOf(label),
    group: group as RunGroup | undefined,
    git: git && gitOf(git),
    problems,
  });
}

/**
 * Replaces the label by what `change` makes of it. One that this version cannot read is left alone.
 * @throws UserError `label-not-read`, `label-not-kept`
 */
export async function changeLabel(folder: string, change: (label: RunLabel) => RunLabel): Promise<void> {
  const place = path.join(folder, LABEL);
  const known = await knownLabel(place).catch((error: Error) => {
    throw new UserError(
      "label-not-read",
      t("The name, note and tags of this run are left as they are: {0}", error.message),
      t("Update Jetson Memory Profiler, or remove {0} if you do not need it.", place),
      { cause: error },
    );
  });
  const { name, note, tags, pinned } = change(known === undefined ? NO_LABEL : labelOf(known.content));
  try {
    // Keys that another version added stay.
    await write(folder, LABEL, { ...known?.record, name, note, tags, pinned });
  } catch (error) {
    throw new UserError(
      "label-not-kept",
      t("The name, note and tags of the run in {0} cannot be saved: {1}", folder, (error as Error).message),
      t("Check that the folder is still there and that you may write in it."),
      { cause: error },
    );
  }
}

async function knownLabel(place: string): Promise<FileContent<typeof labelSchema> | undefined> {
  const text = await readText(place);
  return text === undefined ? undefined : decode(place, text, labelSchema);
}

/** Of an exported run; undefined where it is none. */
export function labelFrom(exported: unknown): RunLabel | undefined {
  const parsed = v.safeParse(labelSchema, exported);
  return parsed.success ? labelOf(parsed.output) : undefined;
}

/** Of an exported run; undefined where it is none. */
export function gitFrom(exported: unknown): GitState | undefined {
  const parsed = v.safeParse(gitSchema, exported);
  return parsed.success ? gitOf(parsed.output) : undefined;
}

function gitOf(git: v.InferOutput<typeof gitSchema>): GitState {
  return present(git) as GitState;
}

function labelOf({ name, note, tags, pinned }: v.InferOutput<typeof labelSchema>): RunLabel {
  return present({ name, note, tags: tags ?? [], pinned: pinned ?? false });
}

interface FileContent<T extends v.GenericSchema> {
  /** As it stands in the file. */
  readonly record: Record<string, unknown>;
  readonly content: v.InferOutput<T>;
}

/** @throws UserError `run-damaged`, `schema-too-new` */
function decode<T extends v.GenericSchema>(place: string, text: string, schema: T): FileContent<T> {
  const record = parseObject(text);
  if (record === undefined) {
    throw new UserError(
      "run-damaged",
      t("{0} is cut off or is not JSON.", place),
      t("Remove it if you do not need it."),
    );
  }
  checkSchema(record, place);
  const parsed = v.safeParse(schema, record);
  if (!parsed.success) throw damaged(place, parsed.issues);
  return { record, content: parsed.output };
}

export async function writeGroup(folder: string, group: RunGroup): Promise<void> {
  await write(folder, GROUP, group);
}

export async function writeGit(folder: string, git: GitState): Promise<void> {
  await write(folder, GIT, git);
}

/** Replaced as a whole, so that a reader never finds half of it. */
async function write(folder: string, file: string, content: object): Promise<void> {
  const place = path.join(folder, file);
  const fresh = `${place}.${process.pid}.new`;
  await fs.rm(fresh, { force: true });
  // A link that came with a project is not written through.
  await fs.writeFile(fresh, `${JSON.stringify({ schema: 1, ...content })}\n`, { flag: "wx" });
  await fs.rename(fresh, place);
}
