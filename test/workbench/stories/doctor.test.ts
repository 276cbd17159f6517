/** Check Board on a simulated Nano: what it has and lacks, with commands that nobody runs unasked. */
import { afterAll, expect, test } from "vitest";
import { simulatedBoard } from "../../board/simulatedBoard.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const board = simulatedBoard("nano");
afterAll(() => board.remove());
const workbench = story("doctor", () => ({
  env: { JETSON_MEMPROF_SYSTEM_ROOT: board.root },
  settings: { "workbench.colorTheme": ui.THEMES.dark },
}));

test("Check Board says which board it is, that it is simulated, and what it has", async () => {
  const { page } = workbench();
  await ui.showView(page, "Jetson Memory");
  await ui.runCommand(page, "Jetson: Check Board");
  await ui.pickQuickPick(page, "Simulated board");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#simulated").innerText(), { timeout: 60_000 }).toContain("Jetson Nano");
  const text = await view.locator("body").innerText();
  expect(text).toContain("JetPack 4.6.1");
  expect(text).toContain("32.7.1");
  await workbench().screenshot("doctor-1-dark");
});

test("what could be better has the exact command, and nothing runs without a yes", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  const desktop = view.locator('[data-line="desktop"]');
  await desktop.scrollIntoViewIfNeeded();
  const command = await desktop.locator(".remedy code").first().innerText();
  expect(command).toMatch(/^(sudo )?systemctl /);
  await desktop.getByRole("button", { name: /Run on the board/i }).click();
  const question = await ui.dialogText(page);
  expect(question).toContain(command);
  expect(question).toContain("simulated");
  await workbench().screenshot("doctor-2-question");
  await ui.pressDialogButton(page, "Cancel");
  expect(await page.locator(".panel .output-view:visible").count()).toBe(0);
  expect(await view.locator("#simulated").innerText()).toContain("Jetson Nano");
});

picturesInThemes(workbench, "doctor-3");
