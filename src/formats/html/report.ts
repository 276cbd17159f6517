/** A run as one HTML file that needs nothing else: no network, no other file, no program. */
import { createHash } from "node:crypto";
import { FLAME_STYLE, FLAME_WIDTH, flameGraphSvg } from "../../massif/exports/svg.ts";
import { defined } from "../../profile/defined.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import { fileName } from "../../profile/notebook.ts";
import { formatBytes, formatChange, formatDuration, UNKNOWN } from "../../profile/text/format.ts";
import { timelineMeasure } from "../../profile/text/measuredElsewhere.ts";
import { PHASE_NAMES, PHASES_NOTE, PHASES_TITLE, phaseCosts } from "../../profile/torch/phases.ts";
import { say, t } from "../../words/t.ts";
import { callers } from "../exports/callers.ts";
import {
  type Fact,
  keyFigures,
  ledgerAtPeak,
  reportNotes,
  reportTitle,
  runFacts,
  simulationText,
} from "../exports/facts.ts";
import { extentText, heaviest, type LineFigures, lineFigures } from "../exports/lineFigures.ts";
import type { ProcessHeap, WholeRun } from "../exports/model.ts";
import { ledgerSection } from "./ledger.ts";
import { html, Markup, type Part } from "./markup.ts";
import { SCRIPT } from "./script.ts";
import { sourcesSection } from "./sources.ts";
import { STYLE } from "./style.ts";
import { timelinePicture } from "./timeline.ts";

const MOST_LINES = 30;
/** Bytes that the flame graph may take; what is narrow is left out until it fits. */
const FLAME_ROOM = 600_000;
/** In pixels of the picture; nobody can point at less, and deep stacks that are as narrow would make it very high. */
const LEAST_WIDTH = 3;

export function* htmlReport(run: WholeRun, wanted: MetricChoice | undefined): Generator<string> {
  const figures = lineFigures(run, wanted);
  const sections = sectionsOf(run, figures);
  yield `<!DOCTYPE html>\n${head(reportTitle(run)).text}`;
  yield html`<body><header>${headerMarkup(run)}<nav aria-label="Sections">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav></header><main>
`.text;
  for (const { content } of sections) yield `${content.text}\n`;
  yield html`</main><footer>Written by Jetson Memory Profiler. MiB = 2^20 bytes. This file loads nothing and sends nothing.</footer>
<script>${new Markup(SCRIPT)}</script>
</body></html>
`.text;
}

/** The policy names what is in the file by its digest and forbids all else. */
function head(title: string): Markup {
  const styles = [STYLE, FLAME_STYLE].map((text) => `'${digest(text)}'`).join(" ");
  const policy = `default-src 'none'; style-src ${styles}; script-src '${digest(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  return html`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}: memory</title>
<style>${new Markup(STYLE)}</style></head>
`;
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function headerMarkup(run: WholeRun): Part {
  const { exit, state } = run.profile.run;
  const simulated = simulationText(run);
  const facts = runFacts(run);
  const named = (wanted: Fact["id"]) => facts.find(({ id }) => id === wanted)?.value;
  const subtitle = [
    named("board") ?? (simulated === undefined ? named("target") : undefined),
    named("started"),
    named("took"),
  ]
    .filter(Boolean)
    .join(" · ");
  const isBad = state === "finished" && !(exit?.kind === "exited" && exit.code === 0);
  return html`<p class="kind">Memory profile</p><h1>${reportTitle(run)}</h1><p class="subtitle">${subtitle}</p>${
    simulated === undefined ? undefined : html`<p class="badge">${simulated}</p>`
  }${isBad || state === "running" ? html`<p class="badge bad">${named("ended")}</p>` : undefined}`;
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Markup;
}

function sectionsOf(run: WholeRun, figures: LineFigures): Section[] {
  const [main] = run.heaps;
  const timeline = timelineSection(run);
  const ledger = ledgerAtPeak(run);
  const phases = phaseCosts(run.profile);
  return [
    { id: "summary", title: "Summary", content: summarySection(run) },
    ...(timeline === undefined ? [] : [{ id: "timeline", title: "Timeline", content: timeline }]),
    ...(ledger === undefined || ledger.ledger.total === 0
      ? []
      : [{ id: "ledger", title: t("The board’s RAM"), content: ledgerSection(ledger) }]),
    { id: "heaviest", title: t("Heaviest lines"), content: heaviestSection(figures) },
    ...(phases.length === 0 ? [] : [{ id: "phases", title: "Phases", content: phasesSection(phases) }]),
    ...(main === undefined
      ? []
      : [{ id: "flame", title: t("Flame graph"), content: flameSection(main, run.heaps.length) }]),
    { id: "sources", title: "Sources", content: sourcesSection(figures) },
    { id: "meaning", title: t("What the figures mean"), content: meaningSection(figures) },
  ];
}

function summarySection(run: WholeRun): Markup {
  const tiles = keyFigures(run).map(
    ({ name, value, how }) => html`<div><dt>${name}<dd>${value}<small>${how}</small></div>`,
  );
  const facts = runFacts(run).map(({ name, value }) => html`<dt>${name}<dd>${value}`);
  const notes = reportNotes(run).map((note) => html`<p class="note warn">${note}</p>`);
  return html`<section id="summary"><dl class="figures">${tiles}</dl><dl class="facts">${facts}</dl>${
    notes.length === 0 ? undefined : html`<h2>Notes</h2>${notes}`
  }</section>`;
}

function timelineSection({ profile, samples, rssPeak }: WholeRun): Markup | undefined {
  const { run } = profile;
  const { memTotal } = run.board;
  const measures =
    timelineMeasure(run) ??
    (run.engine.name === "massif" ? t("RSS of the main process, with valgrind") : t("RSS of the main process"));
  const picture = timelinePicture(samples, { measures, ...defined({ memTotal }) });
  if (picture === undefined) return undefined;
  const drawn = samples.reduce((most, { rss = 0 }) => Math.max(most, rss), 0);
  const between =
    rssPeak !== undefined && rssPeak > drawn && formatBytes(rssPeak) !== formatBytes(drawn)
      ? html`<p class="faint">Between two samples it reached ${formatBytes(rssPeak)}, by the kernel’s high-water mark.</p>`
      : undefined;
  return html`<section id="timeline"><h2>Timeline</h2><div class="scroll" tabindex="0" role="region" aria-label="Timeline">${picture}</div>${between}</section>`;
}

function heaviestSection(figures: LineFigures): Markup {
  const rows = heaviest(figures, MOST_LINES);
  const most = rows[0]?.weight ?? 1;
  const [first, ...others] = figures.headings;
  const body = rows.map(({ path, line, cells, severity, weight, text }) => {
    const width = Math.max(1, (100 * weight) / most).toFixed(1);
    const bar = html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"/></svg>`;
    const [first, ...others] = cells();
    return html`<tr class="${severity}"><th scope="row" class="path">${fileName(path)}:${line}<td class="n">${first}<td data-amount="${weight}">${bar}${others.map((cell) => html`<td class="n">${cell}`)}<td class="code">${text}
`;
  });
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Heaviest lines"><table class="weights sortable" aria-label="Heaviest lines"><thead><tr><th scope="col">Line<th scope="col" class="n">${first}<th scope="col" aria-sort="descending">Weight${others.map((heading) => html`<th scope="col" class="n">${heading}`)}<th scope="col">Source<tbody>
${body}</table></div>`;
  return html`<section id="heaviest"><h2>Heaviest lines</h2>${rows.length === 0 ? html`<p>No line of the project took memory.</p>` : table}
