/** A script is profiled, edited and profiled again: what changed is beside the lines and in a page of its own. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

// It holds its memory until the board's has been read, which happens after 200 ms and then each second.
const FIRST = `import time

MIB = 1024 * 1024


def load():
    return bytearray(b"\\1") * (48 * MIB)


def train():
    held = []
    for _ in range(3):
        held.append(bytearray(b"\\1") * (8 * MIB))
    spare = bytearray(b"\\1") * (20 * MIB)
    return held, spare


data = load()
result = train()
time.sleep(1.5)
`;
/** Lines move, the step takes twice as much, the spare is gone, a cache is new. */
const SECOND = FIRST.replace("MIB = ", "# More in each step.\nMIB = ")
  .replace("(8 * MIB", "(16 * MIB")
  .replace('    spare = bytearray(b"\\1") * (20 * MIB)\n    return held, spare\n', "    return held\n")
  .replace("data = load()", 'data = load()\ncache = bytearray(b"\\2") * (12 * MIB)');
const RUN_MS = 60_000;
const lineOf = (text: string): number => SECOND.split("\n").findIndex((line) => line.includes(text)) + 1;
const STEP = lineOf("held.append");
const LOAD = lineOf("return bytearray");
const CACHE = lineOf("cache = ");

const project = fs.mkdtempSync(path.join(os.tmpdir(), "compared-"));
fs.writeFileSync(path.join(project, "steps.py"), FIRST);
afterAll(() => fs.rmSync(project, { recursive: true }));
const workbench = story("compare", () => ({
  folder: project,
  settings: { "workbench.colorTheme": ui.THEMES.dark },
}));
const onLine = (found: readonly ui.Decoration[], line: number): string =>
  found.find((one) => one.line === line)?.text ?? "";
const rows = async (page: Page): Promise<readonly string[]> =>
  (await ui.webview(page).locator("#lines tbody tr").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));

async function profile(page: Page): Promise<void> {
  await ui.openFile(page, "steps.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def load"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /steps\.py: /, RUN_MS);
  await ui.dismissNotifications(page);
}

test("a script is profiled twice, with an edit between", async () => {
  const { page, workspace } = workbench();
  await profile(page);
  fs.writeFileSync(path.join(workspace, "steps.py"), SECOND);
  await ui.runCommand(page, "File: Revert File");
  await ui.line(page, "# More in each step").waitFor();
  await profile(page);
  await ui.waitForDecorations(page, (found) => /^\+48\.\d MiB/.test(onLine(found, STEP)));
});

test("Compare Runs asks for both sides and opens their page", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Compare Runs…");
  await ui.quickInputText(page, "which was before?");
  const offered = await ui.quickPickRows(page);
  expect(offered).toHaveLength(2);
  // The newest stands first.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await ui.quickInputText(page, "which came after?");
  expect(await ui.quickPickRows(page)).toHaveLength(1);
  await page.keyboard.press("Enter");
  await ui.webview(page).locator("#lines tbody tr").first().waitFor({ timeout: 30_000 });
  const found = await rows(page);
  expect(found.find((row) => row.startsWith(`steps.py:${STEP}`))).toMatch(
    /edited .* 24\.\d MiB 48\.\d MiB ▲\+24\.\d MiB/,
  );
  expect(found.find((row) => row.includes("spare ="))).toMatch(/gone .* 20\.\d MiB – ▼-20\.\d MiB/);
  expect(found.find((row) => row.startsWith(`steps.py:${CACHE}`))).toMatch(/new .* – 12\.\d MiB ▲\+12\.\d MiB/);
  expect(found.some((row) => row.startsWith(`steps.py:${LOAD}`))).toBe(false);
  expect(await ui.webview(page).locator("#cards").innerText()).toContain("Peak RSS");
  expect(await ui.webview(page).locator("#ledger").innerText()).toContain("This run");
  await ui.runCommand(workbench().page, "View: Hide Panel");
});

picturesInThemes(workbench, "compare-page");

test("a line of the page leads to the document; what changed is beside its lines, in hover and code lens", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  await ui
    .webview(page)
    .getByRole("button", { name: `steps.py:${STEP}`, exact: true })
    .click();
  await expect.poll(() => ui.cursorLine(page, "steps.py")).toBe(STEP);
  await ui.runCommand(page, "View: Close Other Editors in Group");
  await ui.closeAllEditors(page);
  await ui.openFile(page, "steps.py");
  const found = await ui.waitForDecorations(
    page,
    (all) => onLine(all, STEP).includes("→") && onLine(all, CACHE) !== "" && onLine(all, LOAD) !== "",
  );
  expect(onLine(found, STEP)).toMatch(/^24\.\d → 48\.\d MiB \(\+24\.\d\)$/);
  expect(onLine(found, CACHE)).toMatch(/^new: \+12\.\d MiB$/);
  expect(onLine(found, LOAD)).toMatch(/^≈ 48\.\d MiB$/);
  const gone = async () => (await ui.codeLensTexts(page)).find((text) => text.includes("gone"));
  await expect.poll(gone).toMatch(/^gone: \+20\.\d MiB before · spare = /);
  for (const [theme, name] of Object.entries(ui.THEMES)) {
    workspaceSettings({ "workbench.colorTheme": name });
    await ui.waitForTheme(page, theme as ui.Theme);
    const text = await ui.hoverText(page, "held.append", "Before");
    expect(text).toMatch(/Took 24\.\d MiB more than before/);
    expect(text).toMatch(/Net, with everything it called\s+\+24\.\d MiB\s+\+48\.\d MiB\s+\+24\.\d MiB\s+≥ /);
    await screenshot(`compare-lines-${theme}`);
    await page.keyboard.press("Escape");
  }
  workspaceSettings({ "workbench.colorTheme": ui.THEMES.dark });
  await ui.waitForTheme(page, "dark");
});

