import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("profile");
const RUN_MS = 60_000;
const known = fs.readFileSync(path.join(projectRoot, "test/workbench/project/known.py"), "utf8").split("\n");
const lineNumber = (text: string): number => known.findIndex((line) => line.includes(text)) + 1;
const KEEP = lineNumber("return bytearray");
const BORROW = lineNumber("size = len");
const CALL_KEEP = lineNumber("kept = keep()");
const SPARE = lineNumber("spare = bytearray");
const FREE = lineNumber("del spare");

async function profileFromEditor(page: Page, file: string, lineText: string): Promise<void> {
  await ui.openFile(page, file);
  await ui.pickFromContextMenu(page, ui.line(page, lineText), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
}

const position = (page: Page): Promise<string> => ui.statusText(page, /^Ln \d+/);

/** Checks a figure such as `+48.0 MiB` or `peak +32.1 MiB` against the MiB that the script is known to have moved. */
function expectFigure(text: string, mib: number, kind: "net" | "peak"): void {
  const [, prefix = "", value] = /^(peak )?([+-]\d+\.\d) MiB/.exec(text) ?? [];
  expect(prefix, text).toBe(kind === "peak" ? "peak " : "");
  const tolerance = kind === "peak" ? Math.max(0.25, 0.02 * Math.abs(mib)) : Math.max(0.0625, 0.01 * Math.abs(mib));
  // One decimal is shown.
  expect(Math.abs(Number(value) - mib), text).toBeLessThanOrEqual(tolerance + 0.05);
}

/** The run folder whose name holds the script's, once it is there. */
function runFolder(script: string): string | undefined {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  const id = fs.existsSync(runs) ? fs.readdirSync(runs).find((name) => name.includes(`-${script}-`)) : undefined;
  return id === undefined ? undefined : path.join(runs, id);
}

test("a right click on a script offers the profile, and the picker a simulated board", async () => {
  const { page } = workbench();
  await ui.openFile(page, "known.py");
  const labels = await ui.contextMenuLabels(page, ui.line(page, "def keep"));
  expect(labels.filter((label) => /Jetson|Profile/.test(label))).toEqual(["Profile on Jetson", "Jetson Memory"]);
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
  const rows = await ui.quickPickRows(page);
  expect(rows.some((row) => row.startsWith("Simulated board"))).toBe(true);
  expect(rows.some((row) => row.startsWith("This computer"))).toBe(true);
  await workbench().screenshot("1-pick-target");
});

test("the run reports progress and ends with the heaviest line", async () => {
  const { page } = workbench();
  const progress = ui.notification(page, "Profiling known.py @ simulated board").waitFor();
  await Promise.all([progress, ui.pickQuickPick(page, "Simulated board")]);
  const text = await ui.notificationText(page, /known\.py: /, RUN_MS);
  expect(text).toMatch(new RegExp(`peak [\\d.]+ MiB\\. Line ${KEEP} kept 4[78]\\.\\d MiB`));
  // The editor is there by itself.
  await expect.poll(() => position(page)).toMatch(new RegExp(`^Ln ${KEEP},`));
  await workbench().screenshot("2-run-ended");
});

test("each line carries what it took, gave back or held for a while", async () => {
  const { page } = workbench();
  const found = await ui.waitForDecorations(page, (all) =>
    [KEEP, CALL_KEEP, SPARE, BORROW, FREE].every((line) => all.some((one) => one.line === line)),
  );
  const on = (line: number): string =>
    found
      .filter((one) => one.line === line)
      .map(({ text }) => text)
      .join();
  expectFigure(on(KEEP), 48, "net");
  expectFigure(on(CALL_KEEP), 48, "net");
  expectFigure(on(SPARE), 24, "net");
  expectFigure(on(BORROW), 32, "peak");
  expectFigure(on(FREE), -24, "net");
  expect(on(lineNumber("MIB = 1024"))).toBe("");
  await ui.pressNotificationButton(page, /known\.py: /, "Show Heaviest Line");
  await expect.poll(() => position(page)).toMatch(new RegExp(`^Ln ${KEEP},`));
});

test("the hover on a line has its table of figures", async () => {
  const { page } = workbench();
  const text = await ui.hoverText(page, "size = len", "Peak above entry");
  expect(text).toMatch(/Hits\s+1\b/);
  expectFigure(`peak ${/Peak above entry\s+(\S+ MiB)/.exec(text)?.[1]}`, 32, "peak");
  expect(text).toContain("simulated board");
  await workbench().screenshot("3-hover");
  await page.keyboard.press("Escape");
});

test("a code lens stands above each function", async () => {
  const { page } = workbench();
  await expect.poll(() => ui.codeLensTexts(page)).toEqual(Array(3).fill(expect.stringContaining("MiB")));
  const [keep, borrow, main] = await ui.codeLensTexts(page);
  expectFigure(keep ?? "", 48, "net");
  expect(keep).toMatch(/ MiB net .* 1 call$/);
  expectFigure(`peak ${/\S+ MiB peak/.exec(borrow ?? "")?.[0]}`, 32, "peak");
  expectFigure(main ?? "", 48, "net");
});

test("the runs view leads from the run over files and functions to a line", async () => {
  const { page } = workbench();
  await ui.showView(page, "Jetson Memory");
  await ui.unfoldRow(page, /^known\.py.*simulated board/);
  await ui.unfoldRow(page, /^known\.py\s*[+-]\d/);
  const heaviest = new RegExp(`^\\+4[78]\\.\\d MiB ?${KEEP}: `);
  await expect
    .poll(async () => (await ui.treeRowTexts(page)).slice(1, 3))
    .toEqual(["Heaviest lines", expect.stringMatching(heaviest)]);
  // The file's row is unfolded before its children are there.
  const functions = async (): Promise<readonly (string | undefined)[]> => {
    const rows = await ui.treeRowTexts(page);
    const below = rows.slice(rows.findIndex((row) => /^known\.py\s*[+-]\d/.test(row)) + 1);
    return below.map((text) => /^(module level|[a-z]+)/.exec(text)?.[0]);
  };
  // The first three by what they took: of equal ones in any order.
  await expect.poll(async () => [...(await functions())].sort()).toEqual(["borrow", "keep", "main", "module level"]);
  expect((await functions()).at(-1)).toBe("borrow");
  await ui.unfoldRow(page, /^borrow/);
  await workbench().screenshot("4-runs-view");
  await ui.treeRow(page, `${BORROW}: size = len`).click();
  await expect.poll(() => position(page)).toMatch(new RegExp(`^Ln ${BORROW},`));
});

test("the timeline of the run opens and leads back to the line", async () => {
  const { page } = workbench();
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^known\.py.*simulated board/), "Show Memory Timeline");
  const timeline = ui.webview(page);
  await timeline.locator("#chart .peak-label").waitFor({ timeout: 30_000 });
  expect(await timeline.locator("h1").textContent()).toContain("known.py");
  await timeline.locator("#plot").press("p");
  await expect
    .poll(() => timeline.locator("#readout").textContent())
    .toMatch(/RSS \d+\.\d MiB · available \d+\.\d [GM]iB/);
  await workbench().screenshot("5-timeline");
  await ui.closeEditor(page);
});

