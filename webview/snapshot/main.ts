/** The snapshot page: asks the editor for what is held when, and shows it in three linked parts. */
import "./snapshot.css";
import {
  type Place,
  readToSnapshotPage,
  type SnapshotAllocation,
  type SnapshotDevice,
  type SnapshotDocument,
  type SnapshotPageState,
} from "../../src/protocol/torch/snapshot.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { type Colors, colorsOf } from "./colors.ts";
import { createComparison } from "./compared/comparison.ts";
import { allocatorStateOf } from "./decode.ts";
import { createDetails } from "./details.ts";
import { fillDevices, showHead, showTotals } from "./head.ts";
import { movedMoment } from "./keys.ts";
import { latest } from "./latest.ts";
import { LineColors } from "./lines.ts";
import { createMemoryView } from "./memoryView.ts";
import { createMomentView } from "./momentView.ts";
import { openSnapshotStore, type VsCode } from "./pageState.ts";
import { Queries } from "./queries.ts";
import { liveGraph } from "./stacks/liveGraph.ts";
import { createStatusLine } from "./statusLine.ts";
import { createToolbar } from "./toolbar.ts";
import { WorkspacePaths } from "./workspacePaths.ts";

declare function acquireVsCodeApi(): VsCode;

const vscode = acquireVsCodeApi();
const store = openSnapshotStore(vscode, document.body.dataset["source"] ?? "");
const status = createStatusLine(say(phrase("Reading the snapshot…")));
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
let moment = 0;
let selected: SnapshotAllocation | undefined;
let showSelected: (() => void) | undefined;

/* The parts of the page. */

const details = createDetails({
  onOpen: openPlace,
  onCopy: (text) => vscode.postMessage({ kind: "copy", text }),
  paths,
});
const comparison = createComparison(queries, paths, {
  onChanged: () => memory.redraw(),
  onOpen: openPlace,
  onFailed: (error) => status.failed("memory", error),
});
const look = () => ({ colors, selected: selected?.allocation, other: comparison.drawn });
const memory = createMemoryView(queries, lines, store, look, {
  onPick: (at, allocation) => {
    choose(at);
    if (allocation !== undefined) select(allocation);
  },
  onView: (isWhole, otherRange) => {
    toolbar.showWhole(isWhole);
    comparison.see(otherRange);
  },
  onAnswered: () => status.answered("memory"),
  onFailed: (error) => status.failed("memory", error),
});
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
  onCompare: () => vscode.postMessage({ kind: "compare" }),
  onAxis: (axis) => {
    store.keep({ axis });
    memory.redraw();
  },
  onCloser: () => memory.closer(),
  onAll: () => memory.whole(),
  onDevice: (number) => {
    const next = shown?.devices.find((each) => each.device === number);
    if (!next) return;
    store.keep({ device: number, moment: undefined, range: undefined, allocation: undefined });
    memory.whole();
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
    status.answered("state");
    parts.show(allocator, graph);
    if (selected) parts.mark(selected);
    showSearch();
    memory.setHeld(graph.whole);
  },
  (error) => {
    parts.setAwaited(false);
    status.failed("state", error);
  },
);

const allocations = latest(
  (about: { readonly device: number; readonly allocation: number }) => queries.ask({ about: "allocation", ...about }),
  ({ allocation }, { device: number }) => {
    if (number !== device?.device) return;
    status.answered("allocation");
    selected = allocation;
    paths.want(allocation.stack.frames.flatMap(({ place }) => (place ? [place.path] : [])));
    const { events } = device;
    showSelected = () => details.allocation(allocation, events, store.state.frames === "all");
    showSelected();
    memory.restyle();
    parts.restyle();
    parts.mark(allocation);
  },
  (error) => status.failed("allocation", error),
);

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

function showSearch(): void {
  memory.restyle();
  toolbar.showMatches(parts.find(store.state.search));
}

/* What the user does. */

function choose(at: number): void {
  if (!device) return;
  moment = Math.min(device.events, Math.max(0, at));
  store.keep({ moment });
  memory.choose(moment);
  loadMoment();
}

function showDevice(next: SnapshotDevice): void {
  device = next;
  selected = undefined;
  const { events, maximum } = next;
  showTotals(next);
  if (next.duration === undefined) store.keep({ axis: "events" });
  toolbar.offer(next);
  toolbar.set(store.state);
  moment = Math.min(events, store.state.moment ?? maximum.moment);
  memory.open(next, moment);
  comparison.beside(next);
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
  status.forget();
  status.show(
    first === undefined
      ? t(
          "PyTorch held no memory of any CUDA device when this snapshot was taken, and recorded no events. Take it while a model is on the GPU.",
        )
      : "",
  );
  if (!first) return;
  fillDevices(devices, first.device);
  showDevice(first);
}

function nextOutOfMemory(): void {
  const all = device?.outOfMemory ?? [];
  const next = all.find((each) => each.moment > moment) ?? all[0];
  if (next) choose(next.moment);
}

function selectNeighbor(step: 1 | -1): void {
  const allocation = memory.neighbor(step);
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
byId("stop-comparing", HTMLButtonElement).addEventListener("click", () => {
  comparison.close();
  vscode.postMessage({ kind: "stopComparing" });
  byId("compare", HTMLButtonElement).focus();
});
again.addEventListener("click", () => vscode.postMessage({ kind: "ready" }));

/* What comes from outside. */

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToSnapshotPage(event.data);
  switch (message?.kind) {
    case "document":
      showDocument(message.document);
      return;
    case "other":
      if (device) comparison.open(message.document, device);
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
      comparison.showLines();
      showSelected?.();
      return;
    case "unavailable":
      content.hidden = shown === undefined;
      again.hidden = false;
      status.show(message.message + (shown === undefined ? "" : t(" What is shown below is what could be read last.")));
  }
});

// VS Code changes the theme of a page that is open.
const themes = new MutationObserver(() => {
  colors = colorsOf(document.body);
  memory.restyle();
  parts.restyle();
});
for (const themed of [document.documentElement, document.body])
  themes.observe(themed, { attributes: true, attributeFilter: ["class", "style"] });

toolbar.set(store.state);
explainTerms();
useKeyboard(plot);
vscode.postMessage({ kind: "ready" });
