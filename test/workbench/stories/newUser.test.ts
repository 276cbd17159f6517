/** A new user's first minutes, with mouse and keyboard only: nothing is open, nothing is set, there is no board. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("new-user", () => ({
  folder: undefined,
  // As VS Code looks on a desktop when it is new; in a browser it is light.
  settings: { "workbench.colorTheme": ui.THEMES.dark },
}));
const RUN_MS = 60_000;
const STEPS = ["Add a board", "Verify its key", "Profile the sample", "Read the deltas", "Open the flame view"];
const source = fs.readFileSync(path.join(projectRoot, "examples/sample/train.py"), "utf8").split("\n");
const promised = source.flatMap((text, index) => {
  const figure = /# ((?:peak )?[+-]\d+\.\d MiB)$/.exec(text)?.[1];
  return figure === undefined ? [] : [{ line: index + 1, figure }];
});
const took: [step: string, ms: number][] = [];
/** The figure in the message at the end of the run. */
let heaviest = "";

/** A step of the story: its time is printed at the end, and it leaves a picture. */
function step(name: string, body: (page: Page) => Promise<void>): void {
  test(name, async () => {
    const { page, screenshot } = workbench();
    const began = performance.now();
    await body(page);
    took.push([name, performance.now() - began]);
    await screenshot(`new-user-${took.length}`);
  });
}

const stepOf = (page: Page, title: string): Locator =>
  page.locator(".gettingStartedContainer .getting-started-step", { hasText: title });

async function showWalkthrough(page: Page): Promise<void> {
  const tab = page.locator(".tab", { hasText: "Walkthrough: Jetson Memory Profiler" });
  if (await tab.isVisible()) return tab.click();
  await ui.runCommand(page, "Welcome: Open Walkthrough...");
  await ui.typeInQuickPick(page, "Find the line");
  // By the keyboard: the hover of the tab where the pointer rests may lie over the list.
  await ui.acceptQuickInput(page, "Find the line that took the memory", () => page.keyboard.press("Enter"));
  await page.locator(".gettingStartedContainer .getting-started-step").first().waitFor();
}

/** Opens a step and presses one of its buttons. */
async function press(page: Page, title: string, button: string): Promise<void> {
  await showWalkthrough(page);
  const one = stepOf(page, title);
  if (!(await one.evaluate((element) => element.classList.contains("expanded")))) await one.locator("h3").click();
  await one.locator(".monaco-button", { hasText: button }).click();
}

async function expectDone(page: Page, ...titles: readonly string[]): Promise<void> {
  await showWalkthrough(page);
  for (const title of titles) await stepOf(page, title).locator(".codicon.complete").waitFor({ timeout: RUN_MS });
}

async function expectPromised(page: Page, isMeant: (promise: (typeof promised)[number]) => boolean): Promise<void> {
  const meant = promised.filter(isMeant);
  expect(meant).toHaveLength(3);
  const found = await ui.waitForDecorations(page, (all) =>
    meant.every(({ line }) => all.some((one) => one.line === line)),
  );
  for (const { line, figure } of meant) {
    const shown = found.find((one) => one.line === line)?.text ?? "";
    expect(kind(shown), `${shown} for ${figure}`).toBe(kind(figure));
    expect(Math.abs(mib(shown) - mib(figure)), `${shown} for ${figure}`).toBeLessThanOrEqual(0.2);
  }
}

afterAll(() => {
  for (const [name, ms] of took) console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
});

step("an empty window says what to do first", async (page) => {
  await ui.showView(page, "Jetson Memory");
  const welcome = page.locator(".sidebar .welcome-view-content");
  await welcome.getByRole("button", { name: "Create Sample Project…" }).waitFor();
  await welcome.getByRole("button", { name: "Open Folder" }).waitFor();
  await welcome.getByRole("button", { name: "Take the First Steps" }).click();
  await page.locator(".gettingStartedContainer .getting-started-step").first().waitFor();
  for (const title of STEPS) await stepOf(page, title).waitFor();
  await page.locator(".getting-started-media iframe.webview.ready").waitFor();
});

step("the simulated board is added", async (page) => {
  await press(page, "Add a board", "Add a Board");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, "Simulated board (this computer, over SSH) is offered first");
  await expectDone(page, "Add a board");
});

step("its key is shown with its fingerprint and the command that prints it", async (page) => {
  await press(page, "Verify its key", "Verify Board Key");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.quickInputText(page, "Host key of Simulated board");
  expect((await ui.quickPickRows(page)).join("\n")).toMatch(/ECDSA SHA256:\S{43}[\s\S]*ssh-keygen -lf \/etc\/ssh/);
  await workbench().screenshot("new-user-key");
  await ui.pickQuickPick(page, "Done");
  await expectDone(page, "Verify its key");
});

