/** All pages by keyboard only, where the keys of the pages and of VS Code meet. The mouse is not touched. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { boardLines, training } from "../../../src/board/testing.ts";
import { jsonLines, makeProject, runFiles, runJson, writeFiles } from "../../../src/profile/testing.ts";
import { MASSIF_OUT } from "../../../src/server/massif/testing.ts";
import { SMALL } from "../../../src/torch/model/testing.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { becomes, LONG, REOPEN } from "../support/waiting.ts";

const RUNS = ".jetson-memprof/runs";
const LATER = "20261121-104501-train-0b0b";
const files = runFiles({
  "moments.jsonl": `${boardLines("nano", training(40), { simulated: "Jetson Nano" }).join("\n")}\n`,
  "model.10.jsonl": jsonLines(SMALL),
});
const recorded = makeProject(files);
const later = { id: LATER, started: "2026-11-21T10:45:01.123Z", ended: "2026-11-21T10:45:03.123Z" };
writeFiles(path.join(recorded.project, RUNS, LATER), { ...files, "run.json": JSON.stringify(runJson(later)) });
writeFiles(recorded.project, { "massif.out.1234": MASSIF_OUT });
afterAll(recorded.remove);
const workbench = story("keyboard", () => ({
  folder: recorded.project,
  settings: { "workbench.colorTheme": ui.THEMES["hc-dark"] },
}));
/** More stops of the Tab key than any page has, and more rows than any menu. */
const MOST_STOPS = 60;

const hasPage = (page: Page): Promise<boolean> => page.evaluate("document.activeElement.tagName === 'IFRAME'");

/** What has the keyboard inside the page: its id, or else its kind; empty while VS Code has it. */
async function focusInPage(page: Page): Promise<string> {
  if (!(await hasPage(page))) return "";
  return ui
    .webview(page)
    .locator("body")
    .evaluate((body) => {
      const focused = body.ownerDocument.activeElement;
      return focused?.id || focused?.tagName || "";
    });
}

const focusIs = (page: Page, id: string): Promise<void> => expect.poll(() => focusInPage(page)).toBe(id);

async function tabTo(page: Page, id: string): Promise<void> {
  for (let i = 0; i < MOST_STOPS; i++) {
    if ((await focusInPage(page)) === id) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to #${id}.`);
}

/** Opens a page's file with VS Code's own list of files. */
async function openByName(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+P");
  await ui.typeInQuickPick(page, name);
  await page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: name }).waitFor();
  await page.keyboard.press("Enter");
}

const runs = (page: Page): Locator => page.locator('.sidebar .monaco-list[aria-label="Memory Runs"]');

/** Nothing but the row's page is open then. */
async function openFromRow(page: Page, label: string): Promise<void> {
  await ui.closeAllEditors(page);
  await focusRuns(page);
  await pickFromMenu(page, label);
}

async function focusRuns(page: Page): Promise<void> {
  const focused = runs(page).and(page.locator(":focus"));
  // A view that is shown for the first time has nothing yet that could take the keyboard.
  const take = async (): Promise<boolean> => {
    await ui.runCommand(page, "Focus on Memory Runs View");
    return becomes(focused, "visible", REOPEN);
  };
  await expect.poll(take, { message: "Memory Runs takes the keyboard", timeout: LONG }).toBe(true);
  await page.keyboard.press("Home");
  await runs(page).locator('.monaco-list-row.focused[data-index="0"]').waitFor();
}

/** Opens the menu of the row that the keyboard is on, goes to an item by the arrow keys and presses Enter. */
async function pickFromMenu(page: Page, label: string): Promise<void> {
  await page.keyboard.press("Shift+F10");
  const item = page.locator(".monaco-menu .action-item.focused", { hasText: label });
  await page.locator(".monaco-menu").waitFor();
  for (let i = 0; i < MOST_STOPS && (await item.count()) === 0; i++) await page.keyboard.press("ArrowDown");
  await item.waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".monaco-menu").waitFor({ state: "detached" });
}

