/** The memory page: reads the records of a board as they come and shows them; asks the editor for lines and for the clipboard. */
import { defined } from "../../src/profile/defined.ts";
import { printable } from "../../src/profile/text/text.ts";
import "./memory.css";
import { withGpuParts } from "../../src/board/ledger/gpuParts.ts";
import { compareLedgers, makeLedger } from "../../src/board/ledger/ledger.ts";
import type { Ledger, LedgerChange } from "../../src/board/ledger/model.ts";
import { withMissedPeak } from "../../src/board/moments/missedPeak.ts";
import type { Moment } from "../../src/board/moments/model.ts";
import { createMomentTable, type MomentTable } from "../../src/board/moments/momentTable.ts";
import { type PeakKind, peakWords } from "../../src/board/moments/peak.ts";
import type { ToolReading } from "../../src/board/tools/model.ts";
import { toolReadings } from "../../src/board/tools/toolReadings.ts";
import type { LinePlace } from "../../src/profile/lines/totals.ts";
import type { PhaseCost } from "../../src/profile/torch/phases.ts";
import { UserError } from "../../src/profile/userError.ts";
import {
  type MemoryPageState,
  type MemoryPageToEditor,
  readMemoryPageState,
  readToMemoryPage,
  type ToMemoryPage,
} from "../../src/protocol/board/memory.ts";
import { sentences, t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { withCommas } from "../prose.ts";
import { explainTerms } from "../terms.ts";
import { createChart } from "./chart.ts";
import { type Choice, chosenByKey, placeOf } from "./choice.ts";
import { momentAsText } from "./copied.ts";
import { type Source, showHead, simulatedBoard, statusText } from "./head.ts";
import { createLedgerTable } from "./ledger/ledgerTable.ts";
import { toolRows } from "./ledger/toolsTable.ts";
import { phaseRows } from "./phasesTable.ts";
import type { Shape } from "./picture/boxes.ts";
import { boxText, createPicture } from "./picture/picture.ts";
import { legendRows, spokenFigures } from "./reading.ts";
import { ageNotes, momentText } from "./words.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: MemoryPageToEditor): void;
  getState(): unknown;
  setState(state: MemoryPageState): void;
};

interface Account {
  readonly moment: Moment;
  readonly ledger: Ledger;
}

/** The moment that is shown, with all that is worked out of it. */
interface Shown extends Account {
  readonly place: number;
  readonly changes: readonly LedgerChange[] | undefined;
  readonly readings: readonly ToolReading[];
}

const MOMENTS_FILE = "moments.jsonl";
/** As many points as a wide chart has room for. */
const MOST_POINTS = 600;

const vscode = acquireVsCodeApi();
const folder = document.body.dataset["folder"] ?? "";
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const plot = byId("plot", HTMLElement);
const openLine = byId("open-line", HTMLButtonElement);
const follow = byId("follow", HTMLButtonElement);
const pictureText = byId("picture-text", HTMLElement);

const readState = readMemoryPageState(vscode.getState());
const saved = (readState?.folder ?? "") === folder ? readState : undefined;
let choice: Choice | undefined = saved?.moment;
let shape: Shape = saved?.picture ?? "bar";

let source: Source | undefined;
let shown: Shown | undefined;
let pointed: number | undefined;
let frame = 0;
let nextPart: "chart" | "moment" = "chart";
let isStale = false;

const chart = createChart(byId("chart", SVGSVGElement), {
  onHover: (time) => point(time === undefined ? undefined : source?.table.at(time)),
  onPick: (time) => chooseAt(source?.table.at(time)),
});
const table = createLedgerTable(byId("ledger-table", HTMLTableElement), byId("ledger-sum", HTMLTableSectionElement));
const picture = createPicture(byId("picture", HTMLElement), byId("picture-svg", SVGSVGElement), {
  onShow: (box) => {
    setText(
      pictureText,
      box && shown ? boxText(box, shown.ledger) : t("Point at a part, or use the arrow keys, to read it."),
    );
  },
  onPick: (box) => {
    if (box.row) table.reveal(box.row.id);
    else table.revealGroup(box.group);
  },
});

/** A screen reader would say again what is only set again. */
function setText(spoken: HTMLElement, text: string): void {
  const shown = printable(text);
  if (spoken.textContent !== shown) spoken.textContent = shown;
}

function saveState(): void {
  vscode.setState({
    ...(folder === "" ? {} : { folder }),
    ...defined({ moment: choice }),
    picture: shape,
  });
}

const choiceNow = (): Choice => choice ?? (source?.start.source === "run" ? "peak" : "newest");

function choose(next: Choice): void {
  choice = next;
  saveState();
  showMoment();
}

