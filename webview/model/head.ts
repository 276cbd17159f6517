/** What the figures are of: model, torch, device, the step that is shown, and how its activations were found. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { ModelAccount, RootAccount, StepAccount } from "../../src/torch/model/model.ts";
import { shownSize } from "../../src/torch/model/peaks.ts";
import { tuningFacts } from "../../src/torch/model/tuning.ts";
import { WHAT_IF_TITLES } from "../../src/torch/whatif/whatIfs.ts";
import { fromHelper } from "../../src/words/fromHelper.ts";
import { type Phrase, phrase, say, t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import { withCommas } from "../prose.ts";
import { withTerms } from "../terms.ts";
import { shapeText } from "./layers/details.ts";
import { kindText, sumText, unseenKinds } from "./layers/kinds.ts";
import { shortType } from "./layers/layers.ts";

const FOUND: Readonly<Record<ModelAccount["activationsBy"], Phrase>> = {
  "saved-tensors": phrase("Activations are what PyTorch kept for the backward pass, seen as it kept them."),
  outputs: phrase(
    "This PyTorch is older than 1.10. Activations are the outputs of layers, a stand-in: it misses what a layer keeps inside, and counts outputs that nothing keeps.",
  ),
};

export const shownStepOf = ({ steps, shownStep }: RootAccount): StepAccount | undefined =>
  steps.find(({ step }) => step === shownStep);

/** Facts as pairs of a name and a text. */
export function factsOf(account: ModelAccount, root: RootAccount): readonly (readonly [string, string])[] {
  const step = shownStepOf(root);
  return [
    [t("Total held"), sumText(root.total, t("at least"))],
    [t("Parameters"), kindText(root.total.parameters)],
    [t("Layers"), formatCount(root.layers.length)],
    ["PyTorch", account.torch === "" ? t("not known") : printable(account.torch)],
    [t("Device"), root.device === "" ? t("not known") : printable(root.device)],
    [t("Step shown"), step === undefined ? t("none was seen") : t("step {0}, {1}", step.step, stepWords(step))],
    [t("Batch"), step?.batch === undefined ? t("not known") : formatCount(step.batch)],
    [t("Input"), step === undefined ? t("not known") : inputText(step)],
    [t("Optimizer"), optimizerText(account)],
    [t("Peak above a step's beginning"), peakText(root)],
    ...tuningFacts(account, root),
  ];
}

function stepWords({ training, grad, autocast, checkpointed }: StepAccount): string {
  return withCommas([
    grad ? (training ? t("training") : t("in evaluation mode, with gradients")) : t("without gradients"),
    ...(autocast ? [t("mixed precision")] : []),
    ...(checkpointed ? [t("checkpointed")] : []),
  ]);
}

function inputText({ inputs }: StepAccount): string {
  const texts = inputs.map(({ shape, dtype }) => `${shapeText(shape)} ${printable(dtype)}`);
  return texts.length === 0 ? t("no tensor") : texts.join(t(", "));
}

function optimizerText({ optimizers }: ModelAccount): string {
  if (optimizers.length === 0) return t("not seen");
  return optimizers
    .map(({ type, bytes, other }) => t("{0}, {1}", printable(shortType(type)), formatBytes(bytes + other)))
    .join(t("; "));
}

/** Of all steps of the batch size that is shown, as the estimates take it. */
function peakText(root: RootAccount): string {
  const { peak, measure } = shownSize(root) ?? {};
  if (peak === undefined) return t("not measured");
  return t("{0} ({1})", formatBytes(peak), measure === "rss" ? t("RSS of the process") : t("allocated by PyTorch"));
}

/** What a reader of the figures should know. */
export function notesOf(account: ModelAccount, root: RootAccount): readonly string[] {
  const unseen = unseenKinds(root.total);
  const { trial } = account;
  return [
    say(FOUND[account.activationsBy]),
    ...(account.complete
      ? []
      : [t("The account is not complete: the run is in progress, or it ended before the last step was seen.")]),
    ...(unseen.length === 0
      ? []
      : [t("Not seen: {0}. Totals hold what was seen, so they are the least there is.", unseen.join(t(", ")))]),
    ...(trial === undefined ? [] : [trialNote(trial)]),
    ...account.problems.map((problem) => fromHelper(problem)),
  ];
}

function trialNote({ trial, applied, refused }: NonNullable<ModelAccount["trial"]>): string {
  const not = refused === undefined ? "" : t(" Not applied: {0}", fromHelper(refused));
  return t(
    "In this run the model was changed as a trial. {0}: {1}.{2}",
    say(WHAT_IF_TITLES[trial.kind]),
    fromHelper(applied),
    not,
  );
}

export function showFacts(list: HTMLElement, account: ModelAccount, root: RootAccount): void {
  list.replaceChildren(
    ...factsOf(account, root).map(([name, text]) => {
      const pair = element("div");
      pair.append(withTerms("dt", name), element("dd", text));
      return pair;
    }),
  );
}
