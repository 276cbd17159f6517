/** From the right click to the flame view: a script under real valgrind on the simulated board. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { MASSIF_OUT } from "../../../src/server/massif/testing.ts";
import { requirement } from "../../support/requirement.ts";
import { story } from "../support/story.ts";
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

beforeAll(() => {
  // What a colleague sends: a file of massif's without a run around it.
  if (valgrind) fs.writeFileSync(path.join(workbench().workspace, "massif.out.1234"), MASSIF_OUT);
});

const position = (page: Page): Promise<string> => ui.statusText(page, /^Ln \d+/);

function runFolder(): string {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  return path.join(runs, fs.readdirSync(runs).find((name) => name.includes("-heap-")) ?? "");
}

/** Waits until the flame view shows stacks. */
async function flameView(page: Page) {
  const view = ui.webview(page);
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  return view;
}

test.skipIf(!valgrind)("a line is marked in the gutter and stays marked while the text moves", async () => {
  const { page } = workbench();
  await ui.openFile(page, "heap.py");
  await ui.line(page, "spare = bytearray").click();
  await ui.runCommand(page, "Jetson: Mark/Unmark Line for Massif");
  await expect.poll(() => page.locator(".margin-view-overlays [class*='ced-']").count()).toBeGreaterThan(0);
  await workbench().screenshot("massif-1-marked");
});

test.skipIf(!valgrind)("profiling with Massif says that it is slow, and ends with the peak of the heap", async () => {
  const { page } = workbench();
  await ui.pickFromContextMenu(page, ui.line(page, "def build"), "Profile on Jetson with Massif");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notification(page, /Profiling heap\.py @ simulated board with Massif \(slow\)/).waitFor({ timeout: 30_000 });
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
    const found = await ui.waitForDecorations(page, (all) => all.length >= 3);
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
    expect(hover).toContain("1 of 1");
    expect(hover).toContain("Show Native Stacks of This Line");
    await workbench().screenshot("massif-3-hover");
  },
);

test.skipIf(!valgrind)("the flame view opens, and a click on a Python frame puts the editor on its line", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /of heap at peak/, "Open Massif Flame View");
  const view = await flameView(page);
  expect(await view.locator("#title").textContent()).toContain("heap.py");
  expect(await view.locator("#about").textContent()).toContain("simulated board");
  await workbench().screenshot("massif-4-flame-view");
  await view.locator("#tab-python").click();
  await view.locator("#panel-python button", { hasText: `heap.py:${APPEND}` }).click();
  await view.locator("#open-line").click();
  await expect.poll(() => position(page), { timeout: 30_000 }).toMatch(new RegExp(`^Ln ${APPEND},`));
  await workbench().screenshot("massif-5-line");
});
