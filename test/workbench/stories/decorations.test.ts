import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { formatChange } from "../../../src/profile/text/format.ts";
import { writeRun } from "../../faults/load/support/manyLines.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const FILES = new Map([
  ["many.py", 2000],
  ["fewer.py", 500],
]);
const SEED = 97;
/** Bytes that a line (1-based) took, as writeRun has it. */
const took = (line: number): number => 4096 * ((line * SEED) % 769);
/** Bytes: the least that is marked, by default. */
const THRESHOLD = 0.1 * 2 ** 20;
const A_SCREEN = 20;

const record = (project: string): string => writeRun(project, "20260101-000000-many-0001", FILES, SEED);
const project = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-decorations-"));
record(project);
afterAll(() => fs.rmSync(project, { recursive: true }));
const workbench = story("decorations", () => ({ folder: project }));

/**
 * Waits until all lines in view, and line `within` among them, have the figures that they had in the run.
 * @param moved how many lines were put above them since
 */
async function expectFigures(page: Page, within: number, moved = 0): Promise<void> {
  await ui.waitForDecorations(page, (found) => {
    const texts = new Map(found.map(({ line, text }) => [line, text]));
    const [first, last] = [found[0]?.line ?? 0, found.at(-1)?.line ?? 0];
    const inView = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    return (
      texts.size >= A_SCREEN &&
      first <= within &&
      within <= last &&
      inView.every((line) => {
        const bytes = took(line - moved);
        return bytes < THRESHOLD || texts.get(line) === formatChange(bytes);
      })
    );
  });
}

test("the figures of a long file are there wherever it is scrolled to", async () => {
  const { page, workspace } = workbench();
  // The copy of a project is made without its runs.
  record(workspace);
  await ui.openFile(page, "many.py");
  await ui.showView(page, "Jetson Memory");
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^large\.py/), "Show This Run in the Editor");
  await expectFigures(page, 20);
  for (const line of [1500, 1560, 1000]) {
    await ui.goToLine(page, line);
    await expectFigures(page, line);
  }
});

test("they are there again when another file was shown in the same place", async () => {
  const { page } = workbench();
  await ui.openFile(page, "fewer.py");
  await expectFigures(page, 20);
  await page.locator(".tab", { hasText: "many.py" }).click();
  await expectFigures(page, 1000);
});

test("each of two editors of one file has those of the lines that it shows", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "View: Split Editor Right");
  await expect.poll(() => page.locator(".editor-group-container").count()).toBe(2);
  await ui.goToLine(page, 300);
  await expectFigures(page, 300);
  await ui.runCommand(page, "View: Focus First Editor Group");
  await expectFigures(page, 1000);
});

test("they go along with their lines when others are put above them and taken away again", async () => {
  const { page } = workbench();
  await ui.goToLine(page, 1);
  await page.keyboard.press("Home");
  await page.keyboard.type("\n\n\n");
  await expectFigures(page, 20, 3);
  await ui.goToLine(page, 1503);
  await expectFigures(page, 1503, 3);
  await ui.runCommand(page, "View: Focus Next Editor Group");
  await expectFigures(page, 303, 3);
  await ui.runCommand(page, "File: Revert File");
  await expectFigures(page, 300);
  await ui.runCommand(page, "View: Focus First Editor Group");
  await expectFigures(page, 1500);
});

/** Where the code of the lines in view begins, in whole pixels, each place once. */
async function codeBegins(page: Page): Promise<readonly number[]> {
  const editor = page.locator(".editor-group-container.active .editor-instance").first();
  return editor.evaluate((root) => {
    const document = root.ownerDocument;
    const places = [...root.querySelectorAll(".view-line")].flatMap((line) => {
      const text = document.createTreeWalker(line, 4 /* SHOW_TEXT */).nextNode();
      if (text === null || !text.textContent?.trim()) return [];
      const range = document.createRange();
      range.selectNodeContents(text);
      return [Math.round(range.getBoundingClientRect().left)];
    });
    return [...new Set(places)];
  });
}

test("in a column before the lines they move all code alike, also that of lines that are typed", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  await ui.goToLine(page, 1);
  const [before = 0, ...others] = await codeBegins(page);
  expect(others).toEqual([]);
  workspaceSettings({ "jetsonMemprof.decorations.position": "beforeLine" });
  await expect.poll(async () => (await codeBegins(page)).every((place) => place > before + 40)).toBe(true);
  await expectFigures(page, 20);
  expect(await codeBegins(page)).toHaveLength(1);
  await page.keyboard.press("Home");
  // In a comment VS Code completes nothing: Enter would take what it offers.
  await page.keyboard.type("# one\n# two\n");
  await expect.poll(() => codeBegins(page)).toHaveLength(1);
  await expectFigures(page, 20, 2);
  await screenshot("decorations-before");
  await ui.runCommand(page, "File: Revert File");
  workspaceSettings({});
  await expect.poll(() => codeBegins(page)).toEqual([before]);
  await expectFigures(page, 20);
});

test("they go when figures are hidden, and come back", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Hide Memory Figures");
  await ui.waitForDecorations(page, (found) => found.length === 0);
  await ui.goToLine(page, 700);
  expect(await ui.decorations(page)).toEqual([]);
  await ui.runCommand(page, "Jetson: Show Memory Figures");
  await expectFigures(page, 700);
});
