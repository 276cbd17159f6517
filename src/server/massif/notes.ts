/** What the user should know of a massif file's figures, in whole sentences. */

import { sampledMean } from "../../massif/counted.ts";
import type { RunHead } from "../../profile/run/runHead.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { samplingNote } from "../../profile/text/samplingNote.ts";
import type { HeapPeak } from "../../protocol/server.ts";
import { fromHelper } from "../../words/fromHelper.ts";
import { t } from "../../words/t.ts";
import { processFigures } from "./heapFigures.ts";
import type { MassifProcess } from "./processes.ts";

/** @param head of the run that wrote the files; undefined where none of ours did */
export async function notes(processes: readonly MassifProcess[], head: RunHead | undefined): Promise<string[]> {
  // Of the heap's stacks and the GPU's of one process it is the same file.
  const unread = [...new Set(processes.flatMap(({ problems }) => problems))];
  const means = processes.flatMap(({ file }) => sampledMean(file) ?? []);
  const mean = means.length === 0 ? undefined : Math.max(...means);
  if (head === undefined) return mean === undefined ? unread : [...unread, samplingNote(mean)];
  const { run } = head;
  const found =
    mean === undefined
      ? [stateNote(head), framesNote(processes), gpuNote(head), await peakNote(processes[0])]
      : [samplingNote(mean), boundNote(processes)];
  const gpu = processes.some(({ memory }) => memory === "gpu")
    ? t("What was asked of CUDA is exact, each call of it. What the driver takes by itself is in no call.")
    : undefined;
  const warnings = run.warnings.map(({ message }) => fromHelper(message));
  const all = [...unread, ...found, gpu, neverRan(processes, head), ...warnings];
  return all.filter((note) => note !== undefined);
}

function boundNote(processes: readonly MassifProcess[]): string | undefined {
  return processes.some(({ measured }) => measured.lines.length > 0)
    ? t("Before and after a marked line, ± is known of all stacks together only, and is at most so much.")
    : undefined;
}

function stateNote({ run }: RunHead): string | undefined {
  if (run.state === "running") {
    return t("The run is in progress. This is its last checkpoint; the view follows the next ones.");
  }
  switch (run.exit?.kind) {
    case "out-of-memory":
      return t("The script ran out of memory. This is the last checkpoint before it was ended.");
    case "lost":
      return t("The run was lost. This is the last checkpoint that was kept.");
    case "signalled":
      return t(
        "The script was ended by {0}. Where massif could not write its file at the end, this is the last checkpoint before.",
        run.exit.signal,
      );
    default:
      return undefined;
  }
}

function framesNote(processes: readonly MassifProcess[]): string | undefined {
  if (processes.every(({ names }) => names.level === "lines")) return undefined;
  return processes.every(({ names }) => names.level === "none")
    ? t("The stacks of this run name no Python code, only native functions.")
    : t("In some stacks of this run only the functions of the Python code are known, not the lines.");
}

function gpuNote({ run }: RunHead): string | undefined {
  const hasGpu = run.board.l4t !== undefined || run.versions["cuda"] !== undefined;
  return hasGpu && run.engine.massif?.gpu === false
    ? t(
        "The GPU was hidden from the script, so this is how it runs on the CPU. The setting jetsonMemprof.massif.gpu changes that.",
      )
    : undefined;
}

/** Why there are no figures at the peak, or the bytes that no Python line can be blamed for, though a line did take them. */
async function peakNote(main: MassifProcess | undefined): Promise<string | undefined> {
  if (main === undefined || main.names.level === "none") return undefined;
  const figures = await processFigures(main);
  if (figures.unread !== undefined) return t("The stacks at the peak cannot be shown. {0}", figures.unread);
  const text = cutOffText(figures.peak);
  return text === undefined ? undefined : t("At the peak {0}", text);
}

/** Undefined where every byte at the peak has a line, or there are no stacks. */
export function cutOffText(peak: Pick<HeapPeak, "bytes" | "withoutLine"> | undefined): string | undefined {
  if (peak === undefined || peak.withoutLine === 0 || peak.bytes === 0) return undefined;
  const share = (100 * peak.withoutLine) / peak.bytes;
  const percent = share < 0.1 ? t("less than 0.1") : share.toFixed(1);
  return t(
    "{0} of the {1} ({2} %) are on no line: massif merges small call sites and cuts long stacks, as those of imports, so a line may hold more than is shown. A lower threshold keeps more (setting jetsonMemprof.massif.threshold); a marked line is measured as a whole.",
    formatBytes(peak.withoutLine),
    formatBytes(peak.bytes),
    percent,
  );
}

function neverRan(processes: readonly MassifProcess[], { run }: RunHead): string | undefined {
  // Where no Python code could be named, nothing was measured either, and the run's warning says why.
  if (run.state === "running" || processes.every(({ names }) => names.level === "none")) return undefined;
  const measured = new Set(
    processes.flatMap(({ measured: { lines } }) => lines.map(({ path, line }) => `${path}:${line}`)),
  );
  const missing = (run.engine.massif?.lines ?? [])
    .map(({ path, line }) => `${path}:${line}`)
    .filter((place) => !measured.has(place));
  if (missing.length === 0) return undefined;
  return t("To be measured before and after, but never run as the beginning of a statement: {0}.", missing.join(", "));
}
