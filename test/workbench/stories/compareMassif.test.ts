/** Two runs under real valgrind, with an edit between: the flame graph of what changed. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const FIRST = `def build(size):
    blocks = []
    for _ in range(4):
        blocks.append(bytearray(size))
    return blocks


kept = build(2 << 20)
`;
/** Lines move; each block is twice as large. */
const SECOND = `# Larger blocks.\n${FIRST.replace("2 << 20", "4 << 20")}`;
const APPEND = SECOND.split("\n").findIndex((line) => line.includes("append")) + 1;
const RUN_MS = 180_000;

const valgrind = requirement("valgrind", "/usr/bin/valgrind");
const project = fs.mkdtempSync(path.join(os.tmpdir(), "compared-"));
fs.writeFileSync(path.join(project, "blocks.py"), FIRST);
afterAll(() => fs.rmSync(project, { recursive: true }));
const workbench = story("compareMassif", () => ({
  folder: project,
  settings: { "jetsonMemprof.python": "/usr/bin/python3", "workbench.colorTheme": ui.THEMES.dark },
}));

async function profile(page: Page): Promise<void> {
  await ui.openFile(page, "blocks.py");
  await ui.pickFromSubmenu(
    page,
    ui.line(page, "def build"),
    "Jetson Memory",
    "Profile on Jetson with Massif (Exact, Slow)",
  );
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /of heap at peak/, RUN_MS);
  await ui.dismissNotifications(page);
}

test.skipIf(!valgrind)(
  "two runs under massif are profiled, with an edit between",
  async () => {
    const { page, workspace } = workbench();
    await profile(page);
    fs.writeFileSync(path.join(workspace, "blocks.py"), SECOND);
    await ui.runCommand(page, "File: Revert File");
    await ui.line(page, "# Larger blocks").waitFor();
    await profile(page);
  },
  2 * RUN_MS,
);

test.skipIf(!valgrind)("Compare Flame Graphs shows what grew, by the later source's lines", async () => {
  const { page, screenshot } = workbench();
  await ui.runCommand(page, "View: Hide Panel");
  await ui.runCommand(page, "Jetson: Compare Flame Graphs…");
  await ui.quickInputText(page, "which was before?");
  await ui.quickPickRows(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await ui.quickInputText(page, "which came after?");
  await ui.quickPickRows(page);
  await page.keyboard.press("Enter");
  const view = ui.webview(page);
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  expect(await view.locator("#title").textContent()).toBe("Two runs of blocks.py");
  expect(await view.locator("#readout").textContent()).toMatch(/Change from the earlier run's peak .*: \+8\.\d MiB/);
  await view.getByRole("tab", { name: "Python Lines" }).click();
  const row = view.locator("table:visible tbody tr", { hasText: `blocks.py:${APPEND}` });
  expect(await row.innerText()).toMatch(/\+8\.0 MiB/);
  await screenshot("compare-flame");
});

test.skipIf(!valgrind)("the compare page has the heap by line, and leads to the flame graph", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^blocks\.py/), "Compare with…");
  await ui.quickInputText(page, "Compare blocks.py with…");
  await ui.quickPickRows(page);
  await page.keyboard.press("Enter");
  const view = ui.webview(page);
  await view.locator("#lines tbody tr").first().waitFor({ timeout: 30_000 });
  expect(await view.locator("#cards").innerText()).toContain("Peak of the heap");
  const step = view.locator("#lines tbody tr", { hasText: `blocks.py:${APPEND}` });
  expect((await step.innerText()).replace(/\s+/g, " ")).toMatch(/8\.0 MiB 16\.0 MiB ▲\+8\.0 MiB/);
  await view.getByRole("button", { name: "Flame Graph of the Difference" }).click();
  await page.locator(".tab.active", { hasText: "Stacks: Two runs of blocks.py" }).waitFor();
});
