/** From the right click to the flame view: a script under real valgrind on the simulated board. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { jsonLines, runFiles, runJson, SAMPLES, writeFiles } from "../../../src/profile/testing.ts";
import { MASSIF_OUT } from "../../../src/server/massif/testing.ts";
import { inFull } from "../../support/inFull.ts";
import { requirement } from "../../support/requirement.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const valgrind = requirement("valgrind", "/usr/bin/valgrind");
const workbench = story("massif", () => ({
  // The system's own Python: small, and the one that boards have.
  settings: { "jetsonMemprof.python": "/usr/bin/python3", "workbench.colorTheme": ui.THEMES.dark },
}));
const RUN_MS = 180_000;
const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project/heap.py"), "utf8").split("\n");
const lineNumber = (text: string): number => source.findIndex((line) => line.includes(text)) + 1;
const APPEND = lineNumber("blocks.append");
const BUILD = lineNumber("kept = build()");
const SPARE = lineNumber("spare = bytearray");

/** Waits until the flame view shows stacks. */
async function flameView(page: Page) {
  const view = ui.webview(page);
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  return view;
}

/** run.json of the newest run. */
function lastRun(): { readonly engine: { readonly massif: { readonly lines: readonly unknown[] } } } {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  const newest = fs.readdirSync(runs).sort().at(-1) ?? "";
  return JSON.parse(fs.readFileSync(path.join(runs, newest, "run.json"), "utf8"));
}

/** An earlier run of heap.py that took more memory than any machine has. */
function hungryRun(): Record<string, string> {
  const rss = 64 * 1024 ** 4;
  const command = { python: "/usr/bin/python3", script: "heap.py", args: [] };
  return runFiles({
    "run.json": JSON.stringify(runJson({ command })),
    "samples.jsonl": jsonLines([...SAMPLES, { t: 900, hits: 9, rss, rss_peak: rss }]),
  });
}

const ROW_HEIGHT = 20;

/** Clicks the frame at the left of a row, where the heaviest is; row 0 is all memory. */
async function clickHeaviestFrame(page: Page, row: number): Promise<void> {
  const canvas = await ui.webview(page).locator("#canvas").boundingBox();
  if (canvas === null) throw new Error("The graph is not in view.");
  await page.mouse.click(canvas.x + 30, canvas.y + (row + 0.5) * ROW_HEIGHT);
}

test.skipIf(!valgrind)("a line to measure is marked in the gutter", async () => {
  const { page } = workbench();
  await ui.openFile(page, "heap.py");
  await ui.line(page, "spare = bytearray").click();
  await ui.runCommand(page, "Jetson: Mark/Unmark Line to Measure");
  await expect.poll(() => ui.gutterSigns(page, "massif-line")).toEqual([SPARE]);
  await workbench().screenshot("massif-1-marked");
});

test.skipIf(!valgrind)("a run that will likely not fit is asked about, with what would help", async () => {
  const { page, workspace } = workbench();
  const last = path.join(workspace, ".jetson-memprof/runs/20200101-000000-heap-0000");
  writeFiles(last, hungryRun());
  await ui.pickFromSubmenu(
    page,
    ui.line(page, "def build"),
    "Jetson Memory",
    "Profile on Jetson with Massif (Exact, Slow)",
  );
  await ui.pickQuickPick(page, "Simulated board");
  const text = await ui.dialogText(page, 60_000);
  expect(text).toMatch(/expected to need about \d+\.\d [GM]iB .* free/);
  expect(text).toContain("• Profile fewer or smaller batches.");
  await workbench().screenshot("massif-1-risk");
  await ui.pressDialogButton(page, "Cancel");
  await ui.notificationText(page, "heap.py was cancelled before it ran", 60_000);
  fs.rmSync(last, { recursive: true });
  await ui.dismissNotifications(page);
});

test.skipIf(!valgrind)("profiling with Massif says that it is slow, and ends with the peak of the heap", async () => {
  const { page } = workbench();
  await ui.pickFromSubmenu(
    page,
    ui.line(page, "def build"),
    "Jetson Memory",
    "Profile on Jetson with Massif (Exact, Slow)",
  );
  const progress = ui.notification(page, /Profiling heap\.py @ simulated board with Massif \(slow\)/).waitFor();
  await Promise.all([progress, ui.pickQuickPick(page, "Simulated board")]);
  const text = await ui.notificationText(page, /of heap at peak/, RUN_MS);
  expect(text).toMatch(
    new RegExp(`heap\\.py: [34]\\d\\.\\d MiB of heap at peak, 24\\.\\d MiB of it at line ${APPEND}`),
  );
  await workbench().screenshot("massif-2-run-ended");
});