test("a changed line keeps its figures dimmed, and says that it changed", async () => {
  const { page } = workbench();
  await ui.openFile(page, "known.py");
  const before = (await ui.waitForDecorations(page, (all) => all.some(({ line }) => line === SPARE))).find(
    ({ line }) => line === SPARE,
  );
  await ui.line(page, "spare = bytearray").click();
  await page.keyboard.press("End");
  await page.keyboard.type("  # changed");
  const after = await ui.waitForDecorations(page, (all) =>
    all.some(({ line, color }) => line === SPARE && color !== before?.color),
  );
  expect(after.find(({ line }) => line === SPARE)?.text).toMatch(/2[34]\.\d MiB/);
  await ui.hoverText(page, "spare = bytearray", "Changed since the run");
  await page.keyboard.press("Escape");
  await workbench().screenshot("6-changed-line");
  // A new line above moves the figures of the lines below along.
  await ui.line(page, "def keep").click();
  await page.keyboard.press("Home");
  await page.keyboard.type("\n");
  await ui.waitForDecorations(page, (all) => all.some(({ line, text }) => line === KEEP + 1 && /^\+4[78]/.test(text)));
  await ui.runCommand(page, "File: Revert File");
  await ui.waitForDecorations(page, (all) => all.some(({ line, color }) => line === SPARE && color === before?.color));
});

test.each(Object.keys(ui.THEMES) as ui.Theme[])("figures can be read in the %s theme", async (theme) => {
  const { page } = workbench();
  workbench().workspaceSettings({ "workbench.colorTheme": ui.THEMES[theme] });
  await ui.waitForTheme(page, theme);
  await ui.waitForDecorations(page, (all) => all.length >= 5);
  // The figures are colored anew soon after the rest.
  const hardToRead = async (): Promise<readonly ui.Decoration[]> => {
    const background = await ui.editorBackground(page);
    return (await ui.decorations(page)).filter(({ color }) => ui.contrast(color, background) <= 4.5);
  };
  await expect.poll(hardToRead).toEqual([]);
  await workbench().screenshot(`7-theme-${theme}`);
});

