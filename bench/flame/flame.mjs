/**
 * How fast flame graphs of 10^4 to 10^6 frames are, and what they take: ours beside d3-flame-graph and speedscope, each
 * in a headless Chromium of its own. Rows as in bench/README.md: `node bench/flame/flame.mjs --out FILE [--rounds N]
 * [--quick] [ROW ...]`.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { absentOf, environmentOf, versionsOf } from "../peers/peers.mjs";
import { readOptions } from "../support/options.mjs";
import { writeRows } from "../support/result.mjs";
import { contestants, D3, D3_TUNED, OURS, SPEEDSCOPE } from "./contestants.mjs";
import { startServer } from "./server.mjs";
import { treeOf } from "./tree.mjs";
import { visit } from "./visit.mjs";

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [1_000];
/** A visit that takes longer is made once at that size. */
const LONG_MS = 20_000;

const { options, names: wanted } = readOptions();
const sizes = options.quick ? QUICK_SIZES : SIZES;
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const largest = sizes.at(-1);

const aheadOfD3 = sizes.map((at) => ({ kind: "ahead", of: [D3, D3_TUNED], at }));
const likeSpeedscope = { kind: "factor", than: SPEEDSCOPE, atMost: 1.2, at: largest };
/** Those of the sizes that are measured. */
const bounds = (...of) => of.filter(([at]) => sizes.includes(at)).map(([at, bar]) => ({ kind: "bound", ...bar, at }));

const ROWS = [
  {
    row: "flame/first-picture",
    figure: "picture",
    title: "Flame graph: first picture",
    measures: "milliseconds from handing over the data to the end of the frame in which the graph is drawn",
    unit: "ms",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope, ...bounds([100_000, { atMost: 300 }], [1_000_000, { atMost: 2_000 }])],
    notes: ["Those who read text have it in the page's memory before the clock starts; ours gets its message."],
  },
  {
    row: "flame/first-picture-cpu",
    figure: "cpu",
    title: "Flame graph: processor time of the first picture",
    measures: "CPU seconds of the page's process and of the graphics process until the first picture",
    unit: "s",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope],
  },
  {
    row: "flame/zoom",
    figure: "zoom",
    title: "Flame graph: frames while zooming",
    measures: "frames per second, without the display's limit, while ten places are zoomed to and back",
    unit: "frames/s",
    better: "more",
    goal: [
      ...aheadOfD3,
      { kind: "factor", than: SPEEDSCOPE, atLeast: 1 / 1.2, at: largest },
      { kind: "bound", atLeast: 30, at: largest },
    ],
    notes: ["By the wheel, a step a frame; d3-flame-graph by clicks and its animation. Cut off after 6 s."],
  },
  {
    row: "flame/longest-frame",
    figure: "longest",
    title: "Flame graph: longest frame while zooming",
    measures: "milliseconds between two frames of the same zooming",
    unit: "ms",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope],
  },
  {
    row: "flame/memory",
    figure: "memory",
    title: "Flame graph: memory",
    measures: "PSS of the page's and the graphics process beyond an empty page's, two seconds after the first picture",
    unit: "MiB",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope],
    notes: ["After the garbage was collected."],
  },
  {
    row: "flame/heap",
    figure: "heap",
    title: "Flame graph: JavaScript heap",
    measures: "heap of the page's own thread with its buffers, after the garbage was collected",
    unit: "MiB",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope],
  },
  {
    row: "flame/hover",
    figure: "hover",
    title: "Flame graph: a frame under the pointer",
    measures: "milliseconds from the pointer's move to the end of the frame that shows it, mean of ten places",
    unit: "ms",
    better: "less",
    goal: { kind: "bound", atMost: 16, at: largest },
    notes: [
      "d3-flame-graph as its README uses it leaves that to the browser's titles, which come later: nothing is drawn.",
    ],
  },
  {
    row: "flame/search",
    figure: "search",
    title: "Flame graph: search",
    measures: "milliseconds from the text's entry to the end of the frame that shows what was found",
    unit: "ms",
    better: "less",
    goal: [...aheadOfD3, likeSpeedscope],
    notes: ["d3-flame-graph has no field of its own: its search function is called."],
  },
];

const { version: ownVersion } = JSON.parse(fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const found = contestants({ versions: versionsOf("node"), absent: absentOf("node"), ownVersion });
const taking = found.taking.map((each) => ({ ...each, visits: [], once: new Set(), why: new Set() }));
const server = await startServer(path.join(environmentOf("node"), "node_modules"));
try {
  for (const [size, frames] of sizes.entries()) await measure(size, frames);
} finally {
  server.close();
}
const rows = ROWS.filter(({ row }) => wanted.length === 0 || wanted.some((name) => row.startsWith(name))).map(rowOf);
if (options.out !== undefined) writeRows(options.out, rows);

/** All contestants in turn, round by round, at one size. */
async function measure(size, frames) {
  const tree = await treeOf(frames);
  for (const { page, data } of taking) server.put(`/data/${page}`, data(tree));
  for (let round = 0; round < rounds; round++) {
    for (const each of taking) {
      each.visits[size] ??= [];
      each.visits[size].push(each.once.has(size) ? undefined : await tried(each, size, frames));
    }
  }
}

/** What could be measured. What cannot be done, or takes long, is not tried again at that size. */
async function tried(each, size, frames) {
  const start = performance.now();
  const { figures, why } = await visit(each, server.origin).catch(({ message }) => ({ why: message.split("\n")[0] }));
  const seconds = Math.round((performance.now() - start) / 1000);
  console.error(each.name, frames, figures, why ?? "");
  if (why !== undefined && each.name === OURS) throw new Error(why);
  if (why !== undefined) each.why.add(`${frames} frames, ${why}`);
  if (why !== undefined || 1000 * seconds > LONG_MS) {
    each.once.add(size);
    if (rounds > 1) each.why.add(`${frames} frames: measured in one round, which took ${seconds} s`);
  }
  return figures;
}

function rowOf({ figure, notes = [], ...row }) {
  return {
    ...row,
    ours: OURS,
    work: { unit: "frames", sizes },
    contestants: taking.map(({ name, version, command, notes: own, visits, why }) => ({
      name,
      version,
      command,
      runs: visits.map((round) => round.map((figures) => figures?.[figure] ?? null)),
      notes: [own, ...why],
    })),
    absent: found.absent,
    notes: [
      ...notes,
      "Headless Chromium without a graphics processor, 1280 × 860 pixels; each as it lays itself out in that window.",
    ],
  };
}
