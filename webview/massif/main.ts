/** The massif page: takes the document from the editor, has trees worked on by the worker, and shows them. */
import "./massif.css";
import type { Frame } from "../../src/massif/model.ts";
import { frameKey } from "../../src/massif/tree/frameNames.ts";
import { formatChange, formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import {
  type Choice,
  type MassifDocument,
  type MassifPageState,
  type Place,
  readMassifPageState,
  readToMassifPage,
  type ToMassifEditor,
  type TreeRef,
} from "../../src/protocol/massif/massif.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { fillBreadcrumb } from "../flame/breadcrumb.ts";
import { frameAt, nodeOf, pathOf, placeOf, stackText, withShare } from "../flame/figures.ts";
import { FlameGraph } from "../flame/flameGraph.ts";
import { LibraryPlaces, label } from "../flame/frameLook.ts";
import { framesOf } from "../flame/libraries.ts";
import { showTooltip } from "../flame/tooltip.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { startAnalyst } from "./analysis/analyst.ts";
import type { Found, Graph, GraphOf, GraphRequest } from "./analysis/jobs.ts";
import { choiceOf, isPossible, placeText, startingChoice, treesOf } from "./choice.ts";
import { createDetailsStrip } from "./detailsStrip.ts";
import { createDocumentView } from "./documentView.ts";
import { fillLegend } from "./legend.ts";
import { createSidePane } from "./sidePane.ts";
import { StackTree } from "./stackTree.ts";
import { createToolbar, type Format } from "./toolbar.ts";
import { TreeLoader } from "./treeLoader.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ToMassifEditor): void;
  getState(): unknown;
  setState(state: MassifPageState): void;
};

const vscode = acquireVsCodeApi();
const source = document.body.dataset["source"] ?? "";
const saved = readMassifPageState(vscode.getState());
let state: MassifPageState =
  saved?.source === source
    ? saved
    : { source, shape: "icicle", direction: "callers-first", fold: true, search: "", tab: "tree", zoom: [] };

const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const graphHost = byId("graph", HTMLElement);
const empty = byId("empty", HTMLElement);
const breadcrumb = byId("breadcrumb", HTMLElement);
const scopeStrip = byId("scope", HTMLElement);

const analyst = startAnalyst();
const loader = new TreeLoader(analyst, (message) => vscode.postMessage(message));
const places = new LibraryPlaces();

let shown: MassifDocument | undefined;
let current: Choice | undefined;
let graph: Graph | undefined;
let found: Extract<Found, { kind: "found" }> | undefined;
let selected: number | undefined;
let searching = false;
/** Shorter waits need no words. */
const SLOW_MS = 400;
/** Counts what was asked for; an answer to anything but the last is too late. */
let ticket = 0;
/** For which of them the graph is: one that is painted again while another is loaded is not what was asked for. */
let graphTicket = 0;

function keep(parts: Partial<MassifPageState>): void {
  state = { ...state, ...parts };
  vscode.setState(state);
}

const openPlace = (place: Place): void => vscode.postMessage({ kind: "goTo", place });

function openNode(node: number): void {
  const place = graph && placeOf(frameAt(graph, node));
  if (place) openPlace(place);
}

