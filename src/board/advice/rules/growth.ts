/** Memory that grows as long as the script runs. */
import { formatBytes, formatCount } from "../../../profile/text/format.ts";
import { t } from "../../../words/t.ts";
import { runRss } from "../../ending/lastMoments.ts";
import type { Moment } from "../../moments/model.ts";
import type { ExecutedLine, Rule, RunFacts, SourceLine } from "../facts.ts";
import { TORCH_FAQ } from "../sources.ts";
import { editOf } from "./steps.ts";

const MIB = 2 ** 20;
/** Figures; fewer say nothing of a quarter of the run. */
const FEWEST = 12;

/** A line that runs often and keeps a little each time. */
export const growingLine: Rule = (facts) => {
  const grown = growthOf(facts, runRss);
  if (grown === undefined) return undefined;
  // A loss that is kept explains it where it is computed on the CPU: the line that grows is one of its computation.
  const explained = keptHistory(facts) !== undefined;
  if (!facts.cudaUsed && explained) return undefined;
  const line = facts.executed
    .filter(({ row }) => row.hits >= 20 && (row.maxIncrement ?? 0) <= 0.2 * (row.self ?? 0))
    .sort((a, b) => (b.row.self ?? 0) - (a.row.self ?? 0))[0];
  const self = line?.row.self ?? 0;
  if (line === undefined || self < 0.5 * grown) return undefined;
  return {
    rule: "growth",
    symptom: t("The process grows for as long as the script runs, a little each time one line runs."),
    evidence: [
      t(
        "{0}:{1} kept {2} over {3} executions, {4} each on average",
        line.path,
        line.line,
        formatBytes(self),
        formatCount(line.row.hits),
        formatBytes(self / line.row.hits),
      ),
      t("Over the last three quarters of the run the process grew by {0}, steadily", formatBytes(grown)),
    ],
    remedy: t(
      "Look at what keeps the result of this line: a list that is appended to, or a cache. Clear it at the end of an epoch; of PyTorch's tensors keep numbers (`loss.item()`), or copies without their history (`.detach()`).",
    ),
    steps: [],
    saves: { bytes: self - self / line.row.hits, how: t("what the line kept beyond that of one execution") },
    source: TORCH_FAQ,
    place: { path: line.path, line: line.line },
    strength: explained ? "likely" : "certain",
  };
};

const ADDED = /^\s*[\p{L}_][\p{L}\p{N}_.]*\s*(\+=\s*([\p{L}_]\w*))\s*$/u;
const APPENDED = /^\s*[\p{L}_][\p{L}\p{N}_.]*(\.append\(([\p{L}_]\w*)\))\s*$/u;

/** A tensor keeps all that it was computed from; so does a sum of such tensors. */
export const keptHistory: Rule = (facts) => {
  const { executed, lines, pressed } = facts;
  const found = executed
    .filter(({ row }) => row.hits >= 10)
    .map((line) => ({ line, tensor: keptTensor(line, lines) }))
    .find(({ tensor }) => tensor !== undefined);
  if (found?.tensor === undefined) return undefined;
  const onGpu = growthOf(facts, ({ cuda }) => cuda?.allocated);
  const grown = onGpu ?? growthOf(facts, runRss);
  if (grown === undefined && !pressed) return undefined;
  const { line, tensor } = found;
  return {
    rule: "kept-history",
    symptom: t("A loss is kept as a tensor, with all that it was computed from."),
    evidence: [
      t(
        "{0}:{1} keeps {2}, on which backward() is called, {3} times",
        line.path,
        line.line,
        tensor,
        formatCount(line.row.hits),
      ),
      ...(grown === undefined
        ? []
        : [
            onGpu === undefined
              ? t("The process grew by {0} over the last three quarters of the run", formatBytes(grown))
              : t(
                  "The memory of tensors on the GPU grew by {0} over the last three quarters of the run",
                  formatBytes(grown),
                ),
          ]),
    ],
    remedy: t("Keep the number alone: {0}.item(). Then PyTorch frees the rest after each step.", tensor),
    steps: editOf(
      facts,
      line,
      ADDED.test(line.text) ? /\+=\s*[\p{L}_]\w*/u : /\.append\([\p{L}_]\w*\)/u,
      (text) => (text.endsWith(")") ? `${text.slice(0, -1)}.item())` : `${text}.item()`),
      t("Keep {0}.item()", tensor),
    ),
    source: TORCH_FAQ,
    place: { path: line.path, line: line.line },
    strength: grown === undefined ? "likely" : "certain",
  };
};

/** The tensor that the line keeps, where the same file calls backward() on it. */
function keptTensor({ path, text }: ExecutedLine, lines: readonly SourceLine[]): string | undefined {
  const name = (ADDED.exec(text) ?? APPENDED.exec(text))?.[2];
  const backward = `${name}.backward(`;
  const differentiated = lines.some((line) => line.path === path && line.text.trimStart().startsWith(backward));
  return name !== undefined && differentiated ? name : undefined;
}

/**
 * What a figure grew by from the second quarter of the run to the last, where it grew steadily. The least of each
 * quarter counts, so that what comes and goes in every step does not.
 */
function growthOf({ course, memTotal }: RunFacts, figure: (moment: Moment) => number | undefined): number | undefined {
  const values = course.flatMap((moment) => figure(moment) ?? []);
  if (values.length < FEWEST) return undefined;
  const quarter = values.length / 4;
  const [second = 0, third = 0, fourth = 0] = [1, 2, 3].map((part) =>
    Math.min(...values.slice(Math.floor(part * quarter), Math.floor((part + 1) * quarter))),
  );
  const grown = fourth - second;
  const steadily = third - second >= 0.25 * grown && fourth - third >= 0.25 * grown;
  return steadily && grown >= Math.max(32 * MIB, 0.01 * (memTotal ?? 0)) ? grown : undefined;
}
