/** What the keyboard does on every page. */
import { guardFocus } from "./focusGuard.ts";
import { walkTables } from "./tableKeys.ts";

/**
 * Call it once, before the page says that it is ready.
 * @param main the part that left and right are for while nothing has the focus, as on a page that was just opened
 */
export function useKeyboard(main?: HTMLElement | SVGElement): void {
  guardFocus();
  walkTables();
  if (main !== undefined) leadTo(main);
}

function leadTo(main: HTMLElement | SVGElement): void {
  document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey, altKey, shiftKey }) => {
    const isPlain = !ctrlKey && !metaKey && !altKey && !shiftKey;
    if (target !== document.body || !isPlain || (key !== "ArrowLeft" && key !== "ArrowRight")) return;
    main.focus({ preventScroll: true });
    main.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
}
