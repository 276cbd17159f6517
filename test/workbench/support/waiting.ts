import type { Locator } from "playwright-core";

/** How long is waited for what must come: long, as the machine may be busy or pause. */
export const LONG = 60_000;
/** Enough for a palette or menu that is open; one that was closed, or opened too early, is opened again. */
export const REOPEN = 5000;

export async function becomes(
  locator: Locator,
  state: "visible" | "hidden" | "detached",
  timeout: number,
): Promise<boolean> {
  return locator.waitFor({ state, timeout }).then(
    () => true,
    () => false,
  );
}

/** The text as a person sees it: laid out, without what is hidden. */
export async function shownText(locator: Locator): Promise<string> {
  return locator.innerText();
}

export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
