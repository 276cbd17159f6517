/** What the figures of a row come to: is the goal kept, by how much, and how do they grow. */
import type { Contestant, Goal, Row } from "./row.ts";
import { difference, type Growth, growth, isBelowNoise, noiseOf, type Summary, summary } from "./statistics.ts";

export type Verdict =
  /** `factor`: how many times better ours is than what it is held against; NaN where that is not known. */
  | { readonly kind: "kept" | "missed"; readonly margin: Margin; readonly than: string; readonly sure: boolean }
  | { readonly kind: "not judged"; readonly why: string };

export interface Margin {
  readonly factor: number;
  /** One of the two is below the noise: ours is ahead, or behind, at least so many times. */
  readonly atLeast: boolean;
}

/** A contestant's figure at one size of the work. */
export type Figure =
  | { readonly kind: "none" }
  | { readonly kind: "measured"; readonly summary: Summary }
  | { readonly kind: "below noise"; readonly noise: number; readonly summary: Summary };

export interface Judged {
  readonly goal: Goal;
  /** Index of the size of the work where it is judged. */
  readonly size: number;
  readonly verdict: Verdict;
}

export function figureOf(row: Row, contestant: Contestant, size: number): Figure {
  const found = summary(contestant.runs[size] ?? []);
  if (found === undefined) return { kind: "none" };
  if (row.reference === undefined || !isBelowNoise(found)) return { kind: "measured", summary: found };
  return { kind: "below noise", noise: noiseOf(found), summary: found };
}

export function oursOf(row: Row): Contestant {
  const found = row.contestants.find(({ name }) => name === row.ours);
  if (found === undefined) throw new Error(`${row.row} has no ${row.ours}`);
  return found;
}

/** The goals of a row, each judged for itself. */
export function judge(row: Row): readonly Judged[] {
  return row.goals.map((goal) => {
    const size = goal.at === undefined ? 0 : row.work.sizes.indexOf(goal.at);
    return { goal, size, verdict: verdictOf(row, goal, size) };
  });
}

function verdictOf(row: Row, goal: Goal, size: number): Verdict {
  const ours = oursOf(row);
  if (figureOf(row, ours, size).kind === "none") return { kind: "not judged", why: "ours could not be run" };
  if (goal.kind === "bound") return againstBound(row, goal, ours, size);
  const wanted = goal.kind === "ahead" ? goal.of : [goal.than];
  const there = row.contestants.filter(({ name }) => wanted.includes(name));
  const ran = there.filter((each) => (each.runs[size] ?? []).length > 0);
  if (goal.kind === "factor") {
    const [than] = ran;
    if (than === undefined) return { kind: "not judged", why: `${goal.than} could not be run` };
    return againstFactor(goal, ours, than, size);
  }
  // A peer that is there but cannot do this size is behind; what is absent altogether says nothing.
  const worst = ran.map((peer) => aheadOf(row, ours, peer, size)).sort(byMargin)[0];
  if (worst !== undefined) return worst;
  if (there.length === 0) return { kind: "not judged", why: `${wanted.join(", ")} could not be run` };
  return {
    kind: "kept",
    margin: { factor: Number.POSITIVE_INFINITY, atLeast: true },
    than: wanted.join(", "),
    sure: true,
  };
}

type Told = Exclude<Verdict, { kind: "not judged" }>;

function byMargin(a: Told, b: Told): number {
  const known = ({ margin: { factor } }: Told) => (Number.isNaN(factor) ? 1 : factor);
  return a.kind === b.kind ? known(a) - known(b) : a.kind === "missed" ? -1 : 1;
}

function aheadOf(row: Row, ours: Contestant, peer: Contestant, size: number): Told {
  const [a, b] = [ours.runs[size] ?? [], peer.runs[size] ?? []];
  const between = (of: readonly number[], and: readonly number[]) =>
    (row.better === "less" ? difference(of, and) : difference(and, of)) ?? { median: 0, spread: 0 };
  const [median, byRound] = [(summary(b)?.median ?? 0) - (summary(a)?.median ?? 0), between(a, b)];
  const kept = row.better === "less" ? median > 0 : median < 0;
  return {
    kind: kept ? "kept" : "missed",
    margin: marginOf(row, ours, peer, size),
    than: peer.name,
    // The rounds have to say the same as the medians, and by more than they are apart.
    sure: kept ? byRound.median > byRound.spread : -byRound.median > byRound.spread,
  };
}

