/** The words of the Memory Runs view: label, description, tooltip and what a screen reader says of each row. */
import { formatBytes, formatChange, formatCount, formatDuration } from "../../profile/format.ts";
import { metricPrefix } from "../../profile/metric.ts";
import type { Exit, Metric } from "../../profile/model.ts";
import { netOrSelf } from "../../profile/totals.ts";
import { atPeakText, heapLabel, heapMoved, measuredText } from "../../protocol/heapText.ts";
import type {
  HeapFile,
  HeapFunction,
  HeapLine,
  HeapPeak,
  RunSummary,
  TreeFile,
  TreeFunction,
  TreeLine,
} from "../../protocol/server.ts";

export interface RowText {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
}

/** `active`: this window is connected to it. `unfinished`: it goes on, or ended, without a connection. */
export type RunActivity = "active" | "unfinished" | "finished";

export function runActivity(run: Pick<RunSummary, "state" | "exit">, connected: boolean): RunActivity {
  if (connected) return "active";
  return run.state === "running" ? "unfinished" : "finished";
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const TODAY = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const THIS_YEAR = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

/** As short as can be told apart from other runs: a row has little room. */
function shortWhen(time: Date, now: Date): string {
  if (time.toDateString() === now.toDateString()) return TODAY.format(time);
  return (time.getFullYear() === now.getFullYear() ? THIS_YEAR : DATE).format(time);
}

function startOf(run: Pick<RunSummary, "started">): Date | undefined {
  const time = run.started === undefined ? Number.NaN : Date.parse(run.started);
  return Number.isNaN(time) ? undefined : new Date(time);
}

export function endText(activity: RunActivity, exit: Exit | undefined): string {
  if (activity === "active") return "running";
  if (activity === "unfinished") return "not connected";
  switch (exit?.kind) {
    case undefined:
      return "end not recorded";
    case "exited":
      return exit.code === 0 ? "finished" : `exit code ${exit.code}`;
    case "signalled":
      return `ended by ${exit.signal}`;
    case "out-of-memory":
      return "out of memory";
    case "cancelled":
      return "cancelled";
    case "not-started":
      return "not started";
    case "lost":
      return "lost";
  }
}

/** It ended otherwise than its user wanted, perhaps for want of memory. */
export function endedBadly({ state, exit }: Pick<RunSummary, "state" | "exit">): boolean {
  if (state === "running" || exit === undefined) return false;
  return exit.kind === "exited" ? exit.code !== 0 : exit.kind !== "cancelled" && exit.kind !== "not-started";
}

/** ThemeIcon's name; the words say the same. */
export function runIcon(activity: RunActivity, exit: Exit | undefined, shown: boolean): string {
  if (activity === "active") return "sync~spin";
  if (shown) return "eye";
  if (activity === "unfinished") return "debug-disconnect";
  if (exit?.kind === "exited" && exit.code === 0) return "pass";
  return exit?.kind === "cancelled" ? "circle-slash" : "error";
}

export function describeRun(run: RunSummary, activity: RunActivity, shown: boolean, now = new Date()): RowText {
  const end = endText(activity, run.exit);
  const target = run.target?.replace(/^ssh:\/\//, "");
  const start = startOf(run);
  const when = start === undefined ? undefined : DATE.format(start);
  // Under massif the RSS is valgrind's own for the most part: it would be taken for the script's.
  const peak = run.rssPeak === undefined || run.massif ? undefined : `peak ${formatBytes(run.rssPeak)}`;
  const rss = run.massif ? "Most memory of valgrind and the script together (RSS)" : "Most memory (RSS)";
  const shortTarget = run.simulated ? "simulated board" : target;
  const description = join(" · ", [
    end === "finished" ? undefined : end,
    run.massif ? "massif" : undefined,
    peak,
    start === undefined ? undefined : shortWhen(start, now),
    shortTarget,
  ]);
  return {
    label: run.title,
    description,
    tooltip: join("\n", [
      run.title,
      when === undefined ? undefined : `Started: ${when}`,
      target === undefined ? undefined : `Ran on: ${target}`,
      run.rssPeak === undefined ? undefined : `${rss}: ${formatBytes(run.rssPeak)}`,
      run.elapsedMs === undefined ? undefined : `Time: ${formatDuration(run.elapsedMs)}`,
      `State: ${end}`,
      shown ? "Its figures are shown in the editor." : undefined,
      ...run.warnings.map((warning) => `Note: ${warning}`),
    ]),
    spoken: join(", ", [
      `Run of ${run.title}`,
      run.massif ? "with Massif" : undefined,
      end,
      peak,
      when,
      target,
      shown ? "shown in the editor" : undefined,
    ]),
  };
}

export function describeFile(file: TreeFile, metric: Metric): RowText {
  const net = file.net === undefined ? undefined : `${metricPrefix(metric)}${formatChange(file.net)}`;
  const most = Math.max(0, ...file.functions.map((fn) => fn.peak ?? 0));
  const peak = most > Math.max(0, file.net ?? 0) ? `peak ${formatChange(most)}` : undefined;
  return {
    label: file.path,
    description: join(" · ", [net, peak]),
    tooltip: fileTooltip(file),
    spoken: join(", ", [file.path, net, peak]),
  };
}

function fileTooltip({ path, absolutePath }: Pick<TreeFile, "path" | "absolutePath">): string {
  return absolutePath === undefined ? `${path} is no longer in the project.` : absolutePath;
}

export function describeFunction(fn: TreeFunction, metric: Metric): RowText {
  const name = functionName(fn);
  const net = fn.net === undefined ? undefined : `${metricPrefix(metric)}${formatChange(fn.net)}`;
  const peak = fn.peak === undefined || fn.peak === 0 ? undefined : `peak ${formatChange(fn.peak)}`;
  const time = fn.timeNs > 0 ? formatDuration(fn.timeNs / 1e6) : undefined;
  const calls = fn.calls > 0 ? `${formatCount(fn.calls)} ${fn.calls === 1 ? "call" : "calls"}` : undefined;
  return {
    label: name,
    description: join(" · ", [net, peak, time, calls]),
    tooltip: join("\n", [`${name}, line ${fn.defLine}`, join(" · ", [net, peak, time, calls])]),
    spoken: join(", ", [`Function ${name}`, net, peak, time, calls]),
  };
}

function functionName({ name }: Pick<TreeFunction, "name">): string {
  return name === "<module>" ? "module level" : name;
}

export function describeLine(line: TreeLine, metric: Metric): RowText {
  const figures = `${metricPrefix(metric)}${lineFigures(line)}`;
  const code = line.text.trim();
  return {
    // The figures first: they are what must be seen where the view is narrow.
    label: figures,
    description: `${line.line}: ${code}`,
    tooltip: join("\n", [
      code,
      join(" · ", [figures, `${formatCount(line.hits)} ${line.hits === 1 ? "hit" : "hits"}`]),
    ]),
    spoken: join(", ", [`Line ${line.line}`, figures, code]),
  };
}

export function describeHeapFile(file: HeapFile, peak: HeapPeak | undefined): RowText {
  const held = atPeakText(file.total, peak);
  return {
    label: file.path,
    description: held,
    tooltip: join("\n", [fileTooltip(file), held, ownText(file, "the file's own lines")]),
    spoken: join(", ", [file.path, held]),
  };
}

export function describeHeapFunction(fn: HeapFunction, peak: HeapPeak | undefined): RowText {
  const name = functionName(fn);
  const held = atPeakText(fn.total, peak);
  return {
    label: name,
    description: held,
    tooltip: join("\n", [`${name}, line ${fn.defLine}`, held, ownText(fn, "its own lines")]),
    spoken: join(", ", [`Function ${name}`, held]),
  };
}

/** How much of what was held no other code of the project stands behind. */
function ownText({ total, own }: Pick<HeapFunction, "total" | "own">, whose: string): string | undefined {
  return own < total ? `${formatBytes(own)} of it by ${whose}, not through other code of the project` : undefined;
}

export function describeHeapLine(line: HeapLine, peak: HeapPeak | undefined): RowText {
  const code = line.text.trim();
  const held = heapLabel(line, peak);
  const { measured, total } = line;
  const change =
    measured && `${formatChange(measured.net)} measured before and after it ran, ${measuredText(measured)}`;
  const other = heapMoved(line) === total ? change : total > 0 ? atPeakText(total, peak) : undefined;
  return {
    label: held,
    description: `${line.line}: ${code}`,
    tooltip: join("\n", [code, held, ownText(line, "this line itself"), other]),
    spoken: join(", ", [`Line ${line.line}`, held, code]),
  };
}

function lineFigures(line: TreeLine): string {
  const net = netOrSelf(line);
  const held = (line.peak ?? 0) > Math.max(0, net) ? `peak ${formatChange(line.peak ?? 0)}` : undefined;
  // As beside the line in the editor: a line that only held memory is told by its peak alone.
  return join(" · ", [held !== undefined && net === 0 ? undefined : formatChange(net), held]);
}

function join(separator: string, parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(separator);
}
