/** One figure, one value: what every view says of the same line, function and file, over runs made at random. */
import { expect, it } from "vitest";
import type { LineMap } from "../../../src/compare/matching/lineMap.ts";
import { findings } from "../../../src/editor/run/end/headline.ts";
import { describeFile, describeFunction, describeLine } from "../../../src/editor/runs/words/describe.ts";
import { csv } from "../../../src/formats/exports/csv.ts";
import { randomProfile } from "../../../src/formats/exports/testing.ts";
import { exportJson } from "../../../src/profile/formats/exportJson.ts";
import { annotate, plain } from "../../../src/profile/lines/annotate.ts";
import { columnsOf } from "../../../src/profile/lines/columns.ts";
import { byMetric, metricPrefix } from "../../../src/profile/lines/metric.ts";
import { fileNet, hasEnded, netOrSelf, wholeOf } from "../../../src/profile/lines/totals.ts";
import { unfinishedCalls } from "../../../src/profile/lines/unfinished.ts";
import type { FileProfile, FunctionRow, LineRow, Metric, Profile } from "../../../src/profile/model.ts";
import { formatBytes, formatChange, UNKNOWN } from "../../../src/profile/text/format.ts";
import { hoverText } from "../../../src/server/lines/hover.ts";
import { functionLenses, lineDeltas, treeFile, treeLines } from "../../../src/server/lines/views.ts";
import { inFull } from "../../support/inFull.ts";

const RUNS = inFull ? 1000 : 100;
const SAME: LineMap = {
  changed: false,
  toDocument: (line) => ({ line, stale: false }),
  toProfiled: (line) => ({ line, stale: false }),
};

/** As this profiler measures, which counts each line, with functions that have names. */
function measured(seed: number): Profile {
  const { run, ...profile } = randomProfile(seed);
  const { imported: _imported, ...own } = run;
  const files = profile.files.map((file) => ({
    ...file,
    lines: file.lines.map((row) => ({ ...row, hits: row.hits ?? 1 })),
    functions: file.functions.map((row, place) => ({ ...row, name: `f${place}` })),
  }));
  return { ...profile, files, run: own };
}

interface ExportedLine {
  readonly line: number;
  readonly net_bytes?: number;
  readonly peak_bytes?: number;
}
interface Exported {
  readonly files: readonly { readonly path: string; readonly lines: readonly ExportedLine[] }[];
}

const sizesIn = (text: string): string[] => text.match(/[+-][\d.]+ (?:GiB|MiB|KiB|B)|\b0 B/g) ?? [];

/** @returns how many texts were looked at */
async function checkLines(profile: Profile, metric: Metric): Promise<number> {
  const shown = byMetric(profile, metric);
  const listed = await treeLines(shown.files);
  let seen = 0;
  for (const file of shown.files) {
    const tree = treeFile(file, listed, undefined, undefined);
    expect(tree.net).toBe(fileNet(file));
    const deltas = await lineDeltas(profile, file.path, metric, SAME, undefined);
    const beside = deltas.map(({ line, label }) => ({ line, text: label }));
    const rows = tree.functions.flatMap(({ lines }) => lines);
    const inTree = rows.map((row) => ({ line: row.line, text: describeLine(row, metric).label }));
    for (const { line, text } of [...beside, ...inTree]) {
      const row = file.lines.find((one) => one.line === line) ?? { line };
      const known = [netOrSelf(row), row.peak ?? 0].map(formatChange);
      for (const size of sizesIn(text)) expect(known, `${file.path}:${line} ${text}`).toContain(size);
      expect(text.startsWith(metricPrefix(metric))).toBe(true);
      seen++;
    }
  }
  checkMessage(shown.files, listed, metric);
  return seen;
}

