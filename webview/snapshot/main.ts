/** The snapshot page: asks the editor for what is held when, and shows it in three linked parts. */
import "./snapshot.css";
import type { Frame } from "../../src/massif/model.ts";
import { formatBytes, formatCount } from "../../src/profile/format.ts";
import {
  type Place,
  readSnapshotPageState,
  readToSnapshotPage,
  type SnapshotAllocation,
  type SnapshotDevice,
  type SnapshotDocument,
  type SnapshotPageState,
  type ToSnapshotEditor,
} from "../../src/protocol/snapshot.ts";
import { byId } from "../dom.ts";
import { ActiveChart } from "./active/chart.ts";
import { stepAt } from "./active/curve.ts";
import { LiveSweep, placesOf } from "./active/layers.ts";
import { marksOf } from "./active/marks.ts";
import { type Colors, colorsOf } from "./colors.ts";
import { type ActiveMemory, type AllocatorState, activeMemoryOf, allocatorStateOf } from "./decode.ts";
import { createDetails } from "./details.ts";
import { fillDevices, showHead, showTotals } from "./head.ts";
import { movedMoment } from "./keys.ts";
import { latest } from "./latest.ts";
import { showLayerTip } from "./layerTip.ts";
import { isFound, LineColors } from "./lines.ts";
import { Queries } from "./queries.ts";
import { createFlame } from "./stacks/flame.ts";
import { liveGraph } from "./stacks/liveGraph.ts";
import { SegmentMap } from "./state/map.ts";
import { figuresOf, segmentRows } from "./state/segments.ts";
import { fillLargest, fillLegend } from "./tables.ts";
import { createToolbar } from "./toolbar.ts";
import { momentText, oomText, partText, segmentName, stateSentences } from "./words.ts";
import { WorkspacePaths } from "./workspacePaths.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ToSnapshotEditor): void;
  getState(): unknown;
  setState(state: SnapshotPageState): void;
};

/** More than a chart has room for. */
const LAYERS = 15_000;
const POINTS = 4_000;
/** A view that still moves is not asked about. */
const SETTLE_MS = 150;
/** What a press of the button leaves of the range. */
const CLOSER = 0.5;

const vscode = acquireVsCodeApi();
const source = document.body.dataset["source"] ?? "";
const saved = readSnapshotPageState(vscode.getState());
let state: SnapshotPageState =
  saved?.source === source ? saved : { source, axis: "events", search: "", frames: "python" };

const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const again = byId("again", HTMLButtonElement);
const plot = byId("plot", HTMLElement);
const spotLine = byId("map-spot", HTMLElement);

const queries = new Queries((message) => vscode.postMessage(message));
const lines = new LineColors();
const openPlace = (place: Place): void => vscode.postMessage({ kind: "goTo", place });
const paths = new WorkspacePaths((wanted) => vscode.postMessage({ kind: "find", paths: wanted }));
const holds = (path: string): boolean | undefined => paths.holds(path);

let colors: Colors = colorsOf(document.body);
let shown: SnapshotDocument | undefined;
let device: SnapshotDevice | undefined;
/** Of all events, and of the part that is seen. */
let overview: ActiveMemory | undefined;
let drawn: ActiveMemory | undefined;
let moment = 0;
/** At the chosen moment, as it was shown last. */
let allocator: AllocatorState | undefined;
let held: number | undefined;
let selected: SnapshotAllocation | undefined;
let showSelected: (() => void) | undefined;

function keep(parts: Partial<SnapshotPageState>): void {
  state = { ...state, ...parts };
  vscode.setState(state);
}

function forget(...names: readonly ("moment" | "range" | "allocation")[]): void {
  const rest = { ...state };
  for (const name of names) delete rest[name];
  state = rest;
  keep({});
}

function report(error: unknown): void {
  status.textContent = error instanceof Error ? error.message : String(error);
}

