/** Where a line of a measured file is in its document now. */
import * as vscode from "vscode";
import { fileName } from "../../profile/notebook.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { withoutIcons } from "../report/plainText.ts";

export interface MeasuredPlace {
  /** The run's folder at home. */
  readonly folder: string;
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

const GONE_MESSAGE_MS = 8_000;

/** The line (1-based); a line that was deleted is told in the status bar. */
export async function lineNow(ask: Ask, place: MeasuredPlace, document: vscode.TextDocument): Promise<number> {
  const found = await ask("jetsonMemprof/lineNow", { ...place, uri: document.uri.toString() });
  if (found?.gone) {
    const text = t(
      "Line {0} of {1} was deleted since the run; this is where it was.",
      place.line,
      fileName(place.path),
    );
    vscode.window.setStatusBarMessage(`$(info) ${withoutIcons(text)}`, GONE_MESSAGE_MS);
  }
  return found?.line ?? place.line;
}
