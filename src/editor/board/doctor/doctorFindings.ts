/** How much Check Board found, in one sentence. */
import type { DoctorReport } from "../../../board/doctor/model.ts";
import { t } from "../../../words/t.ts";

/** `nano: 3 things could be better (Desktop, Swap, valgrind).` Undefined where there is nothing a person could do. */
export function findingsText(board: string, { lines }: DoctorReport): string | undefined {
  const found = lines.filter(({ status, remedy }) => remedy !== undefined && status !== "ok" && status !== "unknown");
  if (found.length === 0) return undefined;
  const titles = found.slice(0, 3).map(({ title }) => title);
  const names = (found.length > 3 ? [...titles, "…"] : titles).join(t(", "));
  return found.length === 1
    ? t("{0}: 1 thing could be better ({1}).", board, names)
    : t("{0}: {1} things could be better ({2}).", board, found.length, names);
}
