/** A model account for the terminal. */
import { formatBytes, formatCount } from "../profile/format.ts";
import { runTitle } from "../profile/runJson.ts";
import { aligned } from "../profile/table.ts";
import { printable } from "../profile/text.ts";
import { allBytes, BYTE_KINDS, childrenOf, shareOf } from "../torch/account/bytes.ts";
import type { LayerAccount, RootAccount } from "../torch/account/model.ts";
import { shownSize } from "../torch/account/peaks.ts";
import type { Estimate } from "../torch/whatif/model.ts";
import { placeOfRun } from "./boardPlace.ts";
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
    ...stepText(run.root),
    ...(batches === undefined
      ? ["How memory grows with the batch is not known: no step's batch size was seen."]
      : batchText(batches)),
    ...(check === undefined ? [] : checkText(check)),
  ];
  return `${parts.map(printable).join("\n")}\n`;
}

function heading({ run, origin, account, root }: ModelRun): string[] {
  const at = root.at === undefined ? "" : ` at ${root.at.path}:${root.at.line}`;
  const facts = [runTitle(run), run.board.model, placeOfRun(origin, run.board.simulated)];
  const trial = account.trial;
  return [
    facts.filter((fact) => fact !== undefined).join(" · "),
    `${root.type}${at}, on ${root.device || "a device that is not known"}, PyTorch ${account.torch || "of unknown version"}`,
    ...(account.activationsBy === "outputs"
      ? ["Activations are a stand-in: the layers' outputs, as PyTorch before 1.10 does not tell what it saves."]
      : []),
    ...(trial === undefined ? [] : [`Run with a change: ${trial.trial.kind}, ${trial.refused ?? trial.applied}`]),
    ...account.problems.map((problem) => `Note: ${problem}`),
  ];
}

const HEADINGS = ["Total", "Share", "Parameters", "Buffers", "Gradients", "Optimizer", "Activations", "Layer"];

function layerTable(root: RootAccount, depth: number): string[] {
  const children = childrenOf(root);
  const rows: string[][] = [HEADINGS];
  let hidden = 0;
  const waiting: { layer: LayerAccount; level: number }[] = root.layers
    .slice(0, 1)
    .map((layer) => ({ layer, level: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { layer, level } = next;
    if (level > depth) hidden += 1;
    else rows.push(layerRow(layer, level, root));
    const below = (children.get(layer.index) ?? []).map((child) => ({ layer: child, level: level + 1 }));
    waiting.push(...below.reverse());
  }
  return [
    ...aligned(rows, HEADINGS.length - 1),
    ...(hidden === 0 ? [] : [`${formatCount(hidden)} layers lie deeper; --depth N shows them.`]),
    "-: not seen in this run. Each storage is counted once, with the first layer that names it.",
  ];
}

function layerRow(layer: LayerAccount, level: number, root: RootAccount): string[] {
  const name = layer.name === "" ? "(the model)" : layer.name;
  const config = layer.config === "" ? "" : `(${layer.config})`;
  return [
    formatBytes(allBytes(layer.total)),
    `${(100 * shareOf(layer, root)).toFixed(1)} %`,
    ...BYTE_KINDS.map((kind) => {
      const bytes = layer.total[kind];
      return bytes === undefined ? "-" : formatBytes(bytes);
    }),
    `${"  ".repeat(level)}${name}  ${shortType(layer.type)}${config}`,
  ];
}

/** `Conv2d` of `torch.nn.modules.conv.Conv2d`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function stepText(root: RootAccount): string[] {
  const size = shownSize(root);
  if (size === undefined) return ["No training step was recorded: activations are not known."];
  const batch = size.batch === undefined ? "" : `, batch ${size.batch}`;
  const inputs = `its input ${formatBytes(size.inputs)} besides`;
  return [
    `Training step${batch}: ${formatBytes(size.activations ?? 0)} saved activations, ${inputs}.`,
    ...(size.peak === undefined
      ? ["The step's peak was not measured."]
      : [
          `Measured peak above the step's beginning: ${formatBytes(size.peak)} (${size.measure === "rss" ? "RSS" : "CUDA allocated"}).`,
        ]),
  ];
}

function batchText({ model, free, largest }: Batches): string[] {
  const { shape, sizes, fixed } = model;
  const slope = (what: string, bytes: number | undefined) =>
    bytes === undefined ? [] : [`  ${formatBytes(bytes)} for each sample, by ${what}`];
  return [
    "",
    "How memory grows with the batch:",
    ...slope("the shapes of saved tensors", shape?.bytes),
    ...slope(`batches of ${sizes?.batches.join(" and ") ?? ""}`, sizes?.bytes),
    `  ${formatBytes(fixed.model.bytes)} whatever the batch (parameters, buffers, gradients, optimizer)`,
    fixed.outside === undefined
      ? "  outside the model: not known"
      : `  ${formatBytes(fixed.outside)} outside the model (inferred)`,
    ...(free === undefined || largest === undefined
      ? ["The largest batch is not known without the board's free memory; say it with --free MIB."]
      : [
          `Largest batch in ${formatBytes(free.bytes)} (${free.given ? "as given" : "available before the run"}): ${formatCount(largest.batch)}, ` +
            `${largest.low === undefined ? "least not known" : `at least ${formatCount(largest.low)}`}, at most ${formatCount(largest.high)}`,
          ...largest.evidence.map((sentence) => `  ${sentence}`),
        ]),
  ];
}

function checkText({ batch, expected, measured }: Check): string[] {
  const off = measured === undefined || expected.bytes === 0 ? undefined : (measured / expected.bytes - 1) * 100;
  return [
    "",
    `Check with a batch of ${formatCount(batch)}: expected ${estimateText(expected)} above the step's beginning, ` +
      (off === undefined || measured === undefined
        ? "not measured."
        : `measured ${formatBytes(measured)} (${off >= 0 ? "+" : ""}${off.toFixed(1)} %).`),
  ];
}

/** `12.0 MiB (11.0 MiB to 13.0 MiB)`. */
export function estimateText({ bytes, low, high }: Estimate): string {
  return low === high ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatBytes(low)} to ${formatBytes(high)})`;
}