/** The message at the end of a run has a figure that stands beside the line that it names. */
function checkMessage(files: readonly FileProfile[], listed: ReadonlySet<LineRow>, metric: Metric): void {
  const { heaviest, headline } = findings("a script", {
    kind: "lines",
    metric,
    files: files.map((file) => treeFile(file, listed, undefined, undefined)),
  });
  const sizes = headline.match(/[\d.]+ (?:GiB|MiB|KiB|B)\b/g) ?? [];
  if (heaviest === undefined) {
    expect(sizes).toEqual([]);
    return;
  }
  const row = files.find(({ path }) => path === heaviest.path)?.lines.find(({ line }) => line === heaviest.line);
  expect(sizes).toHaveLength(1);
  expect([netOrSelf(row ?? {}), row?.peak ?? 0].map(formatBytes), headline).toContain(sizes[0]);
}

function checkTables(profile: Profile): void {
  const exported = exportJson(profile) as Exported;
  const [heading = "", ...records] = [...csv(profile, new Map())].join("").trimEnd().split("\r\n");
  const columns = heading.split(",");
  expect(records).toHaveLength(profile.files.reduce((sum, { lines }) => sum + lines.length, 0));
  expect(columns).toContain("net_bytes");
  for (const [place, file] of profile.files.entries()) {
    const lines = exported.files[place]?.lines ?? [];
    const text = annotate(
      file,
      undefined,
      { choice: "rss", columns: columnsOf("rss"), whole: wholeOf(profile, "rss", undefined) },
      plain,
    ).split("\n");
    const net = fileNet(file);
    expect(text[0]).toBe(net === undefined ? file.path : `${file.path}  ${formatChange(net)}`);
    for (const [at, row] of file.lines.entries()) {
      expect([lines[at]?.net_bytes, lines[at]?.peak_bytes]).toEqual([row.net, row.peak]);
      const [, , cell = "", next = ""] = (text[3 + at] ?? "").trim().split(/ {2,}/);
      expect(cell === "≥" ? `≥ ${next}` : cell).toBe(netCell(row));
      const hover = hoverText(profile, { path: file.path, line: row.line })?.replaceAll("\u00a0", " ") ?? "";
      if (row.net !== undefined) expect(hover).toContain(formatChange(row.net));
      else if (row.self !== undefined) expect(hover).toContain("never ended");
      for (const figure of [row.self, row.peak])
        if (figure !== undefined) expect(hover).toContain(formatChange(figure));
    }
  }
}

function netCell({ net, self = 0 }: FileProfile["lines"][number]): string {
  if (net === undefined) return self > 0 ? `≥ ${formatChange(self)}` : UNKNOWN;
  return net === 0 ? "0" : formatChange(net);
}

/** @returns how many texts were looked at */
function checkFunctions(profile: Profile, metric: Metric): number {
  const { files } = byMetric(profile, metric);
  const unfinished = unfinishedCalls(files, profile);
  let seen = 0;
  for (const file of files) {
    const tree = treeFile(file, new Set(), undefined, undefined, unfinished);
    if (tree.net !== undefined) expect(describeFile(tree, metric).description).toContain(formatChange(tree.net));
    const lenses = new Map(functionLenses(profile, file.path, metric, SAME).map((lens) => [lens.line, lens.title]));
    for (const row of file.functions.filter(({ calls }) => calls > 0)) {
      const listed = tree.functions.find(({ defLine }) => defLine === row.defLine);
      const inTree = listed === undefined ? [] : [describeFunction(listed, metric).description];
      for (const text of [lenses.get(row.key) ?? "", ...inTree]) {
        checkFunction(row, text);
        seen++;
      }
    }
  }
  return seen;
}

function checkFunction(row: FunctionRow, text: string): void {
  const sizes = sizesIn(text);
  if (!hasEnded(row)) {
    expect(text).toMatch(/^unfinished/);
    expect(sizes).not.toContain("0 B");
    return;
  }
  const known = [row.net, row.peak].map((one) => formatChange(one ?? 0));
  for (const size of sizes) expect(known, text).toContain(size);
  expect(text).not.toContain("at least");
}

it("is the same beside the line, in the tree, the hover, the tables and the exports, and unknown nowhere 0", async () => {
  let seen = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const profile = measured(seed);
    for (const metric of profile.metrics) {
      seen += await checkLines(profile, metric);
      seen += checkFunctions(profile, metric);
    }
    checkTables(profile);
  }
  expect(seen).toBeGreaterThan(100 * RUNS);
});
