/** Files of other tools from the Explorer to figures beside the lines, the hover and the timeline; a run into a file. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeTraining } from "../../../src/formats/exports/testing.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const SOURCE = `@profile
def main():
    rows = [0] * 2_500_000
    del rows
`;
const REPORT = `Filename: /home/nano/lenet/measured.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     22.0 MiB     22.0 MiB           1   @profile
     2                                         def main():
     3     42.0 MiB     20.0 MiB           1       rows = [0] * 2_500_000
     4     22.5 MiB    -19.5 MiB           1       del rows
`;
const tegrastats = (used: number): string =>
  `RAM ${used}/3964MB (lfb 634x4MB) SWAP 0/1982MB (cached 0MB) CPU [2%@102,off,off,off]\n`;

const FILES = {
  "measured.py": SOURCE,
  "memory_report.txt": REPORT,
  "memory_row.txt": "     3 2081.602 MiB 1585.188 MiB           1       rows = [0] * 2_500_000\n",
  "tegrastats.log": [613, 700, 2900, 2950, 640].map(tegrastats).join(""),
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "import-story-"));
for (const [name, text] of Object.entries(FILES)) fs.writeFileSync(path.join(folder, name), text);
const training = makeTraining();
afterAll(() => {
  fs.rmSync(folder, { recursive: true });
  training.remove();
});
const workbench = story("exchange", () => ({ folder, settings: { "workbench.colorTheme": ui.THEMES.dark } }));

const file = (name: string) =>
  workbench().page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();

test("a report of memory_profiler stands beside the lines, and the hover says what its figures are", async () => {
  const { page } = workbench();
  await ui.openFile(page, "measured.py");
  await ui.pickFromContextMenu(page, file("memory_report.txt"), "Import Memory Report…");
  const told = await ui.notificationText(page, /imported from memory_profiler/);
  expect(told).toContain("(memory_report.txt): 3 lines.");
  await ui.waitForDecorations(page, (found) =>
    found.some(({ line, text }) => line === 3 && text.includes("+20.0 MiB")),
  );
  await workbench().screenshot("import-1-report");
  await ui.dismissNotifications(page);
  const hover = await ui.hoverText(page, "rows = [0]", "memory_profiler");
  expect(hover).toContain("With everything it called");
  expect(hover).toContain("process memory as memory_profiler reads it");
  await workbench().screenshot("import-2-hover");
});

test("the row of a report that names no file is put where the user says", async () => {
  const { page } = workbench();
  await ui.showExplorer(page);
  await ui.pickFromContextMenu(page, file("memory_row.txt"), "Import Memory Report…");
  await ui.quickInputText(page, /Which source was measured/);
  await ui.pickQuickPick(page, "measured.py");
  await ui.notificationText(page, /imported from memory_profiler \(memory_row/);
  await ui.waitForDecorations(page, (found) =>
    found.some(({ line, text }) => line === 3 && text.includes("+1585.2 MiB")),
  );
  await ui.dismissNotifications(page);
});

test("a log of tegrastats is a timeline of the board's RAM, and is not called RSS", async () => {
  const { page } = workbench();
  await ui.showExplorer(page);
  await ui.pickFromContextMenu(page, file("tegrastats.log"), "Import Memory Report…");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#plot").innerText(), { timeout: 30_000 }).toContain("RAM in use on the board");
  expect(await view.locator("body").innerText()).not.toContain("RSS");
  await ui.dismissNotifications(page);
  await workbench().screenshot("import-3-tegrastats");
});

test("the Memory Runs view says of a run that it was imported", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.treeRow(page, /^tegrastats\.log/).waitFor();
  await expect.poll(async () => (await ui.treeRowTexts(page)).join("\n")).toMatch(/tegrastats\.log.*imported/);
  await workbench().screenshot("import-4-rows");
});

test("a run is exported as a report beside the project, from its row", async () => {
  const { page, workspace } = workbench();
  fs.cpSync(path.dirname(training.run), path.join(workspace, ".jetson-memprof/runs"), { recursive: true });
  await ui.showView(page, "Jetson Memory");
  const row = ui.treeRow(page, /^train\.py/);
  await row.waitFor();
  await ui.pickFromContextMenu(page, row, "Export Run…");
  await ui.quickInputText(page, /Markdown/);
  await workbench().screenshot("export-1-formats");
  await ui.pickQuickPick(page, "HTML report");
  // The dialogue of a browser's window: the offered place, taken as it is.
  const ok = page.locator(".quick-input-widget").getByText("OK", { exact: true });
  await ui.acceptQuickInput(page, /Export the run/, () => ok.click());
  const told = await ui.notificationText(page, /The export is in/);
  const file = path.join(workspace, "20261121-094501-train-3fa9.html");
  expect(told).toContain(file);
  expect(fs.readFileSync(file, "utf8")).toContain("Simulated board (Jetson Nano)");
  await workbench().screenshot("export-2-told");
});