/** Presses F6 until the page has the keyboard. */
async function f6ToPage(page: Page): Promise<void> {
  for (let i = 0; i < 8 && !(await hasPage(page)); i++) {
    await page.evaluate('document.activeElement.dataset.left = ""');
    await page.keyboard.press("F6");
    await page.waitForFunction("document.activeElement.dataset.left === undefined");
    await page.evaluate('delete document.querySelector("[data-left]").dataset.left');
  }
  expect(await hasPage(page)).toBe(true);
}

/** Tab goes on in the page and leaves it at its end; F6 and Tab come back. */
async function expectNotCaught(page: Page): Promise<void> {
  await f6ToPage(page);
  await page.keyboard.press("Tab");
  await expect.poll(() => focusInPage(page)).not.toMatch(/^(BODY)?$/);
  for (let i = 0; i < MOST_STOPS && (await hasPage(page)); i++) await page.keyboard.press("Tab");
  expect(await hasPage(page)).toBe(false);
  await f6ToPage(page);
  await page.keyboard.press("Tab");
  await expect.poll(() => focusInPage(page)).not.toMatch(/^(BODY)?$/);
}

/** What VS Code itself searches a page with. */
const findOf = (page: Page): Locator => page.locator(".simple-find-part.visible");

async function openAndCloseFind(page: Page): Promise<void> {
  await page.keyboard.press("Control+F");
  await findOf(page).waitFor();
  await page.keyboard.press("Escape");
  await findOf(page).waitFor({ state: "detached" });
}

test("a key says the memory of the line the cursor is in", async () => {
  const { page, workspace } = workbench();
  fs.cpSync(path.join(recorded.project, RUNS), path.join(workspace, RUNS), { recursive: true });
  await openByName(page, "model.py");
  await page.locator(".tab.active", { hasText: "model.py" }).waitFor();
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await focusRuns(page);
  await pickFromMenu(page, "Show This Run in the Editor");
  await ui.runCommand(page, "View: Focus Active Editor Group");
  await ui.waitForDecorations(page, (found) => found.some(({ line }) => line === 2));
  await ui.goToLine(page, 2);
  await page.keyboard.press("Alt+Shift+M");
  expect(await ui.notificationText(page, "Line 2 of model.py")).toContain("Line 2 of model.py: +64.0 MiB.");
  await ui.runCommand(page, "Notifications: Clear All Notifications");
});

test("rename and delete mean the row that the arrow keys led to", async () => {
  const { page, workspace } = workbench();
  await focusRuns(page);
  await page.keyboard.press("ArrowDown");
  await runs(page).locator('.monaco-list-row.focused[data-index="1"]').waitFor();
  await page.keyboard.press("F2");
  await ui.answerInputBox(page, "Name of train.py", "the first of two");
  const [renamed, other] = [ui.treeRow(page, "the first of two"), ui.treeRow(page, /^train\.py/)];
  await renamed.waitFor();
  // Selected is the one above; what is deleted is the one below.
  await focusRuns(page);
  await page.keyboard.press("Enter");
  await runs(page).locator('.monaco-list-row.selected[data-index="0"]').waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Delete");
  await renamed.waitFor({ state: "detached" });
  await other.waitFor();
  expect(fs.existsSync(path.join(workspace, RUNS, LATER))).toBe(true);
  await ui.runCommand(page, "Notifications: Clear All Notifications");
  await ui.runCommand(page, "Jetson: Restore Deleted Run…");
  await page.locator(".quick-input-widget .monaco-list-row", { hasText: "the first of two" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: "the first of two" }).waitFor();
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await renamed.waitFor();
});

test("the flame view is walked, zoomed and left by keys", async () => {
  const { page } = workbench();
  await openByName(page, "massif.out.1234");
  const view = ui.webview(page);
  await view.locator("#graph[aria-busy=false]").waitFor();
  await expect.poll(() => hasPage(page)).toBe(true);
  await tabTo(page, "graph");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => view.locator("#details").innerText()).toContain("All memory of the stacks shown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => view.locator("#breadcrumb li").count()).toBe(2);
  await page.keyboard.press("Escape");
  await expect.poll(() => view.locator("#breadcrumb li").count()).toBe(1);
  await focusIs(page, "graph");
  await workbench().screenshot("keyboard-1-flame-view");
});

