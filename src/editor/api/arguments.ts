/** What callers give is checked: they may be written in JavaScript, and against another version. */
import * as path from "node:path";
import type { Metric, RunView } from "../../../docs/api/jetson-memprof.d.ts";
import { relativePath } from "../../profile/files/relativePath.ts";
import { METRICS } from "../../profile/model.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { apiError } from "./errors.ts";

const VIEWS: readonly RunView[] = ["lines", "timeline"];

/** @throws JetsonMemprofError `api-version` */
export function versionArgument(version: unknown): void {
  if (version === 1) return;
  const asked = typeof version === "number" ? String(version) : "what was asked for";
  throw apiError(
    "api-version",
    `This Jetson Memory Profiler has version 1 of its interface, not ${asked}. Update the older extension of the two.`,
  );
}

/** @throws JetsonMemprofError `bad-argument` */
export function metricArgument(metric: unknown): Metric {
  return oneOf("metric", metric, METRICS);
}

/** @throws JetsonMemprofError `bad-argument` */
export function viewArgument(view: unknown): RunView {
  return oneOf("view", view, VIEWS);
}

/** @throws JetsonMemprofError `bad-argument` */
export function scriptArgument(script: unknown): string {
  if (typeof script === "string" && path.isAbsolute(script) && /\.(py|ipynb)$/.test(script)) return script;
  throw apiError("bad-argument", "The script is given as the absolute path of a .py or .ipynb file.");
}

/** @throws JetsonMemprofError `bad-argument` */
export function targetArgument(options: unknown): string | undefined {
  if (options === undefined) return undefined;
  if (typeof options === "object" && options !== null) {
    const target = "target" in options ? options.target : undefined;
    if (target === undefined) return undefined;
    if (typeof target === "string" && target.trim() !== "") return target;
  }
  throw apiError("bad-argument", 'The options are { target: "user@host" }, or none.');
}

/**
 * The run of an id or a folder.
 * @throws JetsonMemprofError `bad-argument`, `no-run`
 */
export function findRun(run: unknown, entries: readonly RunListEntry[]): RunSummary {
  if (typeof run !== "string" || run === "") {
    throw apiError("bad-argument", "A run is given by its id or its folder, as listRuns() has them.");
  }
  const isFolder = path.isAbsolute(run);
  for (const entry of entries) {
    if (entry.kind !== "run") continue;
    if (entry.run.id === run || (isFolder && relativePath(entry.run.folder, run) === "")) return entry.run;
  }
  throw apiError("no-run", `There is no run ${JSON.stringify(run.slice(0, 200))} in the folders of this window.`);
}

function oneOf<const T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw apiError("bad-argument", `The ${name} is ${allowed.join(" or ")}.`);
  return found;
}
