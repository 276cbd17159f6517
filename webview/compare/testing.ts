/** A comparison for tests of the page. */
import type { Difference, Measured, Noise } from "../../src/compare/model.ts";
import { defined } from "../../src/profile/defined.ts";
import type { CompareDocument, CompareLine } from "../../src/protocol/compare.ts";

const MIB = 1024 * 1024;
const KIB = 1024;

function measured(values: readonly number[]): Measured | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const spread = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return { median, runs: values.length, ...(values.length > 1 ? { spread } : {}) };
}

/** Values of the runs of each side; none where the side has no figure. */
export function difference(before: readonly number[], after: readonly number[], floor = 64 * KIB): Difference {
  const [a, b] = [measured(before), measured(after)];
  const known = before.length > 1 && after.length > 1;
  const noise: Noise = { amount: Math.max(a?.spread ?? 0, b?.spread ?? 0, floor), known };
  const sides = { ...defined({ before: a, after: b }), noise };
  if (a === undefined || b === undefined) return { verdict: "unknown", ...sides };
  const change = b.median - a.median;
  const verdict = Math.abs(change) <= noise.amount ? "same" : change > 0 ? "more" : "less";
  return { verdict, change, ...sides };
}

function only(side: "before" | "after", bytes: number): Difference {
  return { verdict: `only-${side}`, [side]: { median: bytes, runs: 1 }, noise: { amount: 64 * KIB, known: false } };
}

/** What five runs may have had where one had this: a little more or less each time. */
function fiveTimes(one: Difference, floor?: number): Difference {
  const values = ({ median }: Measured) =>
    [-0.4, 0.3, 0, -0.1, 0.5].map((off) => median + (median && off * one.noise.amount));
  const [before, after] = [one.before, one.after].map((side) => (side === undefined ? [] : values(side)));
  const five = difference(before ?? [], after ?? [], floor);
  return one.verdict.startsWith("only") ? { ...five, verdict: one.verdict } : five;
}

const mib = (...sizes: number[]): number[] => sizes.map((size) => size * MIB);
const same = (...sizes: number[]): Difference => difference(mib(...sizes), mib(...sizes));
const line = (changes: Partial<CompareLine> & Pick<CompareLine, "text" | "net" | "peak">): CompareLine => ({
  path: "train.py",
  before: 10,
  after: 12,
  edited: false,
  ...changes,
});

export const LINES: readonly CompareLine[] = [
  line({
    path: "model.py",
    before: 41,
    after: 44,
    text: "net = LeNet().to(device)",
    edited: true,
    net: difference(mib(1585.2), mib(1180.4)),
    peak: difference(mib(1662.1), mib(1180.4)),
  }),
  line({
    before: 33,
    after: 36,
    text: "for images, labels in loader:",
    net: difference(mib(120.5), mib(180.5)),
    peak: difference(mib(128), mib(190.1)),
  }),
  {
    ...line({
      text: "cache = torch.zeros(64, 3, 224, 224)",
      net: only("after", 36.8 * MIB),
      peak: only("after", 36.8 * MIB),
    }),
  },
  line({ after: 18, before: 16, text: "import torch", net: difference(mib(201.1), mib(201.12)), peak: same(201.1) }),
  line({ after: 20, before: 18, text: "batch = next(images)", net: same(0), peak: difference(mib(4), mib(9.5)) }),
  line({ after: 70, before: 66, text: "print(total)", net: difference([], mib(0.3)), peak: difference([], []) }),
].map((each) => (each.text.startsWith("cache") ? without(each, "before") : each));

const GONE: CompareLine = without(
  line({
    before: 52,
    text: "copy = weights.clone()",
    net: only("before", 61.5 * MIB),
    peak: only("before", 61.5 * MIB),
  }),
  "after",
);

function without(from: CompareLine, side: "before" | "after"): CompareLine {
  const { [side]: _, ...rest } = from;
  return rest;
}

const row = (id: string, group: CompareDocument["ledger"][number]["group"], label: string, figures: Difference) => ({
  id,
  group,
  label,
  difference: figures,
});

export const DOCUMENT: CompareDocument = {
  metric: "rss",
  before: {
    name: "weights made on the CPU",
    started: "2026-11-21T09:45:01.123Z",
    board: "ssh://nano@192.168.1.20",
    simulated: false,
    commit: { name: "1a2b3c4d", changed: 0 },
    runs: 1,
  },
  after: {
    name: "weights made on the GPU",
    started: "2026-11-21T10:12:44.000Z",
    board: "ssh://nano@192.168.1.20",
    simulated: false,
    commit: { name: "1a2b3c4d", changed: 2 },
    runs: 1,
  },
  peak: difference(mib(2120.4), mib(1702.9), MIB),
  cudaPeak: difference(mib(312), mib(312), MIB),
  boardPeak: difference(mib(3010), mib(2604), MIB),
  baseline: difference(mib(742.2), mib(741.8), MIB),
  elapsedMs: difference([69_878], [64_120], 6_900),
  ledger: [
    row("free", "free", "Free", difference(mib(180), mib(560), MIB)),
    row("cache", "cache", "Page cache", difference(mib(320.5), mib(330.1), MIB)),
    row("kernel.slab", "kernel", "Kernel slabs", difference(mib(88), mib(88.2), MIB)),
    row("others", "others", "Other processes", difference(mib(512), mib(515.5), MIB)),
    row("run.anon", "run", "This run: anonymous memory", difference(mib(2001), mib(1601), MIB)),
    row("gpu", "gpu", "GPU buffers (NvMap)", difference([], mib(612), MIB)),
  ],
  lines: [...LINES.slice(0, 2), GONE, ...LINES.slice(2)],
  linesLeft: 0,
  notes: ["The arguments differ: --init cpu before, --init gpu after."],
  flame: false,
};

/** The same with five repeats on each side. */
export const REPEATED: CompareDocument = {
  ...DOCUMENT,
  before: { ...(DOCUMENT.before ?? DOCUMENT.after), runs: 5 },
  after: { ...DOCUMENT.after, runs: 5 },
  peak: difference(mib(2120, 2121, 2120.4, 2119, 2122.1), mib(1702, 1701, 1703, 1702.9, 1700.2)),
  cudaPeak: difference(mib(312, 312, 312, 312, 312), mib(312, 312, 312, 312, 312)),
  boardPeak: fiveTimes(DOCUMENT.boardPeak, MIB),
  baseline: fiveTimes(DOCUMENT.baseline, MIB),
  elapsedMs: difference([69_878, 70_100, 68_000, 69_000, 71_000], [64_120, 69_000, 70_000, 69_500, 69_200]),
  ledger: DOCUMENT.ledger.map((each) => ({ ...each, difference: fiveTimes(each.difference, MIB) })),
  lines: DOCUMENT.lines.map((each) => ({ ...each, net: fiveTimes(each.net), peak: fiveTimes(each.peak) })),
};

/** Three repeats of one run by themselves. */
export const SPREAD: CompareDocument = (() => {
  const { before: _, ...rest } = DOCUMENT;
  const figures = difference(mib(201.1, 199.8, 202), mib(201.1, 199.8, 202));
  return {
    ...rest,
    after: { ...DOCUMENT.after, runs: 3 },
    peak: difference(mib(2120, 2121, 2119), mib(2120, 2121, 2119)),
    lines: [line({ text: "import torch", net: figures, peak: figures })],
    ledger: [],
    notes: [],
  };
})();
