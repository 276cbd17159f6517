/** Checks against a baseline. Pure. */
import type { ComparedFile, ComparedLine, Comparison, Difference, Side } from "../compare/model.ts";
import type { Metric } from "../profile/model.ts";
import { formatBytes } from "../profile/text/format.ts";
import { endingFinding } from "./absolute.ts";
import type { Check, CheckResult, Finding } from "./model.ts";
import { largestFirst, resultOf, worst } from "./result.ts";
import { COMPARED_NAMES } from "./words.ts";

const PEAKS: Readonly<Record<Metric, (comparison: Comparison) => Difference>> = {
  rss: ({ peak }) => peak,
  cuda: ({ cudaPeak }) => cudaPeak,
  system: ({ boardPeak }) => boardPeak,
};

export function judgePeakGrowth(check: Check & { readonly kind: "peak-growth" }, comparison: Comparison): CheckResult {
  const reason = sideProblem(comparison);
  if (reason !== undefined) return resultOf(check, reason, [{ outcome: "unknown", message: reason }]);
  const difference = PEAKS[check.metric](comparison);
  const growth = growthOf(difference);
  if (growth === undefined) {
    const message = `It is not known ${difference.before === undefined ? "of the baseline" : "of the run"}.`;
    return resultOf(check, message, [{ outcome: "unknown", message }]);
  }
  // Under massif there is no RSS of the script's own, and what is compared is its heap.
  const subject = check.metric === "rss" && comparison.metric === "heap" ? "The heap's peak" : "It";
  const message = `${subject} ${changeText(difference, growth)}${judgement(difference, growth, check.limit)}.`;
  const finding = findingOf(difference, growth, check.limit, message);
  return resultOf(check, message, finding === undefined ? [] : [finding]);
}

export function judgeLineGrowth(check: Check & { readonly kind: "line-growth" }, comparison: Comparison): CheckResult {
  const reason = sideProblem(comparison) ?? metricProblem(check.metric, comparison);
  if (reason !== undefined) return resultOf(check, reason, [{ outcome: "unknown", message: reason }]);
  const known = comparison.files.some(({ lines }) => lines.some((line) => line.after !== undefined));
  if (!known) {
    const message = "The run measured no line.";
    return resultOf(check, message, [{ outcome: "unknown", message }]);
  }
  const findings = comparison.files
    .flatMap((file) => file.lines.flatMap((line) => lineFinding(file, line, check.limit, comparison) ?? []))
    .sort(largestFirst);
  if (findings.length === 0) return resultOf(check, "No line grew by more.", []);
  return resultOf(check, countText(findings), findings);
}

function countText(findings: readonly Finding[]): string {
  const count = (outcome: Finding["outcome"]) => findings.filter((finding) => finding.outcome === outcome).length;
  const lines = (amount: number) => (amount === 1 ? "one line" : `${amount} lines`);
  const [broken, unsure, unknown] = [count("broken"), count("unsure"), count("unknown")];
  const parts = [
    ...(broken > 0 ? [`${lines(broken)} grew by more`] : []),
    ...(unsure > 0 ? [`${lines(unsure)} may have`] : []),
    ...(unknown > 0 ? [`of ${lines(unknown)} it is not known`] : []),
  ].join(", ");
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}

/** The worse of what the line kept and of what it held. */
function lineFinding(
  file: ComparedFile,
  line: ComparedLine,
  limit: number,
  { metric }: Comparison,
): Finding | undefined {
  if (line.after === undefined) return undefined;
  const place = { path: file.path, line: line.after, ...(line.text === "" ? {} : { text: line.text }) };
  const figure = (verb: string, difference: Difference): Finding[] => {
    const growth = growthOf(difference);
    if (growth === undefined) return halfKnown(verb, difference, limit);
    const words = `${changeText(difference, growth)}${judgement(difference, growth, limit)}`;
    const message = `This line's ${COMPARED_NAMES[metric]}, ${verb} with what it called, ${words}.`;
    return [findingOf(difference, growth, limit, message)].filter((finding) => finding !== undefined);
  };
  const found = [...figure("kept", line.net), ...figure("held at most", line.peak)];
  const outcome = worst(found);
  const [largest] = found.filter((finding) => finding.outcome === outcome).sort(largestFirst);
  return largest && { ...largest, place };
}

/** A line of which one side is not known is no pass, unless what is known is too little to have grown by so much. */
function halfKnown(verb: string, { before, after }: Difference, limit: number): Finding[] {
  if (before === undefined ? after === undefined || after.median <= limit : after !== undefined) return [];
  const side = before === undefined ? "baseline" : "run";
  return [{ outcome: "unknown", message: `What this line ${verb} is not known of the ${side}.` }];
}

/** Bytes; a line that the baseline does not have grew from nothing. Undefined where it cannot be told. */
function growthOf({ verdict, change, after }: Difference): number | undefined {
  switch (verdict) {
    case "more":
    case "less":
    case "same":
      return change;
    case "only-after":
      return after?.median;
    case "only-before":
      return 0;
    case "unknown":
      return undefined;
  }
}

function findingOf(difference: Difference, growth: number, limit: number, message: string): Finding | undefined {
  if (growth <= limit) return undefined;
  return { outcome: growth - limit > difference.noise.amount ? "broken" : "unsure", message, actual: growth };
}

function changeText({ verdict, before, after }: Difference, growth: number): string {
  const now = after === undefined ? "" : ` to ${formatBytes(after.median)}`;
  if (verdict === "only-after") return `is new with ${formatBytes(growth)}`;
  const from = before === undefined ? "" : `, from ${formatBytes(before.median)}${now}`;
  if (growth === 0) return `is ${formatBytes(after?.median ?? 0)} as before`;
  return `${growth > 0 ? "grew" : "shrank"} by ${formatBytes(Math.abs(growth))}${from}`;
}

function judgement({ noise }: Difference, growth: number, limit: number): string {
  const above = growth - limit;
  if (above <= 0) return "";
  if (above > noise.amount) return `, ${formatBytes(above)} above the limit`;
  const size = noise.known ? "which is" : "of single runs at least";
  return `, ${formatBytes(above)} above the limit, but no more than the noise, ${size} ${formatBytes(noise.amount)}`;
}

/** Why nothing can be said of any growth: runs that were cut short hold less than they would have. */
function sideProblem({ before, after }: Comparison): string | undefined {
  const [baseline] = endings(before);
  if (baseline !== undefined) return `The baseline cannot be compared with: ${baseline.message}`;
  const repeats = endings(after);
  // Where all were cut short, what they took until then is told beside how they ended.
  if (repeats.length === after.runs.length) return undefined;
  return repeats[0] && `Not all repeats of the run can be compared: ${repeats[0].message}`;
}

function endings({ runs }: Side): Finding[] {
  return runs.map(({ run }) => endingFinding(run)).filter((finding) => finding !== undefined);
}

function metricProblem(metric: Metric, comparison: Comparison): string | undefined {
  if (comparison.metric === metric || comparison.metric === "heap") return undefined;
  return `Not both runs have figures of ${COMPARED_NAMES[metric]} by line.`;
}
