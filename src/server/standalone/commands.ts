/** What a client can ask for by `workspace/executeCommand`; all but `describeRun` can be typed by a user. */
import * as path from "node:path";
import { isMetric } from "../../profile/lines/metric.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunListEntry } from "../../protocol/server.ts";
import { runAmong } from "../../runs/list/runAmong.ts";
import { t } from "../../words/t.ts";

export const DESCRIBE_RUN = "jetsonMemprof.describeRun";
export const COMMANDS = [
  "jetsonMemprof.showRun",
  "jetsonMemprof.showLatest",
  "jetsonMemprof.hideFigures",
  "jetsonMemprof.chooseMetric",
  DESCRIBE_RUN,
] as const;

export type Request =
  /** Without a name the user is asked. */
  | { readonly kind: "showRun"; readonly name: string | undefined }
  | { readonly kind: "showLatest" }
  | { readonly kind: "hideFigures" }
  | { readonly kind: "chooseMetric"; readonly metric: Metric | undefined }
  | { readonly kind: "describeRun"; readonly folder: string };

/** @throws UserError `no-such-command`, `bad-argument` */
export function readRequest(command: string, args: readonly unknown[]): Request {
  const [first] = args;
  switch (command) {
    case "jetsonMemprof.showRun":
      return { kind: "showRun", name: first == null ? undefined : text(command, first) };
    case "jetsonMemprof.showLatest":
      return { kind: "showLatest" };
    case "jetsonMemprof.hideFigures":
      return { kind: "hideFigures" };
    case "jetsonMemprof.chooseMetric":
      if (first != null && !isMetric(first)) {
        throw new UserError(
          "bad-argument",
          t("{0} takes {1}, not {2}.", command, METRICS.join(", "), JSON.stringify(first)),
        );
      }
      return { kind: "chooseMetric", metric: first ?? undefined };
    case DESCRIBE_RUN:
      return { kind: "describeRun", folder: text(command, first) };
    default:
      throw new UserError(
        "no-such-command",
        t("There is no command {0} here.", command),
        t("Available: {0}.", COMMANDS.join(", ")),
      );
  }
}

function text(command: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new UserError("bad-argument", t("{0} takes the name of a run, not {1}.", command, JSON.stringify(value)));
}

/**
 * @param text a run's folder, or what `runAmong` takes
 * @returns its folder
 * @throws UserError `no-such-run`
 */
export async function runNamed(text: string, runs: readonly RunListEntry[]): Promise<string> {
  const folders = runs.map((entry) => (entry.kind === "run" ? entry.run.folder : entry.folder));
  const found = folders.find((folder) => folder === path.resolve(text)) ?? (await runAmong(text, folders));
  if (found !== undefined) return found;
  throw new UserError(
    "no-such-run",
    t('There is no run "{0}" in the folders that are open.', text),
    t('"jetson-memprof runs" lists them.'),
  );
}