/** Keeps the moment by its time: its place is another one once the page was hidden and is told all anew. */
function chooseAt(place: number | undefined): void {
  if (source && place !== undefined) choose(source.table.moment(place).t);
}

/** `12.0 s, peak`. */
function nameOf(place: number, moment: Moment): string {
  const names: string[] = [];
  if (place === source?.table.baseline) names.push(t("baseline"));
  if (source?.start.source === "run" && place === source.table.peak()) names.push(t("peak"));
  if (source?.live && place === source.table.size - 1) names.push(t("newest"));
  return withCommas([momentText(moment.t), ...names]);
}

/** Undefined for a moment that is not the run's peak. */
const peakKindAt = (place: number): PeakKind | undefined =>
  source?.start.source === "run" && place === source.table.peak() ? source.table.peakKind() : undefined;

function accountOf(moments: MomentTable, place: number): Account {
  const moment = moments.moment(place);
  const baseline = moments.baseline === undefined ? undefined : moments.moment(moments.baseline);
  return { moment, ledger: makeLedger(moment, baseline) };
}

function workOut({ start, table: moments, rssPeak, gpu }: Source, place: number): Shown {
  const { moment, ledger } = accountOf(moments, place);
  const account = { moment, ledger: withGpuParts(withMissedPeak(ledger, moments, place, rssPeak), moment, gpu) };
  const { baseline } = moments;
  const compares = baseline !== undefined && baseline !== place;
  return {
    place,
    ...account,
    changes: compares ? compareLedgers(accountOf(moments, baseline).ledger, account.ledger) : undefined,
    readings: toolReadings(account.moment, start.massif === undefined ? {} : { massif: start.massif }),
  };
}

/** The figures beside the chart: of the moment under the pointer, else of the chosen one. */
function showReading(): void {
  if (!source || !shown) return;
  const place = pointed ?? shown.place;
  const { moment, ledger } = place === shown.place ? shown : accountOf(source.table, place);
  byId("reading-title", HTMLElement).textContent = printable(nameOf(place, moment));
  byId("legend-rows", HTMLElement).replaceChildren(...legendRows(ledger, moment));
  const { at } = moment;
  openLine.hidden = source.start.source === "watch";
  openLine.disabled = at === undefined;
  openLine.textContent = at === undefined ? t("Line not known") : printable(t("Open {0}", `${at.path}:${at.line}`));
}

function point(place: number | undefined): void {
  if (place === pointed) return;
  pointed = place;
  chart.mark("pointed", place === undefined ? undefined : source?.table.moment(place).t);
  showReading();
}

function showMoment(): void {
  if (!source) return;
  const place = placeOf(choiceNow(), source.table);
  if (place === undefined) return;
  if (shown?.place !== place) {
    shown = workOut(source, place);
    drawMoment(shown);
  }
  const { moment } = shown;
  const name = printable(nameOf(place, moment));
  chart.mark("chosen", moment.t);
  const kind = peakKindAt(place);
  byId("ledger-moment", HTMLElement).textContent =
    kind === undefined ? t("at {0}", name) : t("at {0}, {1}", name, peakWords(kind));
  plot.setAttribute("aria-valuemax", String(source.table.size - 1));
  plot.setAttribute("aria-valuenow", String(place));
  const at = moment.at === undefined ? [] : [t("{0} line {1}", moment.at.path, moment.at.line)];
  plot.setAttribute("aria-valuetext", withCommas([name, spokenFigures(moment), ...at]));
  follow.setAttribute("aria-pressed", String(choiceNow() === "newest"));
  showReading();
}

function drawMoment({ moment, ledger, changes, readings }: Shown): void {
  picture.draw(ledger, shape);
  table.show(ledger, changes);
  const notes = byId("ledger-notes", HTMLElement);
  notes.replaceChildren(...[...ledger.notes, ...ageNotes(moment)].map((note) => element("li", note)));
  byId("tools-rows", HTMLElement).replaceChildren(...toolRows(readings));
}

function drawChart(): void {
  if (!source || source.table.size === 0) return;
  const { table: moments, start, live } = source;
  const newest = moments.moment(moments.size - 1);
  const peak = start.source === "run" ? moments.peak() : undefined;
  const timeline = {
    points: moments.series(MOST_POINTS),
    intervalMs: moments.header()?.intervalMs ?? 1_000,
    live,
    total: newest.meminfo["MemTotal"] ?? 0,
    swapTotal: newest.meminfo["SwapTotal"] ?? 0,
    ofRun: start.source === "run",
    baseline: moments.baseline === undefined ? undefined : moments.moment(moments.baseline).t,
    peak: peak === undefined ? undefined : moments.moment(peak).t,
  };
  const notRead = chart.draw(timeline, plot.clientWidth);
  const missing = byId("not-read", HTMLElement);
  missing.hidden = notRead.length === 0;
  missing.textContent = t("Not read here: {0}.", notRead.join(t(", ")));
}

