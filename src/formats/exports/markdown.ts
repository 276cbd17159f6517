/** A run as Markdown: tables for a pull request or a README. GitHub's flavour; all text is escaped. */
import { surenessWord } from "../../board/ledger/ledgerText.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import { fileName } from "../../profile/notebook.ts";
import { formatBytes, formatChange, formatDuration, UNKNOWN } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { PHASE_NAMES, PHASES_NOTE, PHASES_TITLE, phaseCosts } from "../../profile/torch/phases.ts";
import { say } from "../../words/t.ts";
import { keyFigures, ledgerAtPeak, reportNotes, reportTitle, runFacts, simulationText } from "./facts.ts";
import { extentText, heaviest, type LineFigures, lineFigures } from "./lineFigures.ts";
import type { WholeRun } from "./model.ts";

const MOST_LINES = 20;
const LONGEST_CODE = 100;

export function* markdown(run: WholeRun, wanted: MetricChoice | undefined): Generator<string> {
  const figures = lineFigures(run, wanted);
  const simulated = simulationText(run);
  yield `# Memory of ${plain(reportTitle(run))}\n\n`;
  if (simulated !== undefined) yield `**${plain(simulated)}.**\n\n`;
  yield* table(["Figure", "Size", "What it measures"], "lrl", keyRows(run));
  yield* table(
    ["", ""],
    "ll",
    runFacts(run).map(({ name, value }) => [plain(name), plain(value)]),
  );
  yield* heaviestTable(figures);
  yield* ledgerTable(run);
  yield* phasesTable(run);
  const notes = reportNotes(run);
  if (notes.length > 0) yield `## Notes\n\n${notes.map((note) => `- ${plain(note)}\n`).join("")}\n`;
  yield "Sizes: MiB = 2^20 bytes. Written by Jetson Memory Profiler.\n";
}

function keyRows(run: WholeRun): string[][] {
  return keyFigures(run).map(({ name, value, how }) => [plain(name), value, plain(how)]);
}

function* heaviestTable(figures: LineFigures): Generator<string> {
  const rows = heaviest(figures, MOST_LINES);
  yield "## Heaviest lines\n\n";
  if (rows.length === 0) {
    yield "No line of the project took memory.\n\n";
    return;
  }
  yield* table(
    ["Line", ...figures.headings, "Source"],
    `l${"r".repeat(figures.headings.length)}l`,
    rows.map(({ path, line, cells, text }) => [code(`${fileName(path)}:${line}`), ...cells(), code(text)]),
  );
  yield `${figures.legend.map((sentence) => `${plain(sentence)}  \n`).join("")}\n`;
  yield `The run has ${extentText(figures)}.\n\n`;
}

function* ledgerTable(run: WholeRun): Generator<string> {
  const peak = ledgerAtPeak(run);
  if (peak === undefined || peak.ledger.total === 0) return;
  const { ledger, changes, when } = peak;
  const changed = new Map(changes?.map(({ id, change }) => [id, change]));
  yield `## Where the board's RAM was\n\nAt ${plain(when)}.\n\n`;
  const rows = ledger.rows.map(({ id, label, bytes, sureness }) => {
    const change = changed.get(id);
    return [
      plain(label),
      bytes === undefined ? UNKNOWN : formatBytes(bytes),
      change === undefined ? UNKNOWN : formatChange(change),
      surenessWord(sureness),
    ];
  });
  yield* table(["What", "Size", "Change", "Certainty"], "lrrl", [
    ...rows,
    ["All of the RAM (MemTotal)", formatBytes(ledger.total), "", surenessWord("exact")],
  ]);
}

function* phasesTable({ profile }: WholeRun): Generator<string> {
  const costs = phaseCosts(profile);
  if (costs.length === 0) return;
  const change = (bytes: number | undefined) => (bytes === undefined ? UNKNOWN : formatChange(bytes));
  yield `## ${say(PHASES_TITLE)}\n\n`;
  yield* table(
    ["Phase", "Began", "RSS", "Board", "Allocated", "Reserved", "Outside (inferred)", "Line"],
    "lrrrrrrl",
    costs.map(({ phase, process, t, at, rss, inUse, allocated, reserved, outside }) => [
      plain(process === undefined ? say(PHASE_NAMES[phase]) : `${say(PHASE_NAMES[phase])} (${process})`),
      formatDuration(t),
      ...[rss, inUse, allocated, reserved, outside].map(change),
      at === undefined ? UNKNOWN : code(`${fileName(at.path)}:${at.line}`),
    ]),
  );
  yield `${plain(say(PHASES_NOTE))}\n\n`;
}

/** @param sides of each column: `l` for text, `r` for figures */
function* table(headings: readonly string[], sides: string, rows: readonly (readonly string[])[]): Generator<string> {
  if (rows.length === 0) return;
  yield `| ${headings.join(" | ")} |\n|${[...sides].map((side) => (side === "r" ? "---:" : "---")).join("|")}|\n`;
  for (const row of rows) yield `| ${row.join(" | ")} |\n`;
  yield "\n";
}

/** Text that stays text: no markup, no link, nobody who is named with @ is notified. */
export function plain(text: string): string {
  return printable(text)
    .replace(/[\\`*_[\]<>|~]/g, "\\$&")
    .replace(/[&#@]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll("://", ":\u200B//");
}

/** As code, within a table too; what is longer than a screen is wide is cut. */
export function code(text: string): string {
  const all = [...printable(text).trim()];
  const shown = all.length > LONGEST_CODE ? `${all.slice(0, LONGEST_CODE - 1).join("")}…` : all.join("");
  if (shown === "") return "";
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const edge = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${fence}${edge}${shown.replaceAll("|", "\\|")}${edge}${fence}`;
}