const flame = new FlameGraph(graphHost, byId("canvas", HTMLCanvasElement), places, {
  onSelect: (node, open) => {
    select(node, "graph");
    if (open && node !== undefined) openNode(node);
  },
  onHover: (node, at) => showTooltip(graph, node, at),
  onZoom: zoomed,
  onOpen: openNode,
  onPainted: (painted) => {
    if (painted === graph && graphTicket === ticket) graphHost.setAttribute("aria-busy", "false");
  },
});
const details = createDetailsStrip({
  onOpen: openPlace,
  onZoom: (node) => flame.zoomTo(node),
  onCopy: (node) => graph && vscode.postMessage({ kind: "copy", text: stackText(graph, node) }),
  onOnlyLine: (scope) => setScope(scope),
});
const documentView = createDocumentView((choice, file) => choose(choice, file));
const toolbar = createToolbar({
  onSwitch: ({ shape, ...request }) => {
    flame.shape = shape;
    const same = request.direction === state.direction && request.fold === state.fold;
    keep({ shape, ...request });
    if (!same) void load();
  },
  onSearch: (search) => {
    keep({ search });
    void searchNewest();
  },
  onNextMatch: nextMatch,
  onReset: () => flame.zoomTo(0),
  onExport: (format) => void save(format),
});
const side = createSidePane({
  onTab: (tab) => {
    keep({ tab });
    if (tab === "tree" && selected !== undefined) stackTree.reveal(selected);
  },
  onLibrary: ({ library, name }) => markFrames(framesOf(library), name),
  onAllocator: ({ frame }) => {
    const key = frameKey(frame);
    markFrames((other) => frameKey(other) === key, label(frame));
  },
  onPython: ({ path, line }) =>
    markFrames(
      (frame) => frame.kind === "python" && frame.path === path && frame.line === line,
      printable(placeText({ place: { path, line } })),
    ),
  onChoose: (choice) => choose(choice, 0),
  onNoStacks: (line) => {
    status.textContent = t(
      "No call stacks were kept for this execution of {0}; only its sizes are known.",
      printable(placeText(line)),
    );
  },
});
const stackTree = new StackTree(side.tree, {
  onSelect: (node) => select(node, "tree"),
  onZoom: (node) => flame.zoomTo(node),
  onOpen: openNode,
});

function select(node: number | undefined, from: "graph" | "tree" | "page"): void {
  selected = node;
  if (!graph) return;
  if (from !== "graph") flame.select(node);
  if (from !== "tree" && side.tab === "tree" && node !== undefined) stackTree.reveal(node);
  details.show(graph, node);
  const { selected: _, ...rest } = state;
  state = rest;
  keep(node === undefined ? {} : { selected: pathOf(graph, node) });
}

function zoomed(node: number): void {
  if (!graph) return;
  keep({ zoom: pathOf(graph, node) });
  fillBreadcrumb(breadcrumb, graph, node, (to) => flame.zoomTo(to));
  if (node === 0 && state.search === "") unmark();
}

function unmark(): void {
  flame.found = undefined;
  toolbar.showMatches("", false);
}

/** Marks frames that a table's row stands for, as a search marks what it finds, and goes to the widest of them. */
function markFrames(matches: (frame: Frame) => boolean, name: string): void {
  if (!graph) return;
  const { tree, weights } = graph;
  const marked = Uint8Array.from(tree.frames, (frame) => (matches(frame) ? 1 : 0));
  let widest: number | undefined;
  for (let node = 1; node < tree.frame.length; node++) {
    if (marked[tree.frame[node] ?? 0] === 0) continue;
    if (widest === undefined || (weights[node] ?? 0) > (weights[widest] ?? 0)) widest = node;
  }
  found = undefined;
  flame.found = widest === undefined ? undefined : marked;
  toolbar.showMatches(
    widest === undefined ? t("No frame of {0} is in this view.", name) : t("Marked: {0}", name),
    false,
  );
  if (widest !== undefined) select(widest, "page");
}

/** While one text is searched for, all that is typed meanwhile is passed over but for the last. */
async function searchNewest(): Promise<void> {
  if (searching) return;
  searching = true;
  let done: string;
  do {
    done = state.search;
    await runSearch().catch(report);
  } while (done !== state.search);
  searching = false;
}

