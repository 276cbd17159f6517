/** What the stacks of a snapshot come to, as JSON for other programs: by library, allocator and Python line. */

import { defined } from "../../profile/defined.ts";
import { type LineAtPeak, linesAtPeak } from "../lines.ts";
import type { FrameTree, MeasuredLine } from "../model.ts";
import { type Allocator, byLibrary, type LibraryBytes, libraryName, topAllocators } from "../summary.ts";
import { fullName } from "../tree/frameNames.ts";

/** @param stacks allocators first, with all frames; or the difference of two such trees */
export function stacksJson(stacks: FrameTree): object {
  return {
    total_bytes: stacks.total[0],
    libraries: byLibrary(stacks).map(libraryJson),
    allocators: topAllocators(stacks).map(allocatorJson),
    lines: linesAtPeak(stacks).map(lineJson),
  };
}

export function measuredLineJson({ path, line, function: name, hits, measured, net }: MeasuredLine): object {
  return { path, line, ...(name === "" ? {} : { function: name }), hits, measured_hits: measured, net_bytes: net };
}

function libraryJson({ library, bytes }: LibraryBytes): object {
  const paths = library.kind === "library" ? { paths: library.paths } : {};
  return { kind: library.kind, name: libraryName(library), ...paths, bytes };
}

function allocatorJson({ frame, self, total }: Allocator): object {
  const { function: name, source, library } = frame.kind === "native" ? frame : {};
  return {
    name: fullName(frame),
    ...defined({ function: name, source, library }),
    self_bytes: self,
    total_bytes: total,
  };
}

function lineJson({ path, line, function: name, exact, total, own }: LineAtPeak): object {
  return {
    path,
    ...(exact ? { line } : { definition_line: line }),
    function: name,
    total_bytes: total,
    own_bytes: own,
  };
}
