/** Splits what a person typed into arguments as a shell would: spaces separate, quotes and backslashes keep together. */
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";

/** @throws UserError `open-quote` */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  const rest = text.matchAll(/\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(['"\\])|([^\s'"\\]+)/gsu);
  for (const [whole, single, double, escaped, open] of rest) {
    if (open !== undefined) {
      throw new UserError(
        "open-quote",
        t("A {0} in the arguments is not closed.", open),
        t("Close it, or put \\ before it."),
      );
    }
    if (/^\s/.test(whole)) {
      if (current !== undefined) found.push(current);
      current = undefined;
      continue;
    }
    current = (current ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? whole);
  }
  return current === undefined ? found : [...found, current];
}
