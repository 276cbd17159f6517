/** Whether an advised change of a line still fits, and where in it. */
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";

/**
 * The column where `find` begins.
 * @throws UserError `line-changed` unless it stands in the line exactly once
 */
export function columnOf(line: string, find: string, where: string): number {
  const column = line.indexOf(find);
  if (find === "" || column === -1 || line.indexOf(find, column + 1) !== -1) {
    throw new UserError(
      "line-changed",
      t('{0} no longer holds "{1}" exactly once, so nothing was changed.', where, find),
      t("Look at the line and change it by hand, or profile the script again."),
    );
  }
  return column;
}
