/** What-ifs for the terminal. */

import { runTitle } from "../../../profile/run/runJson.ts";
import { formatBytes, formatChange, formatCount } from "../../../profile/text/format.ts";
import { printable } from "../../../profile/text/text.ts";
import type { FormulaSymbol, WhatIf } from "../../../torch/whatif/model.ts";
import type { WhatIfs } from "../../../torch/whatif/whatIfs.ts";
import { t } from "../../../words/t.ts";
import type { ModelRun } from "./modelRun.ts";
import { estimateText } from "./modelText.ts";

export function whatIfsText({ run, root }: ModelRun, { estimates, refused }: WhatIfs): string {
  const lines = [
    `${runTitle(run)}: ${root.type}`,
    ...estimates.flatMap((estimate) => ["", ...whatIfLines(estimate)]),
    ...(refused.length === 0 ? [] : ["", t("Does not apply here:")]),
    ...refused.map(({ kind, reason }) => `  ${kind}: ${reason}`),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function whatIfLines(whatIf: WhatIf): string[] {
  const { kind, title, of, choice, now, changed, formula, symbols, textbook, notes, verify, measured } = whatIf;
  const name = choice === undefined ? kind : `${kind}:${choice.value}`;
  return [
    `${title} (${name}${choice === undefined ? "" : `, ${choice.name}`})`,
    t(
      "  {0}: {1} now, {2} with the change ({3})",
      of,
      estimateText(now),
      estimateText(changed),
      formatChange(changed.bytes - now.bytes),
    ),
    ...(measured === undefined ? [] : [`  ${measuredText(changed.bytes, measured)}`]),
    `  ${formula}, where`,
    ...symbols.map((symbol) => `    ${symbolText(symbol)}`),
    ...(textbook === undefined
      ? []
      : [t("  For layers that are all alike: {0} = {1}", textbook.formula, formatBytes(textbook.bytes))]),
    ...notes.map((note) => `  ${note}`),
    ...(verify.kind === "run"
      ? measured === undefined
        ? [t("  To measure it: jetson-memprof whatif RUN {0} --verify", name)]
        : []
      : [t("  By hand:"), ...verify.code.split("\n").map((line) => `    ${line}`)]),
  ];
}

function measuredText(expected: number, { run, bytes }: { readonly run: string; readonly bytes: number }): string {
  const off = bytes === 0 ? "" : t(" (the estimate is {0} % off)", ((expected / bytes - 1) * 100).toFixed(1));
  return t("Measured in run {0}: {1}{2}", run, formatBytes(bytes), off);
}

function symbolText({ symbol, meaning, value, unit }: FormulaSymbol): string {
  const count = Number.isInteger(value) ? formatCount(value) : value.toFixed(2);
  return `${symbol} = ${unit === "bytes" ? formatBytes(value) : count}: ${meaning}`;
}
