/** The page of Check Board: shows what the editor was told by the board, and asks it to check again or to act. */
import "./doctor.css";
import { printable } from "../../src/profile/text/text.ts";
import { type DoctorPageToEditor, readToDoctorPage, type ToDoctorPage } from "../../src/protocol/board/doctor.ts";
import { language, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { showSimulated } from "../simulated.ts";
import { explainTerms } from "../terms.ts";
import { summaryItems, topicSections } from "./reportView.ts";

declare function acquireVsCodeApi(): { postMessage(message: DoctorPageToEditor): void };

const vscode = acquireVsCodeApi();
const heading = byId("title", HTMLElement);
const about = byId("about", HTMLElement);
const status = byId("status", HTMLElement);
const again = byId("again", HTMLButtonElement);
const summary = byId("summary", HTMLElement);
const topics = byId("topics", HTMLElement);

/** In the reader's own form where the page's language is English, which many read who write dates otherwise. */
const timeText = (time: string): string =>
  new Intl.DateTimeFormat(language() === "en" ? undefined : language(), {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(time));

function show({ target, checkedAt, report }: Extract<ToDoctorPage, { kind: "report" }>): void {
  heading.textContent = printable(report.title);
  showSimulated(report.simulated);
  about.textContent = t("{0} · checked {1}", printable(target), timeText(checkedAt));
  summary.replaceChildren(...summaryItems(report, goTo));
  topics.replaceChildren(
    ...topicSections(report, {
      copy: (line) => vscode.postMessage({ kind: "copy", line }),
      run: (line) => vscode.postMessage({ kind: "run", line }),
    }),
  );
}

function goTo(id: string): void {
  const line = [...topics.querySelectorAll<HTMLElement>("[data-line]")].find(({ dataset }) => dataset["line"] === id);
  line?.scrollIntoView({ block: "start" });
  line?.querySelector("h3")?.focus({ preventScroll: true });
}

function setBusy(busy: boolean): void {
  again.disabled = busy;
  again.title = busy ? t("The board is being checked.") : "";
  document.body.classList.toggle("busy", busy);
  topics.setAttribute("aria-busy", String(busy));
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToDoctorPage(event.data);
  if (message === undefined) return;
  setBusy(message.kind === "checking");
  switch (message.kind) {
    case "checking":
      status.textContent = t("Checking {0}…", printable(message.target));
      break;
    case "unavailable":
      // What was found before stays in view.
      status.textContent = printable(message.message);
      break;
    case "report":
      status.textContent = "";
      show(message);
      break;
  }
});
again.addEventListener("click", () => vscode.postMessage({ kind: "again" }));

explainTerms();
useKeyboard();
vscode.postMessage({ kind: "ready" });
