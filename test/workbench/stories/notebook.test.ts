import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const RUN_MS = 60_000;
const BLOCK = "block = bytearray(count << 20) +64.0 MiB";
const LONG_LINE = "wide = bytearray(8 << 20)  # so long a comment that a figure behind it would be out of sight";
const WAITING = { timeout: 30_000 };
const code = (id: string, source: string) => ({
  cell_type: "code",
  id,
  metadata: {},
  execution_count: null,
  outputs: [],
  source: source.split(/(?<=\n)/),
});
const NOTEBOOK = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: "python" } },
  cells: [
    { cell_type: "markdown", id: "text", metadata: {}, source: ["# Training"] },
    code("defs", "kept = []\ndef load(count):\n    block = bytearray(count << 20)\n    kept.append(block)\n"),
    code("data", "%matplotlib inline\nload(48)\nload(16)"),
    code("free", "size = sum(map(len, kept))\nkept.clear()\nsize"),
    code("long", `${LONG_LINE}\nsize = len(wide)`),
  ],
};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-notebook-"));
fs.writeFileSync(path.join(folder, "train.ipynb"), JSON.stringify(NOTEBOOK, undefined, 1));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const workbench = story("notebook", () => ({ folder }));

/** The editor of the cell in view that contains `text`. */
const cell = (page: Page, text: string): Locator =>
  page.locator(".notebook-editor .code-cell-row .monaco-editor, .notebookOverlay .code-cell-row .monaco-editor", {
    hasText: text,
  });

/** The lines of a cell that have something beside them, each with what decorations put there, after it or before it. */
async function figuresOf(
  page: Page,
  text: string,
  side: "::after" | "::before" = "::after",
): Promise<readonly string[]> {
  const found = await cell(page, text)
    .locator(".view-line")
    .evaluateAll(
      (lines, side) =>
        lines.flatMap((line) =>
          [...line.querySelectorAll("span")]
            .map((span) => span.ownerDocument.defaultView?.getComputedStyle(span, side).content ?? "")
            .flatMap((content) => /^"(.*)"$/.exec(content)?.[1] ?? [])
            .map((shown) => (side === "::after" ? `${line.textContent} ${shown}` : `${shown} ${line.textContent}`)),
        ),
      side,
    );
  return found.map((shown) => shown.replace(/\s+/g, " ").trim());
}

async function openNotebook(page: Page): Promise<void> {
  await ui.showExplorer(page);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "train.ipynb" }).dblclick();
  await cell(page, "kept.clear()").first().waitFor(WAITING);
}

test("a right click on a notebook offers the profile, and it runs", async () => {
  const { page } = workbench();
  await ui.showExplorer(page);
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "train.ipynb" });
  // The menu may be opened before the extension is known.
  await expect.poll(() => ui.contextMenuLabels(page, row), WAITING).toContain("Profile on Jetson");
  await ui.pickFromContextMenu(page, row, "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  const text = await ui.notificationText(page, /train\.ipynb: /, RUN_MS);
  expect(text).toContain("Line 3 of cell 1 kept 64.0 MiB.");
  await workbench().screenshot("notebook-1-ended");
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "View: Hide Panel");
});

test("the lines of its cells carry their figures", async () => {
  const { page } = workbench();
  await openNotebook(page);
  await expect.poll(() => figuresOf(page, "load(48)"), WAITING).toEqual(["load(48) +48.0 MiB", "load(16) +16.0 MiB"]);
  await expect.poll(() => figuresOf(page, "kept.append(block)"), WAITING).toEqual([BLOCK]);
  await expect.poll(() => figuresOf(page, "kept.clear()"), WAITING).toEqual(["kept.clear() -64.0 MiB"]);
});

test("a cell with a long line has its figures before its lines, as a file has, and the others stay as they are", async () => {
  const { page, screenshot } = workbench();
  await expect
    .poll(() => figuresOf(page, "wide =", "::before"), WAITING)
    .toEqual([`+8.0 MiB ${LONG_LINE.replace(/\s+/g, " ")}`, "size = len(wide)"]);
  expect(await figuresOf(page, "wide =")).toEqual([]);
  expect(await figuresOf(page, "load(48)", "::before")).toEqual([]);
  await screenshot("notebook-1-column");
});

test("the notebook's toolbar offers the profile", async () => {
  const { page } = workbench();
  await page.locator(".notebook-toolbar-container").getByLabel("Profile on Jetson").first().click();
  expect((await ui.quickPickRows(page)).some((row) => row.startsWith("Simulated board"))).toBe(true);
  await page.keyboard.press("Escape");
});

test.each(["light", "hc-dark", "hc-light", "dark"] as const)("they can be read in the theme %s", async (theme) => {
  const { page, workspaceSettings, screenshot } = workbench();
  workspaceSettings({ "workbench.colorTheme": ui.THEMES[theme] });
  await ui.waitForTheme(page, theme);
  await expect.poll(() => figuresOf(page, "load(48)"), WAITING).toHaveLength(2);
  await screenshot(`notebook-2-${theme}`);
});

test("a hover over a cell's line has its table", async () => {
  const { page, screenshot } = workbench();
  const line = cell(page, "load(48)").locator(".view-line", { hasText: "load(48)" }).first();
  const hover = page.locator(".monaco-hover:not(.hidden)", { hasText: "Net" }).first();
  await page.mouse.move(900, 700);
  await line.getByText("load", { exact: true }).hover();
  await hover.waitFor({ timeout: 20_000 });
  expect((await hover.innerText()).replaceAll("\u00a0", " ")).toContain("+48.0 MiB");
  await screenshot("notebook-3-hover");
  // A cell's URI has signs that a link's argument loses on its way.
  await hover.locator("a", { hasText: "History" }).click();
  await ui.quickInputText(page, "cell 2 of train.ipynb:2");
  expect(await ui.quickPickRows(page)).toEqual([expect.stringMatching(/^\+48\.0 MiB.*shown/)]);
  await page.keyboard.press("Escape");
});

test("the runs view names the cells, and a row opens its cell", async () => {
  const { page, screenshot } = workbench();
  await ui.closeAllEditors(page);
  await page.locator('.activitybar .action-label[aria-label*="Memory"]').first().click();
  await ui.unfoldRow(page, "train.ipynb");
  await ui.unfoldRow(page, /^cell 1 of train\.ipynb/);
  await ui.unfoldRow(page, /^load/);
  await ui.treeRow(page, "block = bytearray").click();
  await cell(page, "kept.append(block)").first().waitFor(WAITING);
  await expect.poll(() => page.locator(".statusbar").innerText(), WAITING).toContain("Cell 2 of 5");
  await screenshot("notebook-4-tree");
});

test("figures stay with their lines when cells are edited", async () => {
  const { page, screenshot } = workbench();
  const first = cell(page, "kept.append(block)").first();
  await first.locator(".view-line", { hasText: "kept = []" }).click();
  await page.keyboard.press("Home");
  await page.keyboard.type("import math");
  await page.keyboard.press("Enter");
  await cell(page, "import math").first().waitFor(WAITING);
  await expect.poll(() => figuresOf(page, "import math"), WAITING).toEqual([BLOCK]);
  await screenshot("notebook-5-edited");
});
