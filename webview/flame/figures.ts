/** A frame's figures in words. */

import type { Frame } from "../../src/massif/model.ts";
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { childrenOf, stackOf } from "../../src/massif/tree/treeShape.ts";
import { bandOf } from "../../src/profile/run/nativeStacks.ts";
import { formatBytes, formatChange, formatShare, withBand } from "../../src/profile/text/format.ts";
import type { Place } from "../../src/protocol/massif/massif.ts";
import { sentences, t } from "../../src/words/t.ts";
import type { StackGraph } from "./stackGraph.ts";

export interface Figure {
  readonly name: string;
  readonly value: string;
}

export const frameAt = ({ tree }: StackGraph, node: number): Frame =>
  tree.frames[tree.frame[node] ?? 0] ?? { kind: "all" };

export function placeOf(frame: Frame): Place | undefined {
  return frame.kind === "python" ? { path: frame.path, line: frame.line } : undefined;
}

/** `12.3 %`; nothing where there is no whole. */
export function share(part: number, whole: number): string {
  return whole <= 0 ? "" : formatShare(part / whole);
}

/** `12.0 MiB (40.0 %)`. */
export function withShare(bytes: number, whole: number): string {
  const part = share(bytes, whole);
  return formatBytes(bytes) + (part === "" ? "" : ` (${part})`);
}

/** A node's size as one looks for it first. */
export function mainFigure(graph: StackGraph, node: number): string {
  const total = graph.tree.total[node] ?? 0;
  return graph.sides ? formatChange(total) : withShare(total, graph.whole);
}

export function figuresOf(graph: StackGraph, node: number): Figure[] {
  const { tree, sides, whole } = graph;
  const [total, self] = [tree.total[node] ?? 0, tree.self[node] ?? 0];
  const bandIn = (variances: Float64Array | undefined) =>
    tree.sampled && bandOf(variances?.[node] ?? 0, tree.sampled.mean);
  const [band, selfBand] = [bandIn(graph.variances), bandIn(tree.sampled?.variance)];
  // As of a line's own: what no sample met is not 0.
  const isUnmet = tree.sampled !== undefined && self === 0;
  if (sides)
    return [
      { name: t("Before"), value: formatBytes(sides.before[node] ?? 0) },
      { name: t("After"), value: formatBytes(sides.after[node] ?? 0) },
      { name: t("Change"), value: withBand(formatChange(total), band) },
      { name: t("In this frame itself"), value: withBand(formatChange(self), selfBand) },
    ];
  return [
    { name: t("Size"), value: withBand(formatBytes(total), band) },
    { name: t("Of the snapshot"), value: share(total, whole) || t("not known") },
    {
      name: t("In this frame itself"),
      value: isUnmet ? t("not met by a sample") : withBand(formatBytes(self), selfBand),
    },
  ];
}

/** Of a library, or of Python itself: its file is not here to be opened. */
export const isOutsideProject = (place: Place): boolean => place.path.startsWith("/");

/** What is special about a frame, in a sentence; undefined when there is nothing to say. */
export function remark(frame: Frame): string | undefined {
  if (frame.kind === "below-threshold") {
    const limit = frame.percent === undefined ? "" : t(" ({0} % of the memory)", frame.percent);
    return t(
      "Allocations of many small callers, each below the limit{0}. Who they are was not kept; under massif a lower threshold keeps more.",
      limit,
    );
  }
  if (frame.kind === "python") {
    const said = [
      ...(frame.exact ? [] : [t("Only the function is known here, not which of its lines was running.")]),
      ...(isOutsideProject(frame) ? [t("Its file is on the board, outside the project.")] : []),
    ];
    return said.length === 0 ? undefined : sentences(...said);
  }
  if (frame.kind === "native" && frame.function === undefined)
    return t("The function's name is not known: the library has no symbols for it.");
  return undefined;
}

/** The stack of a node as text, from the root's side on. */
export function stackText(graph: StackGraph, node: number): string {
  const frames = stackOf(graph.tree, node).map((at) => fullName(frameAt(graph, at)));
  return [mainFigure(graph, node), ...frames].join("\n");
}

/** Names of the frames from below the root to a node. */
export const pathOf = (graph: StackGraph, node: number): string[] =>
  stackOf(graph.tree, node).map((at) => fullName(frameAt(graph, at)));

/** The node a path leads to; undefined when the graph has no such stack. */
export function nodeOf(graph: StackGraph, path: readonly string[]): number | undefined {
  let node = 0;
  for (const name of path) {
    const next = childrenOf(graph.ends, node).find((child) => fullName(frameAt(graph, child)) === name);
    if (next === undefined) return undefined;
    node = next;
  }
  return node;
}
