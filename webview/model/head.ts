/** What the figures are of: model, torch, device, the step that is shown, and how its activations were found. */
import { formatBytes, formatCount } from "../../src/profile/format.ts";
import { printable } from "../../src/profile/text.ts";
import type { ModelAccount, RootAccount, StepAccount } from "../../src/torch/account/model.ts";
import { shownSize } from "../../src/torch/account/peaks.ts";
import { WHAT_IF_TITLES } from "../../src/torch/whatif/whatIfs.ts";
import { element } from "../dom.ts";
import { shapeText } from "./details.ts";
import { kindText, sumText, unseenKinds } from "./kinds.ts";
import { shortType } from "./layers.ts";

const FOUND: Readonly<Record<ModelAccount["activationsBy"], string>> = {
  "saved-tensors": "Activations are what PyTorch kept for the backward pass, seen as it kept them.",
  outputs:
    "This PyTorch is older than 1.10. Activations are the outputs of layers, a stand-in: it misses what a layer keeps inside, and counts outputs that nothing keeps.",
};

export const shownStepOf = ({ steps, shownStep }: RootAccount): StepAccount | undefined =>
  steps.find(({ step }) => step === shownStep);

/** Facts as pairs of a name and a text. */
export function factsOf(account: ModelAccount, root: RootAccount): readonly (readonly [string, string])[] {
  const step = shownStepOf(root);
  return [
    ["Held in all", sumText(root.total, "at least")],
    ["Parameters", kindText(root.total.parameters)],
    ["Layers", formatCount(root.layers.length)],
    ["PyTorch", account.torch === "" ? "not known" : printable(account.torch)],
    ["Device", root.device === "" ? "not known" : printable(root.device)],
    ["Step shown", step === undefined ? "none was seen" : `step ${step.step}, ${stepWords(step)}`],
    ["Batch", step?.batch === undefined ? "not known" : formatCount(step.batch)],
    ["Input", step === undefined ? "not known" : inputText(step)],
    ["Optimizer", optimizerText(account)],
    ["Peak above a step's beginning", peakText(root)],
  ];
}

function stepWords({ training, grad, autocast, checkpointed }: StepAccount): string {
  return [
    grad ? (training ? "training" : "in evaluation mode, with gradients") : "without gradients",
    ...(autocast ? ["mixed precision"] : []),
    ...(checkpointed ? ["checkpointed"] : []),
  ].join(", ");
}

function inputText({ inputs }: StepAccount): string {
  const texts = inputs.map(({ shape, dtype }) => `${shapeText(shape)} ${printable(dtype)}`);
  return texts.length === 0 ? "no tensor" : texts.join(", ");
}

function optimizerText({ optimizers }: ModelAccount): string {
  if (optimizers.length === 0) return "not seen";
  return optimizers
    .map(({ type, bytes, other }) => `${printable(shortType(type))}, ${formatBytes(bytes + other)}`)
    .join("; ");
}

/** Of all steps of the batch size that is shown, as the estimates take it. */
function peakText(root: RootAccount): string {
  const { peak, measure } = shownSize(root) ?? {};
  if (peak === undefined) return "not measured";
  return `${formatBytes(peak)} (${measure === "rss" ? "RSS of the process" : "allocated by PyTorch"})`;
}

/** What a reader of the figures should know. */
export function notesOf(account: ModelAccount, root: RootAccount): readonly string[] {
  const unseen = unseenKinds(root.total);
  const { trial } = account;
  return [
    FOUND[account.activationsBy],
    ...(account.complete
      ? []
      : ["The account is not complete: the run goes on, or it ended before the last step was seen."]),
    ...(unseen.length === 0
      ? []
      : [`Not seen: ${unseen.join(", ")}. Totals hold what was seen, so they are the least there is.`]),
    ...(trial === undefined ? [] : [trialNote(trial)]),
    ...account.problems,
  ];
}

function trialNote({ trial, applied, refused }: NonNullable<ModelAccount["trial"]>): string {
  const not = refused === undefined ? "" : ` Not applied: ${refused}`;
  return `In this run the model was changed as a trial. ${WHAT_IF_TITLES[trial.kind]}: ${applied}.${not}`;
}

export function showFacts(list: HTMLElement, account: ModelAccount, root: RootAccount): void {
  list.replaceChildren(
    ...factsOf(account, root).map(([name, text]) => {
      const pair = element("div");
      pair.append(element("dt", name), element("dd", text));
      return pair;
    }),
  );
}