async function runSearch(): Promise<void> {
  found = undefined;
  const { search } = state;
  const mine = ticket;
  if (search === "" || !graph) {
    unmark();
    return;
  }
  const result = await analyst.run({ kind: "search", text: search });
  if (mine !== ticket || search !== state.search || !graph) return;
  if (result.kind === "invalid") {
    flame.found = undefined;
    toolbar.showMatches(result.message, false);
    return;
  }
  const { weights } = graph;
  // Of a change, what is as it was is not drawn.
  const nodes = result.nodes.filter((node) => (weights[node] ?? 0) > 0);
  const { bytes } = result;
  found = { ...result, nodes };
  const size = graph.sides ? formatChange(bytes) : withShare(bytes, graph.whole);
  flame.found = result.frames;
  toolbar.showMatches(
    nodes.length === 0 ? t("No frame matches.") : t("{0} found · {1}", formatCount(nodes.length), size),
    nodes.length > 0,
  );
}

function nextMatch(): void {
  if (!found || found.nodes.length === 0) return;
  const from = selected ?? -1;
  select(found.nodes.find((node) => node > from) ?? found.nodes[0], "page");
}

async function save(format: Format): Promise<void> {
  if (!graph || !shown) return;
  const extension = {
    svg: "svg",
    png: "png",
    folded: "folded.txt",
    speedscope: "speedscope.json",
    heapprofile: "heapprofile",
  };
  const name = `${shown.title.replace(/[^\w.-]+/g, "-").slice(0, 120)}.${extension[format]}`;
  try {
    const made = format === "png" ? flame.png() : await analyst.run({ kind: "export", format, title: shown.title });
    vscode.postMessage({ kind: "save", format, name, content: made });
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  status.textContent = printable(error instanceof Error ? error.message : String(error));
}

function choose(choice: Choice | undefined, file: number): void {
  const { choice: _, ...rest } = state;
  state = rest;
  keep(choice ? { choice } : {});
  show(choice, file);
}

function setScope(scope: Place | undefined): void {
  const { scope: _, ...rest } = state;
  state = rest;
  keep(scope ? { scope } : {});
  void load();
}

/** Marks what is chosen in the upper part and loads its stacks. */
function show(choice: Choice | undefined, file: number): void {
  documentView.mark(choice, file);
  current = choice;
  void load();
}

function showEmpty(text: string): void {
  empty.textContent = printable(text);
  empty.hidden = text === "";
}

/** What was shown before must not stand below the name of what could not be shown. */
function showNoGraph(text: string): void {
  graph = undefined;
  showTooltip(undefined, undefined, { x: 0, y: 0 });
  document.body.classList.add("no-graph");
  showEmpty(text);
}

/** Loads the trees behind what is chosen and shows them as the switches say. */
async function load(): Promise<void> {
  const mine = ++ticket;
  showScope();
  document.body.classList.toggle("no-stacks", current === undefined);
  if (!current) {
    graphHost.setAttribute("aria-busy", "false");
    showNoGraph(
      t(
        "None of these snapshots has call stacks. Run massif with --detailed-freq=1 to keep the stacks of more of them.",
      ),
    );
    return;
  }
  graphHost.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => {
    if (mine === ticket) status.textContent = t("Reading the call stacks…");
  }, SLOW_MS);
  try {
    const [first, second] = await loader.load(treesOf(current));
    if (mine !== ticket || first === undefined) return;
    const of: GraphOf =
      second === undefined ? { kind: "snapshot", tree: first } : { kind: "difference", before: first, after: second };
    const { direction, fold, scope } = state;
    const request: GraphRequest = { of, direction, fold, ...(scope ? { scope } : {}) };
    const made = await analyst.run({ kind: "graph", request });
    if (mine !== ticket) return;
    clearTimeout(slow);
    status.textContent = "";
    showGraph(made);
    // The picture first: on a small machine the worker would take its time.
    await nextPicture();
    if (mine !== ticket) return;
    const tables = await analyst.run({ kind: "tables" });
    if (mine !== ticket) return;
    side.showTables(tables, { change: made.sides !== undefined, whole: made.whole });
    await runSearch();
  } catch (error) {
    if (mine !== ticket) return;
    graphHost.setAttribute("aria-busy", "false");
    showNoGraph(t("These call stacks cannot be shown. Choose another snapshot, or another way to show this one."));
    report(error);
  } finally {
    clearTimeout(slow);
  }
}