test.skipIf(!valgrind)(
  "each line carries the heap that was live at the peak, and the hover its native stacks",
  async () => {
    const { page } = workbench();
    const found = await ui.waitForDecorations(page, (all) =>
      [APPEND, BUILD, SPARE].every((line) => all.some((one) => one.line === line)),
    );
    const on = (line: number): string =>
      found
        .filter((one) => one.line === line)
        .map(({ text }) => text)
        .join();
    expect(on(APPEND)).toMatch(/^24\.\d MiB of heap at peak$/);
    expect(on(BUILD)).toMatch(/^24\.\d MiB of heap at peak$/);
    expect(on(SPARE)).toMatch(/^8\.\d MiB of heap at peak$/);
    const hover = await ui.hoverText(page, "spare = bytearray", "Heap (valgrind massif)");
    expect(hover).toMatch(/\+8\.0 MiB ± /);
    expect(hover).toContain("in 1 hit");
    expect(hover).toContain("Show Native Stacks of This Line");
    await workbench().screenshot("massif-3-hover");
  },
);

test.skipIf(!valgrind)("the flame view opens, and a click on a Python frame puts the editor on its line", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /of heap at peak/, "Open Flame View");
  const view = await flameView(page);
  expect(await view.locator("#title").textContent()).toContain("heap.py");
  expect(await view.locator("#about").textContent()).toContain("simulated board");
  await workbench().screenshot("massif-4-flame-view");
  // <module> called main, main called build.
  await clickHeaviestFrame(page, 3);
  await expect.poll(() => ui.cursorLine(page, "heap.py"), { timeout: 30_000 }).toBe(APPEND);
  await workbench().screenshot("massif-5-line");
});

test.skipIf(!valgrind)("a hover's link shows the stacks through its line only", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  await ui.hoverText(page, "spare = bytearray", "Heap (valgrind massif)");
  await page.locator(".monaco-hover a", { hasText: "Show Native Stacks of This Line" }).first().click();
  const view = await flameView(page);
  await view.locator("#scope-text", { hasText: `heap.py:${SPARE}` }).waitFor({ timeout: 30_000 });
  await workbench().screenshot("massif-6-scoped");
});

test.skipIf(!valgrind)(
  "the flame view is back, with its run, when the window was closed and opened again",
  async () => {
    const { page } = workbench();
    await ui.reloadWindow(page);
    const view = await flameView(page);
    expect(await view.locator("#title").textContent()).toContain("heap.py");
    await view.locator("#scope-text", { hasText: `heap.py:${SPARE}` }).waitFor({ timeout: 30_000 });
  },
);

test.skipIf(!valgrind)("a massif file without a run opens in the same view", async () => {
  const { page } = workbench();
  // What a colleague sends: a file of massif's without a run around it.
  fs.writeFileSync(path.join(workbench().workspace, "massif.out.1234"), MASSIF_OUT);
  await ui.closeAllEditors(page);
  await ui.showExplorer(page);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "massif.out.1234" }).dblclick();
  const view = await flameView(page);
  expect(await view.locator("#title").textContent()).toContain("massif.out.1234");
  expect(await view.locator("#about").textContent()).not.toContain("board");
  await workbench().screenshot("massif-7-file");
});

test.runIf(valgrind && inFull)("it is back when the window was closed and opened again", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  const view = await flameView(page);
  expect(await view.locator("#title").textContent()).toContain("massif.out.1234");
});

test.skipIf(!valgrind)(
  "a file that changes on disk is shown as it is now, and one that is no massif file says so",
  async () => {
    const { page, workspace } = workbench();
    const file = path.join(workspace, "massif.out.1234");
    const later = ui.webview(page).locator("[role=treeitem]", { hasText: "later" });
    // The window may have been opened again just now, and not yet watch its files when the first change is made.
    const change = async (): Promise<number> => {
      fs.writeFileSync(file, MASSIF_OUT.replaceAll("py_00003", "later"));
      return later.count();
    };
    await expect.poll(change, { timeout: 60_000, interval: 1_000 }).toBeGreaterThan(0);
    fs.writeFileSync(file, "not from massif\n");
    await expect.poll(() => ui.webview(page).locator("#status").textContent(), { timeout: 60_000 }).toMatch(/massif/);
    await workbench().screenshot("massif-8-foreign");
  },
);

