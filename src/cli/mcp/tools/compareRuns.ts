/** `compare_runs`: what changed between two runs. */
import * as path from "node:path";
import * as v from "valibot";
import { type LineChanged, ledgerChanges, lineChanges } from "../../../compare/changes.ts";
import type { Comparison, Difference, LedgerLine } from "../../../compare/model.ts";
import { compareFolders } from "../../../compare/node/compareFolders.ts";
import { defined } from "../../../profile/defined.ts";
import { formatBytes, formatChange } from "../../../profile/text/format.ts";
import { withRepeats } from "../../compare/diffSides.ts";
import { type Answer, fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { METRIC, METRIC_SAYS, ROWS, RUN_SAYS, rowsSay, TEXT } from "./fields.ts";

const USUAL = 15;

export const compareRuns = tool(
  {
    name: "compare_runs",
    title: "Compare two memory runs",
    description:
      "What changed between two runs: peaks, lines and rows of the board's ledger that took more or less, beside the noise. What is not larger than the noise is called the same.",
    takes: { before: TEXT, after: TEXT, repeats: v.optional(v.boolean()), metric: METRIC, rows: ROWS },
    says: {
      before: RUN_SAYS,
      after: RUN_SAYS,
      repeats: "Take each run with the repeats that were made together with it: then the noise is known.",
      metric: METRIC_SAYS,
      rows: rowsSay(USUAL),
    },
  },
  async ({ before, after, repeats = false, metric = "rss", rows = USUAL }, workspace) => {
    const sides = {
      before: await side(workspace, before, repeats),
      after: await side(workspace, after, repeats),
    };
    const comparison = await compareFolders(sides, metric);
    const changes = lineChanges(comparison);
    const ledger = ledgerChanges(comparison);
    return fitted((count) => answer(comparison, changes, ledger, count), rows, rows > USUAL);
  },
);

async function side(workspace: Workspace, text: string, repeats: boolean): Promise<readonly string[]> {
  const folder = await workspace.run(text);
  if (!repeats) return [folder];
  // The others are named by that run's own record; each must be one that may be read.
  return await Promise.all((await withRepeats(folder)).map((one) => workspace.run(path.basename(one))));
}

function answer(
  comparison: Comparison,
  { changed, same, unknown }: ReturnType<typeof lineChanges>,
  ledger: readonly LedgerLine[],
  rows: number,
): Answer {
  const { before, after, metric, peak, cudaPeak, boardPeak, notes } = comparison;
  const lines = changed.slice(0, rows);
  const ledgerRows = ledger.slice(0, rows);
  const isRunning = [...before.runs, ...after.runs].some(({ run }) => run.state === "running");
  const noise = peak.noise.known ? "" : " Runs differ by themselves; how much is not known without repeats.";
  return {
    lines: [
      `Before: ${quoted(before.title, 160)}. After: ${quoted(after.title, 160)}.${noise}`,
      ...(isRunning ? ["One of them has not ended: its figures may still change."] : []),
      `Peak of RSS: ${differenceText(peak)}`,
      `Board's memory above its baseline: ${differenceText(boardPeak)}`,
      ...lines.map(lineText),
      ...ledgerRows.map(({ label, difference }) => `  Ledger ${quoted(label, 80)}: ${differenceText(difference)}`),
      `${same.length} lines did not change by more than the noise; of ${unknown.length} it is not known.`,
      ...notes.slice(0, 5).map((note) => `Note: ${quoted(note)}`),
    ],
    data: {
      metric,
      before: before.runs.map(({ run }) => run.id).slice(0, 20),
      after: after.runs.map(({ run }) => run.id).slice(0, 20),
      peak: differenceData(peak),
      cuda_peak: differenceData(cudaPeak),
      board_peak: differenceData(boardPeak),
      lines: lines.map(lineData),
      ledger: ledgerRows.map(({ id, label, difference }) => ({
        id: untrusted(id, 80),
        label: untrusted(label, 80),
        ...differenceData(difference),
      })),
      left_out: changed.length - lines.length + ledger.length - ledgerRows.length,
      unchanged_lines: same.length,
      unknown_lines: unknown.length,
      notes: notes.slice(0, 5).map((note) => untrusted(note)),
    },
  };
}

function differenceText({ verdict, before, after, change, noise }: Difference): string {
  if (change === undefined) return verdict === "unknown" ? "not known" : verdict.replace("-", " ");
  const sizes = `${before === undefined ? "–" : formatBytes(before.median)} before, ${after === undefined ? "–" : formatBytes(after.median)} after`;
  return `${verdict}, ${formatChange(change)} (${sizes}; noise ${formatBytes(noise.amount)}${noise.known ? "" : " at least"})`;
}

function differenceData({ verdict, before, after, change, noise }: Difference): object {
  return defined({
    verdict,
    before_bytes: before?.median,
    after_bytes: after?.median,
    change_bytes: change,
    noise_bytes: noise.amount,
    noise_known: noise.known,
  });
}

function lineText({ file, line, what, difference }: LineChanged): string {
  const place = `${file.path}:${line.after ?? line.before}`;
  return `  ${what === "net" ? "Kept" : "Held"} ${differenceText(difference)}  ${quoted(place, 200)}  ${quoted(line.text.trim(), 100)}`;
}

function lineData({ file, line, what, difference }: LineChanged): object {
  return defined({
    file: untrusted(file.path, 200),
    before: line.before,
    after: line.after,
    text: untrusted(line.text.trim(), 100),
    edited: line.edited,
    what,
    ...differenceData(difference),
  });
}
