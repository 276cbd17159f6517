/** Where this window's runs lie, and when something in there changes. */
import * as path from "node:path";
import * as vscode from "vscode";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { coalesced } from "../link/coalesced.ts";
import { followEntries } from "./followed/followEntries.ts";

export interface RunsFolders extends vscode.Disposable {
  readonly onChanged: vscode.Event<void>;
  all(): string[];
  /** A run is made for a project outside the workspace: its runs are listed too, also when the window is opened again. */
  add(projectFolder: string): Promise<void>;
  changed(): void;
  /** The folder is a run's folder in one of ours. */
  holds(runFolder: string): boolean;
}

const SETTLE_MS = 300;
const KEY = "jetsonMemprof.projectsOutside";

export function createRunsFolders(memory: vscode.Memento): RunsFolders {
  const changed = new vscode.EventEmitter<void>();
  const kept = memory.get<unknown>(KEY);
  const outside = new Set((Array.isArray(kept) ? kept : []).filter((item) => typeof item === "string"));
  const settle = coalesced(SETTLE_MS, () => changed.fire());
  let watchers: vscode.Disposable[] = [];

  const projects = (): string[] => {
    const folders = (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === "file")
      .map(({ uri }) => uri.fsPath);
    return [...new Set([...folders, ...outside])];
  };
  const watch = (): void => {
    for (const watcher of watchers) watcher.dispose();
    watchers = projects().flatMap((project) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(project), ".jetson-memprof/runs/*/{run,label}.json");
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      watcher.onDidCreate(settle.call);
      watcher.onDidChange(settle.call);
      watcher.onDidDelete(settle.call);
      return [watcher, followEntries(runsFolderOf(project), settle.call)];
    });
  };
  watch();
  const workspace = vscode.workspace.onDidChangeWorkspaceFolders(() => {
    watch();
    changed.fire();
  });

  return {
    onChanged: changed.event,
    all: () => projects().map(runsFolderOf),
    async add(projectFolder) {
      if (projects().includes(projectFolder)) return;
      outside.add(projectFolder);
      watch();
      changed.fire();
      await memory.update(KEY, [...outside]);
    },
    changed: () => changed.fire(),
    holds(runFolder) {
      return projects().some(
        (project) => path.dirname(path.resolve(runFolder)) === path.resolve(runsFolderOf(project)),
      );
    },
    dispose() {
      settle.cancel();
      workspace.dispose();
      changed.dispose();
      for (const watcher of watchers) watcher.dispose();
    },
  };
}