test("the explorer's context menu profiles too, and a script that asks is answered in the terminal", async () => {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await ui.showExplorer(page);
  const file = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "asks.py" }).first();
  await ui.pickFromContextMenu(page, file, "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await expect.poll(() => ui.terminalText(page), { timeout: RUN_MS }).toContain("Your name?");
  await ui.typeInTerminal(page, "Ada\n");
  await expect.poll(() => ui.terminalText(page), { timeout: RUN_MS }).toContain("Hello, Ada.");
  await ui.notificationText(page, /^.*asks\.py: /, RUN_MS);
  await workbench().screenshot("8-terminal");
});

test("a script with a syntax error says so, is marked there, and has its message in the terminal", async () => {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await ui.openFile(page, "broken.py");
  await ui.clickTitleButton(page, "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  expect(await ui.notificationText(page, /broken\.py ended/, RUN_MS)).toContain("broken.py ended with exit code 1.");
  await expect.poll(() => ui.terminalText(page)).toContain("SyntaxError");
  await page.locator(".editor-instance .squiggly-error").first().waitFor();
  await expect.poll(() => position(page)).toMatch(/^Ln 2,/);
  await workbench().screenshot("9-syntax-error");
});

test("Profile Again runs the same script on the same board, without a question", async () => {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "Jetson: Profile Again");
  expect(await ui.notificationText(page, /broken\.py ended/, RUN_MS)).toContain("SyntaxError");
  await ui.pressNotificationButton(page, /broken\.py ended/, "Go to Line 2");
});

test("after a right click and two clicks a figure is in sight, also that of a line with a long comment", async () => {
  const { page, workspace, screenshot } = workbench();
  const script = path.join(projectRoot, "examples/train_tiny.py");
  const lines = fs.readFileSync(script, "utf8").split("\n");
  const log = lines.findIndex((text) => text.includes("history.append"));
  // With its figure behind it, it would end out of sight.
  expect(lines[log]?.length).toBeGreaterThan(90);
  fs.copyFileSync(script, path.join(workspace, "train_tiny.py"));
  await ui.dismissNotifications(page);
  await profileFromEditor(page, "train_tiny.py", "import argparse");
  await ui.notificationText(page, /train_tiny\.py: /, RUN_MS);
  // Three epochs of 4 MiB. The editor may still be on its way there.
  await ui.waitForDecorations(page, (all) =>
    all.some(({ line, text, isInSight }) => line === log + 1 && /^\+1[12]\.\d MiB/.test(text) && isInSight),
  );
  await screenshot("9-in-sight");
});

test("a run that goes on reports its figures, and its timeline grows and leads to the line", async () => {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await profileFromEditor(page, "slow.py", "import os");
  await ui
    .notification(page, "Profiling slow.py")
    .filter({ hasText: /line executions/ })
    .waitFor({ timeout: RUN_MS });
  await workbench().screenshot("10-progress");
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^slow\.py/), "Show Memory Timeline");
  const timeline = ui.webview(page);
  await timeline.locator("#status", { hasText: "in progress" }).waitFor({ timeout: 30_000 });
  // The table counts the samples.
  await timeline.locator("summary").click();
  const rows = timeline.locator("tbody tr");
  const before = await rows.count();
  await expect.poll(() => rows.count(), { timeout: 30_000 }).toBeGreaterThan(before + 5);
  await timeline.locator("#plot").press("End");
  await expect.poll(() => timeline.locator("#readout").textContent()).toMatch(/slow\.py, line [678]$/);
  await workbench().screenshot("11-live-timeline");
  await timeline.locator("#go-to-line").click();
  await expect.poll(() => position(page)).toMatch(/^Ln [678],/);
});

test("a run can be cancelled, and nothing of it goes on", async () => {
  const { page } = workbench();
  const folder = runFolder("slow") ?? "";
  const pid = Number(/pid (\d+)/.exec(fs.readFileSync(path.join(folder, "stdout.log"), "utf8"))?.[1]);
  expect(fs.existsSync(`/proc/${pid}`)).toBe(true);
  await ui.pressNotificationButton(page, "Profiling slow.py", "Cancel");
  await ui.notificationText(page, /slow\.py was cancelled/, RUN_MS);
  expect(fs.existsSync(`/proc/${pid}`)).toBe(false);
  const run: unknown = JSON.parse(fs.readFileSync(path.join(folder, "run.json"), "utf8"));
  expect(run).toMatchObject({ state: "finished", exit: { kind: "cancelled" } });
  await workbench().screenshot("12-cancelled");
});

test("figures and timeline are back when the window was closed and opened again", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  await ui.webview(page).locator("#chart .peak-label").waitFor({ timeout: 60_000 });
  await expect.poll(() => ui.webview(page).locator("#status").textContent()).toBe("");
  await ui.openFile(page, "slow.py");
  await ui.waitForDecorations(page, (all) => all.some(({ line, text }) => line === 7 && /MiB/.test(text)));
  await workbench().screenshot("13-reopened");
});
