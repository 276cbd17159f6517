/** Each measured source with the figures beside its lines, folded where all of it would be too much. */

import { fileName } from "../../profile/notebook.ts";
import { formatBytes, formatCount } from "../../profile/text/format.ts";
import { escapeMarkup } from "../../profile/text/markup.ts";
import { t } from "../../words/t.ts";
import type { FigureFile, FigureLine, LineFigures } from "../exports/lineFigures.ts";
import { type Folded, fold } from "./folding.ts";
import { html, Markup } from "./markup.ts";

/** Bytes of markup for all sources together; each has the same part of it, and at least so much. */
const ROOM = 2_000_000;
const LEAST_ROOM = 40_000;
const CONTEXT = 3;
const WHOLE = 400;
/** The heaviest are open at once. */
const OPEN_FILES = 3;
const LONGEST_LINE = 300;
/** Without room, files are named in a list. */
const MOST_NAMED = 300;
/** Bytes that a row takes besides its text. */
const ROW = 40;
const CELL = 20;
const EMPTY = 4;

export function sourcesSection(figures: LineFigures): Markup {
  const parts: Markup[] = [];
  const named: FigureFile[] = [];
  const part = Math.max(LEAST_ROOM, ROOM / figures.files.length);
  let room = ROOM;
  for (const file of figures.files) {
    const folded = foldFile(file, figures.headings.length, Math.min(room, part));
    if (folded.stretches.length === 0) {
      named.push(file);
      continue;
    }
    room -= folded.taken;
    parts.push(fileMarkup(file, figures.headings, folded, parts.length < OPEN_FILES));
  }
  if (figures.files.length === 0)
    return html`<section id="sources"><h2>Sources</h2><p>No line of the project was measured.</p></section>`;
  return html`<section id="sources"><h2>Sources</h2>
<p class="tools"></p><p class="faint narrow">Here only the first figure stands beside the lines; a wider window has them all.</p>
${parts}${namedMarkup(named)}</section>`;
}

/** Without its text a file still has its measured lines. */
function foldFile({ lines, source }: FigureFile, columns: number, room: number): Folded {
  const measured = new Set(lines.map(({ line }) => line));
  const last = lines.at(-1)?.line ?? 0;
  const cost = (line: number) =>
    ROW +
    Buffer.byteLength(escapeMarkup(shortened(source?.[line - 1] ?? ""))) +
    (measured.has(line) ? CELL : EMPTY) * columns;
  if (source === undefined) return fold(last, lines, { context: 0, whole: 0, room, cost });
  return fold(Math.max(source.length, last), lines, { context: CONTEXT, whole: WHOLE, room, cost });
}

function fileMarkup(file: FigureFile, headings: readonly string[], folded: Folded, open: boolean): Markup {
  const { path, total, source, lines } = file;
  const rows = new Map(lines.map((row) => [row.line, row]));
  const columns = headings.length + 2;
  const last = Math.max(source?.length ?? 0, lines.at(-1)?.line ?? 0);
  let next = 1;
  const body: Markup[] = [];
  const gap = (to: number) => {
    if (source !== undefined && to >= next)
      body.push(html`<tr class="gap"><td colspan="${columns}">${gapText(next, to)}
`);
  };
  for (const { from, to } of folded.stretches) {
    gap(from - 1);
    for (let line = from; line <= to; line++)
      body.push(lineMarkup(line, rows.get(line), source?.[line - 1], headings.length));
    next = to + 1;
  }
  gap(last);
  const missing =
    source === undefined
      ? html`<p class="note">The source was not kept; only its measured lines are listed.</p>`
      : undefined;
  return html`<details class="file"${open ? OPEN : undefined}><summary><span class="path">${fileName(path)}</span> <span class="total">${total}</span></summary>
${missing}<div class="scroll" tabindex="0" role="region" aria-label="${fileName(path)}"><table class="source" aria-label="${fileName(path)}"><thead><tr><th scope="col" class="n">Line${headings.map((heading) => html`<th scope="col" class="n">${heading}`)}<th scope="col">Source<tbody>
${body}</table></div>${leftMarkup(folded.left)}</details>
`;
}

const OPEN = html` open`;
const ZERO = html`<td class=z>0`;

function lineMarkup(line: number, row: FigureLine | undefined, text: string | undefined, columns: number): Markup {
  const cells =
    row === undefined
      ? new Markup("<td>".repeat(columns))
      : row.cells().map((cell) => (cell === "0" ? ZERO : html`<td>${cell}`));
  const mark = row === undefined || row.severity === "none" ? undefined : html` class="${row.severity}"`;
  return html`<tr${mark}><td>${line}${cells}<td>${shortened(text ?? "")}
`;
}

function shortened(text: string): string {
  return text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE - 1)}…`;
}

function gapText(from: number, to: number): string {
  return from === to
    ? t("line {0} is left out", formatCount(from))
    : t("lines {0} to {1} are left out", formatCount(from), formatCount(to));
}

function leftMarkup({ lines, heaviest }: Folded["left"]): Markup | undefined {
  if (lines === 0) return undefined;
  const most = heaviest === 0 ? t("none of which took memory") : t("none with more than {0}", formatBytes(heaviest));
  return html`<p class="note">${formatCount(lines)} more measured lines are left out, ${most}.</p>`;
}

function namedMarkup(files: readonly FigureFile[]): Markup | undefined {
  if (files.length === 0) return undefined;
  const shown = files.slice(0, MOST_NAMED);
  const rest = files.length - shown.length;
  return html`<p class="note">For ${formatCount(files.length)} more files there was no room; <code>jetson-memprof show</code> prints them.</p>
<ul class="files">${shown.map(({ path, total }) => html`<li><span class="path">${fileName(path)}</span> ${total}`)}${rest > 0 ? html`<li>and ${formatCount(rest)} more` : undefined}</ul>`;
}
