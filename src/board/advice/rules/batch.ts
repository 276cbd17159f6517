/** How much is computed at once. */
import { formatBytes } from "../../../profile/text/format.ts";
import { sentences, t } from "../../../words/t.ts";
import { tightLimit } from "../../ending/lastMoments.ts";
import { endedInCuda, type Rule, type RunFacts } from "../facts.ts";
import { TORCH_FAQ, TORCH_TUNING } from "../sources.ts";

const BATCH = /\bbatch_size\s*=\s*([1-9]\d{0,6})\b/;

export const batchNearTheLimit: Rule = (facts) => {
  const { report, tightest, memTotal, tight, pressed, lines } = facts;
  const line = lines.find(({ text }) => Number(BATCH.exec(text)?.[1] ?? 0) > 1);
  if (!pressed || line === undefined) return undefined;
  const available = tightest?.meminfo["MemAvailable"];
  const tried = report?.allocator?.tried;
  const where = report?.place ?? tightest?.at;
  return {
    rule: "batch-size",
    symptom:
      report === undefined
        ? t("The run nearly used up the board's memory: a slightly larger batch would not have fitted.")
        : t("The batches do not fit into the memory that is left for them."),
    evidence: [
      t("{0}:{1} has {2}", line.path, line.line, BATCH.exec(line.text)?.[0] ?? ""),
      ...(available === undefined || memTotal === undefined || !tight || available >= tightLimit(memTotal)
        ? []
        : [t("At the tightest moment {0} of {1} were available", formatBytes(available), formatBytes(memTotal))]),
      ...(tried === undefined ? [] : [t("The last request was for {0}", formatBytes(tried))]),
      ...(where === undefined
        ? []
        : [
            report === undefined
              ? t("The tightest moment was at {0}:{1}", where.path, where.line)
              : t("It ended at {0}:{1}", where.path, where.line),
          ]),
    ],
    remedy: sentences(
      t(
        "Halve the batch and add up the gradients of two batches before `optimizer.step()`: the result is nearly the same and the activations need half. Checkpointing (torch.utils.checkpoint) trades time for memory.",
      ),
      halfPrecision(facts),
    ),
    steps: [],
    source: TORCH_FAQ,
    place: { path: line.path, line: line.line },
    strength: report === undefined || endedInCuda(facts) ? "certain" : "likely",
  };
};

function halfPrecision({ cudaUsed, board }: RunFacts): string | undefined {
  if (!cudaUsed) return undefined;
  // Below 7.0 there are no tensor cores.
  const slow = board.computeCapability !== undefined && Number(board.computeCapability) < 7;
  return slow
    ? t(
        "Half precision (torch.cuda.amp) halves the activations, though this GPU has no tensor cores to make it faster.",
      )
    : t("Half precision (torch.cuda.amp) halves the activations.");
}

/** Evaluation keeps all activations for a backward() that never comes, unless it is told. */
export const evaluationWithGradients: Rule = (facts) => {
  const { lines, pressed, torch, executed } = facts;
  const line = executed.find(({ text }) => /^\s*[\p{L}_][\p{L}\p{N}_.]*\.eval\(\)\s*$/u.test(text));
  const told = lines.some(({ text }) =>
    /no_grad|inference_mode|set_grad_enabled|requires_grad_?\(?\s*=?\s*False/.test(text),
  );
  const usesTorch = torch !== undefined || lines.some(({ text }) => /^\s*(?:import|from) torch\b/.test(text));
  if (!pressed || line === undefined || told || !usesTorch) return undefined;
  return {
    rule: "evaluation-with-gradients",
    symptom: t("The model is evaluated with gradients on: every activation is kept for a backward() that never comes."),
    evidence: [
      t("{0}:{1} calls eval(), which does not switch gradients off", line.path, line.line),
      t("No measured file has torch.no_grad() or torch.inference_mode()"),
    ],
    remedy: t("Put the evaluation into `with torch.no_grad():`."),
    steps: [],
    source: TORCH_TUNING,
    place: { path: line.path, line: line.line },
    strength: "likely",
  };
};