function marginOf(row: Row, ours: Contestant, peer: Contestant, size: number): Margin {
  const figures = [figureOf(row, ours, size), figureOf(row, peer, size)] as const;
  const [of = Number.NaN, and = Number.NaN] = figures.map(shownAs);
  const factor = row.better === "less" ? and / of : of / and;
  const [isNoise, peerIsNoise] = figures.map(({ kind }) => kind === "below noise");
  // What is below the noise is anything down to nothing: it can be told how far it is ahead at least, never how far behind.
  const unknown = (isNoise && (peerIsNoise || factor < 1)) || (peerIsNoise && factor > 1);
  return { factor: unknown ? Number.NaN : factor, atLeast: isNoise === true || peerIsNoise === true };
}

/** The figure that stands for it where a number is needed: the noise for what is below it. */
export function shownAs(figure: Figure): number | undefined {
  if (figure.kind === "none") return undefined;
  return figure.kind === "below noise" ? figure.noise : figure.summary.median;
}

function againstBound(row: Row, goal: Extract<Goal, { kind: "bound" }>, ours: Contestant, size: number): Told {
  const { median, spread } = summary(ours.runs[size] ?? []) ?? { median: Number.NaN, spread: Number.NaN };
  const bar = "atMost" in goal ? goal.atMost : goal.atLeast;
  return {
    kind: ("atMost" in goal ? median <= bar : median >= bar) ? "kept" : "missed",
    margin: {
      factor: "atMost" in goal ? bar / Math.max(median, 0) : median / bar,
      atLeast: figureOf(row, ours, size).kind === "below noise",
    },
    than: "the bound",
    sure: Math.abs(median - bar) > spread,
  };
}

/** `margin`: how many times better than the goal asks, as for a bound. */
function againstFactor(
  goal: Extract<Goal, { kind: "factor" }>,
  ours: Contestant,
  than: Contestant,
  size: number,
): Told {
  const a = summary(ours.runs[size] ?? []);
  const b = summary(than.runs[size] ?? []);
  if (a === undefined || b === undefined) throw new Error("both were seen to have run");
  const factor = a.median / b.median;
  const off = factor * Math.hypot(a.spread / a.median, b.spread / b.median);
  const bar = "atMost" in goal ? goal.atMost : goal.atLeast;
  return {
    kind: ("atMost" in goal ? factor <= bar : factor >= bar) ? "kept" : "missed",
    margin: { factor: "atMost" in goal ? bar / factor : factor / bar, atLeast: false },
    than: than.name,
    sure: Math.abs(factor - bar) > off,
  };
}

/** The best at a size of the peers that a goal names. */
export function bestPeer(row: Row, size: number): Contestant | undefined {
  const named = row.goals.flatMap((goal) =>
    goal.kind === "ahead" ? goal.of : goal.kind === "factor" ? [goal.than] : [],
  );
  const sign = row.better === "less" ? 1 : -1;
  return row.contestants
    .filter(({ name, runs }) => named.includes(name) && (runs[size] ?? []).length > 0)
    .sort(
      (a, b) => sign * ((summary(a.runs[size] ?? [])?.median ?? 0) - (summary(b.runs[size] ?? [])?.median ?? 0)),
    )[0];
}

export type Grown =
  | { readonly kind: "grown"; readonly growth: Growth }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * From the first size of the work to the last. What is shown as a rate (frames/s) costs its inverse; a share or a ratio
 * is not a cost, so nothing is said of its growth.
 */
export function growthOf(row: Row, contestant: Contestant): Grown {
  const [small, large] = [row.work.sizes[0] ?? 0, row.work.sizes.at(-1) ?? 0];
  if (row.work.sizes.length < 2 || small <= 1 || large <= small) return { kind: "unknown", why: "one size" };
  if (row.unit === "%" || row.unit === "×") return { kind: "unknown", why: "a ratio" };
  const last = row.work.sizes.length - 1;
  const [first, then] = [figureOf(row, contestant, 0), figureOf(row, contestant, last)];
  if (first.kind === "none" || then.kind === "none") return { kind: "unknown", why: "not run at both sizes" };
  if (first.kind === "below noise" || then.kind === "below noise") return { kind: "unknown", why: "below the noise" };
  const cost = row.unit === "frames/s" ? inverse : (figures: readonly number[]) => figures;
  const [a, b] = [summary(cost(contestant.runs[0] ?? [])), summary(cost(contestant.runs[last] ?? []))];
  if (a === undefined || b === undefined || a.median <= 0 || b.median <= 0)
    return { kind: "unknown", why: "nothing to grow" };
  return { kind: "grown", growth: growth([small, large], a, b) };
}

function inverse(figures: readonly number[]): readonly number[] {
  return figures.map((figure) => 1 / figure);
}
