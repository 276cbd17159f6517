/** What the parts of the editor share; made once by activation. */
import type * as vscode from "vscode";
import type { Ask } from "./ask.ts";
import type { LineMarks } from "./massif/lineMarks.ts";
import type { Report } from "./report.ts";
import type { ActiveRuns } from "./run/activeRuns.ts";
import type { FollowedRuns } from "./run/followedRuns.ts";
import type { RunsFolders } from "./runs/runsFolders.ts";
import type { RunsTree } from "./runs/runsTree.ts";
import type { ShownRun } from "./shownRun.ts";

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
