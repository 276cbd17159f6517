/** A sweep from the right click to its page, and from the page to a run. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { FrameLocator } from "playwright-core";
import { expect, test } from "vitest";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const workbench = story("sweep", () => ({ settings: { "workbench.colorTheme": ui.THEMES.dark } }));

const states = (view: FrameLocator): Promise<string[]> =>
  view.locator("#points tbody tr").locator("td:nth-child(3) strong").allInnerTexts();

test("Sweep Parameters… asks what to vary, and says at once what is wrong with it", async () => {
  const { page } = workbench();
  await ui.openFile(page, "sweep.py");
  await ui.pickFromSubmenu(page, ui.line(page, "import argparse"), "Jetson Memory", "Sweep Parameters…");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.quickInputText(page, /what to vary/);
  await ui.typeInQuickPick(page, "batch-size=8,8");
  await ui.quickInputText(page, "The value 8 of batch-size is given twice.");
  await workbench().screenshot("sweep-1-question");
});

test("it lists the runs that it will make, makes them, and shows them as they end", async () => {
  const { page } = workbench();
  await ui.answerInputBox(page, /what to vary/, "double=off,on batch-size=8,16,24,32");
  await ui.answerInputBox(page, /other arguments/, "");
  await ui.answerInputBox(page, /runs of each point/, "1");
  const question = await ui.dialogText(page);
  expect(question).toContain("Make 8 runs of sweep.py on Simulated board (this computer, over SSH)?");
  expect(question).toContain("5. double on, batch-size 8");
  await workbench().screenshot("sweep-2-runs");
  await ui.pressDialogButton(page, "Start");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#status").innerText(), { timeout: 60_000 }).toMatch(/Under way: run \d of 8/);
  await expect.poll(() => states(view), { timeout: 200_000 }).toEqual([...Array(7).fill("fits"), "out of memory"]);
  await expect.poll(() => view.locator("#status").textContent(), { timeout: 30_000 }).toBe("");
  expect(await ui.notificationText(page, /The sweep of sweep\.py has ended/)).toContain("32 is the largest that ran");
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "View: Hide Panel");
  await workbench().screenshot("sweep-3-dark");
});

test("the page has the slope of the script's memory and the value that did not fit", async () => {
  const view = ui.webview(workbench().page);
  const [off = "", on = ""] = await view.locator("#limits li").allInnerTexts();
  expect(off).toContain(
    "batch-size with double off: 32 is the largest that ran to its end, and none ran out of memory.",
  );
  const each = Number(/ and (\d\.\d) MiB more for each 1 of batch-size/.exec(off)?.[1]);
  expect(each).toBe(2);
  expect(on).toContain("24 is the largest that ran, 32 ran out of memory.");
  expect(await view.locator("#simulated").innerText()).toContain("Simulated");
});

test("a point leads to its run, whose figures stand beside the lines", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  await view.getByRole("button", { name: "Open run 1 with double off, batch-size 24" }).click();
  await ui.treeRow(page, /^double off, batch-size 24/).waitFor({ timeout: 30_000 });
  await workbench().screenshot("sweep-4-run");
});

test("a point whose run is gone is missing, and is made again from the page", async () => {
  const { page, workspace } = workbench();
  const view = ui.webview(page);
  const runs = path.join(workspace, ".jetson-memprof/runs");
  const gone = fs.readdirSync(runs).filter((name) => {
    const file = path.join(runs, name, "group.json");
    const { values } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    return values?.double === "on" && values["batch-size"] === "16";
  });
  for (const name of gone) fs.rmSync(path.join(runs, name), { recursive: true });
  // Of a folder that is deleted with all in it the editor is told nothing.
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await expect.poll(() => view.locator("#missing-words").innerText(), { timeout: 30_000 }).toBe("1 run is missing.");
  await view.getByRole("button", { name: "Make Missing Runs…" }).click();
  const question = await ui.dialogText(page);
  expect(question).toContain("Make 1 missing run on Simulated board (this computer, over SSH)?");
  await ui.pressDialogButton(page, "Start");
  await ui.notificationText(page, /The sweep of sweep\.py has ended/, 60_000);
  await expect.poll(() => states(view), { timeout: 30_000 }).toEqual([...Array(7).fill("fits"), "out of memory"]);
  await ui.dismissNotifications(page);
});

test("the page is there again after the window was closed and opened", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  await expect.poll(() => states(ui.webview(page)), { timeout: 60_000 }).toHaveLength(8);
});

test("Show Sweep… opens it from the palette", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.runCommand(page, "Jetson: Show Sweep…");
  await ui.pickQuickPick(page, "double, batch-size");
  await expect.poll(() => states(ui.webview(page)), { timeout: 60_000 }).toHaveLength(8);
});

test("Profile on Several Boards… runs on each; one that cannot be reached takes nothing from the others", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  const boards = ["local", "nobody@127.0.0.1:9", "loopback"];
  workspaceSettings({ "workbench.colorTheme": ui.THEMES.dark, "jetsonMemprof.boards": boards });
  await ui.closeAllEditors(page);
  await ui.openFile(page, "sweep.py");
  await ui.pickFromSubmenu(page, ui.line(page, "import argparse"), "Jetson Memory", "Profile on Several Boards…");
  await expect.poll(() => ui.quickPickRows(page)).toEqual(expect.arrayContaining([expect.stringMatching(/^nobody@/)]));
  await screenshot("boards-1-choice");
  await ui.acceptQuickInput(page, "Profile on several boards", () => page.keyboard.press("Enter"));
  const view = ui.webview(page);
  await expect
    .poll(() => view.locator("#points tbody tr").locator("td:nth-child(2) strong").allInnerTexts(), { timeout: 60_000 })
    .toEqual(["fits", "not run", "fits"]);
  await ui.notificationText(page, /127\.0\.0\.1/, 60_000);
  expect(await ui.notificationText(page, /1 run of the sweep is missing/, 60_000)).toContain("missing");
  const rows = await view.locator("#points tbody tr").allInnerTexts();
  expect(rows[0]).toMatch(/^local\s+fits\s+Open\s+.*MiB.*MiB/s);
  expect(rows[1]).toMatch(/^nobody@127\.0\.0\.1:9\s+not run/);
  expect(await view.locator("#room").innerText()).toContain("what the board had left right before the run");
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "View: Hide Panel");
  await screenshot("boards-2-page");
});

picturesInThemes(workbench, "sweep-5");
