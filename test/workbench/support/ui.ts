/** What a person does and sees in the workbench. Every helper waits for a condition, never for a fixed time. */
import type { FrameLocator, Locator, Page } from "playwright-core";
import { quickInput, runCommand } from "./quickInput.ts";
import { becomes, LONG, oneLine, REOPEN, shownText } from "./waiting.ts";

export * from "./decorations.ts";
export * from "./notifications.ts";
export {
  acceptQuickInput,
  answerInputBox,
  pickQuickPick,
  quickInputText,
  quickPickRows,
  runAskingCommand,
  runCommand,
  typeInQuickPick,
} from "./quickInput.ts";

/** Opens a file by its name in the explorer. */
export async function openFile(page: Page, name: string): Promise<void> {
  await showExplorer(page);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
  await page.locator(".editor-group-container.active .tab.active", { hasText: name }).waitFor({ timeout: LONG });
  await page.locator(".editor-instance .view-lines .view-line").first().waitFor({ timeout: LONG });
}

/** Closes the active editor's tab. */
export async function closeEditor(page: Page): Promise<void> {
  const tab = page.locator(".editor-group-container.active .tab.active");
  const before = await page.locator(".tab").count();
  await tab.locator(".codicon-close").click();
  await page.waitForFunction(`document.querySelectorAll(".tab").length < ${before}`, undefined, { timeout: LONG });
}

export async function closeAllEditors(page: Page): Promise<void> {
  await runCommand(page, "View: Close All Editors");
  await page.waitForFunction(`document.querySelectorAll(".tab").length === 0`, undefined, { timeout: LONG });
}

export async function showExplorer(page: Page): Promise<void> {
  const rows = page.locator(".explorer-folders-view .monaco-list-row").first();
  if (!(await rows.isVisible()))
    await clickIcon(page, page.locator('.activitybar .action-label[aria-label^="Explorer"]'));
  await rows.waitFor({ timeout: LONG });
}

/** Where the pointer rests on an icon its hint comes, and covers the first rows beside it. */
async function clickIcon(page: Page, icon: Locator): Promise<void> {
  await icon.click();
  await page.mouse.move(640, 400);
}

/** The first shown line of the active editor that contains `text`. */
export function line(page: Page, text: string): Locator {
  return page.locator(".editor-group-container.active .editor-instance .view-line", { hasText: text }).first();
}

/**
 * Opens the context menu of `where` and picks an item; VS Code ignores clicks right after a menu opens.
 * @param meanwhile what is done while the menu is open
 */
export async function pickFromContextMenu(
  page: Page,
  where: Locator,
  label: string,
  meanwhile: () => void | Promise<void> = () => undefined,
): Promise<void> {
  const item = page.locator(`.monaco-menu .action-label[aria-label="${label}"]`);
  for (const end = Date.now() + LONG; ; ) {
    await openContextMenu(page, where);
    // A menu keeps the items that were known when it was opened: soon after a window opened they may not be all.
    if ((await becomes(item, "visible", REOPEN)) || Date.now() > end) {
      await meanwhile();
      return pickFromOpenMenu(item, label);
    }
    await closeMenu(page);
  }
}

/** Opens a submenu of a context menu, and picks from it. */
export async function pickFromSubmenu(page: Page, where: Locator, submenu: string, label: string): Promise<void> {
  const parent = page.locator(`.monaco-menu .action-label[aria-label="${submenu}"]`).first();
  const item = page.locator(`.monaco-submenu .action-label[aria-label="${label}"]`);
  for (const end = Date.now() + LONG; ; ) {
    await openContextMenu(page, where);
    await parent.hover({ timeout: REOPEN }).catch(() => undefined);
    if ((await becomes(item, "visible", REOPEN)) || Date.now() > end) return pickFromOpenMenu(item, label);
    await closeMenu(page);
  }
}

async function closeMenu(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator(".monaco-menu").first().waitFor({ state: "detached", timeout: LONG });
}

/**
 * A tree may get a new row between looking and clicking: the menu must be that of the row that was meant. A row that is
 * made anew while it is clicked opens none.
 */
async function openContextMenu(page: Page, where: Locator): Promise<void> {
  const isMeant = (): Promise<boolean> =>
    where.evaluate((element) => {
      const row = element.closest(".sidebar .monaco-list-row");
      return row === null || row.classList.contains("focused");
    });
  const menu = page.locator(".monaco-menu").first();
  for (const end = Date.now() + LONG; ; ) {
    await where.click({ button: "right" });
    if ((await becomes(menu, "visible", REOPEN)) && (await isMeant())) return;
    if (Date.now() > end) throw new Error(`The context menu of ${where} did not open.`);
    await closeMenu(page);
  }
}

