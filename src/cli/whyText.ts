/** A run's ending and the advice on its memory, as text. */
import type { Advice, AdviceStep } from "../board/advice/model.ts";
import type { EndingReport, LastMoment, StackFrame } from "../board/ending/model.ts";
import type { ExplainedRun } from "../board/node/readEnding.ts";
import { formatBytes } from "../profile/format.ts";
import { aligned } from "../profile/table.ts";
import { printable } from "../profile/text.ts";
import type { CudaOom } from "../torch/oomMessage.ts";

/** @param running the run has not ended */
export function whyText(title: string, running: boolean, { report, advice }: ExplainedRun): string {
  const none = running ? "The run is still going on." : "This run did not end for want of memory.";
  const parts = [[title], report === undefined ? [none] : reportLines(report), ...advice.map(adviceLines)];
  if (advice.length === 0 && !running) parts.push(["There is no advice on its memory."]);
  return `${parts.map((lines) => lines.map(printable).join("\n")).join("\n\n")}\n`;
}

const SURENESS: Readonly<Record<EndingReport["sureness"], string>> = {
  exact: "This is known for certain.",
  estimated: "This is an estimate.",
  inferred: "This is a conclusion from what is known, not certain.",
};

function reportLines(report: EndingReport): string[] {
  return [
    report.headline,
    ...report.meaning.split("\n"),
    SURENESS[report.sureness],
    ...(report.evidence === undefined ? [] : titled("How it is known", report.evidence.split("\n"))),
    ...titled(STACK_TITLES[report.stackSource], stackLines(report)),
    ...titled("It says", report.message?.split("\n") ?? []),
    ...titled("PyTorch's figures", report.allocator === undefined ? [] : allocatorLines(report.allocator)),
    ...titled("The kernel's log", report.kernelLog),
    ...titled("The last moments", momentLines(report.last)),
  ];
}

const STACK_TITLES: Readonly<Record<EndingReport["stackSource"], string>> = {
  traceback: "Where it was, by its traceback, innermost last",
  recorded: "Where it was, by the last record, innermost last",
  none: "",
};

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function stackLines({ stack, place }: EndingReport): string[] {
  const isPlace = (frame: StackFrame) => frame.own && frame.path === place?.path && frame.line === place.line;
  const inner = stack.map(isPlace).lastIndexOf(true);
  return aligned(
    stack.map((frame, index) => [
      index === inner ? ">" : " ",
      `${frame.path}:${frame.line}`,
      frame.function ?? "",
      frame.text ?? "",
    ]),
    0,
  );
}

function allocatorLines(figures: CudaOom): string[] {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ["asked for", figures.tried],
    ["in tensors", figures.allocated],
    ["reserved by PyTorch", figures.reserved],
    ["reserved, not in tensors", figures.unallocated],
    ["in use by the process", figures.inUse],
    ["free for the GPU", figures.free],
    ["GPU memory in all", figures.total],
  ];
  return aligned(
    rows.flatMap(([name, bytes]) => (bytes === undefined ? [] : [[formatBytes(bytes), name]])),
    1,
  );
}

function momentLines(moments: readonly LastMoment[]): string[] {
  if (moments.length === 0) return [];
  const size = (bytes: number | undefined) => (bytes === undefined ? "-" : formatBytes(bytes));
  const rows = moments.map((moment) => [
    `${(moment.t / 1000).toFixed(1)} s`,
    size(moment.memAvailable),
    size(moment.swapFree),
    size(moment.runRss),
    size(moment.nvmap),
    moment.at === undefined ? "" : `${moment.at.path}:${moment.at.line}`,
  ]);
  return aligned([["Time", "Available", "Swap free", "RSS of the run", "NvMap", "Line"], ...rows], 5);
}

function adviceLines(advice: Advice, index: number): string[] {
  const { symptom, evidence, remedy, steps, saves, source, strength } = advice;
  return [
    `${index + 1}. ${symptom}${strength === "likely" ? " (likely)" : ""}`,
    ...evidence.map((one) => `   - ${one}`),
    `   ${remedy}`,
    ...(saves === undefined ? [] : [`   Saves about ${formatBytes(saves.bytes)}: ${saves.how}.`]),
    ...steps.flatMap((step) => stepLines(step).map((line) => `   ${line}`)),
    `   See ${source.title}: ${source.url}`,
  ];
}

function stepLines(step: AdviceStep): string[] {
  switch (step.kind) {
    case "command":
      return [`${step.label}, on the board:`, `  ${step.command}`];
    case "environment":
      return [`${step.label}:`, `  jetson-memprof profile --env ${step.name}=${step.value} …`];
    case "edit":
      return [`${step.label}, in ${step.place.path}:${step.place.line}:`, `  ${step.find} → ${step.replace}`];
  }
}
