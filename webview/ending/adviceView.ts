/** Advice as cards, in the order it came: the strongest first. */
import type { Advice, AdviceStep } from "../../src/board/advice/model.ts";
import { formatBytes } from "../../src/profile/text/format.ts";
import { printable, printableLines } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { prose } from "../prose.ts";
import type { GoTo } from "./endingView.ts";

export interface AdviceActions {
  readonly goTo: GoTo;
  /** Positions in the lists that the page was sent. */
  takeStep(advice: number, step: number): void;
  openSource(advice: number): void;
}

const STRENGTHS: Readonly<Record<Advice["strength"], () => string>> = {
  certain: () => t("Certain: this run's figures show it"),
  likely: () => t("Likely: this run's figures fit it"),
};

export function adviceCards(advice: readonly Advice[], actions: AdviceActions): HTMLElement[] {
  if (advice.length === 0)
    return [element("p", t("No advice: this run shows none of the known ways to waste memory."), { class: "quiet" })];
  return advice.map((entry, i) => card(entry, i, actions));
}

function card(advice: Advice, index: number, actions: AdviceActions): HTMLElement {
  const { symptom, evidence, remedy, steps, saves, source, place, strength, rule } = advice;
  const made = element("article", "", { class: `card ${strength}`, "data-rule": rule });
  const figures = element("ul", "", { class: "evidence", "aria-label": t("Evidence") });
  figures.append(...evidence.map((text) => prose("li", text)));
  made.append(
    prose("h3", symptom),
    element("p", STRENGTHS[strength](), { class: "quiet" }),
    ...(evidence.length === 0 ? [] : [figures]),
    prose("p", remedy),
  );
  if (saves !== undefined) {
    const saving = element("p", "", { class: "saving" });
    saving.append(
      element("strong", t("Would save about {0}", formatBytes(saves.bytes))),
      t(", {0}", printable(saves.how)),
    );
    made.append(saving);
  }
  steps.forEach((step, i) => {
    made.append(stepBox(step, () => actions.takeStep(index, i)));
  });
  const links = element("div", "", { class: "buttons" });
  if (place !== undefined) {
    links.append(button(printable(`${place.path}:${place.line}`), () => actions.goTo(place), { class: "link" }));
  }
  links.append(
    button(t("Source: {0}", printable(source.title)), () => actions.openSource(index), {
      class: "link",
      title: printable(source.url),
    }),
  );
  made.append(links);
  return made;
}

function stepBox(step: AdviceStep, take: () => void): HTMLElement {
  const box = element("div", "", { class: "step" });
  box.append(stepCode(step), button(stepLabel(step), take));
  return box;
}

/** A quick fix stands alone, so its label names the variable; here the code above does. */
function stepLabel(step: AdviceStep): string {
  if (step.kind !== "environment") return printable(step.label);
  return step.value === "" ? t("Empty It for the Next Runs…") : t("Set It for the Next Runs…");
}

/** What the step would do, exactly. */
function stepCode(step: AdviceStep): HTMLElement {
  const code = element("pre", "", { class: "wrap" });
  switch (step.kind) {
    case "command":
      code.append(element("code", printableLines(step.command)));
      return code;
    case "environment":
      code.append(element("code", printable(`${step.name}=${step.value}`)));
      return code;
    case "edit":
      code.append(element("del", printable(step.find)), " → ", element("ins", printable(step.replace)));
      return code;
  }
}
