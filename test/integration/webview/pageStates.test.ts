/** Pages that have nothing to show: not yet, not at all, or not any more. What is said is read, and no button leads to nothing. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DOCUMENT as MODEL } from "../../../webview/model/testing.ts";
import { hasChromium, launchChromium, saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { DRAWN, POOR_CONTRASTS } from "./checks.ts";
import { FOLDER } from "./endingScene.ts";
import { LAYOUT_FAULTS } from "./gallery.ts";
import { bundlePage, type OpenPage, openPage, THEMES } from "./page.ts";
import { PAGES, pageCalled } from "./pages.ts";
import { timeline } from "./timelineScene.ts";

const FAILED = {
  kind: "unavailable",
  message: `The run in ${FOLDER}/${"a-folder-with-a-long-name".repeat(4)} could not be read: run.json is missing. Profile the script again.`,
};

/** What the Tab key leads to, by name; disabled ones as well, with a sign. */
const CONTROLS = `[...document.querySelectorAll("button, select, input, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility())
  .map((each) => (each.getAttribute("aria-label") ?? each.textContent).trim() + (each.matches(":disabled") && !each.title ? ", disabled" : ""))`;

describe.skipIf(!hasChromium())("a page without data", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  const controls = ({ page }: OpenPage): Promise<readonly string[]> => page.evaluate(CONTROLS);

  /** At a width of 400 px, in each theme. */
  async function faultsOf(view: OpenPage, picture: string): Promise<readonly string[]> {
    await view.resize({ width: 400, height: 600 });
    const faults: string[] = [];
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await view.wear(theme);
      await view.page.evaluate(`${DRAWN}.then(() => {})`);
      const found = await view.page.evaluate<string[]>(`[...${LAYOUT_FAULTS}, ...${POOR_CONTRASTS}]`);
      faults.push(...found.map((fault) => `${theme}: ${fault}`));
    }
    await saveScreenshot(view.page, `gallery/${picture}`);
    return [...faults, ...(await accessibilityFaults(view.page)), ...view.faults];
  }

  test.each(PAGES)("of $name says that it is reading", async ({ name, bundle, html, controls: known }) => {
    const view = await openPage(browser, await bundlePage(bundle), html);
    expect(await view.page.locator("#status").innerText()).not.toBe("");
    expect(await controls(view)).toEqual(known?.reading ?? []);
    expect(await faultsOf(view, `${name}-reading`)).toEqual([]);
    await view.page.close();
  });

  test.each(PAGES)("of $name says what went wrong, and offers no more than helps", async (page) => {
    const view = await openPage(browser, await bundlePage(page.bundle), page.html);
    await view.send(FAILED);
    expect(await view.page.locator("#status").innerText()).toContain("Profile the script again.");
    expect(await controls(view)).toEqual(page.controls?.failed ?? []);
    expect(await faultsOf(view, `${page.name}-failed`)).toEqual([]);
    await view.page.close();
  });

  const EMPTY: readonly (readonly [name: string, messages: readonly unknown[]])[] = [
    ["memory", [{ kind: "start", title: "train.py", board: "Jetson Nano", source: "run" }, { kind: "ended" }]],
    ["model", [{ kind: "model", document: { ...MODEL, processes: [] } }]],
  ];
  test.each(EMPTY)("of %s says that there is nothing", async (name, messages) => {
    const page = pageCalled(name);
    const view = await openPage(browser, await bundlePage(page.bundle), page.html);
    for (const message of messages) await view.send(message);
    expect(await view.page.locator("#status").innerText()).not.toBe("");
    expect(await controls(view)).toEqual([]);
    expect(await faultsOf(view, `${name}-empty`)).toEqual([]);
    await view.page.close();
  });

  test("of a run without samples has no peak to go to, and no table", async () => {
    const page = pageCalled("timeline");
    const view = await openPage(browser, await bundlePage(page.bundle), page.html);
    await view.send({ ...timeline, samples: [] });
    // The empty chart says so; the words below it are explained.
    expect(await controls(view)).toEqual(["Moment", "RSS", "peak"]);
    expect(await faultsOf(view, "timeline-empty")).toEqual([]);
    await view.page.close();
  });
});
