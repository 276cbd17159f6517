/** origin.json of a run folder at home: where the run lives, so that it can be found again. */
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import { readText } from "../../profile/files/fileReading.ts";
import type { RunOrigin } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { parseTarget } from "../address.ts";
import { parseJson } from "../helper/callHelper.ts";
import { RUN_ID } from "../helper/wire.ts";
import { isSealed, sealOf } from "./seal.ts";

const NAME = "origin.json";

const originRecord = v.object({
  schema: v.number(),
  target: v.string(),
  inside: v.optional(v.string()),
  board_folder: v.pipe(v.string(), v.startsWith("/")),
  simulated: v.optional(v.boolean(), false),
  seal: v.optional(v.string()),
});

/** A run's origin and id. */
export interface FoundOrigin extends RunOrigin {
  readonly id: string;
  /** This account made the folder, or has agreed to what it says. */
  readonly own: boolean;
}

/** A board that only a folder from elsewhere names: it is not reached unasked. */
export function isForeign({ own, target }: Pick<FoundOrigin, "own" | "target">): boolean {
  return !own && parseTarget(target).kind === "ssh";
}

/** Writes it anew, and to the disk itself: a run that was started must be found again whatever happens to this machine. */
export async function writeOrigin(folder: string, origin: RunOrigin): Promise<void> {
  const { target, inside, boardFolder, simulated } = origin;
  const seal = await sealOf(origin);
  const record = { schema: 1, target, board_folder: boardFolder, simulated, ...defined({ inside, seal }) };
  const beside = join(folder, `.incoming-${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(beside, "wx", 0o644);
    try {
      await file.writeFile(`${JSON.stringify(record)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, join(folder, NAME));
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/**
 * The run lives where it lived, and was found as `target` now.
 * @throws UserError, or what writing failed with
 */
export async function moveOrigin(folder: string, target: string): Promise<void> {
  const { id: _, own, ...origin } = await readOrigin(folder);
  if (origin.target !== target || !own) await writeOrigin(folder, { ...origin, target });
}

/** @throws UserError */
export async function readOrigin(folder: string): Promise<FoundOrigin> {
  const file = join(folder, NAME);
  const text = await readText(file).catch(() => undefined);
  if (text === undefined) {
    throw new UserError(
      "no-origin",
      t("{0} cannot be read, so it is not known where this run lives.", file),
      t("Only a run that this extension started can be followed again."),
    );
  }
  const parsed = v.safeParse(originRecord, parseJson(text));
  if (!parsed.success) {
    throw new UserError("bad-origin", t("{0} is damaged.", file), t("The run cannot be found again; start a new one."));
  }
  const { schema, target, inside, board_folder: boardFolder, simulated, seal } = parsed.output;
  if (schema > 1) {
    throw new UserError("newer-schema", t("{0} was written by a newer version.", file), t("Update the extension."));
  }
  const id = posix.basename(boardFolder);
  if (!RUN_ID.test(id) || id !== basename(folder)) {
    throw new UserError(
      "bad-origin",
      t("{0} belongs to another run.", file),
      t("Give the run folder its original name back."),
    );
  }
  const origin = { target, boardFolder, simulated, ...defined({ inside }) };
  return { ...origin, id, own: await isSealed(origin, seal) };
}
