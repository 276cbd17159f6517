/**
 * The keyboard's place in a page whose parts come and go, and which the keyboard leaves and comes back to. What had the
 * focus has it again then; what is made anew has it in its new form; where it is gone, hidden or cannot be used any
 * more, what stood beside it has. A browser would begin at the top of the page again.
 */

const FOCUSABLE =
  'button:enabled, input:enabled, select:enabled, textarea:enabled, a[href], summary, [tabindex]:not([tabindex="-1"])';

interface Spot {
  readonly element: HTMLElement;
  /** The parts of the page around it, from the inside out, and its place among the focusable ones in each. */
  readonly around: readonly { readonly part: Element; readonly place: number }[];
}

/** Call it once, before the page is filled. */
export function guardFocus(): void {
  let spot: Spot | undefined;

  const restore = (): void => {
    if (spot === undefined || !document.hasFocus() || isUsable(spot.element)) return;
    const next = substituteOf(spot);
    spot = undefined;
    next?.focus({ preventScroll: true });
  };
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement) spot = spotOf(target);
  });
  document.addEventListener("focusout", () => {
    // Told before what takes the focus away is done: whether the user left, or it was taken, is seen after that.
    queueMicrotask(() => {
      const left = spot !== undefined && isUsable(spot.element) && document.activeElement !== spot.element;
      if (left && document.hasFocus()) spot = undefined;
    });
  });
  // While the editor has the keyboard, nothing here may take it; coming back, Chromium has forgotten what had the focus.
  window.addEventListener("focus", () => {
    if (spot !== undefined && isUsable(spot.element) && document.activeElement === document.body)
      spot.element.focus({ preventScroll: true });
    else restore();
  });
  new MutationObserver(restore).observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["hidden", "disabled", "open"],
  });
}

function spotOf(element: HTMLElement): Spot {
  const around: { part: Element; place: number }[] = [];
  for (let part = element.parentElement; part !== null; part = part.parentElement)
    around.push({ part, place: focusableIn(part).indexOf(element) });
  return { element, around };
}

const focusableIn = (part: Element): HTMLElement[] => [...part.querySelectorAll<HTMLElement>(FOCUSABLE)];

function isUsable(element: Element): boolean {
  const folded = element.closest("[hidden], details:not([open]) > :not(summary)");
  return element.isConnected && folded === null && !element.matches(":disabled");
}

/** In the innermost part that is still there: what is called the same, else what is at the same place now. */
function substituteOf({ element, around }: Spot): HTMLElement | undefined {
  for (const { part, place } of around) {
    if (!isUsable(part)) continue;
    const all = focusableIn(part).filter((other) => isUsable(other) && other.checkVisibility());
    const called = all.filter((other) => nameOf(other) === nameOf(element));
    const next = called.length === 1 ? called[0] : (all[place] ?? all.at(-1));
    if (next !== undefined) return next;
  }
  return undefined;
}

/** What tells a control from the others, also in its new form. */
function nameOf(element: HTMLElement): string {
  const { id, tagName } = element;
  if (id !== "") return `#${id}`;
  const value = element instanceof HTMLInputElement ? `${element.name}=${element.value}` : element.textContent;
  return `${tagName} ${element.getAttribute("aria-label") ?? value}`;
}
