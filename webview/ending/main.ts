/** The page of a run's end: shows why it ran out of memory and what could help, and asks the editor to act. */
import "./ending.css";
import { printable } from "../../src/profile/text/text.ts";
import {
  type EndingPageState,
  type EndingPageToEditor,
  type RunEnding,
  readToEndingPage,
} from "../../src/protocol/board/ending.ts";
import { byId } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { showSimulated } from "../simulated.ts";
import { explainTerms } from "../terms.ts";
import { adviceCards } from "./adviceView.ts";
import { endedWell, endingSections, type GoTo } from "./endingView.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: EndingPageToEditor): void;
  setState(state: EndingPageState): void;
};

const vscode = acquireVsCodeApi();
const heading = byId("title", HTMLElement);
const about = byId("about", HTMLElement);
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const ending = byId("ending", HTMLElement);
const cards = byId("cards", HTMLElement);

const goTo: GoTo = (place) => vscode.postMessage({ kind: "goTo", place });

function show({ title, board, simulated, report, advice }: RunEnding): void {
  heading.textContent = printable(title);
  showSimulated(simulated);
  about.textContent = printable(board);
  ending.replaceChildren(...(report === null ? [endedWell()] : endingSections(report, goTo)));
  cards.replaceChildren(
    ...adviceCards(advice, {
      goTo,
      takeStep: (index, step) => vscode.postMessage({ kind: "step", advice: index, step }),
      openSource: (index) => vscode.postMessage({ kind: "openSource", advice: index }),
    }),
  );
  content.hidden = false;
  byId("open-memory", HTMLElement).hidden = false;
  status.textContent = "";
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToEndingPage(event.data);
  if (message?.kind === "ending") show(message.ending);
  if (message?.kind === "unavailable") status.textContent = printable(message.message);
});
byId("open-memory", HTMLButtonElement).addEventListener("click", () => vscode.postMessage({ kind: "openMemory" }));

vscode.setState({ folder: document.body.dataset["folder"] ?? "" });
explainTerms();
useKeyboard();
vscode.postMessage({ kind: "ready" });
