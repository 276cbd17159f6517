/** A run's ending and the advice on its memory, as text. */
import type { Advice, AdviceStep } from "../../../board/advice/model.ts";
import type { EndingReport, LastMoment, StackFrame } from "../../../board/ending/model.ts";
import type { ExplainedRun } from "../../../board/node/readEnding.ts";
import { formatBytes, formatDuration, orUnknown } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import type { CudaOom } from "../../../torch/oomMessage.ts";
import { type Phrase, phrase, say, t, verbatim } from "../../../words/t.ts";

/** @param running the run has not ended */
export function whyText(title: string, running: boolean, { report, advice }: ExplainedRun): string {
  const none = running ? t("The run is still in progress.") : t("This run did not end because memory ran out.");
  const parts = [[title], report === undefined ? [none] : reportLines(report), ...advice.map(adviceLines)];
  if (advice.length === 0 && !running) parts.push([t("There is no advice on its memory.")]);
  return `${parts.map((lines) => lines.map(printable).join("\n")).join("\n\n")}\n`;
}

const SURENESS: Readonly<Record<EndingReport["sureness"], Phrase>> = {
  exact: phrase("This is known for certain."),
  estimated: phrase("This is an estimate."),
  inferred: phrase("This is a conclusion from what is known, not certain."),
};

function reportLines(report: EndingReport): string[] {
  return [
    report.headline,
    ...report.meaning.split("\n"),
    say(SURENESS[report.sureness]),
    ...(report.evidence === undefined ? [] : titled(t("How it is known"), report.evidence.split("\n"))),
    ...titled(say(STACK_TITLES[report.stackSource]), stackLines(report)),
    ...titled(t("It says"), report.message?.split("\n") ?? []),
    ...titled(t("PyTorch's figures"), report.allocator === undefined ? [] : allocatorLines(report.allocator)),
    ...titled(t("The kernel's log"), report.kernelLog),
    ...titled(t("The last moments"), momentLines(report.last)),
  ];
}

const STACK_TITLES: Readonly<Record<EndingReport["stackSource"], Phrase>> = {
  traceback: phrase("Where it was, by its traceback, innermost last"),
  recorded: phrase("Where it was, by the last record, innermost last"),
  none: verbatim(""),
};

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", t("{0}:", title), ...lines.map((line) => `  ${line}`)];
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
    [t("asked for"), figures.tried],
    [t("in tensors"), figures.allocated],
    [t("reserved by PyTorch"), figures.reserved],
    [t("reserved, not in tensors"), figures.unallocated],
    [t("in use by the process"), figures.inUse],
    [t("free for the GPU"), figures.free],
    [t("GPU memory in all"), figures.total],
  ];
  return aligned(
    rows.flatMap(([name, bytes]) => (bytes === undefined ? [] : [[formatBytes(bytes), name]])),
    1,
  );
}

function momentLines(moments: readonly LastMoment[]): string[] {
  if (moments.length === 0) return [];
  const size = (bytes: number | undefined) => orUnknown(bytes, formatBytes);
  const rows = moments.map((moment) => [
    formatDuration(moment.t),
    size(moment.memAvailable),
    size(moment.swapFree),
    size(moment.runRss),
    size(moment.nvmap),
    moment.at === undefined ? "" : `${moment.at.path}:${moment.at.line}`,
  ]);
  return aligned([[t("Time"), t("Available"), t("Swap free"), t("RSS of the run"), "NvMap", t("Line")], ...rows], 5);
}

function adviceLines(advice: Advice, index: number): string[] {
  const { symptom, evidence, remedy, steps, saves, source, strength } = advice;
  return [
    `${index + 1}. ${symptom}${strength === "likely" ? " (likely)" : ""}`,
    ...evidence.map((one) => `   - ${one}`),
    `   ${remedy}`,
    ...(saves === undefined ? [] : [t("   Saves about {0}: {1}.", formatBytes(saves.bytes), saves.how)]),
    ...steps.flatMap((step) => stepLines(step).map((line) => `   ${line}`)),
    t("   See {0}: {1}", source.title, source.url),
  ];
}

function stepLines(step: AdviceStep): string[] {
  switch (step.kind) {
    case "command":
      return [t("{0}, on the board:", step.label), `  ${step.command}`];
    case "environment":
      return [`${step.label}:`, t("  jetson-memprof profile --env {0}={1} …", step.name, step.value)];
    case "edit":
      return [t("{0}, in {1}:{2}:", step.label, step.place.path, step.place.line), `  ${step.find} → ${step.replace}`];
  }
}
