/** What our run recorded beside a massif.out.<pid> file: docs/run-folder.md, "Engine massif". */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { UserError } from "../../profile/userError.ts";
import { NO_NAMES, readFrameNames } from "../frames.ts";
import { readMeasuredLines } from "../lineSnapshots.ts";
import type { FrameNames, MeasuredLines } from "../model.ts";

/** A record for every line of a large program takes some MB. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface Sidecars {
  readonly frames: FrameNames;
  readonly measured: MeasuredLines;
}

/**
 * @param massifFile path of any massif.out file; one that no run of ours wrote has no sidecars
 * @throws UserError `schema-too-new`, `run-damaged`, `massif-unreadable`
 */
export async function readSidecars(massifFile: string): Promise<Sidecars> {
  const folder = path.dirname(massifFile);
  const pid = pidOf(massifFile);
  if (pid === undefined) return { frames: NO_NAMES, measured: { lines: [] } };
  const framesName = `massif.frames.${pid}.jsonl`;
  const linesName = `massif.lines.${pid}.jsonl`;
  const [frames, lines] = await Promise.all([
    readText(path.join(folder, framesName)),
    readText(path.join(folder, linesName)),
  ]);
  return { frames: readFrameNames(frames, framesName), measured: readMeasuredLines(lines, linesName) };
}

/** Path of the detailed snapshot around a measured execution, see MeasuredExecution.tree; openMassif reads it. */
export function measuredTreeFile(massifFile: string, tree: number, side: "before" | "after"): string {
  return path.join(path.dirname(massifFile), "massif-lines", pidOf(massifFile) ?? "", `${tree}.${side}`);
}

function pidOf(massifFile: string): string | undefined {
  return /^massif\.out\.(\d+)$/.exec(path.basename(massifFile))?.[1];
}

/** Empty where there is no such file. */
async function readText(file: string): Promise<string> {
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw unreadable(file, "it is no regular file");
    if (stats.size > MAX_BYTES) throw unreadable(file, "it is larger than 128 MiB");
    return await fs.readFile(file, "utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw unreadable(file, error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "massif-unreadable",
    `The file ${file} cannot be read: ${why}.`,
    "It names the Python lines of the massif.out file beside it; check that you may read it.",
    { cause },
  );
}
