/** A window in Simplified Chinese: all that is ours is in Chinese. VS Code's own words are English, as no pack has them. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { textsOf } from "../../../scripts/manifestTexts.mjs";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const workbench = story("chinese", () => ({ language: "zh-cn" }));
const RUN_MS = 60_000;
const texts = textsOf("zh-cn");
const { "command.profile": PROFILE = "", "command.showTimeline": TIMELINE = "" } = texts;

/** What VS Code itself says in a message. */
const OF_VSCODE = /Source: Jetson Memory Profiler|\bCancel\b/g;

/** Chinese, with no two English words in a row: names stand alone. */
function expectChinese(text: string): void {
  expect(text).toMatch(/\p{Script=Han}/u);
  expect(text.replaceAll(OF_VSCODE, "")).not.toMatch(/(?<![\w.])[A-Za-z]{2,}[,.:]? (?!MiB)[A-Za-z]{2,}(?![\w.])/);
}

/** Types into the palette and waits for a command there. */
async function expectFound(page: Page, typed: string, title: string): Promise<void> {
  await ui.typeInQuickPick(page, `>${typed}`);
  await expect.poll(() => ui.quickPickRows(page)).toContainEqual(expect.stringContaining(title));
}

test("the palette has the commands in Chinese, and finds them by their English names too", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "known.py");
  await page.keyboard.press("F1");
  await expectFound(page, "解释术语", "Jetson: 解释术语…");
  await expectFound(page, "Explain a Term", "Jetson: 解释术语…");
  await screenshot("chinese-palette");
  await page.keyboard.press("Escape");
});

test("a term is found by its English name too, and explained", async () => {
  const { page, screenshot } = workbench();
  await ui.runCommand(page, "Jetson: 解释术语…");
  await ui.typeInQuickPick(page, "Page cache");
  await screenshot("chinese-terms");
  await ui.pickQuickPick(page, "页缓存");
  expectChinese(await ui.dialogText(page));
  await screenshot("chinese-term");
  await ui.pressDialogButton(page, "打开术语表");
  await ui.webview(page).locator("h1", { hasText: "术语表" }).waitFor();
  const glossary = ui.webview(page).locator("body");
  // What is written as strong or as a link is so: no sign of Markdown is left.
  expect(await glossary.innerText()).not.toMatch(/\*|\]\(/);
  await screenshot("chinese-glossary");
  await ui.closeEditor(page);
});

test("a setting says what it does", async () => {
  const { page, screenshot } = workbench();
  await ui.runCommand(page, "Preferences: Open Settings (UI)");
  const settings = page.locator(".settings-editor");
  await settings
    .locator(".settings-header .inputarea, .settings-header textarea")
    .first()
    .waitFor({ state: "attached" });
  await page.keyboard.type("@id:jetsonMemprof.decorations.metric");
  const description = settings.locator(".setting-item-description", { hasText: "CodeLens" });
  await description.waitFor();
  expectChinese(await description.innerText());
  await screenshot("chinese-setting");
  await ui.closeEditor(page);
});

test("the first steps are in Chinese", async () => {
  const { page, screenshot } = workbench();
  await ui.runCommand(page, "Welcome: Open Walkthrough...");
  await ui.typeInQuickPick(page, "找出占用");
  await ui.acceptQuickInput(page, texts["walkthrough.title"] ?? "", () => page.keyboard.press("Enter"));
  const steps = page.locator(".gettingStartedContainer .getting-started-step");
  await steps.first().waitFor();
  expect(await steps.count()).toBe(6);
  for (const step of await steps.all()) expect(await step.innerText()).toMatch(/^\p{Script=Han}+/u);
  await screenshot("chinese-first-steps");
  await ui.closeEditor(page);
});

test("a run is offered its targets", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "known.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), PROFILE);
  const rows = await ui.quickPickRows(page);
  expect(rows).toContainEqual(expect.stringMatching(/^模拟开发板（本机，通过 SSH）/));
  await screenshot("chinese-picker");
  await ui.pickQuickPick(page, "模拟开发板");
  expectChinese(await ui.notificationText(page, /known\.py[:：]/, RUN_MS));
  await ui.waitForDecorations(page, (all) => all.length >= 5);
  await screenshot("chinese-end");
});

test("a line's hover and the code lenses of its figures are in Chinese", async () => {
  const { page, screenshot } = workbench();
  const hover = await ui.hoverText(page, "size = len", "进入后峰值");
  expectChinese(hover);
  expect(hover).toMatch(/命中次数\s+1\b/);
  await screenshot("chinese-hover");
  await page.keyboard.press("Escape");
  await expect.poll(() => ui.codeLensTexts(page)).toEqual(Array(3).fill(expect.stringContaining("MiB")));
  for (const lens of await ui.codeLensTexts(page)) expectChinese(lens);
});

test("the runs' view and the timeline of a run are in Chinese", async () => {
  const { page, screenshot } = workbench();
  await ui.showView(page, "Jetson 内存");
  await ui.unfoldRow(page, /^known\.py.*\d/);
  await ui.unfoldRow(page, /^known\.py\s*[+-]\d/);
  const texts = await ui.treeRowTexts(page);
  // A line's row is its figure and its code.
  for (const row of texts.filter((text) => !/^\S+ MiB ?\d+: /.test(text))) expectChinese(row);
  await screenshot("chinese-runs");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^known\.py.*\d/), TIMELINE);
  const timeline = ui.webview(page);
  await timeline.locator("#chart .peak-label").waitFor();
  expect(await timeline.locator("html").getAttribute("lang")).toBe("zh-CN");
  expectChinese((await timeline.locator("#chart").textContent()) ?? "");
  await screenshot("chinese-timeline");
});
