/** Parts of an advice that several rules make. */
import { formatBytes } from "../../../profile/text/format.ts";
import { t } from "../../../words/t.ts";
import type { CodePlace } from "../../ending/model.ts";
import type { Moment } from "../../moments/model.ts";
import type { RunFacts, SourceLine } from "../facts.ts";
import type { AdviceStep } from "../model.ts";

/** A change of one line; none where what is to be changed does not stand in the whole line exactly once. */
export function editOf(
  { source }: Pick<RunFacts, "source">,
  line: SourceLine | undefined,
  pattern: RegExp,
  change: (found: string) => string,
  label: string,
): readonly AdviceStep[] {
  if (line === undefined) return [];
  const find = pattern.exec(line.text)?.[0];
  const whole = source(line.path)?.[line.line - 1] ?? "";
  if (find === undefined || whole.split(find).length !== 2) return [];
  const place = { path: line.path, line: line.line };
  return [{ kind: "edit", label, place, find, replace: change(find) }];
}

/** What was available at the last moment of the run, as evidence. */
export function leftAtLast(last: Moment | undefined): readonly string[] {
  const available = last?.meminfo["MemAvailable"];
  return available === undefined ? [] : [t("At the last record {0} of memory were available", formatBytes(available))];
}

export function placed(place: CodePlace | undefined): { readonly place?: CodePlace } {
  return place === undefined ? {} : { place: { path: place.path, line: place.line } };
}
