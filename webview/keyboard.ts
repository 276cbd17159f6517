/** What the keyboard does on every page. */
import { guardFocus } from "./focusGuard.ts";
import { walkTables } from "./tableKeys.ts";

/** Call it once, before the page says that it is ready. */
export function useKeyboard(): void {
  guardFocus();
  walkTables();
}
