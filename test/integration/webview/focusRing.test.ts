/** What has the focus is seen, on every page and in every theme. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../workbench/support/workbench.ts";
import { RING_FAULTS } from "./focusRing.ts";
import { bundlePage, THEMES_IN_TURN } from "./page.ts";
import { SCENES } from "./pages.ts";

/** More stops of the Tab key than any page has. */
const MOST_STOPS = 80;
/** VS Code's own. What contrast the focus has on the ground of another theme is that theme's matter. */
const DEFAULT_THEMES = THEMES_IN_TURN.filter((theme) => theme !== "dark-buttons-light");
const IN_ROWS = 'document.activeElement.matches("[role=treeitem], [role=treegrid], [role=grid]")';
const FOCUS_LEFT = "document.activeElement === document.body";

describe.skipIf(!hasChromium())("the focus", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  test.each(SCENES)("is seen at each stop of %s, in each theme", async (_, bundle, open) => {
    const { page, resize, wear } = await open(browser, await bundlePage(bundle));
    await resize({ width: 1_100, height: 900 });
    const faults: string[] = [];
    let stops = 0;
    for (const theme of DEFAULT_THEMES) {
      await wear(theme);
      await page.keyboard.press("Tab");
      const look = async (): Promise<void> => {
        faults.push(...(await page.evaluate<string[]>(RING_FAULTS)).map((fault) => `${theme}: ${fault}`));
      };
      for (stops = 0; stops < MOST_STOPS && !(await page.evaluate<boolean>(FOCUS_LEFT)); stops++) {
        await look();
        if (await page.evaluate<boolean>(IN_ROWS)) {
          await page.keyboard.press("ArrowDown");
          await look();
        }
        await page.keyboard.press("Tab");
      }
    }
    expect(stops).toBeGreaterThan(1);
    expect(faults).toEqual([]);
    await page.close();
  });
});
