/** `estimate_change`: what a change to the training would save. */
import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { formatBytes, formatChange } from "../../../profile/text/format.ts";
import { allWhatIfs } from "../../../torch/whatif/allWhatIfs.ts";
import { type Estimate, type FormulaSymbol, WHAT_IF_KINDS, type WhatIf } from "../../../torch/whatif/model.ts";
import { readModelRun } from "../../torch/model/modelRun.ts";
import { fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import { RUN, RUN_SAYS } from "./fields.ts";
import { askedRun } from "./ofRun.ts";

const MOST_VALUE = 1_000_000;

export const estimateChange = tool(
  {
    name: "estimate_change",
    title: "Estimate what a change would save",
    description:
      "What changes to a PyTorch training would save, estimated from the run's model account before they are made: each with its formula, how far it may be off, and what it costs. Needs a run that was made with --model.",
    takes: {
      run: RUN,
      change: v.optional(v.picklist(WHAT_IF_KINDS)),
      value: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_VALUE))),
    },
    says: {
      run: RUN_SAYS,
      change: "Only this change; all where it is left out.",
      value: "For the change, such as the number of parts of the batch.",
    },
  },
  async ({ run, change, value }, workspace) => {
    const { folder, heading, data } = await askedRun(workspace, run);
    const { account, root, context } = await readModelRun(folder);
    const choices = change === undefined || value === undefined ? {} : { [change]: value };
    const all = allWhatIfs({ account, root, context, choices });
    const isMeant = ({ kind }: { readonly kind: string }) => change === undefined || kind === change;
    const estimates = all.estimates.filter(isMeant);
    const refused = all.refused.filter(isMeant);
    return fitted(
      (count) => ({
        lines: [
          ...heading,
          `Estimates for the model ${quoted(root.type, 80)}; none of these changes was made.`,
          ...estimates.slice(0, count).flatMap(estimateLines),
          ...refused.map(({ kind, reason }) => `Does not apply: ${kind}: ${quoted(reason, 200)}`),
        ],
        data: {
          ...data,
          model: untrusted(root.type, 80),
          estimates: estimates.slice(0, count).map(estimateData),
          refused: refused.map(({ kind, reason }) => ({ kind, reason: untrusted(reason, 200) })),
          left_out: Math.max(0, estimates.length - count),
        },
      }),
      estimates.length,
      false,
    );
  },
);

function estimateLines({ kind, title, of, choice, now, changed, formula, notes, verify, measured }: WhatIf): string[] {
  const name = choice === undefined ? kind : `${kind}:${choice.value}`;
  return [
    `${title} (${name}): ${quoted(of, 120)} ${sizeText(now)} now, ${sizeText(changed)} with it (${formatChange(changed.bytes - now.bytes)}); ${formula}.`,
    ...(measured === undefined
      ? []
      : [`  Measured in run ${quoted(measured.run, 80)}: ${formatBytes(measured.bytes)}.`]),
    ...notes.slice(0, 2).map((note) => `  ${quoted(note, 200)}`),
    verify.kind === "run"
      ? `  The person can measure it: jetson-memprof whatif RUN ${name} --verify`
      : "  The change is made in the script by hand.",
  ];
}

function sizeText({ bytes, low, high }: Estimate): string {
  return low === high ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatBytes(low)} to ${formatBytes(high)})`;
}

const sizeData = ({ bytes, low, high }: Estimate): object => ({ bytes, low_bytes: low, high_bytes: high });

const symbolData = ({ symbol, meaning, value, unit }: FormulaSymbol): object => ({
  symbol,
  meaning: untrusted(meaning, 100),
  value,
  unit,
});

function estimateData({
  kind,
  title,
  choice,
  now,
  changed,
  formula,
  symbols,
  notes,
  verify,
  measured,
}: WhatIf): object {
  return defined({
    kind,
    title,
    choice: choice && { name: choice.name, value: choice.value, least: choice.least, most: choice.most },
    now: sizeData(now),
    changed: sizeData(changed),
    saves_bytes: now.bytes - changed.bytes,
    formula,
    symbols: symbols.map(symbolData),
    notes: notes.map((note) => untrusted(note, 200)),
    code: verify.kind === "edit" ? verify.code : undefined,
    measured: measured && { run: untrusted(measured.run, 80), bytes: measured.bytes },
  });
}
