/** Why a run ended, as elements; every text is set as text, never as markup. */
import type { CodePlace, EndingReport } from "../../src/board/ending/model.ts";
import { formatCount } from "../../src/profile/text/format.ts";
import { printable, printableLines } from "../../src/profile/text/text.ts";
import { sentences, t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { prose } from "../prose.ts";
import { signPicture } from "../sign.ts";
import { allocatorBox } from "./allocatorView.ts";
import { momentsBox } from "./momentsView.ts";
import { codeLine, SOURCES, stackList } from "./stackView.ts";

export type GoTo = (place: CodePlace) => void;

const SURENESS: Readonly<Record<EndingReport["sureness"], () => string>> = {
  exact: () => t("How certain this is: certain."),
  estimated: () => t("How certain this is: nearly certain."),
  inferred: () => t("How certain this is: likely. It is worked out from what was seen around the end."),
};

export function endingSections(report: EndingReport, goTo: GoTo): HTMLElement[] {
  const { stack, stackSource, message, allocator, last, kernelLog } = report;
  return [
    verdict(report, goTo),
    ...(stack.length === 0
      ? []
      : [
          section(
            t("How it got there"),
            element("p", SOURCES[stackSource](), { class: "quiet" }),
            stackList(stack, goTo),
          ),
        ]),
    ...(message === undefined ? [] : [section(t("What was printed"), textBox(message))]),
    ...(allocator === undefined ? [] : [section(t("PyTorch's GPU memory at that moment"), allocatorBox(allocator))]),
    ...(last.length === 0 ? [] : [section(t("The last moments"), momentsBox(last, goTo))]),
    ...(kernelLog.length === 0 ? [] : [kernelSection(kernelLog)]),
  ];
}

export function endedWell(): HTMLElement {
  const box = element("div", "", { class: "verdict well" });
  const heading = element("h2");
  heading.append(signPicture("check"), t("This run did not run out of memory."));
  box.append(heading);
  return box;
}

function verdict(report: EndingReport, goTo: GoTo): HTMLElement {
  const { headline, meaning, sureness, evidence, place, stack } = report;
  const box = element("div", "", { class: "verdict" });
  const heading = element("h2");
  heading.append(signPicture("cross"), printable(headline));
  box.append(heading, prose("p", meaning));
  if (place === undefined) {
    box.append(element("p", t("Which line was running is not known."), { class: "quiet" }));
  } else {
    const source = stack.find(({ own, path, line }) => own && path === place.path && line === place.line)?.text;
    const where = element("div", "", { class: "where" });
    where.append(element("span", printable(`${place.path}:${place.line}`), { class: "quiet" }));
    if (source !== undefined) where.append(codeLine(source));
    box.append(
      where,
      button(t("Go to Line {0}", place.line), () => goTo(place), { class: "main", id: "go-to-line" }),
    );
  }
  const known = evidence === undefined ? undefined : t("How it is known: {0}", printable(evidence));
  box.append(element("p", sentences(SURENESS[sureness](), known), { class: "quiet", id: "sureness" }));
  return box;
}

function section(title: string, ...parts: readonly HTMLElement[]): HTMLElement {
  const made = element("section");
  made.append(element("h2", title), ...parts.filter((part) => part.textContent !== "" || part.children.length > 0));
  return made;
}

function textBox(text: string): HTMLElement {
  return element("pre", printableLines(text.trimEnd()), { class: "wrap" });
}

function kernelSection(lines: readonly string[]): HTMLElement {
  const fold = element("details");
  fold.append(
    element("summary", lines.length === 1 ? t("Show 1 line") : t("Show {0} lines", formatCount(lines.length))),
    element("pre", printableLines(lines.join("\n")), {
      tabindex: "0",
      role: "group",
      "aria-label": t("Lines of the kernel’s log"),
    }),
  );
  return section(t("The kernel's log"), fold);
}
