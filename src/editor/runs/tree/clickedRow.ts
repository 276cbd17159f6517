/** What VS Code hands to a command that was chosen on rows of a view. */
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";

/**
 * A row is there but VS Code no longer knows which: it forgets all rows when the list is renewed, and then puts
 * undefined in their place. The palette and a key give no argument at all.
 */
export function isForgotten(given: readonly unknown[]): boolean {
  const [clicked, selected] = given;
  return (given.length > 0 && clicked === undefined) || (Array.isArray(selected) && selected.includes(undefined));
}

/** Another run than the one that was meant must not take its place. @throws UserError `row-renewed` */
export function refuseForgotten(given: readonly unknown[]): void {
  if (!isForgotten(given)) return;
  throw new UserError(
    "row-renewed",
    t("The list of runs was refreshed just as you chose, so nothing was done."),
    t("Choose it again."),
  );
}
