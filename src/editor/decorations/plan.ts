/** Which lines of a document are decorated, how and with what text. Nothing of VS Code is needed to decide it. */
import type { LineDelta } from "../../protocol/server.ts";

export const LINE_STYLES = ["none", "low", "medium", "high", "freed", "stale"] as const;
export type LineStyle = (typeof LINE_STYLES)[number];

export interface LineMark {
  /** 0-based. */
  readonly line: number;
  readonly text: string;
}

export interface DecorationPlan {
  /** Marks near what is visible. */
  readonly marks: Readonly<Record<LineStyle, readonly LineMark[]>>;
  /** 0-based lines of the whole document for the ruler at the side. */
  readonly ruler: { readonly medium: readonly number[]; readonly high: readonly number[] };
}

/** Lines above and below the visible ones that are decorated too, so that scrolling a little shows no gap. */
const MARGIN = 200;

/**
 * @param visible 0-based line ranges, both ends included
 * @param threshold bytes; a line that moved less is left out
 */
export function planDecorations(
  lines: readonly LineDelta[],
  visible: readonly { readonly first: number; readonly last: number }[],
  lineCount: number,
  threshold: number,
): DecorationPlan {
  const marks: Record<LineStyle, LineMark[]> = { none: [], low: [], medium: [], high: [], freed: [], stale: [] };
  const ruler: { medium: number[]; high: number[] } = { medium: [], high: [] };
  for (const delta of heaviestOfEachLine(lines).values()) {
    const line = delta.line - 1;
    if (line < 0 || line >= lineCount || delta.label === "" || delta.bytes < threshold) continue;
    if (!delta.stale && (delta.severity === "medium" || delta.severity === "high")) ruler[delta.severity].push(line);
    if (!visible.some(({ first, last }) => line >= first - MARGIN && line <= last + MARGIN)) continue;
    marks[delta.stale ? "stale" : delta.severity].push({
      line,
      text: delta.stale ? `${delta.label} (line changed since)` : delta.label,
    });
  }
  return { marks, ruler };
}

function heaviestOfEachLine(lines: readonly LineDelta[]): Map<number, LineDelta> {
  const found = new Map<number, LineDelta>();
  for (const delta of lines) {
    const other = found.get(delta.line);
    if (other === undefined || delta.bytes > other.bytes) found.set(delta.line, delta);
  }
  return found;
}
