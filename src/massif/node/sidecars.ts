/** What our run recorded beside a massif.out.<pid> file: docs/run-folder.md, "Engine massif". */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { readMeasuredLines } from "../lineSnapshots.ts";
import type { FrameNames, MeasuredLines } from "../model.ts";
import { NO_NAMES, readFrameNames } from "../tree/frames.ts";
import { asUnreadable, checkIsFile, unreadable } from "./unreadable.ts";

/** A record for every line of a large program takes some MB. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface Sidecars {
  readonly frames: FrameNames;
  readonly measured: MeasuredLines;
  /** Which of the files could not be read, and what is therefore not shown; whole sentences. */
  readonly problems: readonly string[];
}

/** The process id in the name of a run's massif.out file; undefined for a file that no run of ours named. */
export function pidOf(massifFile: string): number | undefined {
  const found = recordedAs(massifFile);
  return found?.memory === "heap" ? found.pid : undefined;
}

/** Of a run's file in massif's format what it is of: the heap, as massif.out, or the GPU's memory, as gpu.out. */
export function recordedAs(file: string): { readonly pid: number; readonly memory: "heap" | "gpu" } | undefined {
  const [, kind, pid] = /^(massif|gpu)\.out\.([1-9]\d{0,9})$/.exec(path.basename(file)) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), memory: kind === "gpu" ? "gpu" : "heap" };
}

/** Paths of the files that readSidecars reads where they are there; undefined for a file that can have none. */
export function sidecarFiles(massifFile: string): { readonly frames: string; readonly lines: string } | undefined {
  const pid = recordedAs(massifFile)?.pid;
  if (pid === undefined) return undefined;
  const folder = path.dirname(massifFile);
  return {
    frames: path.join(folder, `massif.frames.${pid}.jsonl`),
    lines: path.join(folder, `massif.lines.${pid}.jsonl`),
  };
}

/**
 * No damaged file fails it: the stacks can be shown without what stands beside them.
 * @param massifFile path of any massif.out file; one that no run of ours wrote has no sidecars
 */
export async function readSidecars(massifFile: string): Promise<Sidecars> {
  const files = sidecarFiles(massifFile);
  if (files === undefined) return { frames: NO_NAMES, measured: { lines: [] }, problems: [] };
  const problems: string[] = [];
  const read = async <T>(file: string, decode: (text: string, name: string) => T, without: string): Promise<T> => {
    try {
      return decode(await readText(file), path.basename(file));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push([error.message, without, error.hint].filter(Boolean).join(" "));
      return decode("", "");
    }
  };
  const frames = await read(files.frames, readFrameNames, t("So no Python line is named in the stacks."));
  // What is measured before and after a line is the heap, whose file shows it.
  const isHeap = pidOf(massifFile) !== undefined;
  const measured = isHeap
    ? await read(files.lines, readMeasuredLines, t("So changes by line are not shown."))
    : { lines: [] };
  return { frames, measured, problems };
}

/** Path of the detailed snapshot around a measured execution, see MeasuredExecution.tree; openMassif reads it. */
export function measuredTreeFile(massifFile: string, tree: number, side: "before" | "after"): string {
  return path.join(path.dirname(massifFile), "massif-lines", String(pidOf(massifFile) ?? ""), `${tree}.${side}`);
}

/** Empty where there is no such file. */
async function readText(file: string): Promise<string> {
  try {
    const stats = await fs.stat(file);
    checkIsFile(stats, file);
    if (stats.size > MAX_BYTES) throw unreadable(file, t("it is larger than 128 MiB"));
    return await fs.readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw asUnreadable(error, file);
  }
}
