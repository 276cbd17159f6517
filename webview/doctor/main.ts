/** The page of Check Board: shows what the editor was told by the board, and asks it to check again or to act. */
import "./doctor.css";
import { printable } from "../../src/profile/text.ts";
import { type DoctorPageToEditor, readToDoctorPage, type ToDoctorPage } from "../../src/protocol/doctor.ts";
import { byId } from "../dom.ts";
import { showSimulated } from "../simulated.ts";
import { summaryItems, topicSections } from "./reportView.ts";

declare function acquireVsCodeApi(): { postMessage(message: DoctorPageToEditor): void };

const vscode = acquireVsCodeApi();
const heading = byId("title", HTMLElement);
const about = byId("about", HTMLElement);
const status = byId("status", HTMLElement);
const again = byId("again", HTMLButtonElement);
const summary = byId("summary", HTMLElement);
const topics = byId("topics", HTMLElement);

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function show({ target, checkedAt, report }: Extract<ToDoctorPage, { kind: "report" }>): void {
  heading.textContent = printable(report.title);
  showSimulated(report.simulated);
  about.textContent = `${printable(target)} · checked ${TIME.format(new Date(checkedAt))}`;
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
  document.body.classList.toggle("busy", busy);
  topics.setAttribute("aria-busy", String(busy));
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToDoctorPage(event.data);
  if (message === undefined) return;
  setBusy(message.kind === "checking");
  switch (message.kind) {
    case "checking":
      status.textContent = `Checking ${printable(message.target)}…`;
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

vscode.postMessage({ kind: "ready" });