<p class="faint">The run has ${extentText(figures)}. Weight: the most that the line took, kept or held for a while.</p></section>`;
}

function phasesSection(costs: ReturnType<typeof phaseCosts>): Markup {
  const change = (bytes: number | undefined) =>
    html`<td class="n">${bytes === undefined ? UNKNOWN : formatChange(bytes)}`;
  const rows = costs.map(
    ({ phase, process, t, at, rss, inUse, allocated, reserved, outside }) =>
      html`<tr><th scope="row">${say(PHASE_NAMES[phase])}${process === undefined ? "" : ` (${process})`}<td class="n">${formatDuration(t)}${[rss, inUse, allocated, reserved].map(change)}<td class="n">${outside === undefined ? UNKNOWN : `~ ${formatChange(outside)}`}<td class="path">${at === undefined ? UNKNOWN : `${fileName(at.path)}:${at.line}`}
`,
  );
  return html`<section id="phases"><h2>${say(PHASES_TITLE)}</h2><div class="scroll" tabindex="0" role="region" aria-label="Phases"><table aria-label="Phases"><thead><tr><th scope="col">Phase<th scope="col" class="n">Began<th scope="col" class="n">RSS<th scope="col" class="n">Board<th scope="col" class="n">Allocated<th scope="col" class="n">Reserved<th scope="col" class="n">Outside<th scope="col">Line<tbody>
${rows}</table></div><p class="faint">${say(PHASES_NOTE)}</p></section>`;
}

function flameSection({ label, stacks }: ProcessHeap, processes: number): Markup {
  const tree = callers(stacks);
  const draw = (leastWidth: number) =>
    [...flameGraphSvg(tree, { title: t("{0} at its peak", label), leastWidth })].join("");
  let leastWidth = LEAST_WIDTH;
  let picture = draw(leastWidth);
  while (Buffer.byteLength(picture) > FLAME_ROOM && leastWidth < FLAME_WIDTH / 4) {
    leastWidth *= 2;
    picture = draw(leastWidth);
  }
  const others = processes > 1 ? t(" The other {0} processes are not drawn.", processes - 1) : "";
  return html`<section id="flame"><h2>Flame graph</h2><p>Whose memory the heap was at the peak: the program’s beginning on top, below each frame what it called. Point at a frame for its whole name and bytes. Frames with less than ${((100 * leastWidth) / FLAME_WIDTH).toFixed(2)} % of it are left out.${others}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Flame graph">${new Markup(picture)}</div></section>`;
}

function meaningSection(figures: LineFigures): Markup {
  return html`<section id="meaning"><h2>What the figures mean</h2><p>Beside the lines:</p><ul class="legend">${figures.legend.map((sentence) => html`<li>${sentence}`)}</ul>
<p>Beside a file’s name: what its own lines took together, without what they called in other files.</p>
<p class="faint">A figure that could not be taken is shown as – or -, never as 0. On a Jetson the GPU’s memory is the board’s RAM: it is in no process’s RSS.</p></section>`;
}
