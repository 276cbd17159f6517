/** What the parts of the editor share; made once by activation. */
import type * as vscode from "vscode";
import type { Ask } from "./link/ask.ts";
import type { LineMarks } from "./massif/lineMarks.ts";
import type { Report } from "./report/report.ts";
import type { ActiveRuns } from "./runs/followed/activeRuns.ts";
import type { FollowedRuns } from "./runs/followed/followedRuns.ts";
import type { RunsFolders } from "./runs/runsFolders.ts";
import type { ShownRun } from "./runs/shownRun.ts";
import type { RunsTree } from "./runs/tree/runsTree.ts";

export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly report: Report;
  readonly ask: Ask;
  readonly shown: ShownRun;
  readonly active: ActiveRuns;
  readonly followed: FollowedRuns;
  readonly folders: RunsFolders;
  readonly tree: RunsTree;
  readonly marks: LineMarks;
}
