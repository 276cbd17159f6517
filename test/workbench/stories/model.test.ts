/** A model account from the right click to the page, and an estimate checked with a real run. */
import type { FrameLocator } from "playwright-core";
import { expect, test } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const torch = requirement("torch for Debian's Python", "/usr/lib/python3/dist-packages/torch");
const workbench = story("model", () => ({
  settings: { "jetsonMemprof.python": "/usr/bin/python3", "workbench.colorTheme": ui.THEMES.dark },
}));

/** Of the model in model.py: eight layers of 512 by 512 and one of 512 by 10 with their biases, as float32. */
const PARAMETERS = 4 * (8 * (512 * 512 + 512) + 512 * 10 + 10);
/** The inputs of all layers but the first, of 512 samples. */
const ACTIVATIONS = 8 * 512 * 512 * 4;
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const fact = (view: FrameLocator, name: string): Promise<string> =>
  view
    .locator("#facts div", { has: view.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .locator("dd")
    .innerText();

test.skipIf(!torch)("Profile on Jetson: Model Account accounts the model of a real run", async () => {
  const { page } = workbench();
  await ui.openFile(page, "model.py");
  await ui.pickFromSubmenu(page, ui.line(page, "import torch"), "Jetson Memory", "Profile on Jetson: Model Account");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /model\.py: /, 200_000);
  await ui.pressNotificationButton(page, /model\.py: /, "Show Model Account");
  const view = ui.webview(page);
  await view.locator("#layers .rows .row").first().waitFor({ timeout: 30_000 });
  expect(await fact(view, "Parameters")).toBe(mib(PARAMETERS));
  expect(await fact(view, "Device")).toBe("cpu");
  const [, parameters, , gradients, , activations] = await view.locator("#layer-0 > *").allInnerTexts();
  expect([parameters, gradients, activations]).toEqual([mib(PARAMETERS), mib(PARAMETERS), mib(ACTIVATIONS)]);
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "View: Hide Panel");
  await workbench().screenshot("model-1-dark");
});

test.skipIf(!torch)("a layer leads to the line that called the model", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  await view.locator("#layer-1").click();
  await view.locator("#details").getByRole("button", { name: "model.py:17" }).click();
  await expect.poll(() => ui.cursorLine(page, "model.py")).toBe(17);
});

// It trains once more.
test.runIf(torch)("an estimate is checked with a real run, whose figure stands beside it", async () => {
  const { page } = workbench();
  const view = ui.webview(page);
  const card = view.locator('.card[data-kind="checkpoint"]');
  await card.getByRole("button", { name: "Check with a Real Run…" }).scrollIntoViewIfNeeded();
  await card.getByRole("button", { name: "Check with a Real Run…" }).click();
  expect(await ui.dialogText(page)).toMatch(/Run model\.py on .*checkpointed/);
  await ui.pressDialogButton(page, "Run");
  await ui.notificationText(page, /model\.py: /, 200_000);
  await expect.poll(() => card.innerText(), { timeout: 30_000 }).toContain("Measured:");
  await card.scrollIntoViewIfNeeded();
  await ui.dismissNotifications(page);
  await workbench().screenshot("model-2-checked");
});

test.runIf(torch)("the page is there again after the window was closed and opened", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  const view = ui.webview(page);
  await view.locator("#layers .rows .row").first().waitFor({ timeout: 60_000 });
  expect(await fact(view, "Parameters")).toBe(mib(PARAMETERS));
});

test.skipIf(!torch)("Show Model Account is offered for runs that have one", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^model\.py/), "Show Model Account");
  await ui.webview(page).locator("#layers .rows .row").first().waitFor({ timeout: 30_000 });
});

picturesInThemes(workbench, "model-3");

test("a script without a model is said to have no account", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  await ui.pickFromSubmenu(page, ui.line(page, "kept = build"), "Jetson Memory", "Profile on Jetson: Model Account");
  await ui.pickQuickPick(page, "Simulated board");
  const text = await ui.notificationText(page, /heap\.py ran no PyTorch model/, 80_000);
  expect(text).toContain("so it has no model account. Heaviest: ");
});
