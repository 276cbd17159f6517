/** What the stacks of a snapshot come to, as JSON for other programs: by library, allocator and Python line. */

import { defined } from "../../profile/defined.ts";
import { isOwnUnmet, type LineAtPeak, linesAtPeak } from "../lines.ts";
import type { FrameTree, MeasuredLine } from "../model.ts";
import { doubtsOf } from "../sampled.ts";
import { type Allocator, byLibrary, type LibraryBytes, libraryName, topAllocators } from "../summary.ts";
import { fullName } from "../tree/frameNames.ts";

/** @param stacks allocators first, with all frames; or the difference of two such trees */
export function stacksJson(stacks: FrameTree, of: "snapshot" | "difference"): object {
  const doubts = doubtsOf(stacks);
  return {
    total_bytes: stacks.total[0],
    ...errorJson("total", doubts?.bandOf(doubts.total[0])),
    libraries: byLibrary(stacks).map(libraryJson),
    allocators: topAllocators(stacks).map(allocatorJson),
    lines: linesAtPeak(stacks).map((line) => lineJson(line, of)),
  };
}

/** @param mean of samples, undefined where every allocation was counted */
export function measuredLineJson(
  { path, line, function: name, hits, measured, net, noise }: MeasuredLine,
  mean: number | undefined,
): object {
  return {
    path,
    line,
    ...(name === "" ? {} : { function: name }),
    hits,
    measured_hits: measured,
    net_bytes: net,
    ...errorJson("net", mean === undefined ? undefined : noise),
  };
}

/** Half of ±, where a figure comes of samples: of what was counted whole 0. */
export function errorJson(figure: string, band: number | undefined): object {
  return band === undefined ? {} : { [`${figure}_error_bytes`]: Math.round(band / 2) };
}

function libraryJson({ library, bytes, band }: LibraryBytes): object {
  const paths = library.kind === "library" ? { paths: library.paths } : {};
  return {
    kind: library.kind,
    name: libraryName(library),
    ...paths,
    bytes,
    ...(band === undefined ? {} : { error_bytes: Math.round(band / 2) }),
  };
}

function allocatorJson({ frame, self, total, band }: Allocator): object {
  const { function: name, source, library } = frame.kind === "native" ? frame : {};
  return {
    name: fullName(frame),
    ...defined({ function: name, source, library }),
    self_bytes: self,
    total_bytes: total,
    ...errorJson("self", band?.self),
    ...errorJson("total", band?.total),
  };
}

function lineJson(row: LineAtPeak, of: "snapshot" | "difference"): object {
  const { path, line, function: name, exact, total, own, band } = row;
  const known = of === "difference" || !isOwnUnmet(row);
  return {
    path,
    ...(exact ? { line } : { definition_line: line }),
    function: name,
    total_bytes: total,
    ...(known ? { own_bytes: own } : {}),
    ...errorJson("total", band?.total),
    ...(known ? errorJson("own", band?.own) : {}),
  };
}
