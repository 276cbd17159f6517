/** The snapshot page: asks the editor for what is held when, and shows it in three linked parts. */
import { printable } from "../../src/profile/text/text.ts";
import "./snapshot.css";
import { formatCount } from "../../src/profile/text/format.ts";
import {
  type Place,
  readToSnapshotPage,
  type SnapshotAllocation,
  type SnapshotDevice,
  type SnapshotDocument,
  type SnapshotPageState,
  type SnapshotQuery,
} from "../../src/protocol/torch/snapshot.ts";
import { phrase, say, sentences, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { ActiveChart } from "./active/chart.ts";
import { stepAt } from "./active/curve.ts";
import { LiveSweep, placesOf } from "./active/layers.ts";
import { marksOf } from "./active/marks.ts";
import { type Colors, colorsOf } from "./colors.ts";
import { type ActiveMemory, activeMemoryOf, allocatorStateOf } from "./decode.ts";
import { createDetails } from "./details.ts";
import { fillDevices, showHead, showTotals } from "./head.ts";
import { movedMoment } from "./keys.ts";
import { latest } from "./latest.ts";
import { showLayerTip } from "./layerTip.ts";
import { isFound, LineColors } from "./lines.ts";
import { createMomentView } from "./momentView.ts";
import { createPageStore, type VsCode } from "./pageStore.ts";
import { Queries } from "./queries.ts";
import { liveGraph } from "./stacks/liveGraph.ts";
import { createToolbar } from "./toolbar.ts";
import { momentSentences } from "./words.ts";
import { WorkspacePaths } from "./workspacePaths.ts";

declare function acquireVsCodeApi(): VsCode;

/** More than a chart has room for. */
const LAYERS = 15_000;
const POINTS = 4_000;
/** A view that still moves is not asked about. */
const SETTLE_MS = 150;
/** What a press of the button leaves of the range. */
const CLOSER = 0.5;

const vscode = acquireVsCodeApi();
const store = createPageStore(vscode, document.body.dataset["source"] ?? "");
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const again = byId("again", HTMLButtonElement);
const plot = byId("plot", HTMLElement);

const queries = new Queries((message) => vscode.postMessage(message));
const lines = new LineColors();
const openPlace = (place: Place): void => vscode.postMessage({ kind: "goTo", place });
const paths = new WorkspacePaths((wanted) => vscode.postMessage({ kind: "find", paths: wanted }));

let colors: Colors = colorsOf(document.body);
let shown: SnapshotDocument | undefined;
let device: SnapshotDevice | undefined;
/** Of all events, and of the part that is seen. */
let overview: ActiveMemory | undefined;
let drawn: ActiveMemory | undefined;
let moment = 0;
/** At the chosen moment; undefined until that is known. */
let held: number | undefined;
let selected: SnapshotAllocation | undefined;
let showSelected: (() => void) | undefined;

/** What is to be said of the file, and why a question has no answer: that until it has one. */
let notice = say(phrase("Reading the snapshot…"));
const faults = new Map<SnapshotQuery["about"], string>();
function showStatus(): void {
  status.textContent = printable(sentences(notice, ...faults.values()));
}
const failed =
  (about: SnapshotQuery["about"]) =>
  (error: unknown): void => {
    // Nothing comes any more.
    if (about === "memory") plot.setAttribute("aria-busy", "false");
    if (about === "state") parts.setAwaited(false);
    faults.set(about, error instanceof Error ? error.message : String(error));
    showStatus();
  };
function answered(about: SnapshotQuery["about"]): void {
  if (faults.delete(about)) showStatus();
}

const details = createDetails({
  onOpen: openPlace,
  onCopy: (text) => vscode.postMessage({ kind: "copy", text }),
  paths,
});
const chart = new ActiveChart(plot, byId("layers", HTMLCanvasElement), byId("marks", SVGSVGElement), {
  onPick: (at, layer) => {
    choose(at);
    const allocation = layer === undefined ? undefined : drawn?.layers.allocation[layer];
    if (allocation !== undefined) select(allocation);
  },
  onHover: (at) => showLayerTip(drawn, device, at),
  onView: (range) => {
    toolbar.showWhole(range === undefined);
    clearTimeout(settle);
    settle = setTimeout(() => {
      if (range === undefined) store.forget("range");
      else store.keep({ range });
      refine();
    }, SETTLE_MS);
  },
});
let settle: ReturnType<typeof setTimeout> | undefined;
const parts = createMomentView(lines, paths, () => ({ colors, lines, selected: selected?.allocation }), {
  onAllocation: select,
  onFrame: (graph, node) => {
    showSelected = () => details.frame(graph, node);
    showSelected();
  },
  onFree: (text) => {
    showSelected = undefined;
    details.text(text);
  },
  onOpen: openPlace,
});
const toolbar = createToolbar({
  onMaximum: () => device && choose(device.maximum.moment),
  onOutOfMemory: nextOutOfMemory,
  onEnd: () => device && choose(device.events),
  onAxis: (axis) => {
    store.keep({ axis });
    if (drawn) show(drawn);
  },
  onCloser: () => chart.zoomBy(CLOSER),
  onAll: () => chart.zoomTo(undefined),
  onDevice: (number) => {
    const next = shown?.devices.find((each) => each.device === number);
    if (!next) return;
    store.forget("moment", "range", "allocation");
    store.keep({ device: number });
    chart.zoomTo(undefined);
    showDevice(next);
  },
  onFrames: (frames) => {
    store.keep({ frames });
    showSelected?.();
    loadMoment();
  },
  onSearch: (text) => {
    store.keep({ search: text });
    showSearch();
  },
});
/* What is asked for, and what is done with it. */

const memories = latest(
  ({ device: wanted, from, to }: { readonly device: number; readonly from: number; readonly to: number }) =>
    queries.ask({ about: "memory", device: wanted, from, to, layers: LAYERS, points: POINTS }),
  ({ memory }, { device: wanted, from, to }) => {
    if (wanted !== device?.device) return;
    const next = activeMemoryOf(memory);
    answered("memory");
    const first = overview === undefined;
    if (from === 0 && to === device.events) overview = next;
    if (first) colorLines(next, device.maximum.moment);
    show(next);
    if (first && store.state.range) chart.zoomTo(store.state.range);
  },
  failed("memory"),
);

const moments = latest(
  async ({
    frames,
    ...about
  }: Pick<SnapshotPageState, "frames"> & { readonly device: number; readonly moment: number }) => {
    const [blocks, tree] = await Promise.all([
      queries.ask({ about: "state", ...about }),
      queries.ask({ about: "tree", ...about, frames }),
    ]);
    return { allocator: allocatorStateOf(blocks.state), graph: liveGraph(tree.tree) };
  },
  ({ allocator, graph }) => {
    answered("state");
    held = graph.whole;
    parts.show(allocator, graph);
    if (selected) parts.mark(selected);
    showSearch();
    showMoment();
  },
  failed("state"),
);

const allocations = latest(
  (about: { readonly device: number; readonly allocation: number }) => queries.ask({ about: "allocation", ...about }),
  ({ allocation }, { device: number }) => {
    if (number !== device?.device) return;
    answered("allocation");
    selected = allocation;
    paths.want(allocation.stack.frames.flatMap(({ place }) => (place ? [place.path] : [])));
    const { events } = device;
    showSelected = () => details.allocation(allocation, events, store.state.frames === "all");
    showSelected();
    chart.restyle(chartLook());
    parts.restyle();
    parts.mark(allocation);
  },
  failed("allocation"),
);

/** The lines that held the most at the maximum have colors of their own. */
function colorLines({ layers, stacks }: ActiveMemory, maximum: number): void {
  const live = placesOf(new LiveSweep(layers).at(maximum));
  lines.use(
    stacks,
    Array.from(live, (i) => ({ stack: layers.stack[i] ?? -1, size: layers.size[i] ?? 0 })),
  );
}

function select(allocation: number): void {
  if (!device) return;
  store.keep({ allocation });
  allocations.want({ device: device.device, allocation });
}

function loadMoment(): void {
  if (!device) return;
  parts.setAwaited(true);
  moments.want({ device: device.device, moment, frames: store.state.frames });
}

/** Asks for the part that is seen, with what is beside it, so that it is drawn with all its allocations. */
function refine(): void {
  if (!device) return;
  const { range } = store.state;
  const { events, device: number } = device;
  if (range === undefined) {
    if (overview) show(overview);
    return;
  }
  const beside = Math.ceil((range.to - range.from) / 2);
  memories.want({ device: number, from: Math.max(0, range.from - beside), to: Math.min(events, range.to + beside) });
}

/* What is shown. */

const chartLook = () => ({
  colors,
  lines,
  selected: selected?.allocation,
  found: (name: Parameters<typeof isFound>[0]) => store.state.search === "" || isFound(name, store.state.search),
});

function show(memory: ActiveMemory): void {
  if (!device) return;
  drawn = memory;
  const { events, duration = 0, maximum } = device;
  chart.show(
    { memory, events, duration, maximum: maximum.bytes, marks: marksOf(device) },
    store.state.axis,
    chartLook(),
  );
  const others =
    memory.others === 0
      ? ""
      : t(" {0} smaller allocations are drawn as one gray layer on top.", formatCount(memory.others));
  byId("memory-about", HTMLElement).textContent = t(
    "Bytes as the program asked for them, one layer for each allocation, in the color of its line.{0}",
    others,
  );
  showMoment();
}

function showMoment(): void {
  if (!device) return;
  const step = drawn ? stepAt(drawn.moment, moment) : -1;
  const t = drawn?.t[step];
  const bytes = held ?? (drawn?.moment[step] === moment ? drawn.total[step] : undefined);
  const text = momentSentences(moment, device, t !== undefined && Number.isFinite(t) ? t : undefined, bytes);
  byId("moment", HTMLElement).textContent = text;
  plot.setAttribute("aria-valuenow", String(moment));
  plot.setAttribute("aria-valuetext", text);
}

function showSearch(): void {
  chart.restyle(chartLook());
  toolbar.showMatches(parts.find(store.state.search));
}

/* What the user does. */

function choose(at: number): void {
  if (!device) return;
  moment = Math.min(device.events, Math.max(0, at));
  held = undefined;
  store.keep({ moment });
  chart.chosen = moment;
  chart.reveal(moment);
  showMoment();
  loadMoment();
}

function showDevice(next: SnapshotDevice): void {
  device = next;
  overview = undefined;
  drawn = undefined;
  held = undefined;
  selected = undefined;
  const { events, maximum } = next;
  showTotals(next);
  plot.setAttribute("aria-valuemax", String(events));
  if (next.duration === undefined) store.keep({ axis: "events" });
  toolbar.offer(next);
  toolbar.set(store.state);
  if (events > 0) memories.want({ device: next.device, from: 0, to: events });
  moment = Math.min(events, store.state.moment ?? maximum.moment);
  chart.chosen = moment;
  showMoment();
  loadMoment();
  if (store.state.allocation === undefined) details.hint();
  else select(store.state.allocation);
}

function showDocument(next: SnapshotDocument): void {
  shown = next;
  showHead(next);
  again.hidden = true;
  const devices = next.devices.filter(({ totals, events }) => totals.reserved > 0 || events > 0);
  const first = devices.find(({ device: number }) => number === store.state.device) ?? devices[0];
  content.hidden = first === undefined;
  faults.clear();
  notice =
    first === undefined
      ? t(
          "PyTorch held no memory of any CUDA device when this snapshot was taken, and recorded no events. Take it while a model is on the GPU.",
        )
      : "";
  showStatus();
  if (!first) return;
  fillDevices(devices, first.device);
  showDevice(first);
}

function nextOutOfMemory(): void {
  const all = device?.outOfMemory ?? [];
  const next = all.find((each) => each.moment > moment) ?? all[0];
  if (next) choose(next.moment);
}

/** The allocation above or below the selected one, among those live at the chosen moment. */
function selectNeighbor(step: 1 | -1): void {
  if (!drawn) return;
  const live = chart.live(moment);
  const at = live.findIndex((layer) => drawn?.layers.allocation[layer] === selected?.allocation);
  const layer = live[Math.min(live.length - 1, Math.max(0, at === -1 ? live.length - 1 : at + step))];
  const allocation = layer === undefined ? undefined : drawn.layers.allocation[layer];
  if (allocation !== undefined) select(allocation);
}

plot.addEventListener("keydown", (event) => {
  if (!device || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = movedMoment(event.key, event.shiftKey, moment, device, store.state.range);
  if (to !== undefined) choose(to);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") selectNeighbor(event.key === "ArrowUp" ? 1 : -1);
  else if (event.key.toLowerCase() === "n") nextOutOfMemory();
  else if (event.key === "Enter" && selected?.stack.line) openPlace(selected.stack.line);
  else return;
  event.preventDefault();
});
again.addEventListener("click", () => vscode.postMessage({ kind: "ready" }));

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToSnapshotPage(event.data);
  switch (message?.kind) {
    case "document":
      showDocument(message.document);
      return;
    case "answer":
      queries.received(message.request, message.answer);
      return;
    case "failed":
      queries.received(message.request, { message: message.message });
      return;
    case "found":
      paths.received(message.paths);
      parts.showLines();
      showSelected?.();
      return;
    case "unavailable":
      content.hidden = shown === undefined;
      again.hidden = false;
      notice = message.message + (shown === undefined ? "" : t(" What is shown below is what could be read last."));
      showStatus();
  }
});

// VS Code changes the theme of a page that is open.
const themes = new MutationObserver(() => {
  colors = colorsOf(document.body);
  chart.restyle(chartLook());
  parts.restyle();
});
for (const themed of [document.documentElement, document.body])
  themes.observe(themed, { attributes: true, attributeFilter: ["class", "style"] });

toolbar.set(store.state);
explainTerms();
useKeyboard(plot);
vscode.postMessage({ kind: "ready" });
