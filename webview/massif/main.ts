/** The massif page: takes the document from the editor, has trees worked on by the worker, and shows them. */
import "./massif.css";
import { frameKey } from "../../src/massif/tree/frameNames.ts";
import { defined } from "../../src/profile/defined.ts";
import { printable } from "../../src/profile/text/text.ts";
import {
  type Choice,
  type MassifDocument,
  type Place,
  readToMassifPage,
  type TreeRef,
} from "../../src/protocol/massif/massif.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { label } from "../flame/frameLook.ts";
import { framesOf } from "../flame/libraries.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { startAnalyst } from "./analysis/analyst.ts";
import type { Graph } from "./analysis/jobs.ts";
import { choiceOf, isPossible, placeText, startingChoice } from "./choice.ts";
import { createDocumentView } from "./documentView.ts";
import { createGraphView } from "./graphView.ts";
import { createMatching } from "./matching/matching.ts";
import { openMassifStore, type VsCode } from "./pageState.ts";
import { createSearch } from "./search.ts";
import { createSidePane } from "./sidePane.ts";
import { createStacksLoader } from "./stacksLoader.ts";
import { createToolbar, type Format } from "./toolbar.ts";
import { TreeLoader } from "./treeLoader.ts";

declare function acquireVsCodeApi(): VsCode;

const vscode = acquireVsCodeApi();
const store = openMassifStore(vscode, document.body.dataset["source"] ?? "");
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const scopeStrip = byId("scope", HTMLElement);

let shown: MassifDocument | undefined;
let current: Choice | undefined;

const openPlace = (place: Place): void => vscode.postMessage({ kind: "goTo", place });

/* The parts of the page. */

const documentView = createDocumentView((choice, file) => choose(choice, file));
const toolbar = createToolbar({
  onSwitch: ({ shape, ...request }) => {
    view.flame.shape = shape;
    const same = request.direction === store.state.direction && request.fold === store.state.fold;
    store.keep({ shape, ...request });
    if (!same) load();
  },
  onSearch: (text) => {
    store.keep({ search: text });
    void search.run();
  },
  onNextMatch: () => search.next(),
  onReset: () => view.flame.zoomTo(0),
  onExport: (format) => void save(format),
});
const side = createSidePane({
  onTab: (tab) => {
    store.keep({ tab });
    view.revealInTree();
  },
  onHide: (isHidden) => {
    store.keep({ sideHidden: isHidden ? true : undefined });
    view.revealInTree();
  },
  onLibrary: ({ library, name }) => search.mark(framesOf(library), name),
  onAllocator: ({ frame }) => {
    const key = frameKey(frame);
    search.mark((other) => frameKey(other) === key, label(frame));
  },
  onPython: ({ path, line }) =>
    search.mark(
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
const view = createGraphView(store, side, {
  onOpen: openPlace,
  onCopy: (text) => vscode.postMessage({ kind: "copy", text }),
  onOnlyLine: (scope) => setScope(scope),
  onZoom: (isWhole) => {
    if (isWhole && store.state.search === "") search.unmark();
  },
});
const analyst = startAnalyst();
const trees = new TreeLoader(analyst, (message) => vscode.postMessage(message));
const search = createSearch(createMatching(), view, toolbar, () => store.state.search, report);
const stacks = createStacksLoader(analyst, trees, {
  onSlow: () => {
    status.textContent = t("Reading the call stacks…");
  },
  onGraph: (graph) => {
    status.textContent = "";
    search.forget();
    view.show(graph);
    view.showEmpty(graph.layout.node.length > 0 ? "" : emptyReason(graph));
    side.clearTables();
    toolbar.allowExports(graph.sides !== undefined);
  },
  onTables: (tables, { sides, whole }) => {
    side.showTables(tables, { change: sides !== undefined, whole });
    void search.run();
  },
  onFailed: (error) => {
    view.showNone(t("These call stacks cannot be shown. Choose another snapshot, or another way to show this one."));
    report(error);
  },
});

/* What is chosen, and what is shown of it. */

function choose(choice: Choice | undefined, file: number): void {
  store.keep({ choice });
  show(choice, file);
}

function setScope(scope: Place | undefined): void {
  store.keep({ scope });
  load();
}

/** Marks what is chosen in the upper part and loads its stacks. */
function show(choice: Choice | undefined, file: number): void {
  documentView.mark(choice, file);
  current = choice;
  load();
}

/** Shows the stacks of what is chosen as the switches say. */
function load(): void {
  showScope();
  document.body.classList.toggle("no-stacks", current === undefined);
  if (!current) {
    stacks.drop();
    view.showNone(
      t(
        "None of these snapshots has call stacks. Run massif with --detailed-freq=1 to keep the stacks of more of them.",
      ),
    );
    return;
  }
  view.await();
  const { direction, fold, scope } = store.state;
  void stacks.load(current, defined({ direction, fold, scope }));
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

function showScope(): void {
  const { scope } = store.state;
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
  trees.forget();
  status.textContent = next.files.length === 0 ? say(NO_FILES) : "";
  content.hidden = next.files.length === 0;
  if (next.files.length === 0) return;
  documentView.show(next);
  side.showMeasured(next);
  const asked = wanted && choiceOf(wanted);
  if (asked && isPossible(asked, next)) store.keep({ choice: asked });
  const { choice } = store.state;
  show(choice && isPossible(choice, next) ? choice : startingChoice(next), 0);
}

const NO_FILES = phrase(
  "Massif has written nothing here yet. It writes its file when the program ends; open this view again after that.",
);

async function save(format: Format): Promise<void> {
  if (!view.graph || !shown) return;
  const extension = {
    svg: "svg",
    png: "png",
    folded: "folded.txt",
    speedscope: "speedscope.json",
    heapprofile: "heapprofile",
  };
  const name = `${shown.title.replace(/[^\w.-]+/g, "-").slice(0, 120)}.${extension[format]}`;
  try {
    const made =
      format === "png" ? view.flame.png() : await analyst.run({ kind: "export", format, title: shown.title });
    vscode.postMessage({ kind: "save", format, name, content: made });
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  status.textContent = printable(error instanceof Error ? error.message : String(error));
}

/* What comes from outside. */

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToMassifPage(event.data);
  switch (message?.kind) {
    case "document":
      if (message.scope) store.keep({ scope: message.scope });
      showDocument(message.document, message.select);
      return;
    case "scope":
      setScope(message.scope);
      return;
    case "tree":
      trees.received(message.request, { tree: message.tree });
      return;
    case "tree-failed":
      trees.received(message.request, { message: message.message });
      return;
    case "unavailable":
      content.hidden = shown === undefined;
      status.textContent =
        message.message + (shown === undefined ? "" : t(" What is shown below is what could be read last."));
  }
});

const graphHost = byId("graph", HTMLElement);
graphHost.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "n" && !event.ctrlKey && !event.metaKey && !event.altKey) search.next();
});
byId("scope-clear", HTMLButtonElement).addEventListener("click", () => setScope(undefined));

// VS Code changes the theme of a page that is open.
const themes = new MutationObserver(() => view.restyle());
for (const themed of [document.documentElement, document.body])
  themes.observe(themed, { attributes: true, attributeFilter: ["class", "style"] });

toolbar.set(store.state, store.state.search);
side.open(store.state.tab);
side.hide(store.state.sideHidden === true);
explainTerms();
useKeyboard(graphHost);
vscode.postMessage({ kind: "ready" });
