/** Which of a run's lines took memory themselves, not by what they called. Pure. */
import { t } from "../../words/t.ts";
import type { Figures, Metric } from "../model.ts";
import { formatChange } from "../text/format.ts";
import { metricPrefix } from "./metric.ts";
import { isLowerBound } from "./netText.ts";
import { FLOOR } from "./severity.ts";

/** A line with its text, as far as that is known. */
export interface ReadLine extends Pick<Figures, "hits" | "self" | "net" | "peak"> {
  readonly text?: string;
}

export interface MeasuredFile<Line> {
  readonly path: string;
  readonly functions: readonly MeasuredFunction<Line>[];
}

export interface MeasuredFunction<Line> {
  readonly name: string;
  /** The most that one call held above its entry, bytes. */
  readonly peak?: number | undefined;
  readonly lines: readonly Line[];
}

export interface OwnLine<Line> {
  readonly path: string;
  readonly row: Line;
  /** Still there after the line, or only while it ran. */
  readonly kind: "kept" | "held";
  readonly bytes: number;
}

/** What a line took itself and is still there: a function that it calls may have given some of it back. */
export function ownNet({ self, net }: Pick<Figures, "self" | "net">): number {
  return Math.min(self ?? net ?? 0, net ?? self ?? 0);
}

/**
 * The `count` lines that kept most themselves, or held most for a while, heaviest first. What was held while a line
 * called a function is that function's lines': a call is found by the function's name in the line's text.
 */
export function heaviestOwnLines<Line extends ReadLine>(
  files: readonly MeasuredFile<Line>[],
  count: number,
): OwnLine<Line>[] {
  const functions = files.flatMap((file) => file.functions);
  const named = new Set(functions.flatMap(({ name }) => (name.startsWith("<") ? [] : wordsOf(name))));
  const unnamed = functions.filter(({ name }) => CALLED_UNNAMED.test(name));
  return files
    .flatMap(({ path, functions: own }) =>
      own.flatMap((fn) =>
        fn.lines.map((row): OwnLine<Line> => {
          const kept = ownNet(row);
          const calls =
            wordsOf(row.text ?? "").some((word) => named.has(word)) || unnamed.some((one) => fits(one, fn, row));
          const held = calls ? 0 : (row.peak ?? 0) - Math.max(0, (row.net ?? 0) - (row.self ?? row.net ?? 0));
          // A line that kept about what it held is told by what it kept.
          const isHeld = held > 2 * Math.max(0, kept);
          return { path, row, kind: isHeld ? "held" : "kept", bytes: isHeld ? held : kept };
        }),
      ),
    )
    .filter(({ bytes }) => bytes >= FLOOR)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, count);
}

/** `+48.0 MiB`, `peak +31.7 MiB`; `≥ +96.0 MiB` of a line that never ended. */
export function ownLineText(
  { row, kind, bytes }: Pick<OwnLine<ReadLine>, "row" | "kind" | "bytes">,
  metric: Metric,
): string {
  const change = formatChange(bytes);
  const kept = isLowerBound(row) ? `≥ ${change}` : change;
  return `${metricPrefix(metric)}${kind === "held" ? t("peak {0}", change) : kept}`;
}

/** Python, or a library between, calls these where no name of theirs is written: `net(x)` calls `forward`. */
const CALLED_UNNAMED = /(^|\.)(__\w+__|forward|backward|closure)$/;
/** A function holds nearly all of what the line that calls it holds. */
const NEARLY_ALL = 0.9;

function fits<Line extends ReadLine>(
  { peak = 0, ...one }: MeasuredFunction<Line>,
  around: MeasuredFunction<Line>,
  row: Line,
): boolean {
  const held = row.peak ?? 0;
  return one.lines !== around.lines && peak <= held && peak >= NEARLY_ALL * held;
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
