import type { Locator, Page } from "playwright-core";
import { runCommand } from "./quickInput.ts";
import { becomes, LONG, oneLine, REOPEN, shownText } from "./waiting.ts";

export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
}

/** Waits for a notification with `text` and returns all its text. */
export async function notificationText(page: Page, text: string | RegExp, timeout = LONG): Promise<string> {
  return oneLine(await shownText(await toastOrKept(page, text, timeout)));
}

export async function pressNotificationButton(page: Page, text: string | RegExp, button: string): Promise<void> {
  const toast = await toastOrKept(page, text, REOPEN);
  await toast.hover();
  await toast.locator(".monaco-button", { hasText: button }).first().click();
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

/** A toast goes by itself after a quarter of a minute, which a busy machine may need; the list of them keeps it. */
async function toastOrKept(page: Page, text: string | RegExp, timeout: number): Promise<Locator> {
  const toast = notification(page, text);
  if (await becomes(toast, "visible", timeout)) return toast;
  await runCommand(page, "Notifications: Show Notifications");
  const kept = page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
  await kept.waitFor({ timeout: LONG });
  return kept;
}
