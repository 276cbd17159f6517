/** A run from Memory Runs into a file for others. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeTraining } from "../../../src/formats/exports/testing.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const training = makeTraining();
afterAll(() => training.remove());
const workbench = story("export", () => ({
  folder: training.project,
  settings: { "workbench.colorTheme": ui.THEMES.dark },
}));

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