test("the status bar says what is compared, and swaps it", async () => {
  const { page } = workbench();
  await expect.poll(() => ui.statusText(page, /→/)).toMatch(/^steps\.py: .+ → .+/);
  await page.locator(".statusbar-item", { hasText: "→" }).click();
  await ui.pickQuickPick(page, "Swap Before and After");
  const found = await ui.waitForDecorations(page, (all) => onLine(all, STEP).includes("(-"));
  expect(onLine(found, STEP)).toMatch(/^48\.\d → 24\.\d MiB \(-24\.\d\)/);
  await page.locator(".statusbar-item", { hasText: "→" }).click();
  await ui.pickQuickPick(page, "Swap Before and After");
  await ui.waitForDecorations(page, (all) => onLine(all, STEP).includes("(+24"));
});

test("the comparison outlives the window, and ends when it is stopped", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  await ui.waitForDecorations(page, (all) => onLine(all, STEP).includes("→"), 60_000);
  await ui.runCommand(page, "Jetson: Stop Comparing");
  await ui.waitForDecorations(page, (all) => /^\+48\.\d MiB/.test(onLine(all, STEP)));
  await expect.poll(() => ui.statusText(page, /→/)).toBe("");
  await expect.poll(async () => (await ui.codeLensTexts(page)).filter((text) => /gone|→/.test(text))).toEqual([]);
});

test("a line has its history over the last runs, of which one can be shown", async () => {
  const { page, screenshot } = workbench();
  await ui.goToLine(page, STEP);
  await ui.runCommand(page, "Jetson: Show History of This Line");
  await ui.quickInputText(page, `steps.py:${STEP}`);
  const [now, before, ...others] = await ui.quickPickRows(page);
  expect(now).toMatch(/^\+48\.\d MiB.*shown/);
  expect(before).toMatch(/^\+24\.\d MiB.*The line was: held\.append\(bytearray\(b"\\1"\) \* \(8 \* MIB\)\)$/s);
  expect(others).toEqual([]);
  await screenshot("compare-history-of-line");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await ui.waitForDecorations(page, (all) => /^\+24\.\d MiB/.test(onLine(all, STEP)));
});

test("a row of the tree is compared with another run", async () => {
  const { page } = workbench();
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^steps\.py/), "Compare with…");
  await ui.quickInputText(page, "Compare steps.py with…");
  // Its rows come after its title.
  await ui.quickPickRows(page);
  await page.keyboard.press("Enter");
  await ui.webview(page).locator("#lines tbody tr").first().waitFor({ timeout: 30_000 });
  // The earlier is what was before, whichever was clicked.
  expect((await rows(page)).find((row) => row.startsWith(`steps.py:${STEP}`))).toContain("▲+24");
});

test("two selected rows are compared with each other, without a question", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  // By their place on the screen: that in the page changes as the list is drawn.
  const run = (place: number) =>
    page.locator(`.sidebar .pane-body .monaco-list-row[aria-level="1"][aria-posinset="${place}"]`);
  // A list that was made anew between the two clicks has forgotten the first.
  const selected = async () => [await run(1).getAttribute("aria-selected"), await run(2).getAttribute("aria-selected")];
  const select = async () => {
    await run(1).click();
    await run(2).click({ modifiers: ["Control"] });
    return selected();
  };
  await expect.poll(select).toEqual(["true", "true"]);
  await ui.pickFromContextMenu(page, run(2), "Compare Selected Runs");
  await ui.webview(page).locator("#lines tbody tr").first().waitFor({ timeout: 30_000 });
  expect((await rows(page)).find((row) => row.startsWith(`steps.py:${STEP}`))).toContain("▲+24");
});

test("Profile N Times shows how far the runs lie apart, and is one side from then on", async () => {
  const { page, screenshot } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "steps.py");
  await ui.pickFromSubmenu(page, ui.line(page, "def load"), "Jetson Memory", "Profile N Times…");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.answerInputBox(page, "several times", "2");
  await ui
    .webview(page)
    .locator("h1", { hasText: "Repeats of steps.py" })
    .waitFor({ timeout: RUN_MS * 2 });
  const step = async () => (await rows(page)).find((row) => row.startsWith(`steps.py:${STEP}`));
  await expect.poll(step).toMatch(/48\.\d MiB \S+ (B|KiB|MiB)$/);
  await screenshot("compare-spread");
  await ui.runAskingCommand(page, "Jetson: Compare Runs…", "which was before?");
  expect((await ui.quickPickRows(page))[0]).toContain("all 2 repeats");
  await page.keyboard.press("Escape");
});
