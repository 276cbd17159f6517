/** The page "Compare Runs": two runs side by side, what changed and what is only noise; or the repeats of one run. */
import "./compare.css";
import { printable } from "../../src/profile/text/text.ts";
import {
  type CompareDocument,
  type CompareLine,
  type ComparePageState,
  readComparedFolders,
  readComparePageState,
  readToComparePage,
  type ToCompareEditor,
} from "../../src/protocol/compare.ts";
import { byId, element } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { showCards, showHead } from "./head.ts";
import { showLedger } from "./ledger.ts";
import { showLines } from "./lines.ts";
import { placeOf } from "./rows.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ToCompareEditor): void;
  getState(): unknown;
  setState(state: ComparePageState): void;
};

const vscode = acquireVsCodeApi();
const given = document.body.dataset["folders"] ?? "{}";
const folders = readComparedFolders(JSON.parse(given)) ?? { before: [], after: [] };
const saved = readComparePageState(vscode.getState());
let state: ComparePageState =
  saved !== undefined && JSON.stringify(saved.folders) === JSON.stringify(folders)
    ? saved
    : { folders, sort: "change", search: "", all: false };

const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const search = byId("search", HTMLInputElement);
const all = byId("all", HTMLInputElement);
let shown: CompareDocument | undefined;
/** The document as it was sent last. */
let told = "";

function keep(parts: Partial<ComparePageState>): void {
  state = { ...state, ...parts };
  vscode.setState(state);
}

function goTo(line: CompareLine): void {
  const side = line.after === undefined ? "before" : "after";
  vscode.postMessage({ kind: "goTo", side, place: { path: line.path, line: placeOf(line) } });
}

function showTable(): void {
  if (shown === undefined) return;
  showLines(shown, state, {
    goTo,
    sort: (sort) => {
      keep({ sort });
      showTable();
      // The heading that was pressed was made anew.
      document.getElementById(`sort-${sort}`)?.focus();
    },
  });
}

function show(next: CompareDocument): void {
  const text = JSON.stringify(next);
  // The same again, as when other figures are shown beside the lines: the keyboard's place is not taken away.
  if (text === told) return;
  told = text;
  shown = next;
  status.textContent = "";
  content.hidden = false;
  showHead(next);
  showCards(next);
  showTable();
  showLedger(next);
  byId("swap", HTMLElement).hidden = next.before === undefined;
  byId("flame", HTMLElement).hidden = !next.flame;
  byId("notes-section", HTMLElement).hidden = next.notes.length === 0;
  byId("notes", HTMLElement).replaceChildren(...next.notes.map((note) => element("li", printable(note))));
}

search.value = state.search;
all.checked = state.all;
search.addEventListener("input", () => {
  keep({ search: search.value });
  showTable();
});
all.addEventListener("change", () => {
  keep({ all: all.checked });
  showTable();
});
byId("swap", HTMLElement).addEventListener("click", () => vscode.postMessage({ kind: "swap" }));
byId("flame", HTMLElement).addEventListener("click", () => vscode.postMessage({ kind: "flame" }));
window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToComparePage(event.data);
  if (message?.kind === "comparison") show(message.document);
  if (message?.kind === "unavailable") {
    told = "";
    status.textContent = printable(message.message);
  }
});

keep({});
explainTerms();
useKeyboard();
vscode.postMessage({ kind: "ready" });