step("the sample is created where the user wants it, and opens", async (page) => {
  await press(page, "Profile the sample", "Create Sample Project…");
  const { home } = workbench();
  await ui.quickInputText(page, "Where should the folder");
  await workbench().screenshot("new-user-where");
  await ui.typeInQuickPick(page, `${home}/`);
  const create = page.locator(".quick-input-widget .monaco-button", { hasText: "Create Here" });
  const loaded = page.waitForEvent("load");
  await create.click();
  await loaded;
  await page.locator(".tab.active", { hasText: "train.py" }).waitFor();
  await ui.notificationText(page, "This is the sample");
  expect(fs.existsSync(path.join(home, "jetson-memory-sample/train.py"))).toBe(true);
});

step("it is profiled on the board that was added", async (page) => {
  await ui.pressNotificationButton(page, "This is the sample", "Profile It");
  const [first] = await ui.quickPickRows(page);
  expect(first).toMatch(/^Simulated board.*last used/);
  await ui.pickQuickPick(page, "Simulated board");
  const told = await ui.notificationText(page, /train\.py: /, RUN_MS);
  heaviest = /train\.py: peak [\d.]+ MiB\. Line 19 kept ([\d.]+ MiB)\b/.exec(told)?.[1] ?? told;
  // As beside the lines below, the file of a library that the line is the first to use may be counted with it.
  expect(Math.abs(mib(heaviest) - 32), told).toBeLessThanOrEqual(0.2);
  // By itself, without a scroll.
  await ui.waitForDecorations(page, (all) =>
    all.some(({ line, text, isInSight }) => line === 19 && text === `+${heaviest}` && isInSight),
  );
});

step("each line has the figure that its comment promises", async (page) => {
  await ui.pressNotificationButton(page, /train\.py: /, "Show Heaviest Line");
  // Not all of them are in view at once. What is at the edge may be pushed out by code lenses, which come later.
  const [first = 0, last = 0] = [promised[0]?.line, promised.at(-1)?.line];
  await expect.poll(() => ui.statusText(page, /^Ln \d+/)).toMatch(new RegExp(`^Ln ${first},`));
  await ui.goToLine(page, first + 6);
  await expectPromised(page, ({ line }) => line < first + 12);
  // The same figure as in the message.
  await ui.waitForDecorations(page, (all) => all.some(({ line, text }) => line === first && text === `+${heaviest}`));
  await ui.goToLine(page, last);
  await expectPromised(page, ({ line }) => line > last - 12);
});

step("the hover has all figures of the line", async (page) => {
  expect(await ui.hoverText(page, "scale = brightest", "Peak above entry")).toMatch(
    /Peak above entry\s+\+2[34]\.\d MiB/,
  );
});

step("the walkthrough knows that it was profiled and read", async (page) => {
  await page.keyboard.press("Escape");
  await expectDone(page, "Add a board", "Verify its key", "Profile the sample", "Read the deltas");
});

step("the flame view opens, with the Python lines and the native functions", async (page) => {
  await ui.dismissNotifications(page);
  await press(page, "Open the flame view", "Profile with Native Stacks");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /train\.py: peak /, RUN_MS);
  await press(page, "Open the flame view", "Open the Flame View");
  const flame = ui.webview(page);
  await flame.locator("#title", { hasText: "train.py" }).waitFor();
  await flame.locator("body:not([aria-busy=true]) canvas").first().waitFor();
});

step("the ledger adds up to the RAM of the board, which is called simulated", async (page) => {
  await press(page, "Read the ledger", "Show Board Memory");
  const ledger = ui.webview(page);
  await ledger.locator("table").first().waitFor();
  await expect.poll(() => ledger.locator("body").innerText()).toMatch(/simulated/i);
});

test("all steps are done, and no setting was touched", async () => {
  const { page, home, server, screenshot } = workbench();
  await expectDone(page, ...STEPS, "Read the ledger");
  await screenshot("new-user-done");
  const total = took.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`${(total / 1000).toFixed(1).padStart(6)} s  in all`);
  expect(fs.existsSync(path.join(home, "jetson-memory-sample/.vscode"))).toBe(false);
  const settings = fs.readFileSync(path.join(server.dataDir, "data/User/settings.json"), "utf8");
  expect(settings).not.toContain("jetsonMemprof");
});

/** `+`, `-` or `peak +`. */
function kind(figure: string): string {
  return figure.replace(/[\d.]+ MiB.*/, "");
}

function mib(figure: string): number {
  return Number(/([\d.]+) MiB/.exec(figure)?.[1]);
}