export async function contextMenuLabels(page: Page, where: Locator): Promise<readonly string[]> {
  await openContextMenu(page, where);
  const items = page.locator(".monaco-menu .action-item .action-label");
  await items.first().waitFor({ timeout: LONG });
  const labels = await items.evaluateAll((found) => found.map((item) => item.getAttribute("aria-label") ?? ""));
  await closeMenu(page);
  return labels.filter((label) => label !== "");
}

async function pickFromOpenMenu(item: Locator, label: string): Promise<void> {
  for (const end = Date.now() + LONG; Date.now() < end; ) {
    await item.click({ timeout: REOPEN, delay: 60 }).catch(() => undefined);
    if (await becomes(item, "detached", 700)) return;
  }
  throw new Error(`The menu did not close after a click on "${label}".`);
}

/** Presses a button of the editor's title bar. */
export async function clickTitleButton(page: Page, label: string): Promise<void> {
  const button = page.locator(`.editor-group-container.active .editor-actions .action-label[aria-label^="${label}"]`);
  await button.first().click();
}

/** The text of the status bar's item that matches; empty where there is none. */
export async function statusText(page: Page, pattern: RegExp): Promise<string> {
  const items = await page.locator(".statusbar-item").allInnerTexts();
  return items.map(oneLine).find((text) => pattern.test(text)) ?? "";
}

/** The editor's background, as the browser computes it. */
export async function editorBackground(page: Page): Promise<string> {
  const background = page.locator(".editor-group-container.active .monaco-editor-background").first();
  return background.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor ?? "",
  );
}