const nextPicture = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

function showGraph(made: Graph): void {
  graph = made;
  graphTicket = ticket;
  document.body.classList.remove("no-graph");
  showTooltip(undefined, undefined, { x: 0, y: 0 });
  found = undefined;
  places.add(made.libraries);
  const { zoom, selected: path } = state;
  flame.show(made, state.shape);
  flame.zoomTo(nodeOf(made, zoom) ?? 0, false);
  select(path === undefined ? undefined : nodeOf(made, path), "page");
  stackTree.show(made);
  if (selected !== undefined) stackTree.reveal(selected);
  side.clearTables();
  toolbar.allowExports(made.sides !== undefined);
  paintLegend();
  showEmpty(made.layout.node.length > 0 ? "" : emptyReason(made));
}

function emptyReason({ sides, request }: Graph): string {
  if (request.scope)
    return t(
      "No stacks {0} pass through {1}. Choose another snapshot, or show all stacks.",
      sides ? t("that changed") : t("in this snapshot"),
      printable(placeText({ place: request.scope })),
    );
  if (sides && current?.kind === "runs") return t("Nothing changed between the peaks of these two runs.");
  return sides ? t("Nothing changed between these two snapshots.") : t("No memory was allocated in this snapshot.");
}

function paintLegend(): void {
  if (graph) fillLegend(byId("legend", HTMLElement), graph, flame.palette, places);
}

function showScope(): void {
  const { scope } = state;
  scopeStrip.hidden = scope === undefined;
  if (scope)
    byId("scope-text", HTMLElement).textContent = t(
      "Only stacks through {0} are shown.",
      printable(placeText({ place: scope })),
    );
}

/** `wanted` is what the editor asks for: it goes before what the user chose here earlier. */
function showDocument(next: MassifDocument, wanted: TreeRef | undefined): void {
  shown = next;
  loader.forget();
  status.textContent = next.files.length === 0 ? say(NO_FILES) : "";
  content.hidden = next.files.length === 0;
  if (next.files.length === 0) return;
  documentView.show(next);
  side.showMeasured(next);
  const asked = wanted && choiceOf(wanted);
  if (asked && isPossible(asked, next)) keep({ choice: asked });
  const { choice } = state;
  show(choice && isPossible(choice, next) ? choice : startingChoice(next), 0);
}

const NO_FILES = phrase(
  "Massif has written nothing here yet. It writes its file when the program ends; open this view again after that.",
);

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToMassifPage(event.data);
  switch (message?.kind) {
    case "document":
      if (message.scope) keep({ scope: message.scope });
      showDocument(message.document, message.select);
      return;
    case "scope":
      setScope(message.scope);
      return;
    case "tree":
      loader.received(message.request, { tree: message.tree });
      return;
    case "tree-failed":
      loader.received(message.request, { message: message.message });
      return;
    case "unavailable":
      content.hidden = shown === undefined;
      status.textContent =
        message.message + (shown === undefined ? "" : t(" What is shown below is what could be read last."));
  }
});

graphHost.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "n" && !event.ctrlKey && !event.metaKey && !event.altKey) nextMatch();
});
byId("scope-clear", HTMLButtonElement).addEventListener("click", () => setScope(undefined));

// VS Code changes the theme of a page that is open.
const themes = new MutationObserver(() => {
  flame.repaint();
  paintLegend();
});
for (const themed of [document.documentElement, document.body])
  themes.observe(themed, { attributes: true, attributeFilter: ["class", "style"] });

toolbar.set(state, state.search);
side.open(state.tab);
keep({});
explainTerms();
useKeyboard(graphHost);
vscode.postMessage({ kind: "ready" });
