/** What-ifs as cards: now and then, how that is worked out, what it costs, and how a real run can check it. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import { printable, printableLines } from "../../src/profile/text/text.ts";
import type { Trial } from "../../src/torch/model/model.ts";
import type { Choice, Estimate, FormulaSymbol, Refusal, WhatIf, WhatIfKind } from "../../src/torch/whatif/model.ts";
import type { WhatIfs } from "../../src/torch/whatif/whatIfs.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { prose } from "../prose.ts";
import { shareText } from "./layers/kinds.ts";
import { plainTable } from "./plainTable.ts";

export type Choices = Partial<Record<WhatIfKind, number>>;

export interface WhatIfEvents {
  /** The estimates with these choices. */
  readonly workOut: (choices: Choices) => WhatIfs;
  readonly choose: (choices: Choices) => void;
  /** Absent where the run cannot be made again. */
  readonly check?: (trial: Trial) => void;
  readonly copy: (text: string) => void;
}

export function whatIfCards(start: Choices, events: WhatIfEvents): HTMLElement[] {
  let choices = start;
  const { estimates, refused } = events.workOut(choices);
  const bodies = new Map<WhatIfKind, HTMLElement>();
  const chosen = (kind: WhatIfKind, value: number): void => {
    choices = { ...choices, [kind]: value };
    const now = events.workOut(choices).estimates.find((estimate) => estimate.kind === kind);
    const body = bodies.get(kind);
    if (now !== undefined && body !== undefined) {
      const open = body.querySelector("details")?.open ?? false;
      body.replaceChildren(...bodyOf(now, events));
      body.querySelector("details")?.toggleAttribute("open", open);
    }
    events.choose(choices);
  };
  const cards = estimates.map((estimate) => {
    const { kind, title, choice } = estimate;
    const card = element("article", "", { class: "card", "data-kind": kind });
    const body = element("div", "", { class: "body" });
    body.append(...bodyOf(estimate, events));
    bodies.set(kind, body);
    card.append(element("h3", printable(title)), ...(choice === undefined ? [] : [slider(kind, choice, chosen)]), body);
    return card;
  });
  return [...cards, ...refusals(refused)];
}

