/** Loading data on a board whose CPU and GPU share the memory. */
import { defined } from "../../../profile/defined.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { sentences, t } from "../../../words/t.ts";
import type { Moment } from "../../moments/model.ts";
import { endedInCuda, type Rule, type RunFacts } from "../facts.ts";
import { CUDA_FOR_TEGRA, TORCH_DATA } from "../sources.ts";
import { editOf, placed } from "./steps.ts";

export const WORKERS = /\bnum_workers\s*=\s*[1-9]\d{0,3}\b/;
export const PINNED = /\bpin_memory\s*=\s*True\b/;

export const loaderWorkers: Rule = (facts) => {
  const { report, lines, tightest, tight, memTotal } = facts;
  const line = lines.find(({ text }) => WORKERS.test(text));
  const inLoader = /DataLoader|multiprocessing|fork/i.test(
    [report?.message ?? "", ...(report?.stack ?? []).flatMap(({ path, text }) => [path, text ?? ""])].join("\n"),
  );
  const refused = (report?.kind === "errno-12" && (line !== undefined || inLoader)) || workerKilled(facts);
  const workers = workersAt(tightest, facts);
  const heavy = tight && workers !== undefined && memTotal !== undefined && workers.bytes >= 0.05 * memTotal;
  if (!refused && !(heavy && line !== undefined)) return undefined;
  return {
    rule: "loader-workers",
    symptom: refused
      ? t("A worker process of the DataLoader could not be started or was killed because memory ran out.")
      : t("The DataLoader's worker processes hold memory that the script lacks."),
    evidence: [
      ...(report?.message === undefined || !refused
        ? []
        : [t("The error says: {0}", report.message.split("\n", 1)[0] ?? "")]),
      ...(workers === undefined ? [] : [heldByWorkers(workers)]),
      ...(line === undefined
        ? []
        : [t("{0}:{1} asks for {2}", line.path, line.line, WORKERS.exec(line.text)?.[0] ?? "")]),
    ],
    remedy: t(
      "Load the data in the script's own process (`num_workers=0`). Each worker holds batches of its own and a copy of what Python changes; on a board with few cores they gain little.",
    ),
    steps: editOf(facts, line, WORKERS, (found) => found.replace(/\d+$/, "0"), t("Load the data without workers")),
    ...defined({
      saves:
        workers === undefined
          ? undefined
          : {
              bytes: workers.bytes,
              how: t("what the other processes of the run held of their own at the tightest moment"),
            },
    }),
    source: TORCH_DATA,
    ...placed(line ?? report?.place),
    strength: refused && inLoader ? "certain" : "likely",
  };
};

export const pinnedMemory: Rule = (facts) => {
  const { board, cudaUsed, tight, lines, tightest } = facts;
  const line = lines.find(({ text }) => PINNED.test(text));
  if (!board.tegra || !(cudaUsed || endedInCuda(facts)) || !tight || line === undefined) return undefined;
  const available = tightest?.meminfo["MemAvailable"];
  const slow = board.computeCapability !== undefined && Number(board.computeCapability) < 7.2;
  return {
    rule: "pinned-memory",
    symptom: t("Batches are copied into pinned memory, which saves nothing where CPU and GPU share one memory."),
    evidence: [
      t("{0}:{1} has pin_memory=True", line.path, line.line),
      ...(available === undefined
        ? []
        : [t("At the tightest moment {0} of memory were available", formatBytes(available))]),
    ],
    remedy: sentences(
      t(
        "Leave `pin_memory` off on a Jetson: each batch then has one copy less in memory, and pinned memory can never be swapped.",
      ),
      slow
        ? t("On this board's GPU pinned memory also bypasses the CPU's cache, so that reading it is slow.")
        : undefined,
    ),
    steps: editOf(facts, line, PINNED, (found) => found.replace(/True$/, "False"), t("Do not pin memory")),
    source: CUDA_FOR_TEGRA,
    place: { path: line.path, line: line.line },
    strength: "likely",
  };
};

function workerKilled({ report }: RunFacts): boolean {
  return /DataLoader worker .{0,200}(?:killed by signal: Killed|shared memory)/s.test(report?.message ?? "");
}

function heldByWorkers({ count, bytes }: { readonly count: number; readonly bytes: number }): string {
  const held = formatBytes(bytes);
  return count === 1
    ? t("1 more process of the run held {0} of its own at the tightest moment", held)
    : t("{0} more processes of the run held {1} of their own at the tightest moment", count, held);
}

/** What the run's processes beside its main one hold that is theirs alone, or at least not a file's. */
export function workersAt(moment: Moment | undefined, { run }: Pick<RunFacts, "run">) {
  const main = run.processes.find(({ kind }) => kind === "main")?.pid;
  const others = (moment?.processes ?? []).filter(({ pid }) => pid !== main && moment?.run.includes(pid));
  const known = others.flatMap(({ uss, pss }) => uss ?? pss ?? []);
  // Without smaps nobody knows what a forked process shares with its parent.
  return main === undefined || others.length === 0 || known.length < others.length
    ? undefined
    : { count: others.length, bytes: known.reduce((sum, bytes) => sum + bytes, 0) };
}
