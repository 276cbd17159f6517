/** Runs that end for want of memory: the line, the page that says why, and advice that helps. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, expect, test } from "vitest";
import { simulatedBoard } from "../../board/simulatedBoard.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const board = simulatedBoard("nano");
// 130 MiB of 3963 MiB: what a run leaves that is about to be killed.
board.leave(130, "gnome-shell");
afterAll(() => board.remove());
const workbench = story("killed", () => ({
  env: { JETSON_MEMPROF_SYSTEM_ROOT: board.root },
  settings: {
    "workbench.colorTheme": ui.THEMES.dark,
    "jetsonMemprof.watch.intervalMs": 250,
    "jetsonMemprof.target": "loopback",
    // As PyTorch's own message recommends it, though not for a Jetson.
    "jetsonMemprof.environment": { PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True" },
  },
}));

function lineOf(file: string, text: string): number {
  const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project", file), "utf8").split("\n");
  return source.findIndex((line) => line.includes(text)) + 1;
}

test("a script that is killed is marked on the line that was executing", async () => {
  const { page, workspace } = workbench();
  await ui.openFile(page, "killed.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def train"), "Profile on Jetson");
  const moments = (): string => {
    const runs = path.join(workspace, ".jetson-memprof/runs");
    const run = fs.existsSync(runs) ? fs.readdirSync(runs)[0] : undefined;
    const file = run === undefined ? "" : path.join(runs, run, "moments.jsonl");
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  };
  await expect.poll(() => moments().split('"at":["killed.py"').length, { timeout: 60_000 }).toBeGreaterThan(3);
  const [, pid] = /"run":\[(\d+)/.exec(moments()) ?? [];
  process.kill(Number(pid), "SIGKILL");
  const text = await ui.notificationText(page, /killed\.py .*SIGKILL|killed\.py was (killed|ended)/, 60_000);
  expect(text).toContain(`line ${lineOf("killed.py", "batch = bytearray")}`);
  await page.locator(".editor-instance .squiggly-error, .editor-instance .squiggly-warning").first().waitFor();
  await workbench().screenshot("killed-1-line");
});

test("Why Was It Killed? leads to the page with the line, how it is known and the last moments", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /killed\.py/, "Why Was It Killed?");
  const view = ui.webview(page);
  await view.locator(".verdict h2").waitFor({ timeout: 30_000 });
  const text = await view.locator("body").innerText();
  expect(text).toContain(`killed.py:${lineOf("killed.py", "batch = bytearray")}`);
  expect(text).toMatch(/130\.\d MiB/);
  expect(text).toContain("Jetson Nano");
  await workbench().screenshot("killed-2-page-dark");
  await ui.dismissNotifications(page);
});

picturesInThemes(workbench, "killed-3");

test("CUDA out of memory is marked on the script's own line, with advice as quick fixes", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "cuda_oom.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def train"), "Profile on Jetson");
  // Not that it is under way.
  await ui.notificationText(page, /cuda_oom\.py ended/, 60_000);
  // The panel that the run opened leaves little of the file in view.
  await ui.goToLine(page, lineOf("cuda_oom.py", "raise OutOfMemoryError("));
  await page.locator(".editor-instance .squiggly-error, .editor-instance .squiggly-warning").first().waitFor();
  await ui.dismissNotifications(page);
  await ui.goToLine(page, lineOf("cuda_oom.py", "loader = DataLoader"));
  // Without its mark it has no actions yet.
  await page.locator(".editor-instance .squiggly-info").first().waitFor();
  await ui.pickQuickFix(page, "Do not pin memory");
  await expect.poll(() => ui.line(page, "loader = DataLoader").innerText()).toContain("pin_memory=False");
  await workbench().screenshot("killed-4-quick-fix");
});

test("an advice that is a variable for the script opens the setting", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Why It Ended");
  await ui.pickQuickPick(page, "cuda_oom.py");
  const view = ui.webview(page);
  await view.locator(".card").first().waitFor({ timeout: 30_000 });
  const step = view.getByRole("button", { name: "Empty It for the Next Runs…" }).first();
  await step.scrollIntoViewIfNeeded();
  await workbench().screenshot("killed-5-advice");
  await step.click();
  expect(await ui.dialogText(page)).toContain("PYTORCH_CUDA_ALLOC_CONF");
  await ui.pressDialogButton(page, "Open Settings");
  await page.locator(".settings-editor", { hasText: "Variables set for the script on the board" }).waitFor();
  await workbench().screenshot("killed-6-setting");
});
