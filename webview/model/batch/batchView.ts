/** How memory grows with the batch, and the largest batch that fits into what is free. */
import { formatBytes, formatCount } from "../../../src/profile/text/format.ts";
import type { ModelAccount, RootAccount } from "../../../src/torch/model/model.ts";
import { type BatchModel, batchModel, largestBatch, memoryAt, type Slope } from "../../../src/torch/whatif/batch.ts";
import type { TrainingContext } from "../../../src/torch/whatif/context.ts";
import { listed, type Phrase, phrase, say, t } from "../../../src/words/t.ts";
import { element, svgElement } from "../../dom.ts";
import { plainTable } from "../plainTable.ts";
import { drawBatch } from "./batchChart.ts";
import { batchRows, type Fit } from "./batchRows.ts";

const MIB = 1024 * 1024;
/** More than any board has, and few enough digits to be read. */
const MOST_FREE = 1024 * 1024;

const FITS: Readonly<Record<Fit, Phrase>> = { yes: phrase("yes"), perhaps: phrase("perhaps"), no: phrase("no") };

/** @param free what was typed before, bytes; else what the board had */
export function batchView(
  account: ModelAccount,
  root: RootAccount,
  context: TrainingContext,
  free: number | undefined,
  freeChanged: (bytes: number | undefined) => void,
): HTMLElement[] {
  const model = batchModel(account, root, context);
  if (model === undefined) {
    const text = t(
      "How memory grows with the batch is not known: no step with a batch and gradients was seen. Profile a training run with Model Account.",
    );
    return [element("p", text, { class: "quiet" })];
  }
  const result = element("div", "", { id: "batch-result" });
  const known = context.availableBefore;
  const input = element("input", "", { type: "number", id: "free", min: "0", max: String(MOST_FREE), step: "any" });
  const start = free ?? known;
  if (start !== undefined) input.value = (start / MIB).toFixed(1);
  const show = (): void => {
    const mib = input.value === "" ? Number.NaN : input.valueAsNumber;
    const bytes = mib >= 0 && mib <= MOST_FREE ? mib * MIB : undefined;
    result.replaceChildren(...resultOf(model, bytes));
  };
  input.addEventListener("input", () => {
    show();
    const mib = input.valueAsNumber;
    freeChanged(mib >= 0 && mib <= MOST_FREE ? mib * MIB : undefined);
  });
  show();
  const label = element("label", t("Memory that the training may take, in MiB: "));
  label.append(input);
  const how =
    known === undefined
      ? t("What the board had available was not recorded. Type it in: `free` calls it available.")
      : t("The board had {0} available right before the script was started.", formatBytes(known));
  return [slopes(model), label, element("p", how.replaceAll("`", ""), { class: "quiet" }), result];
}

function slopes({ shape, sizes }: BatchModel): HTMLElement {
  const text = (slope: Slope, from: string): string => t("{0} for each sample ({1})", formatBytes(slope.bytes), from);
  const known = [
    ...(shape === undefined ? [] : [text(shape, t("by the tensors' shapes"))]),
    ...(sizes === undefined ? [] : [text(sizes, t("by batches of {0}", listed(sizes.batches.map(String))))]),
  ];
  return element("p", t("Saved activations: {0}.", known.length === 0 ? t("not seen") : known.join(t(", "))));
}

function resultOf(model: BatchModel, free: number | undefined): HTMLElement[] {
  const largest = free === undefined ? undefined : largestBatch(model, free);
  const rows = batchRows(model, largest);
  const table = plainTable(
    t("Memory by batch size"),
    [
      { title: t("Batch"), cell: ({ batch }) => formatCount(batch), figure: true },
      { title: t("About"), cell: ({ memory }) => formatBytes(memory.bytes), figure: true },
      { title: t("Least"), cell: ({ memory }) => formatBytes(memory.low), figure: true },
      { title: t("Most"), cell: ({ memory }) => formatBytes(memory.high), figure: true },
      { title: t("Fits"), cell: ({ fit }) => (fit === undefined ? "" : say(FITS[fit])) },
    ],
    rows,
  );
  const verdict = element("p", "", { class: "verdict", role: "status" });
  if (largest === undefined) verdict.append(t("Type how much memory is free to see the largest batch that fits."));
  else verdict.append(element("strong", verdictText(largest)), ` ${rangeText(largest)}`);
  const evidence = element("ul", "", { class: "evidence", "aria-label": t("How certain this is") });
  evidence.append(...(largest?.evidence ?? []).map((text) => element("li", text)));
  const pair = element("div", "", { class: "pair" });
  pair.append(chartOf(model, rows.at(-1)?.batch ?? 1, free), table);
  return [verdict, evidence, pair];
}

const verdictText = ({ batch }: { readonly batch: number }): string =>
  batch === 0 ? t("Not even a batch of one fits.") : t("Largest batch that fits: about {0}.", formatCount(batch));

function rangeText({ low, high }: { readonly low?: number; readonly high: number }): string {
  const most = t("one of {0} by the lowest estimate", formatCount(high));
  return low === undefined
    ? t("Which batch fits for certain is not known; {0} may.", most)
    : t("A batch of {0} fits by the highest estimate, {1}.", formatCount(low), most);
}

function chartOf(model: BatchModel, most: number, free: number | undefined): HTMLElement {
  const holder = element("div", "", { class: "plot" });
  const svg = svgElement("svg", { "aria-hidden": "true" });
  holder.append(svg);
  const draw = (): void => {
    if (holder.clientWidth > 0)
      drawBatch(svg, { memoryAt: (batch) => memoryAt(model, batch), most, free }, holder.clientWidth);
  };
  new ResizeObserver(draw).observe(holder);
  return holder;
}
