/** The figures beside lines in the protocol's own words: inlay hints, and diagnostics for clients without them. Pure. */
import { type Diagnostic, DiagnosticSeverity, type InlayHint, type Range } from "vscode-languageserver/node";
import { sourceLines } from "../../profile/text/text.ts";
import type { LineDeltasResult } from "../../protocol/server.ts";
import { phrase, say, t } from "../../words/t.ts";
import type { StandaloneOptions } from "./options.ts";

/** Protocol clients cannot be told to dim a hint. */
const STALE = phrase("(line changed since the run)");

/**
 * At the ends of lines.
 * @param threshold bytes; lines that moved less have none
 */
export function inlayHints({ lines }: LineDeltasResult, text: string, range: Range, threshold: number): InlayHint[] {
  const source = sourceLines(text);
  return lines.flatMap(({ line, label, bytes, stale }): InlayHint[] => {
    const end = source[line - 1]?.length;
    const visible = line - 1 >= range.start.line && line - 1 <= range.end.line;
    if (end === undefined || !visible || label === "" || bytes < threshold) return [];
    const position = { line: line - 1, character: end };
    return [{ position, label: stale ? `${label} ${say(STALE)}` : label, paddingLeft: true }];
  });
}

const SEVERITIES: Readonly<Record<Exclude<StandaloneOptions["heavyLines"], "off">, DiagnosticSeverity>> = {
  hint: DiagnosticSeverity.Hint,
  information: DiagnosticSeverity.Information,
};

/** Of the lines with the largest shares of the run's peak. */
export function heavyLineDiagnostics(
  { lines }: LineDeltasResult,
  text: string,
  heavyLines: StandaloneOptions["heavyLines"],
): Diagnostic[] {
  if (heavyLines === "off") return [];
  const source = sourceLines(text);
  return lines.flatMap(({ line, label, severity, stale }): Diagnostic[] => {
    const code = source[line - 1];
    if (code === undefined || severity !== "high") return [];
    const start = { line: line - 1, character: code.length - code.trimStart().length };
    return [
      {
        range: { start, end: { line: line - 1, character: code.trimEnd().length } },
        severity: SEVERITIES[heavyLines],
        source: t("Jetson Memory"),
        message: t("This line's memory: {0}{1}.", label, stale ? ` ${say(STALE)}` : ""),
      },
    ];
  });
}
