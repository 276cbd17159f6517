/** The fixed handful of decoration types, one for each style; colors come from the theme (contributes.colors). */
import * as vscode from "vscode";
import type { LineStyle } from "./plan.ts";

/** Between a line and its figure. */
const GAP = { after: "0 0 0 3ch", before: "0 2ch 0 0" } as const;

export interface DecorationTypes extends vscode.Disposable {
  readonly lines: Readonly<Record<LineStyle, vscode.TextEditorDecorationType>>;
  readonly ruler: Readonly<Record<"medium" | "high", vscode.TextEditorDecorationType>>;
  /** Lines without a figure, where figures stand before the others. */
  readonly blank: vscode.TextEditorDecorationType;
  /** Where a run that goes on is. */
  readonly here: vscode.TextEditorDecorationType;
  /** The figure of that line, by `figureAtEnd`. */
  readonly atEnd: vscode.TextEditorDecorationType;
}

export function createDecorationTypes(): DecorationTypes {
  const line = (style: LineStyle, more: vscode.DecorationRenderOptions = {}) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      ...more,
      after: { ...figureStyle(style), margin: GAP.after },
      before: { ...figureStyle(style), margin: GAP.before },
    });
  const ruler = (style: "medium" | "high") =>
    vscode.window.createTextEditorDecorationType({
      overviewRulerColor: themeColor(`${style}Foreground`),
      overviewRulerLane: style === "high" ? vscode.OverviewRulerLane.Full : vscode.OverviewRulerLane.Right,
    });
  const lines = {
    none: line("none"),
    low: line("low"),
    medium: line("medium", tint("medium", "dashed")),
    high: line("high", tint("high", "solid")),
    freed: line("freed"),
    stale: line("stale"),
  };
  const marks = { medium: ruler("medium"), high: ruler("high") };
  const blank = vscode.window.createTextEditorDecorationType({ isWholeLine: true, before: { margin: GAP.before } });
  const here = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    ...tint("running", "solid"),
    overviewRulerColor: themeColor("runningForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    after: { color: themeColor("runningForeground"), margin: GAP.after, fontStyle: "normal", fontWeight: "normal" },
  });
  // Beside what is typed at the end of its line it stays behind it.
  const atEnd = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  return {
    lines,
    ruler: marks,
    blank,
    here,
    atEnd,
    dispose() {
      for (const type of [...Object.values(lines), ...Object.values(marks), blank, here, atEnd]) type.dispose();
    },
  };
}

/**
 * A figure before what else stands after the end of a line (0-based): of texts at one place VS Code draws those that
 * stand before it first, whatever their types.
 */
export function figureAtEnd(line: number, contentText: string, style: LineStyle): vscode.DecorationOptions {
  const end = new vscode.Position(line, Number.MAX_SAFE_INTEGER);
  return {
    range: new vscode.Range(end, end),
    renderOptions: { before: { contentText, ...figureStyle(style), margin: GAP.after } },
  };
}

function figureStyle(style: LineStyle) {
  const fontWeight = style === "high" ? "bold" : "normal";
  return { color: themeColor(`${style}Foreground`), fontStyle: "normal", fontWeight } as const;
}

/** A tint over the whole line; in the high contrast themes, which have no tints, a line below it. */
function tint(style: "medium" | "high" | "running", borderStyle: "dashed" | "solid"): vscode.DecorationRenderOptions {
  return {
    backgroundColor: themeColor(`${style}Background`),
    borderColor: themeColor(`${style}Border`),
    borderStyle,
    borderWidth: "0 0 1px 0",
  };
}

function themeColor(name: string): vscode.ThemeColor {
  return new vscode.ThemeColor(`jetsonMemprof.${name}`);
}
