/** A run measured by line as a tree of files, functions and lines, for viewers of stacks. */
import type { Frame, FrameTree } from "../../massif/model.ts";
import { createTreeBuilder, summed } from "../../massif/tree/treeBuilder.ts";
import { byMetric, METRIC_NAMES } from "../../profile/lines/metric.ts";
import { linesByFunction } from "../../profile/lines/totals.ts";
import type { LineRow, Metric, Profile } from "../../profile/model.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";

export interface LineTree {
  readonly tree: FrameTree;
  /** What the tree cannot show, in words. */
  readonly notes: readonly string[];
}

/**
 * Each line holds what was measured on it alone, so nothing counts twice. Such viewers know sizes only: what lines gave
 * back is left out, and said.
 */
export function lineTree(profile: Profile, metric: Metric): LineTree {
  const builder = createTreeBuilder(1024);
  const ends: number[] = [];
  const values: number[] = [];
  let freed = 0;
  const child = (parent: number, frame: Frame) => builder.child(parent, builder.frameNumber(frame));
  for (const file of byMetric(profile, metric).files) {
    for (const { name, defLine, lines } of linesByFunction(file)) {
      const taken = lines.map((row) => ({ line: row.line, bytes: ownBytes(row) ?? 0 }));
      for (const { bytes } of taken) freed -= Math.min(0, bytes);
      const grown = taken.filter(({ bytes }) => bytes > 0);
      if (grown.length === 0) continue;
      const part = { kind: "python", path: file.path, function: name } as const;
      const fileNode = child(0, { kind: "native", function: file.path, interpreter: false });
      const functionNode = child(fileNode, { ...part, line: defLine, exact: false });
      for (const { line, bytes } of grown) {
        ends.push(child(functionNode, { ...part, line, exact: true }));
        values.push(bytes);
      }
    }
  }
  const self = summed(builder.size(), Uint32Array.from(ends), Float64Array.from(values));
  return {
    tree: builder.finish(self).tree,
    notes: [
      ...(freed > 0
        ? [
            t(
              "Lines that gave memory back ({0} of {1}) are not in this format.",
              formatBytes(freed),
              METRIC_NAMES[metric],
            ),
          ]
        : []),
      ...ownNotes(profile, metric),
    ],
  };
}

/** What a line took without the lines it called; its net where the engine tells no more. */
export function ownBytes({ self, net }: Pick<LineRow, "self" | "net">): number | undefined {
  return self ?? net;
}

/** Where lines' own figures are not known, what stands in their place counts memory more than once. */
export function ownNotes(profile: Profile, metric: Metric): string[] {
  const rows = byMetric(profile, metric).files.flatMap(({ lines }) => lines);
  return rows.some(({ self, net }) => self === undefined && net !== undefined)
    ? [t("Some lines have no figure of their own: a line that calls others counts their memory too.")]
    : [];
}
