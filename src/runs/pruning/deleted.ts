/**
 * Deleted runs: moved to `<project>/.jetson-memprof/deleted/<id>/`, so that deleting can be undone, until they are
 * removed for good. `deleted.json` in the folder has the time.
 */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { readText } from "../../profile/files/fileReading.ts";
import { parseObject } from "../../profile/files/jsonRecords.ts";
import { linkedFolder, listRunFolders, projectOfRun, refuseLinks, runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

const NOTE = "deleted.json";
/** Milliseconds without a sign of life after which a run that has no end is taken for one that nobody records. */
const SILENT_AFTER = 15_000;
/** What grows while a run is recorded: `moments.jsonl` about once a second. */
const GROWING = ["run.json", "moments.jsonl", "samples.jsonl", "lines.jsonl", "stdout.log", "stderr.log"];

export interface DeletedRun {
  /** Where it lies now. */
  readonly folder: string;
  /** Milliseconds since 1970; undefined where that was not noted. */
  readonly deletedAt?: number;
}

export function deletedFolderOf(projectFolder: string): string {
  return path.join(path.dirname(runsFolderOf(projectFolder)), "deleted");
}

/**
 * @returns where the run lies now
 * @throws UserError `still-running`, `not-ours`, `runs-folder-linked`, `name-taken`, `not-moved`
 */
export async function deleteRun(runFolder: string, now = Date.now()): Promise<string> {
  const project = projectOfRun(runFolder);
  if (project === undefined) {
    throw new UserError(
      "not-ours",
      t("{0} is not among the runs of a project, so deleting it could not be undone.", runFolder),
      t("Remove the folder by hand if that is what you want."),
    );
  }
  await refuseLinks(project);
  if (await isBeingRecorded(runFolder, now)) {
    throw new UserError(
      "still-running",
      t("The run {0} is being recorded.", path.basename(runFolder)),
      t("Cancel it or wait until it ends, then delete it."),
    );
  }
  const place = path.join(deletedFolderOf(project), path.basename(runFolder));
  await refuseTaken(place, t("Remove that one for good first, or restore it and give it another folder."));
  await moving(runFolder, place, async () => {
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.writeFile(
      path.join(runFolder, NOTE),
      `${JSON.stringify({ schema: 1, deleted: new Date(now).toISOString() })}\n`,
    );
    try {
      await fs.rename(runFolder, place);
    } catch (error) {
      await fs.rm(path.join(runFolder, NOTE), { force: true });
      throw error;
    }
  });
  return place;
}

/**
 * @returns where the run lies again
 * @throws UserError `not-ours`, `name-taken`, `not-moved`
 */
export async function restoreRun(deletedFolder: string): Promise<string> {
  const home = path.dirname(path.dirname(path.resolve(deletedFolder)));
  const place = path.join(home, "runs", path.basename(deletedFolder));
  if (projectOfRun(place) === undefined || path.basename(path.dirname(deletedFolder)) !== "deleted") {
    throw new UserError(
      "not-ours",
      t("{0} is not a deleted run.", deletedFolder),
      t("Choose one of the deleted runs."),
    );
  }
  await refuseTaken(place, t("Delete that one first, then restore this one."));
  await moving(deletedFolder, place, async () => {
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.rename(deletedFolder, place);
    await fs.rm(path.join(place, NOTE), { force: true });
  });
  return place;
}

/** The project's deleted runs, the last deleted first. @throws UserError `runs-folder` */
export async function listDeleted(projectFolder: string): Promise<readonly DeletedRun[]> {
  // Where a link leads is nothing of ours to empty.
  if ((await linkedFolder(projectFolder)) !== undefined) return [];
  const folders = await listRunFolders(deletedFolderOf(projectFolder));
  const runs = await Promise.all(folders.map(async (folder) => ({ folder, ...(await deletionOf(folder)) })));
  return runs.sort((a, b) => (b.deletedAt ?? 0) - (a.deletedAt ?? 0));
}

/**
 * Removes deleted runs for good.
 * @throws UserError `not-removed`
 */
export async function removeForGood(deletedFolders: readonly string[]): Promise<void> {
  for (const folder of deletedFolders) {
    try {
      await fs.rm(folder, { recursive: true, force: true, maxRetries: 2 });
    } catch (error) {
      throw new UserError(
        "not-removed",
        t("The deleted run {0} cannot be removed: {1}", folder, (error as Error).message),
        t("Check that you may write there, or remove it by hand."),
        { cause: error },
      );
    }
  }
}

/** It has no end yet, and its files grew a moment ago. A run that was lost says `running` for ever. */
export async function isBeingRecorded(runFolder: string, now = Date.now()): Promise<boolean> {
  const text = await readText(path.join(runFolder, "run.json")).catch(() => undefined);
  const state = text === undefined ? undefined : parseObject(text)?.["state"];
  // Before the board's first word there is only what this computer wrote.
  if (state !== "running" && text !== undefined) return false;
  const names = text === undefined ? ["origin.json"] : GROWING;
  const times = names.map((name) =>
    fs.stat(path.join(runFolder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return (await Promise.all(times)).some((time) => Math.abs(now - time) < SILENT_AFTER);
}

const noteSchema = v.object({ deleted: v.pipe(v.string(), v.isoTimestamp()) });

async function deletionOf(folder: string): Promise<Pick<DeletedRun, "deletedAt">> {
  const text = (await readText(path.join(folder, NOTE)).catch(() => undefined)) ?? "";
  const note = v.safeParse(noteSchema, parseObject(text));
  return note.success ? { deletedAt: Date.parse(note.output.deleted) } : {};
}

async function refuseTaken(place: string, hint: string): Promise<void> {
  const there = await fs.lstat(place).catch(() => undefined);
  if (there === undefined) return;
  throw new UserError("name-taken", t("A run with this name already exists: {0}", place), hint);
}

async function moving(from: string, to: string, move: () => Promise<void>): Promise<void> {
  try {
    await move();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      "not-moved",
      t("{0} cannot be moved to {1}: {2}", from, path.dirname(to), message),
      code === "EXDEV"
        ? t("The two are on different disks. Move the folder by hand.")
        : code === "ENOENT"
          ? t("It is no longer there. Refresh the list of runs.")
          : t("Check that you may write there and that no program has one of its files open."),
      { cause: error },
    );
  }
}
