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
  const waits = { toast: Math.min(timeout, TOAST_GONE), list: timeout };
  return atNotification(page, text, waits, async (item) => oneLine(await shownText(item, REOPEN)));
}

export async function pressNotificationButton(page: Page, text: string | RegExp, button: string): Promise<void> {
  await atNotification(page, text, { toast: REOPEN, list: LONG }, async (item) => {
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

/** A toast goes by itself after 10 seconds or more, which a busy machine may need; the list of them keeps it. */
async function atNotification<T>(
  page: Page,
  text: string | RegExp,
  waits: { readonly toast: number; readonly list: number },
  act: (item: Locator) => Promise<T>,
): Promise<T> {
  const toast = notification(page, text);
  if (await becomes(toast, "visible", waits.toast)) {
    try {
      return await act(toast);
    } catch {
      // It went meanwhile, or else the list tells what is wrong with it.
    }
  }
  await runCommand(page, "Notifications: Show Notifications");
  const list = page.locator(".notifications-center");
  const kept = list.locator(".notification-list-item", { hasText: text }).first();
  await kept.waitFor({ timeout: waits.list });
  const result = await act(kept);
  // While it is open, it takes up new messages, and no toast shows them; with the last message it closes by itself.
  const hide = list.locator('.action-label[aria-label^="Hide Notifications"]');
  await hide.click({ timeout: REOPEN }).catch(() => undefined);
  await list.waitFor({ state: "hidden", timeout: LONG });
  return result;
}
