/** What-ifs for the terminal. */
import { formatBytes, formatChange, formatCount } from "../profile/format.ts";
import { runTitle } from "../profile/runJson.ts";
import { printable } from "../profile/text.ts";
import type { FormulaSymbol, WhatIf } from "../torch/whatif/model.ts";
import type { WhatIfs } from "../torch/whatif/whatIfs.ts";
import type { ModelRun } from "./modelRun.ts";
import { estimateText } from "./modelText.ts";

export function whatIfsText({ run, root }: ModelRun, { estimates, refused }: WhatIfs): string {
  const lines = [
    `${runTitle(run)}: ${root.type}`,
    ...estimates.flatMap((estimate) => ["", ...whatIfLines(estimate)]),
    ...(refused.length === 0 ? [] : ["", "Does not apply here:"]),
    ...refused.map(({ kind, reason }) => `  ${kind}: ${reason}`),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function whatIfLines(whatIf: WhatIf): string[] {
  const { kind, title, of, choice, now, changed, formula, symbols, textbook, notes, verify, measured } = whatIf;
  const name = choice === undefined ? kind : `${kind}:${choice.value}`;
  return [
    `${title} (${name}${choice === undefined ? "" : `, ${choice.name}`})`,
    `  ${of}: ${estimateText(now)} now, ${estimateText(changed)} with the change (${formatChange(changed.bytes - now.bytes)})`,
    ...(measured === undefined ? [] : [`  ${measuredText(changed.bytes, measured)}`]),
    `  ${formula}, where`,
    ...symbols.map((symbol) => `    ${symbolText(symbol)}`),
    ...(textbook === undefined
      ? []
      : [`  For layers that are all alike: ${textbook.formula} = ${formatBytes(textbook.bytes)}`]),
    ...notes.map((note) => `  ${note}`),
    ...(verify.kind === "run"
      ? measured === undefined
        ? [`  To measure it: jetson-memprof whatif RUN ${name} --verify`]
        : []
      : ["  By hand:", ...verify.code.split("\n").map((line) => `    ${line}`)]),
  ];
}

function measuredText(expected: number, { run, bytes }: { readonly run: string; readonly bytes: number }): string {
  const off = bytes === 0 ? "" : ` (the estimate is ${((expected / bytes - 1) * 100).toFixed(1)} % off)`;
  return `Measured in run ${run}: ${formatBytes(bytes)}${off}`;
}

function symbolText({ symbol, meaning, value, unit }: FormulaSymbol): string {
  return `${symbol} = ${unit === "bytes" ? formatBytes(value) : formatCount(value)}: ${meaning}`;
}
