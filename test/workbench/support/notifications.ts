import type { Locator, Page } from "playwright-core";
import { runCommand } from "./quickInput.ts";
import { becomes, LONG, oneLine, REOPEN, shownText } from "./waiting.ts";

/** Longer than VS Code leaves a message up that nobody attends to. */
const TOAST_GONE = 20_000;

export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
}

/** Waits for a notification with `text` and returns all its text. */
export async function notificationText(page: Page, text: string | RegExp, timeout = LONG): Promise<string> {
  return atNotification(page, text, TOAST_GONE, timeout, async (item) => oneLine(await shownText(item, REOPEN)));
}

export async function pressNotificationButton(page: Page, text: string | RegExp, button: string): Promise<void> {
  await atNotification(page, text, REOPEN, LONG, async (item) => {
    await item.hover({ timeout: REOPEN });
    await item.locator(".monaco-button", { hasText: button }).first().click({ timeout: REOPEN });
  });
}

export async function dismissNotifications(page: Page): Promise<void> {
  const toasts = page.locator(".notifications-toasts .notification-list-item");
  // Another may come right after they were cleared.
  for (const end = Date.now() + LONG; Date.now() < end; ) {
    await runCommand(page, "Notifications: Clear All Notifications");
    if (await becomes(toasts.first(), "detached", REOPEN)) return;
  }
  throw new Error(`There still are notifications: ${await toasts.allInnerTexts()}`);
}

/**
 * Acts on a notification, as soon as there is one. A toast goes by itself after 10 seconds or more, which a busy machine
 * may need; the list of notifications keeps it.
 * @param toastWait how long to look for a toast before the list is looked at, each time
 */
async function atNotification<T>(
  page: Page,
  text: string | RegExp,
  toastWait: number,
  timeout: number,
  act: (item: Locator) => Promise<T>,
): Promise<T> {
  const toast = notification(page, text);
  for (const end = Date.now() + timeout; ; ) {
    let fault: unknown;
    if (await becomes(toast, "visible", toastWait)) {
      try {
        return await act(toast);
      } catch (error) {
        fault = error; // it went meanwhile, or else the list tells what is wrong with it
      }
    }
    const found = await inList(page, text, act);
    if (found !== undefined) return found.result;
    if (Date.now() > end) throw fault ?? new Error(`There was no notification with ${text}.`);
  }
}

/** The same where the list of notifications has it; undefined where it has not (yet). */
async function inList<T>(
  page: Page,
  text: string | RegExp,
  act: (item: Locator) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  await runCommand(page, "Notifications: Show Notifications");
  const list = page.locator(".notifications-center");
  const kept = list.locator(".notification-list-item", { hasText: text }).first();
  const found = (await becomes(kept, "visible", REOPEN)) ? { result: await act(kept) } : undefined;
  // While it is open, it takes up new messages, and no toast shows them; with the last message it closes by itself.
  const hide = list.locator('.action-label[aria-label^="Hide Notifications"]');
  await hide.click({ timeout: REOPEN }).catch(() => undefined);
  await list.waitFor({ state: "hidden", timeout: LONG });
  return found;
}