function renderChart(): void {
  if (!source) return;
  const { table: moments, live, start } = source;
  content.hidden = moments.size === 0;
  byId("go-to-baseline", HTMLButtonElement).disabled = moments.baseline === undefined;
  for (const ofRun of ["go-to-baseline", "go-to-peak", "run-keys"])
    byId(ofRun, HTMLElement).hidden = start.source === "watch";
  follow.hidden = !live;
  showHead(source);
  drawChart();
}

/** The chart in one frame, the moment's tables in the next: the first picture of a long run would hold one up too long. */
function render(): void {
  frame = 0;
  if (nextPart === "chart") {
    isStale = false;
    renderChart();
    nextPart = "moment";
    frame = requestAnimationFrame(render);
  } else {
    showMoment();
    nextPart = "chart";
    if (isStale) frame = requestAnimationFrame(render);
  }
}

/** Records may come faster than pictures are shown. */
function renderSoon(): void {
  isStale = true;
  if (frame === 0) frame = requestAnimationFrame(render);
}

function unavailable(message: string): void {
  source = undefined;
  shown = undefined;
  content.hidden = true;
  byId("newest", HTMLElement).hidden = true;
  byId("state", HTMLElement).textContent = "";
  setText(status, message);
}

function showPhases(costs: readonly PhaseCost[]): void {
  byId("phases", HTMLElement).hidden = costs.length === 0;
  const goTo = (place: LinePlace) => vscode.postMessage({ kind: "goTo", place });
  byId("phases-rows", HTMLElement).replaceChildren(...phaseRows(costs, goTo));
}

function take(message: ToMemoryPage): void {
  switch (message.kind) {
    case "start":
      shown = undefined;
      pointed = undefined;
      chart.mark("pointed", undefined);
      showPhases([]);
      source = { start: message, table: createMomentTable(MOMENTS_FILE), live: true, rssPeak: undefined, gpu: [] };
      setText(status, statusText(source));
      break;
    case "records":
      if (!source) return;
      for (const line of message.lines) source.table.add(line);
      setText(status, statusText(source));
      break;
    case "phases":
      showPhases(message.costs);
      break;
    case "waiting":
      setText(status, message.message);
      break;
    case "ended":
      if (!source) return;
      source.live = false;
      source.rssPeak = message.rssPeak;
      source.gpu = message.gpu ?? [];
      shown = undefined;
      setText(status, sentences(message.message, statusText(source)));
      break;
    case "unavailable":
      unavailable(message.message);
      break;
  }
  renderSoon();
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToMemoryPage(event.data);
  if (!message) return;
  try {
    take(message);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    unavailable(sentences(error.message, error.hint));
  }
});

function goToLine(): void {
  const place = shown?.moment.at;
  if (place) vscode.postMessage({ kind: "goTo", place });
}

plot.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !source || !shown) return;
  if (event.key === "Enter") goToLine();
  const next = chosenByKey(event.key, shown.place, source.table);
  if (next === undefined) return;
  event.preventDefault();
  if (next === "peak") choose(next);
  else chooseAt(next);
});
openLine.addEventListener("click", goToLine);
byId("go-to-peak", HTMLElement).addEventListener("click", () => choose("peak"));
byId("go-to-baseline", HTMLElement).addEventListener("click", () => chooseAt(source?.table.baseline));
follow.addEventListener("click", () => choose("newest"));
byId("copy", HTMLElement).addEventListener("click", () => {
  if (!source || !shown) return;
  const { title, board } = source.start;
  const { place, moment, ledger, changes, readings } = shown;
  const simulated = simulatedBoard(source);
  const copied = { title, board, simulated, moment: nameOf(place, moment), ledger, changes, readings };
  vscode.postMessage({ kind: "copy", text: momentAsText(copied) });
  setText(status, t("Copied to the clipboard."));
});
for (const input of document.querySelectorAll<HTMLInputElement>("input[name=picture]")) {
  input.checked = input.value === shape;
  input.addEventListener("change", () => {
    shape = input.value === "icicle" ? "icicle" : "bar";
    saveState();
    if (shown) picture.draw(shown.ledger, shape);
  });
}
let widthDrawn = 0;
new ResizeObserver(() => {
  const { clientWidth } = content;
  if (clientWidth === widthDrawn) return;
  widthDrawn = clientWidth;
  drawChart();
  if (shown) picture.draw(shown.ledger, shape);
}).observe(content);

saveState();
explainTerms();
useKeyboard(plot);
vscode.postMessage({ kind: "ready" });