/** WCAG contrast of two `rgb(…)` colors. */
export function contrast(a: string, b: string): number {
  const luminance = (color: string): number => {
    const channels = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((text) => Number(text) / 255);
    const [red = 0, green = 0, blue = 0] = channels.map((c) =>
      c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** Puts the cursor into a line (1-based) of the active editor, and the keyboard with it. */
export async function goToLine(page: Page, line: number): Promise<void> {
  await runCommand(page, "Go to Line/Column");
  await quickInput(page).locator("input").last().fill(`:${line}`);
  await page.keyboard.press("Enter");
  await page.locator(".statusbar-item", { hasText: new RegExp(`Ln ${line},`) }).waitFor({ timeout: LONG });
}

/** The line (1-based) of the cursor in the editor of `file` that is in view, also while another tab has the keyboard. */
export async function cursorLine(page: Page, file: string): Promise<number> {
  const group = page.locator(".editor-group-container", {
    has: page.locator(".tab.active .label-name", { hasText: new RegExp(`^${file.replaceAll(".", "\\.")}$`) }),
  });
  return Number(await group.locator(".editor-instance .line-numbers.active-line-number").first().textContent());
}

/** Lines (1-based) with a sign in the gutter whose picture is `icon`. */
export async function gutterSigns(page: Page, icon: string): Promise<readonly number[]> {
  const editor = page.locator(".editor-group-container.active .editor-instance").first();
  return editor.evaluate((root, name) => {
    const window = root.ownerDocument.defaultView;
    const numbers = [...root.querySelectorAll(".margin-view-overlays .line-numbers")].map((element) => ({
      top: Math.round(element.getBoundingClientRect().top),
      line: Number(element.textContent),
    }));
    return [...root.querySelectorAll(".margin *")].flatMap((element) => {
      const picture = window?.getComputedStyle(element).backgroundImage ?? "";
      const top = Math.round(element.getBoundingClientRect().top);
      return picture.includes(name) ? (numbers.find((number) => Math.abs(number.top - top) <= 2)?.line ?? 0) : [];
    });
  }, icon);
}

/** Rests the mouse on a line's text until its hover is up, and returns the hover's text. */
export async function hoverText(page: Page, lineText: string, expected: string): Promise<string> {
  const hover = page.locator(".monaco-hover:not(.hidden)", { hasText: expected }).first();
  const words = line(page, lineText).locator("span span").first();
  const seen: string[] = [];
  for (const end = Date.now() + LONG; Date.now() < end; ) {
    await leaveHover(page);
    const box = await words.boundingBox({ timeout: REOPEN }).catch(() => null);
    if (!box) {
      // The editor may just be laid out anew, as when a group beside it closes; or what was scrolled below went too far.
      seen.push("the line is not in view");
      await scrollEditor(page, -10_000);
      continue;
    }
    const [x, y] = [box.x + Math.min(20, box.width / 2), box.y + box.height / 2];
    const under = await elementAt(page, x, y);
    if (under.where !== "lines") {
      seen.push(`the line lies under ${under.name}`);
      if (under.where === "margin") await scrollToLineBegins(page);
      // Code lenses that came meanwhile may have moved it below the editor's edge, where it is still laid out.
      else await scrollEditor(page, box.height);
      continue;
    }
    // Straight there: a line on the way would show its own hover on a slow machine.
    await page.mouse.move(x - 1, y);
    await page.mouse.move(x, y);
    if (!(await becomes(hover, "visible", REOPEN))) {
      const others = await page.locator(".monaco-hover:not(.hidden)").allInnerTexts();
      seen.push(`hovers: ${JSON.stringify(others.map(oneLine))}`);
      // For the editor a button stays down that was let go above a menu, and meanwhile it shows no hover.
      await page.mouse.click(x, y);
      continue;
    }
    // Decorations that come anew take the hover away.
    const text = await shownText(hover, REOPEN).catch(() => null);
    if (text === null) {
      seen.push("the hover went away");
      continue;
    }
    const now = await words.boundingBox({ timeout: REOPEN }).catch(() => null);
    // A code lens that came meanwhile moved the line away: the hover is that of its neighbor.
    // Figures stay on one line by blanks that do not break.
    if (now?.y === box.y) return text.replaceAll("\u00a0", " ");
    seen.push("the line moved");
  }
  throw new Error(`No hover with "${expected}" on "${lineText}": ${seen.join("; ")}.`);
}

/** Turns the wheel over the editor, down by so many pixels. */
async function scrollEditor(page: Page, pixels: number): Promise<void> {
  await page.locator(".editor-group-container.active .editor-instance").first().hover();
  await page.mouse.wheel(0, pixels);
}

/**
 * Back to where lines begin. Where Playwright tries a click again, it puts the right end of what it clicks in view, and a
 * line is as wide as the longest of its file: lines begin below their numbers then. VS Code does not know of that
 * scrolling, so its wheel does not undo it.
 */
async function scrollToLineBegins(page: Page): Promise<void> {
  const editor = page.locator(".editor-group-container.active .editor-instance").first();
  await editor.locator(".editor-scrollable").evaluateAll((parts) => {
    for (const part of parts) part.scrollLeft = 0;
  });
  await editor.hover();
  await page.mouse.wheel(-10_000, 0);
}

/** What is on top at a place of the page: which part of an editor, and how it is told from others. */
async function elementAt(
  page: Page,
  x: number,
  y: number,
): Promise<{ readonly where: "lines" | "margin" | "elsewhere"; readonly name: string }> {
  const body = page.locator("body");
  return body.evaluate(
    (root, [left, top]) => {
      const found = root.ownerDocument.elementFromPoint(left, top);
      // The containers of webviews, for one, have no class.
      const all = [found, found?.parentElement, found?.parentElement?.parentElement];
      const names = all.map((one) => (one ? `${one.localName}#${one.id}.${one.className}` : "nothing"));
      const isIn = (part: string): boolean => found?.closest(part) != null;
      return {
        where: isIn(".view-lines") ? "lines" : isIn(".monaco-editor .margin") ? "margin" : "elsewhere",
        name: `${names.join(" in ")} at ${left}, ${top}`,
      } as const;
    },
    [x, y] as const,
  );
}

/** Takes the pointer off the editor and waits until what it showed there is gone. */
async function leaveHover(page: Page): Promise<void> {
  const bar = await page.locator(".part.statusbar").boundingBox();
  if (bar) await page.mouse.move(bar.x + bar.width / 2, bar.y + bar.height / 2);
  const shown = page.locator(".monaco-editor .monaco-hover:not(.hidden)");
  if (!(await becomes(shown.first(), "hidden", 2_000))) await page.keyboard.press("Escape");
}

/** The text of the code lenses in view. */
export async function codeLensTexts(page: Page): Promise<readonly string[]> {
  return page.locator(".editor-group-container.active .codelens-decoration").allInnerTexts();
}

/** Shows a view container by its name in the activity bar. */
export async function showView(page: Page, name: string): Promise<void> {
  const item = page.locator(`.activitybar .action-item:has(.action-label[aria-label^="${name}"])`);
  await item.waitFor({ timeout: LONG });
  if (!(await item.evaluate((element) => element.classList.contains("checked"))))
    await clickIcon(page, item.locator(".action-label"));
}

export function treeRow(page: Page, text: string | RegExp): Locator {
  return page.locator(".sidebar .pane-body .monaco-list-row", { hasText: text }).first();
}

/** Unfolds a row of a tree when it is folded. */
export async function unfoldRow(page: Page, text: string | RegExp): Promise<void> {
  const row = treeRow(page, text);
  await row.waitFor({ timeout: LONG });
  if ((await row.getAttribute("aria-expanded")) === "false") await row.locator(".monaco-tl-twistie").click();
  await row.and(page.locator("[aria-expanded=true]")).waitFor({ timeout: LONG });
}

/** The rows of the view that is shown, from top to bottom. */
export async function treeRowTexts(page: Page): Promise<readonly string[]> {
  const rows = await page.locator(".sidebar .pane-body .monaco-list-row").evaluateAll((elements) =>
    // The list reuses its rows: their order in the page is not the order on the screen.
    elements
      .map((row) => ({ index: Number(row.getAttribute("data-index")), text: row.textContent ?? "" }))
      .sort((a, b) => a.index - b.index),
  );
  return rows.map(({ text }) => oneLine(text));
}

/** The modal dialog's text. */
export async function dialogText(page: Page, timeout = LONG): Promise<string> {
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.waitFor({ timeout });
  return oneLine(await shownText(dialog));
}

export async function pressDialogButton(page: Page, button: string): Promise<void> {
  await page.locator(".monaco-dialog-box .monaco-button", { hasText: button }).first().click();
  await page.locator(".monaco-dialog-box").waitFor({ state: "detached", timeout: LONG });
}

export function terminalText(page: Page): Promise<string> {
  return shownText(page.locator(".terminal-wrapper.active .xterm-rows").first());
}

/** Types into the terminal that is shown. */
export async function typeInTerminal(page: Page, text: string): Promise<void> {
  await page.locator(".terminal-wrapper.active .xterm-helper-textarea").first().focus();
  await page.keyboard.type(text);
}

/** The document inside the webview panel that is shown. */
export function webview(page: Page): FrameLocator {
  return page.frameLocator("iframe.webview.ready:visible").frameLocator("iframe#active-frame");
}

/** Opens the menu of quick fixes on the cursor's line and picks from it. */
export async function pickQuickFix(page: Page, label: string): Promise<void> {
  const rows = page.locator(".action-widget .monaco-list-row.action");
  const wanted = rows.filter({ hasText: label }).first();
  let isOpen = false;
  for (const end = Date.now() + LONG; !isOpen && Date.now() < end; ) {
    // VS Code drops the question where it asks by itself before the answer came, as it does once the cursor has moved.
    await page.keyboard.press("Control+.");
    isOpen = await becomes(wanted, "visible", REOPEN);
  }
  if (!isOpen) throw new Error(`No quick fix "${label}": ${await shownText(page.locator(".editor-instance").first())}`);
  // By the keyboard: a layer above the menu takes the clicks.
  for (let step = await rows.count(); step > 0; step--) {
    if ((await page.locator(".action-widget .monaco-list-row.focused").innerText()).includes(label)) break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

/** The themes every view must be right in, by the kind VS Code names them with. */
export const THEMES = {
  dark: "Default Dark Modern",
  light: "Default Light Modern",
  "hc-dark": "Default High Contrast",
  "hc-light": "Default High Contrast Light",
} as const;

export type Theme = keyof typeof THEMES;

const THEME_CLASS: Record<Theme, string> = {
  dark: ".monaco-workbench.vs-dark",
  light: ".monaco-workbench.vs",
  "hc-dark": ".monaco-workbench.hc-black",
  "hc-light": ".monaco-workbench.hc-light",
};

/** Closes the window and opens it again, with all that VS Code keeps over that. */
export async function reloadWindow(page: Page): Promise<void> {
  // By VS Code's own command: it stores the open editors first, which a plain reload of the page does not wait for.
  const loaded = page.waitForEvent("load", { timeout: 2 * LONG });
  await Promise.all([loaded, runCommand(page, "Developer: Reload Window")]);
  await page.locator(".monaco-workbench .activitybar").waitFor({ timeout: LONG });
}

/** Waits until the page wears the theme that the settings were changed to. */
export async function waitForTheme(page: Page, theme: Theme): Promise<void> {
  await page.locator(THEME_CLASS[theme]).first().waitFor({ timeout: LONG });
}
