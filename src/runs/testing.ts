/** Summaries and projects with runs, for tests. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { runJson } from "../profile/testing.ts";
import type { RunSummary } from "./model.ts";

export function summary(changes: Partial<RunSummary> & Pick<RunSummary, "folder">): RunSummary {
  return {
    id: path.basename(changes.folder),
    title: "train.py",
    script: "train.py",
    state: "finished",
    exit: { kind: "exited", code: 0 },
    simulated: false,
    massif: false,
    metrics: ["rss"],
    label: { tags: [], pinned: false },
    model: false,
    snapshots: [],
    warnings: [],
    ...changes,
  };
}

export interface TestHistory {
  readonly project: string;
  readonly runs: string;
  /** Makes a finished run, with more files where they are given; returns its folder. */
  add(id: string, files?: Readonly<Record<string, string | object>>): string;
  remove(): void;
}

/** A project whose runs are empty but for run.json, and look as if nothing touched them for an hour. */
export function makeHistory(): TestHistory {
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jmp-history-")));
  const runs = path.join(project, ".jetson-memprof", "runs");
  fs.mkdirSync(runs, { recursive: true });
  return {
    project,
    runs,
    add(id, files = {}) {
      const folder = path.join(runs, id);
      fs.mkdirSync(folder);
      const hourAgo = new Date(Date.now() - 3_600_000);
      for (const [name, content] of Object.entries({ "run.json": runJson({ id }), ...files })) {
        const text = typeof content === "string" ? content : JSON.stringify({ schema: 1, ...content });
        fs.writeFileSync(path.join(folder, name), text);
        fs.utimesSync(path.join(folder, name), hourAgo, hourAgo);
      }
      return folder;
    },
    remove: () => fs.rmSync(project, { recursive: true, force: true }),
  };
}
