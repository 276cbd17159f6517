/** One peak and one duration of a run, in every view, over run folders made at random. */
import { expect, it } from "vitest";
import { makeLedger } from "../../../src/board/ledger/ledger.ts";
import { withMissedPeak } from "../../../src/board/moments/missedPeak.ts";
import type { Moment } from "../../../src/board/moments/model.ts";
import { readMoments } from "../../../src/board/node/readMoments.ts";
import { boardLines, type Load } from "../../../src/board/testing.ts";
import { printReport } from "../../../src/cli/runs/report.ts";
import { runLine, runsJson } from "../../../src/cli/runs/runsText.ts";
import type { Output } from "../../../src/cli/terminal/output.ts";
import { compareFolders } from "../../../src/compare/node/compareFolders.ts";
import { runOf } from "../../../src/editor/api/values.ts";
import { describeRun } from "../../../src/editor/runs/words/describeRun.ts";
import { timelineMessage } from "../../../src/editor/timeline/timelineMessage.ts";
import { keyFigures, runFacts } from "../../../src/formats/exports/facts.ts";
import { readWholeRun } from "../../../src/formats/exports/readRun.ts";
import { peakOf } from "../../../src/gate/peak.ts";
import { openRunFolder, type RunReader } from "../../../src/profile/run/runFolder.ts";
import { readRunHead } from "../../../src/profile/run/runHead.ts";
import { jsonLines, MIB, makeProject, runFiles, runJson } from "../../../src/profile/testing.ts";
import { formatBytes, formatDuration } from "../../../src/profile/text/format.ts";
import { readSummary } from "../../../src/runs/list/readSummary.ts";
import { createHandlers } from "../../../src/server/handlers.ts";
import { createRunStore } from "../../../src/server/runs/runStore.ts";
import { readSweepRun } from "../../../src/sweep/node/readRun.ts";
import { missedPeak, peakBytes } from "../../../webview/timeline/series.ts";
import { seeded } from "../../faults/support/random.ts";
import { inFull } from "../../support/inFull.ts";

const RUNS = inFull ? 1000 : 50;
/** More samples than this and the timeline draws some of them. */
const DRAWN = 40;

interface MadeRun {
  readonly folder: string;
  readonly remove: () => void;
  /** Highest RSS of its main process, bytes; undefined where it was never read. */
  readonly peak: number | undefined;
  readonly elapsedMs: number | undefined;
  readonly massif: boolean;
}

/** A run whose process grows and shrinks, also between two readings; at times its RSS cannot be read. */
function madeRun(seed: number): MadeRun {
  const { next, below, pick } = seeded(seed);
  const readable = next() < 0.95;
  const count = 1 + below(80);
  let peak: number | undefined;
  let t = 0;
  const loads: Load[] = [{ t: -14, baseline: true }];
  const samples = Array.from({ length: count }, () => {
    const rss = readable && next() < 0.9 ? below(3000 * MIB) : undefined;
    // What the kernel's mark shows beyond the readings: mostly nothing, at times little, at times much.
    const between = Math.round((rss ?? 0) * pick([1, 1, 1, 1.004, 1.5]));
    const highest = Math.max(peak ?? 0, rss ?? 0, between);
    if (highest > 0) peak = highest;
    t += 100 + below(300);
    if (rss !== undefined && next() < 0.5) {
      loads.push({ t, run: { anon: Math.floor(rss / MIB), file: 0, shmem: 0 } });
    }
    return { t, hits: t, rss, rss_peak: peak, mem_available: below(2 ** 31) };
  });
  const elapsedMs = next() < 0.9 ? t + below(50_000) : undefined;
  const massif = next() < 0.2;
  const { remove, run: folder } = makeProject(
    runFiles({
      "run.json": JSON.stringify(
        runJson({
          elapsed_ms: elapsedMs,
          ...(massif ? { engine: { name: "massif", exact: false, peak: false, accelerator: false } } : {}),
        }),
      ),
      "samples.jsonl": jsonLines([
        { schema: 1, record: "header", started_unix_ms: 1795254301123, interval_ms: 200 },
        ...samples,
      ]),
      "moments.jsonl": `${boardLines("pc", loads).join("\n")}\n`,
    }),
  );
  return { folder, remove, peak, elapsedMs, massif };
}

