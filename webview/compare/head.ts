/** The page's upper part: what is compared, and the figures of the runs as a whole. */
import type { Difference, Measured } from "../../src/compare/model.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { CompareDocument, CompareSide } from "../../src/protocol/compare.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { withWholeFigures } from "../prose.ts";
import { withTerms } from "../terms.ts";
import {
  BYTES,
  changeText,
  pairText,
  SIGNS,
  sideText,
  sizeText,
  spreadText,
  TIME,
  toneOf,
  type Unit,
} from "./words.ts";

export function showHead({ before, after }: CompareDocument): void {
  const name = (side: CompareSide): string => printable(side.name);
  byId("title", HTMLElement).textContent = before === undefined ? t("Repeats of {0}", name(after)) : t("Compare Runs");
  const simulated = byId("simulated", HTMLElement);
  simulated.hidden = !after.simulated && before?.simulated !== true;
  simulated.textContent = t("Simulated board");
  const sides =
    before === undefined
      ? [[t("Runs"), after] as const]
      : ([
          [t("Before"), before],
          [t("After"), after],
        ] as const);
  byId("sides", HTMLElement).replaceChildren(
    ...sides.map(([title, side]) => {
      const pair = element("div");
      const words = element("dd");
      words.append(element("b", name(side)), element("span", printable(sideText(side)), { class: "quiet" }));
      pair.append(element("dt", title), words);
      return pair;
    }),
  );
}

interface Total {
  readonly title: string;
  readonly about: string;
  readonly difference: Difference;
  readonly unit: Unit;
}

function totalsOf({ metric, peak, cudaPeak, boardPeak, baseline, elapsedMs }: CompareDocument): readonly Total[] {
  const heap = metric === "heap";
  return [
    heap
      ? { title: t("Peak of the heap"), about: t("as massif counts it"), difference: peak, unit: BYTES }
      : { title: t("Peak RSS"), about: t("of the main process"), difference: peak, unit: BYTES },
    {
      title: t("Peak on the board"),
      about: t("memory in use above the baseline, GPU included"),
      difference: boardPeak,
      unit: BYTES,
    },
    // A run without CUDA has nothing to say of it; what every run should have is there, known or not.
    ...(isKnown(cudaPeak)
      ? [{ title: t("CUDA reserved"), about: t("by PyTorch, at most"), difference: cudaPeak, unit: BYTES }]
      : []),
    { title: t("Baseline"), about: t("in use on the board before the run"), difference: baseline, unit: BYTES },
    { title: t("Time"), about: t("from start to end"), difference: elapsedMs, unit: TIME },
  ];
}

const isKnown = ({ before, after }: Difference): boolean => before !== undefined || after !== undefined;

export function showCards(document: CompareDocument): void {
  const card = document.before === undefined ? spreadCard : changeCard;
  byId("cards", HTMLElement).replaceChildren(...totalsOf(document).map(card));
}

/** How far repeats lie apart; not every one of them need have the figure. */
function apartText(measured: Measured | undefined, { size }: Unit): string {
  if (measured === undefined) return t("not measured in these runs");
  return measured.spread === undefined
    ? t("measured in one run only")
    : t("median; the runs lie {0} apart", size(measured.spread));
}

function cardOf({ title, about }: Total, tone: string): HTMLElement {
  const made = element("article", "", { class: `card ${tone}` });
  made.append(withTerms("h3", title), element("p", about, { class: "quiet" }));
  return made;
}

function changeCard(total: Total): HTMLElement {
  const { difference, unit } = total;
  const tone = toneOf(difference);
  const made = cardOf(total, tone);
  const sizes = element("p", pairText(difference, unit), { class: "sizes" });
  const change = element("p", "", { class: `change ${tone}` });
  change.append(element("span", SIGNS[tone], { "aria-hidden": "true", class: "mark" }), changeText(difference, unit));
  const spread = element("p", "", { class: "quiet" });
  spread.append(...withWholeFigures(spreadText(difference, unit)));
  made.append(sizes, change, spread);
  return made;
}

function spreadCard(total: Total): HTMLElement {
  const { difference, unit } = total;
  const { after } = difference;
  const made = cardOf(total, "same");
  made.append(
    element("p", sizeText(after, unit), { class: "sizes" }),
    element("p", apartText(after, unit), { class: "quiet" }),
  );
  return made;
}
