/** Someone who does everything wrong: nothing breaks, and each time it is said what to do instead. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

// The files are there before the window: it may see only later ones that come while it opens.
const project = fs.mkdtempSync(path.join(os.tmpdir(), "wbm-"));
fs.copyFileSync(path.join(projectRoot, "test/workbench/project/known.py"), path.join(project, "known.py"));
fs.writeFileSync(path.join(project, "empty.py"), "");
fs.writeFileSync(path.join(project, "lacking.py"), "import nowhere_installed\n");
fs.writeFileSync(path.join(project, "notes.txt"), "buy milk\n");

/** Everything of the system but valgrind, which a board may lack. */
const programs = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbp-")));
for (const folder of ["/usr/bin", "/usr/sbin"]) {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const link = path.join(programs, name);
    if (!name.includes("valgrind") && !fs.existsSync(link)) fs.symlinkSync(path.join(folder, name), link);
  }
}

afterAll(() => {
  for (const folder of [project, programs]) fs.rmSync(folder, { recursive: true, force: true });
});

const workbench = story("mistakes", () => ({
  folder: project,
  env: { PATH: programs },
  settings: { "jetsonMemprof.python": "/usr/bin/python3" },
}));
const RUN_MS = 60_000;
const PROFILE = "Jetson: Profile on Jetson";

/** Escape, until no question is open. */
async function decline(page: Page): Promise<void> {
  const question = page.locator(".quick-input-widget:visible");
  await question.waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("Escape");
      return question.count();
    })
    .toBe(0);
}

const runs = (): readonly string[] => {
  const folder = path.join(workbench().workspace, ".jetson-memprof/runs");
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
};

test("a script without a statement runs, and the message does not pretend to figures", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "empty.py");
  await ui.runCommand(page, PROFILE);
  await ui.pickQuickPick(page, "Simulated board");
  expect(await ui.notificationText(page, /empty\.py: /, RUN_MS)).toContain(
    "no line took memory that could be measured",
  );
  await screenshot("mistakes-1-empty");
});

test("a text file is not offered the profile, and the command asks which script is meant", async () => {
  const { page, screenshot } = workbench();
  await ui.dismissNotifications(page);
  await ui.openFile(page, "notes.txt");
  expect(await ui.contextMenuLabels(page, ui.line(page, "buy milk"))).not.toContain("Profile on Jetson");
  await ui.runCommand(page, PROFILE);
  await ui.quickInputText(page, /[Ww]hich script/);
  const rows = await ui.quickPickRows(page);
  expect(rows.some((row) => row.includes("known.py"))).toBe(true);
  expect(rows.some((row) => row.includes("notes.txt"))).toBe(false);
  await screenshot("mistakes-2-text");
  await decline(page);
});

test("a script that was never saved is refused with the way to save it", async () => {
  const { page, screenshot } = workbench();
  await ui.runCommand(page, "File: New Untitled Text File");
  await ui.runCommand(page, "Change Language Mode");
  await ui.typeInQuickPick(page, "Python");
  await page.keyboard.press("Enter");
  await expect.poll(() => ui.statusText(page, /^Python$/)).toBe("Python");
  await page.keyboard.type("kept = bytearray(1000)");
  await ui.runCommand(page, PROFILE);
  expect(await ui.notificationText(page, /not.*saved|[Ss]ave/)).toMatch(/Save As/);
  await screenshot("mistakes-3-untitled");
  await ui.dismissNotifications(page);
});

test("Escape at each question ends it: nothing runs, nothing is said, nothing is left", async () => {
  const { page, screenshot } = workbench();
  const before = runs();
  await ui.openFile(page, "known.py");
  for (const command of [
    PROFILE,
    "Jetson: Profile on Jetson with Options…",
    "Jetson: Select Jetson Target…",
    "Jetson: Verify Board Key",
    "Jetson: Profile N Times…",
    "Jetson: Sweep Parameters…",
  ]) {
    await ui.runCommand(page, command);
    await decline(page);
  }
  await screenshot("mistakes-4-escape");
  expect(await page.locator(".notifications-toasts .notification-list-item").count()).toBe(0);
  expect(runs()).toEqual(before);
});

test("the options lead back to the question before, which has what was answered", async () => {
  const { page } = workbench();
  await ui.openFile(page, "known.py");
  await ui.runCommand(page, "Jetson: Profile on Jetson with Options…");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.answerInputBox(page, "Arguments of known.py", "--epochs 3");
  await ui.pickQuickPick(page, "memory_profiler");
  await ui.quickInputText(page, "Python on the board");
  const question = page.locator(".quick-input-widget:visible");
  const back = question.locator('.action-label[aria-label^="Back"]');
  // Over the question of PyTorch, which is none of this engine.
  await back.click();
  await ui.quickInputText(page, "How to measure");
  expect((await ui.quickPickRows(page))[0]).toMatch(/^Line engine/);
  await question.locator(".monaco-list-row.focused", { hasText: "memory_profiler" }).waitFor();
  await back.click();
  await ui.quickInputText(page, "Arguments of known.py");
  expect(await question.locator("input").last().inputValue()).toBe("--epochs 3");
  expect(await back.count()).toBe(0);
  await decline(page);
});

test("a board without valgrind is told of, with the line that installs it", async () => {
  const { page } = workbench();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ui.openFile(page, "known.py");
  await ui.pickFromSubmenu(
    page,
    ui.line(page, "def keep"),
    "Jetson Memory",
    "Profile on Jetson with Massif (Exact, Slow)",
  );
  await ui.pickQuickPick(page, "Simulated board");
  const text = await ui.notificationText(page, /[Vv]algrind is not installed/, 60_000);
  expect(text).toContain("sudo apt-get install valgrind");
  await workbench().screenshot("mistakes-5-no-valgrind");
  // It is said for some seconds only.
  const copied = page.locator(".statusbar-item", { hasText: /Copied.*sudo apt-get install valgrind/ }).waitFor();
  await Promise.all([copied, ui.pressNotificationButton(page, /[Vv]algrind is not installed/, "Copy Install Command")]);
});

test("a module that the board's Python lacks leads to the board's other Pythons", async () => {
  const { page, screenshot, workspace } = workbench();
  await ui.dismissNotifications(page);
  await ui.openFile(page, "lacking.py");
  await ui.pickFromContextMenu(page, ui.line(page, "import nowhere"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  const ended = /lacking\.py ended with exit code 1/;
  expect(await ui.notificationText(page, ended, RUN_MS)).toContain("No module named 'nowhere_installed'");
  await ui.pressNotificationButton(page, ended, "Choose Python…");
  await ui.quickInputText(page, /Which Python runs scripts on/);
  const rows = await ui.quickPickRows(page);
  expect(rows.some((row) => /Python 3\.\d+\.\d+.*\/usr\/bin\/python3.*in use now/s.test(row))).toBe(true);
  await screenshot("mistakes-6-choose-python");
  await ui.acceptQuickInput(page, /Which Python runs scripts on/, () => page.keyboard.press("Enter"));
  expect(await ui.notificationText(page, /Scripts now run with Python 3/)).toContain("/");
  const settings = JSON.parse(fs.readFileSync(path.join(workspace, ".vscode/settings.json"), "utf8"));
  expect(settings["jetsonMemprof.python"]).toMatch(/^\//);
});