test.skipIf(!valgrind)("without marks the heaviest lines of the last line profile are measured", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  await ui.runCommand(page, "Jetson: Remove All Line Marks");
  await expect.poll(() => ui.gutterSigns(page, "massif-line")).toEqual([]);
  await ui.pickFromContextMenu(page, ui.line(page, "def build"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /heap\.py: peak /, RUN_MS);
  // What stands beside and above the lines is RSS now, not heap.
  await ui.waitForDecorations(page, (all) => all.some(({ text }) => /^\+24\.\d MiB$/.test(text)));
  await expect.poll(async () => (await ui.codeLensTexts(page)).join(), { timeout: 20_000 }).toMatch(/MiB net/);
  await ui.dismissNotifications(page);
  await ui.pickFromSubmenu(
    page,
    ui.line(page, "def build"),
    "Jetson Memory",
    "Profile on Jetson with Massif (Exact, Slow)",
  );
  await ui.pickQuickPick(page, "Simulated board");
  await ui
    .notification(page, "Profiling heap.py")
    .filter({ hasText: /under valgrind/ })
    .waitFor({ timeout: RUN_MS });
  await workbench().screenshot("massif-9-progress");
  await ui.notificationText(page, /of heap at peak/, RUN_MS);
  const { engine } = lastRun();
  expect(engine.massif.lines).toContainEqual(["heap.py", APPEND]);
  expect(engine.massif.lines).toContainEqual(["heap.py", SPARE]);
  const hover = await ui.hoverText(page, "blocks.append", "Heap (valgrind massif)");
  expect(hover).toMatch(/in (\d+ of )?24 hits/);
  await ui.dismissNotifications(page);
});

test.skipIf(!valgrind)(
  "the Memory Runs view lists a massif run's lines by bytes at the peak and opens its flame view",
  async () => {
    const { page } = workbench();
    await ui.showView(page, "Jetson Memory");
    await ui.unfoldRow(page, /^heap\.py.*massif/);
    await ui.unfoldRow(page, /^heap\.py\s*3\d\.\d MiB of heap at peak/);
    await ui.unfoldRow(page, /^build/);
    await ui.treeRow(page, /^24\.\d MiB of heap at peak/).waitFor();
    await workbench().screenshot("massif-10-runs");
    await ui.pickFromContextMenu(page, ui.treeRow(page, /^heap\.py.*massif/), "Open Flame View");
    const view = await flameView(page);
    expect(await view.locator("#title").textContent()).toContain("heap.py");
  },
);

test.skipIf(!valgrind)("an export is written where the user says, into the project at first", async () => {
  const { page, workspace } = workbench();
  const view = await flameView(page);
  await view.locator("#export summary").click();
  await view.locator("[data-format=svg]").click();
  await ui.quickInputText(page, "Save the flame graph");
  await workbench().screenshot("massif-12-save");
  await ui.acceptQuickInput(page, "Save the flame graph", () => page.keyboard.press("Enter"));
  const pictures = () => fs.readdirSync(workspace).filter((name) => name.endsWith(".svg"));
  await expect.poll(pictures, { timeout: 60_000 }).toHaveLength(1);
  // The file is there before its text.
  const picture = path.join(workspace, pictures()[0] ?? "");
  await expect.poll(() => fs.readFileSync(picture, "utf8")).toContain(`heap.py:${APPEND}`);
});

test.skipIf(!valgrind)("a command opens the view of the last run again", async () => {
  const { page, workspace } = workbench();
  await ui.closeAllEditors(page);
  await ui.runCommand(page, "Jetson: Open Flame View");
  await flameView(page);
  await ui.runCommand(page, "View: Hide Panel").catch(() => undefined);
  expect(fs.existsSync(path.join(workspace, ".jetson-memprof/runs"))).toBe(true);
});

picturesInThemes(workbench, "massif-11");
