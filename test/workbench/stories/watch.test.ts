/** Watch Memory on a simulated Nano: figures that move, memory that gets tight, a sampler that dies. */
import type { Locator } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { simulatedBoard } from "../../board/simulatedBoard.ts";
import { killAll, processesNaming } from "../../support/processes.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const board = simulatedBoard("nano");
afterAll(() => board.remove());
const workbench = story("watch", () => ({
  env: { JETSON_MEMPROF_SYSTEM_ROOT: board.root },
  settings: { "workbench.colorTheme": ui.THEMES.dark, "jetsonMemprof.watch.intervalMs": 250 },
}));

const ram = () => ui.statusText(workbench().page, /^RAM /);
const item = (): Locator => workbench().page.locator(".statusbar-item", { hasText: /RAM \S+ of/ });
/** What reads the memory: the helper in this story's home folder. */
const samplers = (): number[] => processesNaming(`${workbench().home}/.jetson-memprof/helper`);
const leave = (mib: number): void => board.leave(mib, "gnome-shell");

test("Watch Memory asks which board, opens its page and names what is simulated", async () => {
  const { page } = workbench();
  await ui.showView(page, "Jetson Memory");
  await ui.runCommand(page, "Jetson: Watch Memory");
  await ui.pickQuickPick(page, "Simulated board");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#simulated").innerText(), { timeout: 60_000 }).toContain("Jetson Nano");
  await expect.poll(() => view.locator("#newest").innerText()).toMatch(/1004\.2 MiB/);
  await expect.poll(ram).toMatch(/^RAM 100\d of 3964 MiB \(simulated\)$/);
  expect(await item().getAttribute("class")).not.toMatch(/(warning|error)-kind/);
  await workbench().screenshot("watch-1-dark");
});

test("the page and the status bar follow the memory as it moves", async () => {
  const { page } = workbench();
  leave(1_500);
  await expect.poll(ram).toMatch(/^RAM 246\d of 3964 MiB \(simulated\)$/);
  await expect.poll(() => ui.webview(page).locator("#newest").innerText()).toMatch(/1500\.\d MiB/);
  await workbench().screenshot("watch-2-moved");
});

test("the status bar warns where little memory is available, and more where hardly any is", async () => {
  leave(180);
  await expect.poll(() => item().getAttribute("class")).toMatch(/warning-kind/);
  await workbench().screenshot("watch-3-scarce");
  leave(80);
  await expect.poll(() => item().getAttribute("class")).toMatch(/error-kind/);
  await item().hover();
  const { page } = workbench();
  const hover = page.locator(".workbench-hover, .monaco-hover", { hasText: "Other programs" }).first();
  await hover.waitFor();
  const text = (await hover.innerText()).replace(/\s+/g, " ");
  expect(text).toContain("Simulated: Jetson Nano");
  expect(text).toMatch(/Available 80\.\d MiB/);
  expect(text).toContain("the kernel may soon end a process");
  await workbench().screenshot("watch-4-critical");
  await page.keyboard.press("Escape");
  await page.mouse.move(640, 400);
  await hover.waitFor({ state: "hidden" });
});

test("a sampler that is killed is told of and started again", async () => {
  const { page } = workbench();
  const body = ui.webview(page).locator("body");
  // It is told of for a second, until another one was started: the page notes it.
  await body.evaluate((element) => {
    const window = element.ownerDocument.defaultView;
    if (!window) return;
    const look = (): void => {
      if (element.innerText.includes("ended by itself")) element.dataset["toldOf"] = "its end";
    };
    new window.MutationObserver(look).observe(element, { subtree: true, childList: true, characterData: true });
  });
  const before = samplers();
  expect(before.length).toBeGreaterThan(0);
  killAll(before);
  await expect.poll(() => body.getAttribute("data-told-of")).toBe("its end");
  await workbench().screenshot("watch-5-killed");
  leave(1_000);
  await expect.poll(ram, { timeout: 30_000 }).toMatch(/^RAM 296\d of 3964 MiB \(simulated\)$/);
  expect(samplers().filter((pid) => before.includes(pid))).toEqual([]);
});

picturesInThemes(workbench, "watch-6");

test("closing the page ends the watch on the board", async () => {
  await ui.closeEditor(workbench().page);
  await expect.poll(ram).toBe("");
  await expect.poll(samplers).toEqual([]);
});

test("a board that cannot be reached leaves a message with a way to try again, and no empty page", async () => {
  const { page } = workbench();
  const settings = { "workbench.colorTheme": ui.THEMES.light, "jetsonMemprof.target": "ssh://nobody@127.0.0.1:9" };
  workbench().workspaceSettings(settings);
  // The theme shows that the settings are taken over.
  await ui.waitForTheme(page, "light");
  await ui.runCommand(page, "Jetson: Watch Memory");
  const refused = /refused the connection/;
  await ui.notificationText(page, refused);
  await expect.poll(() => page.locator(".tab").count()).toBe(0);
  const shown = await ui.notification(page, refused).elementHandle();
  await ui.pressNotificationButton(page, refused, "Watch Again");
  await shown?.waitForElementState("hidden");
  await ui.notificationText(page, refused);
  await expect.poll(() => page.locator(".tab").count()).toBe(0);
});
