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
}

export function createDecorationTypes(): DecorationTypes {
  const line = (style: LineStyle, more: vscode.DecorationRenderOptions = {}, fontWeight = "normal") =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      ...more,
      after: { color: themeColor(`${style}Foreground`), margin: GAP.after, fontStyle: "normal", fontWeight },
      before: { color: themeColor(`${style}Foreground`), margin: GAP.before, fontStyle: "normal", fontWeight },
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
    high: line("high", tint("high", "solid"), "bold"),
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
  return {
    lines,
    ruler: marks,
    blank,
    here,
    dispose() {
      for (const type of [...Object.values(lines), ...Object.values(marks), blank, here]) type.dispose();
    },
  };
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
