/** From the right click to the flame view: a script whose native stacks are sampled, on the simulated board. */
import * as fs from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("nativeStacks", () => ({
  // The system's own Python, which boards have; a mean at which 24 MiB are certain to some percent.
  settings: {
    "jetsonMemprof.python": "/usr/bin/python3",
    "jetsonMemprof.nativeStacks.sampleKiB": 64,
    "workbench.colorTheme": ui.THEMES.dark,
  },
}));
const RUN_MS = 180_000;
const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project/heap.py"), "utf8").split("\n");
const lineNumber = (text: string): number => source.findIndex((line) => line.includes(text)) + 1;
const APPEND = lineNumber("blocks.append");

/** Waits until the flame view shows stacks. */
async function flameView() {
  const view = ui.webview(workbench().page);
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  return view;
}

test("profiling with native stacks ends as any run does, and offers the flame view", async () => {
  const { page } = workbench();
  await ui.openFile(page, "heap.py");
  await ui.pickFromSubmenu(page, ui.line(page, "def build"), "Jetson Memory", "Profile on Jetson with Native Stacks");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /heap\.py: peak /, RUN_MS);
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  const newest = path.join(runs, fs.readdirSync(runs).sort().at(-1) ?? "");
  const run = JSON.parse(fs.readFileSync(path.join(newest, "run.json"), "utf8"));
  expect(run.engine).toMatchObject({ name: "line", heap: { mean: 65_536, state: "sampled" } });
  expect(run.warnings).toEqual([]);
  await workbench().screenshot("native-stacks-1-ended");
});

test("the flame view opens, says that it was sampled, and has the lines of Python in its stacks", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /heap\.py: peak /, "Open Flame View");
  const view = await flameView();
  expect(await view.locator("#title").textContent()).toContain("heap.py");
  expect(await view.locator("#about").textContent()).toContain("Native stacks, sampled: one in 64 KiB");
  expect(await view.locator("#notes-list").textContent()).toContain("One in 64 KiB that were allocated was sampled");
  expect(await view.locator("#extra-key").isVisible()).toBe(false);
  await view.locator("#tab-python").click();
  // Blocks of a MiB are counted whole.
  const row = view.locator("#panel-python tr", { hasText: `heap.py:${APPEND}` }).first();
  expect(await row.textContent()).toMatch(/2[345]\.\d MiB/);
  await workbench().screenshot("native-stacks-2-flame-view");
});

picturesInThemes(workbench, "native-stacks-flame", () => ({
  "jetsonMemprof.python": "/usr/bin/python3",
  "jetsonMemprof.nativeStacks.sampleKiB": 64,
}));

test("a line's hover has its RSS, what was sampled below it, and the way to its stacks", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  const hover = await ui.hoverText(page, "spare = bytearray", "Allocated in native code, sampled");
  expect(hover).toMatch(/Net/);
  expect(hover).toMatch(/8\.\d MiB ± \d/);
  await workbench().screenshot("native-stacks-3-hover");
  await page.locator(".monaco-hover a", { hasText: "Show Native Stacks of This Line" }).first().click();
  const view = await flameView();
  await view.locator("#scope-text", { hasText: `heap.py:${lineNumber("spare = bytearray")}` }).waitFor();
});

test("its row in Memory Runs leads there too", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^heap\.py.*native stacks/), "Open Flame View");
  await flameView();
});
