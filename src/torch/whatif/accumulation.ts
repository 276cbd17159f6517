/** Gradient accumulation: several small batches for one step of the optimizer. */

import { phrase, say, t } from "../../words/t.ts";
import { batchModel, peakAt } from "./batch.ts";
import { type Estimator, refusal, STEP_PEAK, within } from "./situation.ts";

const TITLE = phrase("Gradient accumulation: smaller batches, one optimizer step for several");

export const accumulation: Estimator = ({ account, root, context, size, now }, choice) => {
  const model = batchModel(account, root, context);
  if (model === undefined || size.batch === undefined) {
    return refusal("accumulation", say(TITLE), t("It is not known how the memory grows with the batch."));
  }
  if (size.batch < 2) return refusal("accumulation", say(TITLE), t("The batch is a single sample; it cannot be cut."));
  const parts = within(choice ?? 2, 2, size.batch);
  const small = Math.ceil(size.batch / parts);
  const perSample = model.lines[0].perSample;
  const tried = context.others.find(
    (run) =>
      run.trial === undefined &&
      run.root === root.type &&
      run.batch === small &&
      run.measure === size.measure &&
      run.peak !== undefined,
  );
  return {
    kind: "accumulation",
    title: say(TITLE),
    of: say(STEP_PEAK),
    choice: { name: t("parts"), value: parts, least: 2, most: size.batch },
    now,
    changed: peakAt(model, small),
    formula: "F + S·⌈B/k⌉",
    symbols: [
      { symbol: "F", meaning: t("what the step takes whatever its batch"), value: model.lines[0].base, unit: "bytes" },
      { symbol: "S", meaning: t("bytes for each sample"), value: perSample, unit: "bytes" },
      { symbol: "B", meaning: t("batch as it is"), value: size.batch, unit: "count" },
      { symbol: "k", meaning: t("parts"), value: parts, unit: "count" },
    ],
    notes: [
      t("The gradients are those of the whole batch, but for batch norms, which see the small ones."),
      t("Small batches may use the GPU less well, so that a step takes somewhat longer."),
      t("The gradients stay in memory between the parts."),
    ],
    verify: {
      kind: "edit",
      code: [
        `# DataLoader(batch_size=${small})`,
        "optimizer.zero_grad()",
        "for step, (x, y) in enumerate(loader, 1):",
        `    (loss_fn(model(x), y) / ${parts}).backward()`,
        `    if step % ${parts} == 0:`,
        "        optimizer.step()",
        "        optimizer.zero_grad()",
      ].join("\n"),
    },
    ...(tried?.peak === undefined ? {} : { measured: { run: tried.run, bytes: tried.peak } }),
  };
};
