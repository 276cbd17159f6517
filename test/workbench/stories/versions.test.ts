/** The packed extension's main job in the oldest and in a recent VS Code; all other stories run in the usual one. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { WorkbenchHost } from "../../../scripts/workbench-host.mjs";
import { inFull } from "../../support/inFull.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const RUN_MS = 120_000;

// A change of ours may need what the oldest does not have; what the newest no longer has is found before a release.
describe("in the oldest VS Code", () => mainJob("oldest", "1.93.1"));
describe.runIf(inFull)("in the newest VS Code", () => mainJob("newest", "1.139.1"));

function mainJob(host: WorkbenchHost, version: string): void {
  const workbench = story(`versions-${host}`, () => ({ host }));

  test("it is installed and offers to profile a script", async () => {
    expect(workbench().server.version).toBe(version);
    const { page } = workbench();
    await ui.openFile(page, "known.py");
    await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
    await ui.pickQuickPick(page, "Simulated board");
    await ui.notificationText(page, /known\.py: /, RUN_MS);
  });

  test("each line carries what it took", async () => {
    const { page } = workbench();
    await ui.waitForDecorations(page, (all) =>
      [/^\+4[78]\.\d MiB/, /^-2[34]\.\d MiB/].every((figure) => all.some(({ text }) => figure.test(text))),
    );
    await expect.poll(async () => (await ui.codeLensTexts(page)).filter((text) => /MiB/.test(text)).length).toBe(3);
    await workbench().screenshot(`versions-${host}-lines`);
  });

  test("the page with the run's memory over time opens", async () => {
    const { page } = workbench();
    await ui.showView(page, "Jetson Memory");
    await ui.pickFromContextMenu(page, ui.treeRow(page, /^known\.py.*simulated board/), "Show Memory Timeline");
    await ui.webview(page).locator("#chart .peak-label").waitFor();
    await workbench().screenshot(`versions-${host}-timeline`);
    await ui.closeAllEditors(page);
  });

  test("the extension's own page shows the README, with nothing that is broken or leads nowhere", async () => {
    const { page } = workbench();
    await openExtensionPage(page);
    const readme = ui.webview(page);
    await readme.locator("h1", { hasText: "Jetson Memory Profiler" }).waitFor();
    expect(await readme.locator("img:not([src^='https:'])").count()).toBe(0);
    expect(await readme.locator("a:not([href^='https:'], [href^='#'])").count()).toBe(0);
    await workbench().screenshot(`versions-${host}-readme`);
  });
}

async function openExtensionPage(page: Page): Promise<void> {
  await ui.runCommand(page, "View: Show Extensions");
  await page.locator(".extensions-list .extension-list-item", { hasText: "Jetson Memory Profiler" }).first().click();
  await page.locator(".extension-editor .name", { hasText: "Jetson Memory Profiler" }).waitFor();
}
