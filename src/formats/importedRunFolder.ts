/** Makes a run folder of an imported run, so that every view can show it. docs/run-folder.md has the formats. */
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { defined } from "../profile/defined.ts";
import type { FileProfile, RunInfo } from "../profile/model.ts";
import { UserError } from "../profile/userError.ts";
import { changeLabel, writeGit } from "../runs/keeping.ts";
import { newRunId, nextRunId, unfinishedName, withFreeRunId } from "../runs/runId.ts";
import { t } from "../words/t.ts";
import { lineRecords, sampleRecords } from "./importedRunRecords.ts";
import type { ImportedRun } from "./model.ts";

/**
 * @param runsFolder exists
 * @returns the run's folder, absolute
 * @throws UserError `import-not-written`
 */
export async function writeImportedRun(imported: ImportedRun, runsFolder: string): Promise<string> {
  const now = new Date();
  const { run } = imported.profile;
  const { name } = path.posix.parse(run.command.script ?? run.command.module ?? run.imported?.file ?? "");
  const stem = name || "imported";
  const started = Date.parse(run.started ?? "");
  const make = (id: string): Promise<string> => writeAs(id, imported, runsFolder);
  // Named by the time when it was measured, so that it stands at its place in the history; by that of the import where
  // the file says none, or one that is still to come.
  return started <= now.getTime()
    ? await withFreeRunId(runsFolder, (time) => newRunId(stem, time), make, new Date(Math.max(0, started)))
    : await withFreeRunId(runsFolder, (time) => nextRunId(runsFolder, stem, time), make, now);
}

async function writeAs(id: string, imported: ImportedRun, runsFolder: string): Promise<string> {
  const folder = path.join(runsFolder, id);
  const unfinished = path.join(runsFolder, unfinishedName(id));
  let ours = false;
  try {
    await fs.mkdir(unfinished);
    ours = true;
    await writeAll(imported, id, unfinished);
    await fs.rename(unfinished, folder);
    return path.resolve(folder);
  } catch (error) {
    if (ours) await fs.rm(unfinished, { recursive: true, force: true }).catch(() => {});
    throw new UserError(
      "import-not-written",
      t("The run could not be written to {0}: {1}", folder, (error as Error).message),
      t("Check that there is room on the disk and that you may write there."),
      { cause: error },
    );
  }
}

async function writeAll(imported: ImportedRun, id: string, folder: string): Promise<void> {
  const files = imported.profile.files.map((file) => ({
    ...file,
    sha256: digestFor(file.sha256, imported.sources.get(file.path)),
  }));
  for (const [relative, text] of imported.sources) {
    const place = path.join(folder, "sources", relative);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.writeFile(place, text);
  }
  for (const [name, bytes] of imported.verbatim) await fs.writeFile(path.join(folder, name), bytes);
  await write(folder, "lines.jsonl", lineRecords(imported, id, files));
  if (imported.samples.length > 0) await write(folder, "samples.jsonl", sampleRecords(imported));
  if (imported.moments.length > 0) await write(folder, "moments.jsonl", imported.moments);
  const { label, git } = imported.kept ?? {};
  if (label !== undefined) await changeLabel(folder, () => label);
  if (git !== undefined) await writeGit(folder, git);
  const { origin } = imported.profile;
  if (origin !== undefined) {
    const { boardFolder, ...rest } = origin;
    const record = { schema: 1, ...rest, board_folder: boardFolder };
    await fs.writeFile(path.join(folder, "origin.json"), `${JSON.stringify(record)}\n`);
  }
  await fs.writeFile(
    path.join(folder, "run.json"),
    `${JSON.stringify(runRecord(imported, id, files), undefined, 2)}\n`,
  );
}

async function write(folder: string, name: string, records: Iterable<object>): Promise<void> {
  const handle = await fs.open(path.join(folder, name), "wx");
  try {
    let piece = "";
    for (const record of records) {
      piece += `${JSON.stringify(record)}\n`;
      if (piece.length < 1024 * 1024) continue;
      await handle.write(piece);
      piece = "";
    }
    await handle.write(piece);
  } finally {
    await handle.close();
  }
}

function digestOf(source: string | undefined): string {
  return source === undefined ? "" : createHash("sha256").update(source).digest("hex");
}

/** A source that was no UTF-8 came as text with U+FFFD in it: it is kept as that, and known by the bytes that are kept. */
function digestFor(measured: string, source: string | undefined): string {
  return measured === "" || source?.includes("\ufffd") === true ? digestOf(source) : measured;
}

function runRecord(
  { profile: { run, metrics }, sources }: ImportedRun,
  id: string,
  files: readonly FileProfile[],
): object {
  const { elapsedMs, lastLines, board, engine, imported, ...rest } = run;
  const { memTotal, ...boardRest } = board;
  const { massif, ...engineRest } = engine;
  return {
    schema: 1,
    id,
    ...rest,
    imported,
    engine: { ...engineRest, ...defined({ massif: massif === undefined ? undefined : massifRecord(massif) }) },
    elapsed_ms: elapsedMs,
    last_lines: lastLines.map(({ stack, ...at }) => ({ ...at, stack: stack?.map(({ path, line }) => [path, line]) })),
    board: { ...boardRest, mem_total: memTotal },
    metrics: [...metrics],
    files: files.map(({ path, sha256 }) => ({
      path,
      sha256,
      ...(sources.has(path) ? { source: `sources/${path}` } : {}),
    })),
  };
}

function massifRecord({ pagesAsHeap, maxHits, lines, ...rest }: NonNullable<RunInfo["engine"]["massif"]>): object {
  return { ...rest, pages_as_heap: pagesAsHeap, max_hits: maxHits, lines: lines.map(({ path, line }) => [path, line]) };
}
