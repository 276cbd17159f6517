/** What PyTorch knows itself: a snapshot of a live run's allocator (stand-in for torch), and a trace of its profiler. */
import * as fs from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("recording", () => ({
  settings: {
    "jetsonMemprof.python": "/usr/bin/python3",
    "jetsonMemprof.torch.snapshots": true,
    "jetsonMemprof.environment": { PYTHONPATH: path.join(projectRoot, "python-helper/tests/standin") },
    "workbench.colorTheme": ui.THEMES.dark,
  },
}));

const kept = (): readonly string[] => {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  if (!fs.existsSync(runs)) return [];
  return fs.readdirSync(runs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".pickle"));
};

test("Take Allocator Snapshot brings one home while the script goes on", async () => {
  const { page } = workbench();
  await ui.openFile(page, "allocates.py");
  await ui.pickFromContextMenu(page, ui.line(page, "import torch"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await expect.poll(() => ui.terminalText(page).catch(() => ""), { timeout: 60_000 }).toContain("end?");
  await ui.runCommand(page, "Jetson: Take Allocator Snapshot");
  await ui.notificationText(page, /The snapshot is taken when the script's next line begins/);
  await expect.poll(() => kept().length, { timeout: 60_000 }).toBeGreaterThan(0);
  await workbench().screenshot("recording-1-snapshot");
  await ui.typeInTerminal(page, "yes\n");
  await ui.notificationText(page, /allocates\.py: /, 60_000);
  await ui.dismissNotifications(page);
  // That of the end too.
  expect(kept().length).toBeGreaterThan(1);
});

test("a trace of torch.profiler opens in the timeline page", async () => {
  const { page, workspace } = workbench();
  await ui.runCommand(page, "View: Close All Editors");
  await ui.runCommand(page, "View: Hide Panel");
  const name = "step.pt.trace.json.gz";
  fs.copyFileSync(path.join(projectRoot, "test/fixtures/trace", name), path.join(workspace, name));
  await ui.showExplorer(page);
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
  await ui.pickFromContextMenu(page, row, "Open PyTorch Profiler Trace…");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#chart .plot-name").allTextContents(), { timeout: 60_000 }).toEqual(["CPU"]);
  expect(await view.locator("h1").textContent()).toBe(name);
  await view.locator("#go-to-peak").click();
  expect(await view.locator("#readout").textContent()).toMatch(/in autograd::.* › .* · CPU allocated 1\.6 MiB$/);
  expect(await view.locator("#held tbody tr").first().locator("td").first().textContent()).toBe("924 KiB");
  await workbench().screenshot("recording-2-trace");
});
