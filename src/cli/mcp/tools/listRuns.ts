/** `list_runs`: which runs there are. */
import * as path from "node:path";
import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { peakText } from "../../../profile/run/runJson.ts";
import { formatDuration } from "../../../profile/text/format.ts";
import { filtered } from "../../../runs/list/arrange.ts";
import { endWords, outcomeOf } from "../../../runs/list/outcome.ts";
import { createRunList } from "../../../runs/list/runList.ts";
import type { RunListEntry, RunSummary } from "../../../runs/model.ts";
import { fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import { ROWS, rowsSay, TEXT } from "./fields.ts";

const USUAL = 20;
const list = createRunList();

export const listRuns = tool(
  {
    name: "list_runs",
    title: "List the project's memory runs",
    description:
      "Lists recorded memory profiles (runs) of the project, newest first: what ran, when, where, how it ended, and the peak of its RSS. Other tools take a run's id.",
    takes: { rows: ROWS, text: v.optional(TEXT), tag: v.optional(TEXT) },
    says: {
      rows: rowsSay(USUAL),
      text: "Only runs in whose id, name, note, tags, command, target or ending this stands.",
      tag: "Only runs with this tag.",
    },
  },
  async ({ rows = USUAL, text, tag }, workspace) => {
    const folders = await workspace.runFolders();
    const all = await list.runs([...new Set(folders.map((folder) => path.dirname(folder)))]);
    const found = filtered(all, defined({ text, tag }));
    return fitted(
      (count) => {
        const shown = found.slice(0, count);
        const left = found.length - shown.length;
        return {
          lines: [
            `${found.length} of ${all.length} runs${left > 0 ? `, the newest ${shown.length} of them` : ""}.`,
            ...shown.map(lineOf),
          ],
          data: { runs: shown.map(dataOf), left_out: left },
        };
      },
      Math.min(rows, found.length),
      rows > USUAL,
    );
  },
);

function lineOf(entry: RunListEntry): string {
  if (entry.kind === "unreadable") return `${path.basename(entry.folder)}  cannot be read: ${quoted(entry.reason)}`;
  const { run } = entry;
  const facts = [
    quoted(run.title, 120),
    run.target === undefined ? undefined : `on ${quoted(run.target, 80)}`,
    endOf(run),
    run.elapsedMs === undefined ? undefined : formatDuration(run.elapsedMs),
    run.rssPeak === undefined ? "peak not known" : peakText(run, run.rssPeak),
    run.label.name === undefined ? undefined : `called ${quoted(run.label.name, 80)}`,
  ];
  return `${path.basename(run.folder)}  ${facts.filter((fact) => fact !== undefined).join(" · ")}`;
}

function endOf(run: RunSummary): string {
  if (run.state === "running") return "not ended: it runs, or was not followed to its end";
  const isUntold = run.imported !== undefined && run.exit === undefined;
  return isUntold ? "how it ended is not known" : outcomeOf(run) === "finished" ? "finished" : endWords(run.exit);
}

function dataOf(entry: RunListEntry): object {
  if (entry.kind === "unreadable") return { id: path.basename(entry.folder), unreadable: untrusted(entry.reason) };
  const { run } = entry;
  const { name, note, tags } = run.label;
  return defined({
    id: path.basename(run.folder),
    title: untrusted(run.title, 120),
    target: run.target === undefined ? undefined : untrusted(run.target, 80),
    simulated: run.simulated ? true : undefined,
    started: run.started,
    state: run.state,
    ended: endOf(run),
    elapsed_ms: run.elapsedMs,
    rss_peak_bytes: run.rssPeak,
    engine: run.massif ? "massif" : undefined,
    metrics: run.metrics,
    has_model_account: run.model ? true : undefined,
    name: name === undefined ? undefined : untrusted(name, 80),
    note: note === undefined ? undefined : untrusted(note, 120),
    tags: tags.length === 0 ? undefined : tags.slice(0, 5).map((one) => untrusted(one, 40)),
  });
}
