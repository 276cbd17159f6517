/** Runs in containers of a real engine: choosing one, where the editor says that a run was in it, and doing it wrong. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { containerEngine } from "../../support/containers.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const RUN_MS = 60_000;
const LIMIT = 128 << 20;
const CHOOSE = "Jetson: Choose Container on the Board";
const engine = containerEngine();

describe.skipIf(engine === undefined)("a run in a container", () => {
  if (engine === undefined) return;
  afterAll(() => engine.close());
  for (const [name, ...options] of [["trainer"], ["small", "--memory", `${LIMIT}`, "--memory-swap", `${LIMIT}`]])
    engine.idle(["--name", `${name}`, ...options]);
  // With an environment of its own, so that the server is started with the engine's files named in it.
  const workbench = story("container", () => ({
    env: {},
    settings: {
      "workbench.colorTheme": ui.THEMES.dark,
      "jetsonMemprof.target": "local",
      "jetsonMemprof.watch.intervalMs": 250,
    },
  }));

  const chosen = (): unknown => {
    const file = path.join(workbench().workspace, ".vscode/settings.json");
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8"))["jetsonMemprof.container"] : undefined;
  };
  const profile = async (page: Page, script: string, text: string): Promise<void> => {
    await ui.openFile(page, script);
    await ui.pickFromContextMenu(page, ui.line(page, text), "Profile on Jetson");
  };
  /** Where scripts run, as if it had been typed into the setting. */
  const set = (container: string): void => workbench().workspaceSettings({ "jetsonMemprof.container": container });

  test("Choose Container offers what runs there and of what a new one can be made", async () => {
    const { page, screenshot } = workbench();
    await ui.runCommand(page, CHOOSE);
    const rows = await ui.quickPickRows(page);
    expect(rows[0]).toMatch(/^On the board itself/);
    expect(rows.find((row) => row.startsWith("trainer"))).toContain(engine.image);
    expect(rows.find((row) => row.startsWith(engine.image))).toContain("a new container of this image");
    await screenshot("container-1-choose");
    await ui.pickQuickPick(page, "trainer");
    await ui.notificationText(page, "Scripts now run in trainer.");
    expect(chosen()).toBe("container:trainer");
    await ui.dismissNotifications(page);
  });

  test("the run's messages, its row and its hovers say that it was in there", async () => {
    const { page, screenshot } = workbench();
    await profile(page, "known.py", "def keep");
    await ui.notificationText(page, /known\.py: /, RUN_MS);
    await screenshot("container-2-end");
    await ui.dismissNotifications(page);
    expect(await ui.hoverText(page, "kept = keep", "48.0 MiB")).toContain("container:trainer on this computer");
    await screenshot("container-3-hover");
    await ui.showView(page, "Jetson Memory");
    expect(await ui.treeRow(page, /^known\.py/).innerText()).toContain("container:trainer on this computer");
    await screenshot("container-4-row");
  });

  test("Choose Container has the one that is set first, and says so", async () => {
    const { page, screenshot } = workbench();
    await ui.runCommand(page, CHOOSE);
    expect((await ui.quickPickRows(page))[0]).toMatch(/^trainer.*\(set now\)/);
    await screenshot("container-5-set");
    await ui.pickQuickPick(page, "small");
    await ui.notificationText(page, "Scripts now run in small.");
    await ui.dismissNotifications(page);
  });

  test("a script that reaches the container's limit is told so, with what it used of it", async () => {
    const { page, screenshot } = workbench();
    await profile(page, "killed.py", "def train");
    await ui.notificationText(page, /killed\.py was (killed|ended)|killed\.py .*memory/, RUN_MS);
    await screenshot("container-6-killed");
    await ui.pressNotificationButton(page, /killed\.py/, "Why Was It Killed?");
    const view = ui.webview(page);
    await view.locator(".verdict h2").waitFor();
    const text = await view.locator("body").innerText();
    expect(text).toContain("The run reached its memory limit");
    expect(text).toMatch(/the run's container used \d+\.\d MiB of its limit of 128\.0 MiB/);
    await ui.dismissNotifications(page);
    await screenshot("container-7-why");
  });

  picturesInThemes(workbench, "container-8-why", () => ({ "jetsonMemprof.container": "container:small" }));

  test("the ledger has the container's limit below the board's memory", async () => {
    const { page, screenshot } = workbench();
    await ui.closeAllEditors(page);
    await ui.showView(page, "Jetson Memory");
    await ui.pickFromContextMenu(page, ui.treeRow(page, /^killed\.py/), "Show Board Memory");
    const view = ui.webview(page);
    const note = view.getByText(/The run's container uses .* of its memory limit of 128\.0 MiB/).first();
    // At once: the page is drawn anew while its figures still come.
    await note.evaluate((one) => one.scrollIntoView());
    await screenshot("container-9-ledger");
  });

  picturesInThemes(workbench, "container-10-ledger", () => ({ "jetsonMemprof.container": "container:small" }));

  test("Check Board and Choose Python look into it", async () => {
    const { page, screenshot } = workbench();
    await ui.closeAllEditors(page);
    await ui.runCommand(page, "Jetson: Check Board");
    const view = ui.webview(page);
    await expect.poll(() => view.locator("#title").innerText()).toContain("container:small on ");
    expect(await view.locator('[data-line="python"]').innerText()).toContain("Python in container:small");
    const limit = view.locator('[data-line="memory-limit"]');
    expect(await limit.innerText()).toContain("128.0 MiB");
    await limit.scrollIntoViewIfNeeded();
    await screenshot("container-13-check");
    await ui.runCommand(page, "Jetson: Choose Python on the Board");
    await ui.quickInputText(page, "container:small on this computer");
    expect((await ui.quickPickRows(page))[0]).toContain("/usr/bin/python3");
    await screenshot("container-14-python");
    await page.keyboard.press("Escape");
  });

  picturesInThemes(workbench, "container-15-check", () => ({ "jetsonMemprof.container": "container:small" }));

  test.each([
    ["container:gone", /No container of the board is called gone/, "Choose Container…"],
    [`image:${engine.bareImage}`, /No Python was found on a container of /, "Choose Container…"],
    ["image:no-such:1", /The board has no image no-such:1/, "Choose Container…"],
    ["container:my trainer", /A run cannot be inside of "container:my trainer"/, "Open Settings"],
  ])("%s is refused with a way on", async (container, text, button) => {
    const { page, screenshot } = workbench();
    set(container);
    await profile(page, "known.py", "def keep");
    expect(await ui.notificationText(page, text, RUN_MS)).toContain(button);
    await screenshot(`container-11-${container.replace(/\W+/g, "-")}`);
    await ui.dismissNotifications(page);
  });

  test("from a container that was stopped, the way back is one button and one row", async () => {
    const { page, screenshot } = workbench();
    set("container:trainer");
    engine.ask("stop", "--time", "0", "trainer");
    await profile(page, "known.py", "def keep");
    const stopped = /The container trainer does not run/;
    expect(await ui.notificationText(page, stopped, RUN_MS)).toContain("podman start trainer");
    await screenshot("container-12-stopped");
    await ui.pressNotificationButton(page, stopped, "Choose Container…");
    expect((await ui.quickPickRows(page)).some((row) => row.startsWith("trainer"))).toBe(false);
    await ui.pickQuickPick(page, "On the board itself");
    await ui.notificationText(page, "Scripts now run on the board itself.");
    expect(chosen()).toBeUndefined();
  });
});
