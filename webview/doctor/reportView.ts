/** Check Board's report as elements; every text is set as text, never as markup. */
import type { DoctorLine, DoctorReport, Remedy } from "../../src/board/doctor/model.ts";
import { printable, printableLines } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { prose } from "../prose.ts";
import { signPicture } from "../sign.ts";
import { byStatus, byTopic, STATUSES, type Status } from "./words.ts";

export interface ReportActions {
  copy(line: string): void;
  run(line: string): void;
}

/** How many lines have each status; what could be better is named and leads to its line. */
export function summaryItems(report: DoctorReport, goTo: (line: string) => void): HTMLElement[] {
  return byStatus(report).map(({ status, text, lines }) => {
    if (status === "ok") return withSign("li", status, text, status);
    const item = withSign("li", status, t("{0}:", text), status);
    item.append(...lines.map(({ id, title }) => button(printable(title), () => goTo(id), { class: "link" })));
    return item;
  });
}

export function topicSections(report: DoctorReport, actions: ReportActions): HTMLElement[] {
  return byTopic(report).map(({ name, lines }, i) => {
    const heading = element("h2", name, { id: `topic-${i}` });
    const section = element("section", "", { class: "topic", "aria-labelledby": heading.id });
    const list = element("ul");
    list.append(...lines.map((line) => lineItem(line, actions)));
    section.append(heading, list);
    return section;
  });
}

function withSign(tag: "li" | "span", status: Status, text: string, names: string): HTMLElement {
  const made = element(tag, "", { class: names });
  made.append(signPicture(STATUSES[status].sign), element("span", text));
  return made;
}

function lineItem(line: DoctorLine, actions: ReportActions): HTMLElement {
  const item = element("li", "", { class: `line ${line.status}`, "data-line": line.id });
  const text = element("div", "", { class: "text" });
  text.append(prose("p", line.found), prose("p", line.goodFor, { class: "quiet" }));
  if (line.remedy !== undefined) text.append(foldWhereFine(line, remedyBox(line, line.remedy, actions)));
  item.append(
    withSign("span", line.status, STATUSES[line.status].word(), "status"),
    element("h3", printable(line.title), { tabindex: "-1" }),
    text,
  );
  return item;
}

/** What nobody needs to do steps back. */
function foldWhereFine({ status, title }: DoctorLine, remedy: HTMLElement): HTMLElement {
  if (status !== "ok") return remedy;
  const fold = element("details");
  fold.append(
    element("summary", t("If you want it"), { "aria-label": t("If you want it: {0}", printable(title)) }),
    remedy,
  );
  return fold;
}

function remedyBox({ id, title }: DoctorLine, { text, command, undo }: Remedy, actions: ReportActions): HTMLElement {
  const box = element("div", "", { class: "remedy" });
  box.append(prose("p", text));
  if (command !== undefined) {
    const code = element("pre", "", { class: "wrap" });
    code.append(element("code", printableLines(command)));
    const buttons = element("div", "", { class: "buttons" });
    buttons.append(
      button(t("Copy"), () => actions.copy(id), { "aria-label": t("Copy the command: {0}", title) }),
      button(t("Run on the Board…"), () => actions.run(id), { "aria-label": t("Run on the Board: {0}", title) }),
    );
    box.append(code, buttons);
  }
  if (undo !== undefined) {
    const back = element("p", t("To undo it: "), { class: "quiet" });
    back.append(element("code", printable(undo)));
    box.append(back);
  }
  return box;
}
