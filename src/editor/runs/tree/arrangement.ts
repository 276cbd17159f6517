/** How the Memory Runs view is sorted and filtered: as it is kept, and in words. */
import * as v from "valibot";
import { formatCount } from "../../../profile/text/format.ts";
import {
  type Filter,
  filtered,
  grouped,
  isFiltered,
  ORDERS,
  type Order,
  type Row,
  sorted,
} from "../../../runs/list/arrange.ts";
import { OUTCOMES } from "../../../runs/list/outcome.ts";
import type { RunListEntry } from "../../../runs/model.ts";
import { sentences, t } from "../../../words/t.ts";
import { plainText } from "../../report/plainText.ts";
import { withCommas } from "../words/describe.ts";
import { outcomeWords } from "../words/outcomeWords.ts";

export interface Arrangement {
  readonly order: Order;
  readonly filter: Filter;
}

const some = v.exactOptional(v.string());
const schema = v.object({
  order: v.picklist(ORDERS),
  filter: v.object({
    text: some,
    tag: some,
    script: some,
    target: some,
    outcome: v.exactOptional(v.picklist(OUTCOMES)),
  }),
});

export const AS_EVER: Arrangement = { order: "newest", filter: {} };

/** What was kept for the workspace, whoever wrote it. */
export function arrangementOf(kept: unknown): Arrangement {
  const parsed = v.safeParse(schema, kept);
  return parsed.success ? parsed.output : AS_EVER;
}

export function orderWords(order: Order): string {
  switch (order) {
    case "newest":
      return t("newest first");
    case "oldest":
      return t("oldest first");
    case "name":
      return t("by name");
    case "peak":
      return t("highest peak first");
  }
}

export interface ArrangedRows {
  readonly rows: readonly Row[];
  readonly isFiltered: boolean;
  /** What stands above the rows; undefined where all runs are shown in the usual order. */
  readonly message: string | undefined;
}

export function arrangeRows(entries: readonly RunListEntry[], { order, filter }: Arrangement): ArrangedRows {
  const left = filtered(entries, filter);
  const on = isFiltered(filter);
  const [some, all] = [formatCount(left.length), formatCount(entries.length)];
  const message = sentences(
    on ? t("{0} of {1} runs: {2}.", some, all, filterWords(filter)) : undefined,
    order === "newest" ? undefined : t("Sorted {0}.", orderWords(order)),
  );
  return {
    rows: grouped(sorted(left, order)),
    isFiltered: on,
    message: message === "" ? undefined : message,
  };
}

export function filterWords({ text, tag, script, target, outcome }: Filter): string {
  const parts = [
    text === undefined ? undefined : t("with “{0}”", text),
    tag === undefined ? undefined : t("tag #{0}", tag),
    script === undefined ? undefined : t("script {0}", script),
    target === undefined ? undefined : t("on {0}", target),
    outcome && outcomeWords(outcome),
  ];
  return plainText(withCommas(parts), 300);
}
