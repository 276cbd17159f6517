/** Quick picks, input boxes and the palette. */
import type { Locator, Page } from "playwright-core";
import { becomes, LONG, REOPEN } from "./waiting.ts";

export const quickInput = (page: Page): Locator => page.locator(".quick-input-widget:visible");

/** The rows of the quick pick that is open: label, then description. */
export async function quickPickRows(page: Page): Promise<readonly string[]> {
  await quickInput(page).locator(".monaco-list-row").first().waitFor({ timeout: LONG });
  return quickInput(page)
    .locator(".monaco-list-row")
    .evaluateAll((rows) => rows.map((row) => (row.getAttribute("aria-label") ?? "").trim()));
}

/** Picks a row of the quick pick that is open. */
export async function pickQuickPick(page: Page, label: string): Promise<void> {
  const row = quickInput(page).locator(".monaco-list-row", { hasText: label }).first();
  await row.waitFor({ timeout: LONG });
  await row.click();
}

/** Types into the quick pick that is open, without choosing anything. */
export async function typeInQuickPick(page: Page, text: string): Promise<void> {
  const input = quickInput(page).locator(".quick-input-box input");
  await input.waitFor({ timeout: LONG });
  await input.fill(text);
}

/** Waits until the input box that is open shows `text`. */
export async function quickInputText(page: Page, text: string | RegExp): Promise<void> {
  await quickInput(page).filter({ hasText: text }).waitFor({ timeout: LONG });
}

/** Types into the input box that is open and presses Enter; `title` is text the box must show. */
export async function answerInputBox(page: Page, title: string | RegExp, answer: string): Promise<void> {
  await quickInput(page).filter({ hasText: title }).waitFor({ timeout: LONG });
  await quickInput(page).locator("input").last().fill(answer);
  await page.keyboard.press("Enter");
}

/** Does what accepts the box that is open and shows `text`, until it is closed: one that is busy ignores it. */
export async function acceptQuickInput(page: Page, text: string | RegExp, accept: () => Promise<void>): Promise<void> {
  const box = quickInput(page).filter({ hasText: text });
  await box.waitFor({ timeout: LONG });
  for (const end = Date.now() + LONG; Date.now() < end; ) {
    await accept();
    if (await becomes(box, "hidden", REOPEN)) return;
  }
  throw new Error(`The box with "${text}" did not close.`);
}

/** Runs a command of the palette by its full title, such as `Jetson: Profile on Jetson`. */
export async function runCommand(page: Page, title: string): Promise<void> {
  // What was typed is marked in the rows that it led to: those of before are drawn over in the next moment.
  const found = { hasText: title, has: page.locator(".highlight") };
  const row = quickInput(page).locator(".monaco-list-row", found).first();
  // A page that was opened just before takes the focus when it has loaded, and that closes the palette.
  for (const end = Date.now() + LONG; ; ) {
    try {
      return await chooseInPalette(page, title, row);
    } catch (error) {
      if (Date.now() > end) throw error;
      // The palette keeps the commands that were known when it was opened.
      if (await quickInput(page).isVisible()) await page.keyboard.press("Escape");
    }
  }
}

/**
 * Runs a command that asks something, until its question with `text` is there: a page that was opened just before takes
 * the focus when it has loaded, and that closes the question too.
 */
export async function runAskingCommand(page: Page, title: string, text: string | RegExp): Promise<void> {
  const question = quickInput(page).filter({ hasText: text });
  for (const end = Date.now() + LONG; Date.now() < end; ) {
    await runCommand(page, title);
    if (await becomes(question, "visible", REOPEN)) return;
  }
  throw new Error(`"${title}" did not ask "${text}".`);
}

async function chooseInPalette(page: Page, title: string, row: Locator): Promise<void> {
  await page.keyboard.press("F1");
  const input = quickInput(page).locator(".quick-input-box input");
  // A page that loads anew may swallow the key.
  await input.waitFor({ timeout: REOPEN });
  await input.fill(`>${title}`, { timeout: REOPEN });
  await row.click({ timeout: REOPEN });
}
