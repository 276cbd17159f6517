/** A model account for the terminal. */

import { runTitle } from "../../../profile/run/runJson.ts";
import { formatBytes, formatCount, orUnknown } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { allBytes, BYTE_KINDS, childrenOf, shareOf } from "../../../torch/model/bytes.ts";
import type { LayerAccount, LayerBytes, RootAccount } from "../../../torch/model/model.ts";
import { shownSize } from "../../../torch/model/peaks.ts";
import { tuningFacts } from "../../../torch/model/tuning.ts";
import type { Estimate } from "../../../torch/whatif/model.ts";
import { fromHelper } from "../../../words/fromHelper.ts";
import { phrase, say, t } from "../../../words/t.ts";
import { placeOfRun } from "../../board/boardPlace.ts";
import type { Batches, Check } from "./modelCommand.ts";
import type { ModelRun } from "./modelRun.ts";

export function modelText(
  run: ModelRun,
  batches: Batches | undefined,
  check: Check | undefined,
  depth: number,
): string {
  const parts = [
    ...heading(run),
    "",
    ...layerTable(run.root, depth),
    "",
    ...tuningFacts(run.account, run.root).map(([name, says]) => t("{0}: {1}", name, says)),
    ...stepText(run.root),
    ...(batches === undefined
      ? [t("How memory grows with the batch is not known: no step's batch size was seen.")]
      : batchText(batches)),
    ...(check === undefined ? [] : checkText(check)),
  ];
  return `${parts.map(printable).join("\n")}\n`;
}

function heading({ run, origin, account, root }: ModelRun): string[] {
  const at = root.at === undefined ? "" : t(" at {0}:{1}", root.at.path, root.at.line);
  const facts = [runTitle(run), run.board.model, placeOfRun(origin, run.board.simulated)];
  const trial = account.trial;
  return [
    facts.filter((fact) => fact !== undefined).join(" · "),
    t(
      "{0}{1}, on {2}, PyTorch {3}",
      root.type,
      at,
      root.device || t("a device that is not known"),
      account.torch || t("of unknown version"),
    ),
    ...(account.activationsBy === "outputs"
      ? [t("Activations are a stand-in: the layers' outputs, as PyTorch before 1.10 does not report what it saves.")]
      : []),
    ...(trial === undefined
      ? []
      : [t("Run with a change: {0}, {1}", trial.trial.kind, fromHelper(trial.refused ?? trial.applied))]),
    ...account.problems.map((problem) => t("Note: {0}", fromHelper(problem))),
  ];
}

const HEADINGS = [
  phrase("Total"),
  phrase("Share"),
  phrase("Parameters"),
  phrase("Buffers"),
  phrase("Gradients"),
  phrase("Optimizer"),
  phrase("Activations"),
  phrase("Layer"),
];

function layerTable(root: RootAccount, depth: number): string[] {
  const children = childrenOf(root);
  const rows: string[][] = [HEADINGS.map(say)];
  let hidden = 0;
  const waiting: { layer: LayerAccount; level: number }[] = root.layers
    .slice(0, 1)
    .map((layer) => ({ layer, level: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { layer, level } = next;
    if (level > depth) hidden += 1;
    else rows.push(layerRow(layer.total, layerText(layer), level, root));
    const below = (children.get(layer.index) ?? []).map((child) => ({ layer: child, level: level + 1 }));
    // So that what is below a layer adds up to it.
    if (below.length > 0 && level < depth && allBytes(layer.own) > 0) {
      rows.push(layerRow(layer.own, t("{0} itself", layerName(layer)), level + 1, root));
    }
    waiting.push(...below.reverse());
  }
  return [
    ...aligned(rows, HEADINGS.length - 1),
    ...(hidden === 0 ? [] : [t("{0} layers lie deeper; --depth N shows them.", formatCount(hidden))]),
    t("–: not seen in this run. Each storage is counted once, with the first layer that names it."),
  ];
}

function layerRow(bytes: LayerBytes, text: string, level: number, root: RootAccount): string[] {
  return [
    formatBytes(allBytes(bytes)),
    `${(100 * shareOf(bytes, root)).toFixed(1)} %`,
    ...BYTE_KINDS.map((kind) => orUnknown(bytes[kind], formatBytes)),
    `${"  ".repeat(level)}${text}`,
  ];
}

const layerName = ({ name }: LayerAccount): string => (name === "" ? t("(the model)") : name);

function layerText(layer: LayerAccount): string {
  const config = layer.config === "" ? "" : `(${layer.config})`;
  return `${layerName(layer)}  ${shortType(layer.type)}${config}`;
}

/** `Conv2d` of `torch.nn.modules.conv.Conv2d`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function stepText(root: RootAccount): string[] {
  const size = shownSize(root);
  if (size === undefined) return [t("No training step was recorded: activations are not known.")];
  const batch = size.batch === undefined ? "" : t(", batch {0}", size.batch);
  const inputs = t("its input {0} besides", formatBytes(size.inputs));
  return [
    t("Training step{0}: {1} saved activations, {2}.", batch, formatBytes(size.activations ?? 0), inputs),
    ...(size.peak === undefined
      ? [t("The step's peak was not measured.")]
      : [
          t(
            "Measured peak above the step's beginning: {0} ({1}).",
            formatBytes(size.peak),
            size.measure === "rss" ? "RSS" : t("CUDA allocated"),
          ),
        ]),
  ];
}

function batchText({ model, free, largest }: Batches): string[] {
  const { shape, sizes, fixed } = model;
  const slope = (what: string, bytes: number | undefined) =>
    bytes === undefined ? [] : [t("  {0} for each sample, by {1}", formatBytes(bytes), what)];
  return [
    "",
    t("How memory grows with the batch:"),
    ...slope(t("the shapes of saved tensors"), shape?.bytes),
    ...slope(t("batches of {0}", sizes?.batches.join(" and ") ?? ""), sizes?.bytes),
    t("  {0} whatever the batch (parameters, buffers, gradients, optimizer)", formatBytes(fixed.model.bytes)),
    fixed.outside === undefined
      ? t("  outside the model: not known")
      : t("  {0} outside the model (inferred)", formatBytes(fixed.outside)),
    ...(free === undefined || largest === undefined
      ? [t("The largest batch is not known without the board's free memory; say it with --free MIB.")]
      : [
          t(
            "Largest batch in {0} ({1}): {2}, {3}, at most {4}",
            formatBytes(free.bytes),
            free.given ? t("as given") : t("available before the run"),
            formatCount(largest.batch),
            largest.low === undefined ? t("least not known") : t("at least {0}", formatCount(largest.low)),
            formatCount(largest.high),
          ),
          ...largest.evidence.map((sentence) => `  ${sentence}`),
        ]),
  ];
}

function checkText({ batch, expected, measured }: Check): string[] {
  const off = measured === undefined || expected.bytes === 0 ? undefined : (measured / expected.bytes - 1) * 100;
  return [
    "",
    t(
      "Check with a batch of {0}: expected {1} above the step's beginning, ",
      formatCount(batch),
      estimateText(expected),
    ) +
      (off === undefined || measured === undefined
        ? t("not measured.")
        : t("measured {0} ({1}{2} %).", formatBytes(measured), off >= 0 ? "+" : "", off.toFixed(1))),
  ];
}

/** `12.0 MiB (11.0 MiB to 13.0 MiB)`. */
export function estimateText({ bytes, low, high }: Estimate): string {
  return low === high
    ? formatBytes(bytes)
    : t("{0} ({1} to {2})", formatBytes(bytes), formatBytes(low), formatBytes(high));
}
