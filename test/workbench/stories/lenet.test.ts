/** The users' own case: a LeNet training script, with torch, from the right click to the figures. */
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const RUN_MS = 200_000;
const PYTHON = "/usr/bin/python3";
const possible = requirement("torch for Debian's Python", "/usr/lib/python3/dist-packages/torch");
const workbench = story("lenet", () => ({
  folder: path.join(projectRoot, "examples"),
  settings: { "jetsonMemprof.python": PYTHON, "workbench.colorTheme": ui.THEMES.dark },
}));

/** A hover fades in; a picture wants it whole. */
function hoverOpacity(page: Page): Promise<string> {
  const hover = page.locator(".monaco-hover:visible", { hasText: "Peak above entry" }).first();
  return hover.evaluate((box) => {
    const shades: string[] = [];
    const view = box.ownerDocument.defaultView;
    for (let at: typeof box | null = box; at && view; at = at.parentElement)
      shades.push(view.getComputedStyle(at).opacity);
    return shades.find((shade) => shade !== "1") ?? "1";
  });
}

test.skipIf(!possible)("a training script with torch: data set, batches and model have their figures", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "train_lenet.py");
  const item = page.locator('.monaco-menu .action-label[aria-label="Profile on Jetson"]');
  await ui.pickFromContextMenu(page, ui.line(page, "import torch"), "Profile on Jetson", async () => {
    await item.hover();
    await screenshot("job-1-menu");
  });
  await ui.quickPickRows(page);
  await screenshot("job-2-board");
  await ui.pickQuickPick(page, "Simulated board");
  const isHere = ({ text }: ui.Decoration): boolean => text.startsWith("here at ");
  await ui.waitForDecorations(page, (all) => all.some(isHere), RUN_MS);
  await screenshot("job-3-live");
  await ui.notificationText(page, /train_lenet\.py: /, RUN_MS);
  await ui.waitForDecorations(page, (all) => all.length > 0 && !all.some(isHere));
  await screenshot("job-4-answer");
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "View: Hide Panel");
  await ui.showView(page, "Jetson Memory");
  await ui.unfoldRow(page, /^train_lenet\.py.*simulated board/);
  await ui.unfoldRow(page, /^train_lenet\.py\s*[+-]\d/);
  const found = await ui.waitForDecorations(page, (all) =>
    all.some(({ line, text }) => line === 33 && /MiB/.test(text)),
  );
  // 4096 images of 3 x 32 x 32 floats are 48 MiB.
  const images = found.find(({ line }) => line === 33)?.text ?? "";
  expect(images).toMatch(/^\+(4[78]|49)\.\d MiB/);
  await ui.line(page, "class LeNet").click();
  await page.keyboard.press("Control+g");
  await page.keyboard.type("50:1");
  await page.keyboard.press("Enter");
  await ui.line(page, "def main").waitFor();
  await ui.hoverText(page, "loss = F.cross_entropy", "Peak above entry");
  await expect.poll(() => hoverOpacity(page)).toBe("1");
  await screenshot("14-lenet");
});
