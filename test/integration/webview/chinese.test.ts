/** Every page in Chinese: nothing of it is English, nothing is cut off where there is little room, all of it can be heard. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, launchChromium, saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { DRAWN } from "./checks.ts";
import { ENGLISH } from "./english.ts";
import { LAYOUT_FAULTS } from "./gallery.ts";
import { bundlePage, openChinese } from "./page.ts";
import { SCENES } from "./pages.ts";

const USUAL = { width: 1_100, height: 900 };
const NARROW = { width: 300, height: 800 };

describe.skipIf(!hasChromium())("in Chinese", () => {
  let browser: Browser;
  let speakEnglish = (): void => undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(() => {
    speakEnglish = openChinese();
  });
  afterEach(() => speakEnglish());

  test.for(SCENES)("%s", async ([name, of, open]) => {
    const view = await open(browser, await bundlePage(of));
    const faults: string[] = [];
    const look = async (how: string): Promise<void> => {
      await view.page.evaluate(`${DRAWN}.then(() => {})`);
      const found = (await view.page.evaluate(`[...${ENGLISH}, ...${LAYOUT_FAULTS}]`)) as readonly string[];
      faults.push(...found.map((fault) => `${how}: ${fault}`));
      await saveScreenshot(view.page, `gallery-chinese/${name}-${how}`, { fullPage: true });
    };
    expect(await view.page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    await view.resize(USUAL);
    await view.page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
    await look("usual");
    // Names for screen readers hold what is seen, in Chinese too.
    faults.push(...(await accessibilityFaults(view.page)));
    await view.resize(NARROW);
    await look("narrow");
    await view.page.close();
    expect(faults).toEqual([]);
    expect(view.faults).toEqual([]);
  });
});