const details = createDetails({
  onOpen: openPlace,
  onCopy: (text) => vscode.postMessage({ kind: "copy", text }),
  holds,
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
      if (range === undefined) forget("range");
      else keep({ range });
      refine();
    }, SETTLE_MS);
  },
});
let settle: ReturnType<typeof setTimeout> | undefined;
const map = new SegmentMap(
  byId("map", HTMLElement),
  byId("map-space", HTMLElement),
  byId("map-canvas", HTMLCanvasElement),
  {
    onPick: (spot) => {
      const at = map.at(spot);
      const segment = at && allocator?.segments[at.row.segment];
      if (!at || !segment) return;
      spotLine.textContent = `${partText(at.part)}, in a segment of ${segmentName(segment)}`;
      const allocation = at.part.block === undefined ? undefined : allocator?.blocks.allocation[at.part.block];
      if (allocation !== undefined) select(allocation);
      else {
        const address = `0x${(BigInt(segment.address) + BigInt(at.part.offset)).toString(16)}`;
        showSelected = undefined;
        details.text(
          `${partText(at.part)} at ${address}, in a segment of ${segmentName(segment)} at ${segment.address}.`,
        );
      }
    },
  },
);
const toolbar = createToolbar({
  onMaximum: () => device && choose(device.maximum.moment),
  onOutOfMemory: nextOutOfMemory,
  onEnd: () => device && choose(device.events),
  onAxis: (axis) => {
    keep({ axis });
    if (drawn) show(drawn);
  },
  onCloser: () => chart.zoomBy(CLOSER),
  onAll: () => chart.zoomTo(undefined),
  onDevice: (number) => {
    const next = shown?.devices.find((each) => each.device === number);
    if (!next) return;
    forget("moment", "range", "allocation");
    keep({ device: number });
    chart.zoomTo(undefined);
    showDevice(next);
  },
  onFrames: (frames) => {
    keep({ frames });
    showSelected?.();
    loadMoment();
  },
  onSearch: (text) => {
    keep({ search: text });
    showSearch();
  },
});
const flame = createFlame({
  onSelect: (graph, node) => {
    showSelected = () => details.frame(graph, node);
    showSelected();
  },
  onOpen: openPlace,
  remark: (frame: Frame) =>
    frame.kind === "python" && holds(frame.path) === false ? "Its file is outside the workspace." : undefined,
});

/* What is asked for, and what is done with it. */

const memories = latest(
  ({ device: wanted, from, to }: { readonly device: number; readonly from: number; readonly to: number }) =>
    queries.ask({ about: "memory", device: wanted, from, to, layers: LAYERS, points: POINTS }),
  ({ memory }, { device: wanted, from, to }) => {
    if (wanted !== device?.device) return;
    const next = activeMemoryOf(memory);
    const first = overview === undefined;
    if (from === 0 && to === device.events) overview = next;
    if (first) colorLines(next, device.maximum.moment);
    show(next);
    if (first && state.range) chart.zoomTo(state.range);
  },
  report,
);

const moments = latest(
  async ({ at, frames }: { readonly at: number; readonly frames: SnapshotPageState["frames"] }) => {
    const about = { device: device?.device ?? 0, moment: at };
    const [blocks, tree] = await Promise.all([
      queries.ask({ about: "state", ...about }),
      queries.ask({ about: "tree", ...about, frames }),
    ]);
    return { allocator: allocatorStateOf(blocks.state), graph: liveGraph(tree.tree) };
  },
  ({ allocator: next, graph }, { at }) => {
    allocator = next;
    held = graph.whole;
    paths.want(graph.tree.frames.flatMap((frame) => (frame.kind === "python" ? [frame.path] : [])));
    const rows = segmentRows(next);
    showLines();
    map.show(next, rows, mapLook());
    byId("state-text", HTMLElement).textContent = stateSentences(figuresOf(rows), next.homeless).join(" ");
    fillLargest(next, select);
    flame.show(graph);
    if (selected) mark(selected);
    showMoment(at);
  },
  report,
);

const allocations = latest(
  (allocation: number) => queries.ask({ about: "allocation", device: device?.device ?? 0, allocation }),
  ({ allocation }) => {
    selected = allocation;
    paths.want(allocation.stack.frames.flatMap(({ place }) => (place ? [place.path] : [])));
    showSelected = () => details.allocation(allocation, device?.events ?? 0, state.frames === "all");
    showSelected();
    restyle();
    mark(allocation);
  },
  report,
);

/** The lines that held the most at the maximum have colours of their own. */
function colorLines({ layers, stacks }: ActiveMemory, maximum: number): void {
  const live = placesOf(new LiveSweep(layers).at(maximum));
  lines.use(
    stacks,
    Array.from(live, (i) => ({ stack: layers.stack[i] ?? -1, size: layers.size[i] ?? 0 })),
  );
}

function select(allocation: number): void {
  keep({ allocation });
  allocations.want(allocation);
}

function mark({ allocation, stack }: SnapshotAllocation): void {
  map.reveal(allocation);
  flame.mark(stack);
}

function loadMoment(): void {
  for (const host of ["map", "graph"]) byId(host, HTMLElement).setAttribute("aria-busy", "true");
  moments.want({ at: moment, frames: state.frames });
}

/** Asks for the part that is seen, with what is beside it, so that it is drawn with all its allocations. */
function refine(): void {
  if (!device) return;
  const { range } = state;
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
  found: (name: Parameters<typeof isFound>[0]) => state.search === "" || isFound(name, state.search),
});
const mapLook = () => ({ colors, lines, selected: selected?.allocation });

