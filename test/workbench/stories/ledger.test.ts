/** The ledger of a run that really allocates: its peak, why the tools disagree, and the line that ran then. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { FrameLocator } from "playwright-core";
import { expect, test } from "vitest";
import { inFull } from "../../support/inFull.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("ledger", () => ({
  settings: { "workbench.colorTheme": ui.THEMES.dark, "jetsonMemprof.watch.intervalMs": 250 },
}));
const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project/ledger.py"), "utf8").split("\n");
const lineNumber = (text: string): number => source.findIndex((line) => line.includes(text)) + 1;
const HELD_MIB = 768;

async function cells(view: FrameLocator, row: string): Promise<string[]> {
  const texts = await view.locator(`[data-row="${row}"] > tr`).first().locator("th, td").allInnerTexts();
  return texts.map((text) => text.trim());
}
const mib = (text: string | undefined): number => Number.parseFloat(text ?? "");

test("while a run goes on, the status bar shows its board's memory", async () => {
  const { page } = workbench();
  await ui.openFile(page, "ledger.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def hold"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await expect.poll(() => ui.statusText(page, /^RAM /), { timeout: 60_000 }).toMatch(/^RAM \d+\.\d of \d+\.\d GiB/);
  await ui.notificationText(page, /ledger\.py: /, 60_000);
  await expect.poll(() => ui.statusText(page, /^RAM /)).toBe("");
  await ui.dismissNotifications(page);
});

test("Show Board Memory on the run's row opens the ledger at its peak", async () => {
  const { page } = workbench();
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^ledger\.py/), "Show Board Memory");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#ledger-moment").innerText(), { timeout: 30_000 }).toContain("peak");
  const [, size, , , since] = await cells(view, "run.anon");
  expect(Math.abs(mib(since) - HELD_MIB)).toBeLessThan(0.05 * HELD_MIB);
  expect(mib(size)).toBeGreaterThan(HELD_MIB);
  await workbench().screenshot("ledger-1-dark");
});

test("the table of tools tells what each calls used at that moment, and why", async () => {
  const view = ui.webview(workbench().page);
  const rows = view.locator("#tools-rows tr");
  await rows.first().scrollIntoViewIfNeeded();
  const text = await view.locator("#tools-table").innerText();
  for (const tool of ["htop", "smem", "jtop", "tegrastats", "memory_profiler", "massif", "torch.cuda"]) {
    expect(text).toContain(tool);
  }
  await workbench().screenshot("ledger-2-tools");
});

test("the button of the moment's line opens it in the editor", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  const button = view.locator("#open-line");
  await button.scrollIntoViewIfNeeded();
  const [, shown] = /^Open ledger\.py:(\d+)$/.exec(await button.innerText()) ?? [];
  expect([lineNumber("block ="), lineNumber("time.sleep")]).toContain(Number(shown));
  await button.click();
  await expect.poll(() => ui.cursorLine(page, "ledger.py")).toBe(Number(shown));
});

test.runIf(inFull)("the page is there again after the window was closed and opened", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#ledger-moment").innerText(), { timeout: 60_000 }).toContain("peak");
});

picturesInThemes(workbench, "ledger-3");
