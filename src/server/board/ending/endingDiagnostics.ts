/** Notes on a run's ending in the protocol's words: diagnostics, and quick fixes for them. */
import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  DiagnosticSeverity,
  type Range,
} from "vscode-languageserver/node";
import { phrase, say, t } from "../../../words/t.ts";
import type { LineNote, NoteFix } from "./ending.ts";

const DIAGNOSTIC_SOURCE = phrase("Jetson Memory");

const SEVERITIES: Readonly<Record<LineNote["kind"], DiagnosticSeverity>> = {
  "out-of-memory": DiagnosticSeverity.Error,
  killed: DiagnosticSeverity.Warning,
  failed: DiagnosticSeverity.Error,
  certain: DiagnosticSeverity.Information,
  likely: DiagnosticSeverity.Hint,
};

export function diagnosticOf(note: LineNote): Diagnostic {
  return {
    range: rangeOf(note),
    severity: SEVERITIES[note.kind],
    source: say(DIAGNOSTIC_SOURCE),
    message: note.message,
    ...(note.advice === undefined ? {} : { code: note.advice.rule, codeDescription: { href: note.advice.url } }),
  };
}

/** For the notes on the lines of `range`; each also leads to the page that has them all. */
export function quickFixes(folder: string, uri: string, notes: readonly LineNote[], range: Range): CodeAction[] {
  const touched = notes.filter(({ line }) => range.start.line < line && line <= range.end.line + 1);
  return touched.flatMap((note) => {
    const common = { kind: CodeActionKind.QuickFix, diagnostics: [diagnosticOf(note)] };
    return [
      ...note.fixes.map((fix) => ({ ...common, ...fixOf(folder, uri, fix) })),
      // An exception of the script's own is explained by its message, not by a page on memory.
      ...(note.kind === "failed" ? [] : [{ ...common, ...pageOf(folder, note) }]),
    ];
  });
}

function fixOf(folder: string, uri: string, fix: NoteFix): Pick<CodeAction, "title" | "edit" | "command"> {
  const { title } = fix;
  if (fix.kind === "edit") return { title, edit: { changes: { [uri]: [{ range: rangeOf(fix), newText: fix.text }] } } };
  const argument = { folder, rule: fix.rule, step: fix.step };
  return { title, command: { title, command: "jetsonMemprof.adviceStep", arguments: [argument] } };
}

function pageOf(folder: string, note: LineNote): Pick<CodeAction, "title" | "command"> {
  const title = note.advice === undefined ? t("Show why the run ended") : t("Show all advice on this run's memory");
  return { title, command: { title, command: "jetsonMemprof.showEnding", arguments: [folder] } };
}

function rangeOf({ line, from, to }: Pick<LineNote, "line" | "from" | "to">): Range {
  return { start: { line: line - 1, character: from }, end: { line: line - 1, character: to } };
}