test("what had the keyboard in a page has it again after the palette and after the other parts of the window", async () => {
  const { page } = workbench();
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget:visible").waitFor();
  await page.keyboard.press("Escape");
  await focusIs(page, "graph");
  await page.keyboard.press("F6");
  await focusIs(page, "");
  await page.keyboard.press("Shift+F6");
  await focusIs(page, "graph");
});

test("Ctrl+F leads to the search of painted names, and from there to VS Code's", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  await page.keyboard.press("Control+F");
  await focusIs(page, "search");
  await page.keyboard.type("empty");
  await expect.poll(() => view.locator("#matches").innerText()).toContain("1");
  expect(await findOf(page).count()).toBe(0);
  await openAndCloseFind(page);
  await focusIs(page, "search");
  await page.keyboard.press("Escape");
  await expect.poll(() => view.locator("#search").inputValue()).toBe("");
  await expectNotCaught(page);
});

test("the timeline opens from the run's row; its peak leads to the line", async () => {
  const { page } = workbench();
  await openFromRow(page, "Show Memory Timeline");
  const view = ui.webview(page);
  await view.locator("#chart .axis").first().waitFor();
  await expectNotCaught(page);
  await openAndCloseFind(page);
  await f6ToPage(page);
  await tabTo(page, "plot");
  await page.keyboard.press("p");
  await expect.poll(() => view.locator("#plot").getAttribute("aria-valuetext")).toContain("148.0 MiB");
  await page.keyboard.press("Enter");
  await expect.poll(() => ui.cursorLine(page, "model.py")).toBe(3);
  await workbench().screenshot("keyboard-2-timeline");
});

test("the ledger is read at the peak", async () => {
  const { page } = workbench();
  await openFromRow(page, "Show Board Memory");
  const view = ui.webview(page);
  await view.locator("#ledger-moment", { hasText: "peak" }).waitFor();
  await f6ToPage(page);
  await tabTo(page, "plot");
  await page.keyboard.press("Home");
  const moment = view.locator("#plot");
  await expect.poll(() => moment.getAttribute("aria-valuetext")).toContain("before the start");
  await page.keyboard.press("p");
  await expect.poll(() => moment.getAttribute("aria-valuetext")).toContain("30.0 s");
  await tabTo(page, "picture");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect.poll(() => view.locator(":focus").getAttribute("class")).toContain("fold");
  await workbench().screenshot("keyboard-3-ledger");
  await expectNotCaught(page);
});

test("the model account is walked layer by layer", async () => {
  const { page } = workbench();
  await openFromRow(page, "Show Model Account");
  const view = ui.webview(page);
  await view.locator("#layers .rows .row").first().waitFor();
  await f6ToPage(page);
  for (let i = 0; i < MOST_STOPS && (await view.locator("[role=treegrid]:focus").count()) === 0; i++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await view.locator('#layers .row[aria-selected="true"]', { hasText: "itself" }).waitFor();
  await workbench().screenshot("keyboard-4-model");
  await expectNotCaught(page);
});

test("two runs are selected by keys and compared", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await focusRuns(page);
  await page.keyboard.press("Shift+ArrowDown");
  await expect.poll(() => runs(page).locator(".monaco-list-row.selected").count()).toBe(2);
  await pickFromMenu(page, "Compare Selected Runs");
  const view = ui.webview(page);
  await view.locator("#content").waitFor();
  await f6ToPage(page);
  await tabTo(page, "search");
  await page.keyboard.type("model");
  await page.keyboard.press("Escape");
  await expect.poll(() => view.locator("#search").inputValue()).toBe("");
  await workbench().screenshot("keyboard-5-compare");
  await expectNotCaught(page);
});
