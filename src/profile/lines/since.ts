/**
 * What lines took since a moment of their run: their figures now, less those that they had then. Pure.
 *
 * What adds up (hits, net, self, uncertain, calls, time) is subtracted. Of what is the highest so far (peak, largest
 * increment, usage) it is known only where it was exceeded since then: elsewhere it is absent, as it may have been
 * lower since. Figures of a hit or call are counted when it ends: one that was open at the moment counts whole, and
 * where it was the first one nothing is told but what the line took itself.
 */
import { present } from "../files/jsonRecords.ts";
import type { CudaFigures, Figures, FileProfile, FunctionRow, LineRow, SystemFigures } from "../model.ts";
import { CUDA_FIGURES, type FigureName, type FigureNames, LINE_FIGURES, SYSTEM_FIGURES } from "./figureNames.ts";

/** Lines and functions that did anything since; `then` as `now`, earlier in the same run. */
export function since(now: readonly FileProfile[], then: readonly FileProfile[]): readonly FileProfile[] {
  const before = new Map(then.map((file) => [file.path, file]));
  return now.map((file) => {
    const lines = new Map((before.get(file.path)?.lines ?? []).map((row) => [row.line, row]));
    const functions = new Map((before.get(file.path)?.functions ?? []).map((row) => [row.key, row]));
    return {
      ...file,
      lines: file.lines.map((row) => lineSince(row, lines.get(row.line))).filter(didAnything),
      functions: file.functions
        .map((row) => functionSince(row, functions.get(row.key)))
        .filter(({ calls }) => calls > 0),
    };
  });
}

function lineSince(now: LineRow, then: LineRow | undefined): LineRow {
  if (then === undefined) return now;
  const rss = difference<Figures>(now, then, LINE_FIGURES);
  // With its calls it may have taken all of it before.
  if (then.hits !== undefined && then.hits > 0 && then.net === undefined) {
    return present({ line: now.line, hits: rss.hits, self: rss.self, uncertain: rss.uncertain });
  }
  return present({
    line: now.line,
    ...rss,
    net: now.net === undefined ? undefined : now.net - (then.net ?? 0),
    peakUncertain: now.peak === then.peak ? undefined : now.peakUncertain,
    cuda: now.cuda && then.cuda ? difference<CudaFigures>(now.cuda, then.cuda, CUDA_FIGURES) : now.cuda,
    system: boardSince(now.system, then.system),
  });
}

/** Of a line whose figures are what they were, nobody knows whether the board's memory was read since. */
function boardSince(now: SystemFigures | undefined, then: SystemFigures | undefined): SystemFigures | undefined {
  if (now === undefined || then === undefined) return now;
  const found = difference<SystemFigures>(now, then, SYSTEM_FIGURES);
  return Object.values(found).some((figure) => figure !== 0) ? found : undefined;
}

type Row = Readonly<Record<string, number | undefined>>;

function difference<Kind extends object>(now: Kind, then: Kind, names: FigureNames<Kind>): Kind {
  const [after, before] = [now, then] as unknown as readonly [Row, Row];
  const found: Record<string, number> = {};
  for (const [key, { together }] of Object.entries(names) as [string, FigureName][]) {
    const [figure, was] = [after[key], before[key]];
    if (figure === undefined) continue;
    if (together === "sum") found[key] = figure - (was ?? 0);
    else if (was === undefined || figure > was) found[key] = figure;
  }
  return found as Kind;
}

function didAnything({ hits, net, self, peak, cuda, system }: LineRow): boolean {
  const moved = [hits, net, self, peak, cuda?.net, cuda?.self, cuda?.reservedNet, system?.net, system?.self];
  return moved.some((figure) => figure !== undefined && figure !== 0);
}

function functionSince(now: FunctionRow, then: FunctionRow | undefined): FunctionRow {
  if (then === undefined) return now;
  const { timeNs, net, peak, ...rest } = now;
  const called = { ...rest, calls: now.calls - then.calls };
  // No call ended since, or the first that did had begun before.
  if (timeNs === undefined || then.timeNs === undefined || timeNs === then.timeNs) return called;
  return present({
    ...called,
    timeNs: timeNs - then.timeNs,
    net: net === undefined ? undefined : net - (then.net ?? 0),
    peak: then.peak === undefined || (peak ?? 0) > then.peak ? peak : undefined,
  });
}
