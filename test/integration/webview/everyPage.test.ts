/** Every page in every theme, narrow, enlarged and in forced colors: nothing is cut off, and pictures to look at. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium, projectRoot, saveScreenshot } from "../../workbench/support/workbench.ts";
import { DRAWN, POOR_CONTRASTS } from "./checks.ts";
import { LAYOUT_FAULTS } from "./gallery.ts";
import { bundlePage, THEMES } from "./page.ts";
import { PAGES, SCENES } from "./pages.ts";

/** 450 px is what is left of 900 at a zoom of 200 %. */
const WIDTHS = [300, 450] as const;
const USUAL = { width: 1_100, height: 900 };

test("the list of pages has each page that is built", () => {
  const folder = path.join(projectRoot, "webview");
  const built = fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, "main.ts")));
  expect([...new Set(PAGES.map(({ bundle }) => bundle))].sort()).toEqual(built.sort());
});

describe.skipIf(!hasChromium())("every page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  test.each(SCENES)(
    "%s is whole in each theme, at 200 %, in a narrow panel and in forced colors",
    async (name, of, open) => {
      const view = await open(browser, await bundlePage(of));
      const faults: string[] = [];
      const look = async (how: string): Promise<void> => {
        await view.page.evaluate(`${DRAWN}.then(() => {})`);
        const found = (await view.page.evaluate(`[...${LAYOUT_FAULTS}, ...${POOR_CONTRASTS}]`)) as readonly string[];
        faults.push(...found.map((fault) => `${how}: ${fault}`));
        await saveScreenshot(view.page, `gallery/${name}-${how}`, { fullPage: true });
      };
      await view.resize(USUAL);
      for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
        await view.wear(theme);
        await look(theme);
      }
      await view.wear("dark");
      for (const width of WIDTHS) {
        await view.resize({ width, height: 800 });
        await look(String(width));
      }
      await view.resize(USUAL);
      // As VS Code does where the system asks for high contrast.
      await view.wear("hc-light");
      await view.page.emulateMedia({ forcedColors: "active", colorScheme: "light" });
      await look("forced");
      await view.page.close();
      expect(faults).toEqual([]);
      expect(view.faults).toEqual([]);
    },
  );
});