function show(memory: ActiveMemory): void {
  if (!device) return;
  drawn = memory;
  const { events, duration = 0, maximum } = device;
  chart.show({ memory, events, duration, maximum: maximum.bytes, marks: marksOf(device) }, state.axis, chartLook());
  const others =
    memory.others === 0 ? "" : ` ${formatCount(memory.others)} smaller allocations are drawn as one grey layer on top.`;
  byId("memory-about", HTMLElement).textContent =
    `Bytes as the program asked for them, one layer for each allocation, in the colour of its line.${others}`;
  showMoment(moment);
}

function restyle(): void {
  chart.restyle(chartLook());
  map.restyle(mapLook());
}

function showLines(): void {
  if (!allocator) return;
  const { blocks, stacks } = allocator;
  const live = Array.from(blocks.stack, (stack, i) => ({ stack, size: blocks.size[i] ?? 0 }));
  const uses = lines.use(stacks, live);
  paths.want(uses.flatMap(({ line }) => (line ? [line.path] : [])));
  fillLegend(uses, colors, openPlace, holds);
}

function showMoment(at: number): void {
  if (!device) return;
  const step = drawn ? stepAt(drawn.moment, at) : -1;
  const t = drawn?.t[step];
  const bytes = held ?? (drawn?.moment[step] === at ? drawn.total[step] : undefined);
  const oom = device.outOfMemory
    .filter((each) => each.moment === at)
    .map((each) => ` Out of memory: ${oomText(each)}.`);
  const size = bytes === undefined ? "" : `: ${formatBytes(bytes)} held`;
  const text = momentText(at, device, t !== undefined && Number.isFinite(t) ? t : undefined);
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}${size}.${oom.join("")}`;
  byId("moment", HTMLElement).textContent = whole;
  plot.setAttribute("aria-valuenow", String(at));
  plot.setAttribute("aria-valuetext", whole);
}

/* What the user does. */

function choose(at: number): void {
  if (!device) return;
  moment = Math.min(device.events, Math.max(0, at));
  held = undefined;
  keep({ moment });
  chart.chosen = moment;
  chart.reveal(moment);
  showMoment(moment);
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
  if (next.duration === undefined) keep({ axis: "events" });
  toolbar.offer(next);
  toolbar.set(state);
  if (events > 0) memories.want({ device: next.device, from: 0, to: events });
  moment = Math.min(events, state.moment ?? maximum.moment);
  chart.chosen = moment;
  showMoment(moment);
  loadMoment();
  if (state.allocation !== undefined) allocations.want(state.allocation);
}

function showDocument(next: SnapshotDocument): void {
  shown = next;
  showHead(next);
  again.hidden = true;
  const devices = next.devices.filter(({ totals, events }) => totals.reserved > 0 || events > 0);
  const first = devices.find(({ device: number }) => number === state.device) ?? devices[0];
  content.hidden = first === undefined;
  status.textContent =
    first === undefined
      ? "PyTorch held no memory of any CUDA device when this snapshot was taken, and recorded no events. Take it while a model is on the GPU."
      : "";
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
function selectNeighbour(step: 1 | -1): void {
  if (!drawn) return;
  const live = chart.live(moment);
  const at = live.findIndex((layer) => drawn?.layers.allocation[layer] === selected?.allocation);
  const layer = live[Math.min(live.length - 1, Math.max(0, at === -1 ? live.length - 1 : at + step))];
  const allocation = layer === undefined ? undefined : drawn.layers.allocation[layer];
  if (allocation !== undefined) select(allocation);
}

plot.addEventListener("keydown", (event) => {
  if (!device || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = movedMoment(event.key, event.shiftKey, moment, device, state.range);
  if (to !== undefined) choose(to);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") selectNeighbour(event.key === "ArrowUp" ? 1 : -1);
  else if (event.key.toLowerCase() === "n") nextOutOfMemory();
  else if (event.key === "Enter" && selected?.stack.line) openPlace(selected.stack.line);
  else return;
  event.preventDefault();
});
again.addEventListener("click", () => vscode.postMessage({ kind: "ready" }));

function showSearch(): void {
  flame.find(state.search);
  chart.restyle(chartLook());
  const stacks = [...(allocator?.stacks.values() ?? [])];
  const found = stacks.filter((name) => isFound(name, state.search)).length;
  toolbar.showMatches(
    state.search === "" ? "" : `${formatCount(found)} of ${formatCount(stacks.length)} stacks at this moment`,
  );
}

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
      showLines();
      showSelected?.();
      return;
    case "unavailable":
      content.hidden = shown === undefined;
      again.hidden = false;
      status.textContent =
        message.message + (shown === undefined ? "" : " What is shown below is what could be read last.");
  }
});

// VS Code changes the theme of a page that is open.
const themes = new MutationObserver(() => {
  colors = colorsOf(document.body);
  restyle();
  flame.repaint();
  showLines();
});
for (const themed of [document.documentElement, document.body])
  themes.observe(themed, { attributes: true, attributeFilter: ["class", "style"] });

toolbar.set(state);
keep({});
vscode.postMessage({ kind: "ready" });
