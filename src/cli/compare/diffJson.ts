/** A comparison as JSON; docs/command-line.md has the format. */
import { ledgerChanges, lineChanges } from "../../compare/changes.ts";
import type { ComparedLine, Comparison, Difference, Measured, Side } from "../../compare/model.ts";
import { present } from "../../profile/files/jsonRecords.ts";

/** @param all also what did not change */
export function diffJson(comparison: Comparison, all: boolean): object {
  const { metric, before, after, files, notes } = comparison;
  const { changed, same, unknown } = lineChanges(comparison);
  const listed = new Set(changed.map(({ line }) => line));
  return {
    schema: 1,
    metric,
    before: sideJson(before),
    after: sideJson(after),
    peak: bytesJson(comparison.peak),
    cuda_peak: bytesJson(comparison.cudaPeak),
    board_peak: bytesJson(comparison.boardPeak),
    baseline: bytesJson(comparison.baseline),
    elapsed: differenceJson(comparison.elapsedMs, "ms"),
    files: files
      .map(({ path, kind, from, sourcesMissing, lines }) =>
        present({
          path,
          kind,
          from,
          sources_missing: sourcesMissing,
          lines: lines.filter((line) => all || listed.has(line)).map(lineJson),
        }),
      )
      .filter(({ lines }) => lines.length > 0),
    unchanged_lines: same.length,
    unknown_lines: unknown.length,
    ledger: (all ? comparison.ledger : ledgerChanges(comparison)).map(({ id, group, label, difference }) => ({
      id,
      group,
      label,
      ...bytesJson(difference),
    })),
    notes,
  };
}

function sideJson({ title, folders, runs }: Side): object {
  return { title, runs: runs.map(({ run }, at) => ({ id: run.id, folder: folders[at] ?? "" })) };
}

function lineJson({ before, after, text, edited, hits, net, peak }: ComparedLine): object {
  return present({ before, after, text, edited, hits, net: bytesJson(net), peak: bytesJson(peak) });
}

const bytesJson = (difference: Difference): object => differenceJson(difference, "bytes");

export function differenceJson({ verdict, before, after, change, noise }: Difference, unit: "bytes" | "ms"): object {
  return present({
    verdict,
    before: before && measuredJson(before, unit),
    after: after && measuredJson(after, unit),
    [`change_${unit}`]: change,
    noise: { [unit]: noise.amount, known: noise.known },
  });
}

export function measuredJson({ median, spread, runs }: Measured, unit: "bytes" | "ms"): object {
  return present({ [`median_${unit}`]: median, [`spread_${unit}`]: spread, runs });
}