function slider(
  kind: WhatIfKind,
  { name, value, least, most }: Choice,
  chosen: (kind: WhatIfKind, value: number) => void,
) {
  const id = `choice-${kind}`;
  const input = element("input", "", { id, type: "range", min: String(least), max: String(most), step: "1" });
  input.value = String(value);
  const shown = element("output", formatCount(value));
  input.addEventListener("input", () => {
    shown.textContent = formatCount(input.valueAsNumber);
    chosen(kind, input.valueAsNumber);
  });
  const box = element("div", "", { class: "slider" });
  box.append(element("label", t("{0}: ", capital(name)), { for: id }), shown, input);
  return box;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function bodyOf(estimate: WhatIf, { check, copy }: WhatIfEvents): HTMLElement[] {
  const { now, changed, formula, symbols, textbook, notes, verify, measured, of } = estimate;
  const list = element("ul", "", { class: "notes" });
  list.append(...notes.map((note) => prose("li", printable(note))));
  const how = element("details");
  how.append(
    element("summary", t("How this is worked out")),
    element("p", "", { class: "formula" }),
    plainTable<FormulaSymbol>(
      t("What the symbols stand for"),
      [
        { title: t("Symbol"), cell: ({ symbol }) => element("code", printable(symbol)) },
        { title: t("Meaning"), cell: ({ meaning }) => printable(meaning) },
        { title: t("Value"), cell: symbolText, figure: true },
      ],
      symbols,
    ),
  );
  how.querySelector(".formula")?.append(t("Then = "), element("code", printable(formula)));
  if (textbook !== undefined) {
    const line = element("p", t("If all layers were alike: "));
    line.append(element("code", textbook.formula), ` = ${formatBytes(textbook.bytes)}`);
    how.append(line);
  }
  return [
    nowThen(now, changed, of),
    ...(measured === undefined ? [] : [measuredLine(measured, changed)]),
    list,
    how,
    ...(verify.kind === "edit" ? [codeToCopy(verify.code, copy)] : checkButton(verify.trial, check)),
  ];
}

function symbolText({ value, unit }: FormulaSymbol): string {
  if (unit === "bytes") return formatBytes(value);
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(2);
}

function nowThen(now: Estimate, then: Estimate, of: string): HTMLElement {
  const box = element("div", "", { class: "now-then" });
  const most = Math.max(now.high, then.high, 1);
  box.append(element("p", capital(printable(of)), { class: "quiet" }), bar("now", now, most), bar("then", then, most));
  const change = now.bytes - then.bytes;
  const words =
    change === 0
      ? t("No change")
      : change > 0
        ? t("Saves about {0} ({1})", formatBytes(change), shareText(change, now.bytes))
        : t("Takes about {0} more ({1})", formatBytes(-change), shareText(-change, now.bytes));
  box.append(element("p", words, { class: "saving" }));
  return box;
}

function bar(which: "now" | "then", { bytes, low, high }: Estimate, most: number): HTMLElement {
  const line = element("div", "", { class: "measure" });
  const track = element("span", "", { class: "track", "aria-hidden": "true" });
  const fill = element("span", "", { class: `fill ${which}` });
  fill.style.width = `${(bytes / most) * 100}%`;
  const error = element("span", "", { class: "error" });
  error.style.left = `${(low / most) * 100}%`;
  error.style.width = `${(Math.max(0, high - low) / most) * 100}%`;
  track.append(fill, ...(high > low ? [error] : []));
  const between = high > low ? t(" ({0} to {1})", formatBytes(low), formatBytes(high)) : "";
  line.append(
    element("span", which === "now" ? t("Now") : t("Then")),
    track,
    element("span", `${formatBytes(bytes)}${between}`, { class: "value" }),
  );
  return line;
}

const percentOff = (estimate: number, measured: number): string =>
  ((Math.abs(estimate - measured) / measured) * 100).toFixed(1);

function measuredLine({ run, bytes }: NonNullable<WhatIf["measured"]>, then: Estimate): HTMLElement {
  const off =
    bytes === 0
      ? ""
      : then.bytes >= bytes
        ? t("; the estimate is {0} % above it", percentOff(then.bytes, bytes))
        : t("; the estimate is {0} % below it", percentOff(then.bytes, bytes));
  const line = element("p", "", { class: "measured" });
  line.append(
    element("strong", t("Measured: {0}", formatBytes(bytes))),
    t("{0}. ", off),
    element("span", t("Run {0}", printable(run)), { class: "quiet" }),
  );
  return line;
}

function checkButton(trial: Trial, check: WhatIfEvents["check"]): HTMLElement[] {
  if (check === undefined)
    return [
      element("p", t("This run cannot be repeated from here, so there is nothing to check it with."), {
        class: "quiet",
      }),
    ];
  return [button(t("Check with a Real Run…"), () => check(trial), { class: "check" })];
}

function codeToCopy(code: string, copy: (text: string) => void): HTMLElement {
  const box = element("div", "", { class: "step" });
  const text = element("pre", "", { class: "wrap" });
  text.append(element("code", printableLines(code)));
  box.append(
    element("p", t("To check it, change the script by hand:")),
    text,
    button(t("Copy"), () => copy(code)),
  );
  return box;
}

function refusals(refused: readonly Refusal[]): HTMLElement[] {
  if (refused.length === 0) return [];
  const box = element("div", "", { class: "refused" });
  const list = element("ul");
  for (const { title, reason } of refused) {
    const item = element("li", "", { class: "quiet" });
    item.append(element("strong", printable(title)), t(": "));
    item.append(prose("span", printable(reason)));
    list.append(item);
  }
  box.append(element("h3", t("What does not apply here")), list);
  return [box];
}