/** What each view says of the run's peak and its duration, and the words that lead to them. */
async function checkRun({ folder, peak, elapsedMs, massif }: MadeRun): Promise<void> {
  const size = peak === undefined ? undefined : formatBytes(peak);
  const time = elapsedMs === undefined ? undefined : formatDuration(elapsedMs);
  const summary = readSummary(folder);

  const row = describeRun(summary, "finished", false);
  expect(sizes(row.description)).toEqual(massif || size === undefined ? [] : [size]);
  expect(after("Time: ", row.tooltip)).toBe(time);
  expect(sizes(row.tooltip)).toEqual(size === undefined ? [] : [size]);

  const listed = runLine({ kind: "run", run: summary });
  expect(sizes(listed)).toEqual(size === undefined ? [] : [size]);
  if (time !== undefined) expect(listed).toContain(` · ${time}`);
  const { runs } = runsJson([{ kind: "run", run: summary }]) as { runs: { rss_peak?: number; elapsed_ms?: number }[] };
  expect([runs[0]?.rss_peak, runs[0]?.elapsed_ms]).toEqual([peak, elapsedMs]);
  const given = runOf(summary);
  expect([given.peakRssBytes, given.elapsedMs]).toEqual([massif ? undefined : peak, elapsedMs]);

  const reader = openRunFolder(folder);
  await reader.refresh();
  const heading = (await printed(reader)).split("\n")[1] ?? "";
  expect(sizes(heading)).toEqual(size === undefined ? [] : [size]);
  if (time !== undefined) expect(heading).toContain(` · ${time}`);

  const whole = await readWholeRun(reader);
  const peakTiles = keyFigures(whole).filter(({ name }) => name.startsWith("Peak "));
  expect(peakTiles.map(({ value }) => value)).toEqual(size === undefined ? [] : [size]);
  expect(runFacts(whole).find(({ id }) => id === "took")?.value).toBe(time);

  const judged = peakOf({ ...whole, rssPeak: whole.rssPeak, moments: whole.moments }, "rss");
  expect(judged.kind === "known" ? judged.bytes : undefined).toBe(massif ? undefined : peak);
  const swept = await readSweepRun(folder, {});
  expect([swept.peaks.rss, swept.elapsedMs]).toEqual([peak, elapsedMs]);
  if (!massif) {
    const compared = await compareFolders({ before: [folder], after: [folder] }, "rss");
    expect([compared.peak.after?.median, compared.elapsedMs.after?.median]).toEqual([peak, elapsedMs]);
  }
  await checkTimeline(folder, size);
  await checkLedger(folder, peak);
}

const sizes = (text: string): string[] => text.match(/[\d.]+ (?:GiB|MiB|KiB|B)\b/g) ?? [];

/** What stands behind the words, to the end of their line. */
function after(words: string, text: string): string | undefined {
  const line = text.split("\n").find((one) => one.startsWith(words));
  return line?.slice(words.length);
}

async function printed(reader: RunReader): Promise<string> {
  const written: string[] = [];
  const output: Output = {
    isTerminal: false,
    columns: 80,
    write: (data) => void written.push(String(data)),
    ended: new Promise(() => {}),
    fault: undefined,
    flushed: async () => {},
  };
  await printReport(reader, { format: "table", metric: "rss" }, output, {});
  return written.join("");
}

/** The page's picture names the run's peak, whichever of the samples it draws. */
async function checkTimeline(folder: string, size: string | undefined): Promise<void> {
  const store = createRunStore({ onChange: () => {} });
  const handlers = createHandlers({ store, openDocument: () => undefined, platform: process.platform });
  try {
    const timeline = timelineMessage(await handlers.timeline({ folder: folder, maxPoints: DRAWN }));
    const drawn = missedPeak(timeline) ?? peakBytes(timeline);
    expect(drawn === undefined ? undefined : formatBytes(drawn)).toBe(size);
  } finally {
    store.dispose();
  }
}

/** The memory page and `ledger` show a record; where that is not the peak, they say what the peak was. */
async function checkLedger(folder: string, peak: number | undefined): Promise<void> {
  const [moments, { rssPeak }] = [await readMoments(folder), await readRunHead(folder)];
  expect(rssPeak).toBe(peak);
  const place = moments?.peak();
  if (moments === undefined || place === undefined || peak === undefined) return;
  const moment = moments.moment(place);
  const held = formatBytes(heldBy(moment));
  const [note = ""] = withMissedPeak(makeLedger(moment, undefined), moments, place, rssPeak).notes;
  const said = note.startsWith("Between two records") ? sizes(note) : [held];
  expect(said).toEqual(held === formatBytes(peak) ? [held] : [formatBytes(peak), held]);
}

function heldBy({ processes, run }: Moment): number {
  return processes.filter(({ pid }) => run.includes(pid)).reduce((sum, { rss }) => sum + rss, 0);
}

it("are the same in lists, reports, exports, judgments, comparisons, the timeline and the ledger", async () => {
  let known = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const made = madeRun(seed);
    try {
      await checkRun(made);
      if (made.peak !== undefined && made.elapsedMs !== undefined) known++;
    } finally {
      made.remove();
    }
  }
  expect(known).toBeGreaterThan(RUNS / 2);
});
