/** Words that can be asked about, on the page of a comparison: all pages have them from the same module. */
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { GLOSSARY } from "../../../src/profile/text/glossary.ts";
import { DOCUMENT } from "../../../webview/compare/testing.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { POOR_CONTRASTS } from "./checks.ts";
import { type OpenPage, openPage, THEMES } from "./page.ts";
import { pageCalled } from "./pages.ts";
import { stagePage } from "./stage.ts";

const RSS = GLOSSARY["The memory of a process"].rss;
const stage = stagePage("compare");

async function open(): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) => openPage(browser, bundle, pageCalled("compare").html));
  await view.send({ kind: "comparison", document: DOCUMENT });
  await view.page.locator("#content").waitFor();
  return view;
}

const term = ({ page }: OpenPage): Locator => page.getByRole("button", { name: "RSS", exact: true });
const card = ({ page }: OpenPage): Locator => page.locator("#term-card");
const shown = (view: OpenPage): Promise<boolean> => card(view).isVisible();
const described = (view: OpenPage): Promise<string | null> => term(view).getAttribute("aria-describedby");

describe.skipIf(!stage.possible)("a word of the glossary in a page", () => {
  test("is explained while the pointer is on it or on its card", async () => {
    const view = await open();
    expect(await shown(view)).toBe(false);
    await term(view).hover();
    await expect.poll(() => shown(view)).toBe(true);
    expect(await card(view).innerText()).toBe(`${RSS.name}\n\n${RSS.sentence}`);
    await card(view).hover();
    expect(await shown(view)).toBe(true);
    await view.page.locator("h1").hover();
    await expect.poll(() => shown(view)).toBe(false);
  });

  test("is explained where the keyboard is, until Escape or the next place, and again by Enter", async () => {
    const view = await open();
    await term(view).focus();
    await expect.poll(() => shown(view)).toBe(true);
    expect(await described(view)).toBe("term-card");
    await view.page.keyboard.press("Escape");
    await expect.poll(() => shown(view)).toBe(false);
    expect(await described(view)).toBe(null);
    await view.page.keyboard.press("Enter");
    await expect.poll(() => shown(view)).toBe(true);
    await view.page.keyboard.press("Tab");
    await expect.poll(() => described(view)).toBe(null);
  });

  test("is explained when it is tapped, until something else is", async () => {
    const view = await open();
    await term(view).click();
    await expect.poll(() => shown(view)).toBe(true);
    await view.page.locator("h1").click();
    await expect.poll(() => shown(view)).toBe(false);
  });

  test("has its card within the page at 200 % in a narrow panel, and readable, in every theme", async () => {
    const view = await open();
    await view.resize({ width: 240, height: 200 });
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await view.wear(theme);
      await term(view).scrollIntoViewIfNeeded();
      await term(view).focus();
      await expect.poll(() => shown(view)).toBe(true);
      const poor = await view.page.evaluate<readonly string[]>(POOR_CONTRASTS);
      expect(poor.filter((text) => text.includes(RSS.sentence.slice(0, 20)))).toEqual([]);
      const box = await card(view).boundingBox();
      expect(box?.x, theme).toBeGreaterThanOrEqual(0);
      expect(box?.y, theme).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0), theme).toBeLessThanOrEqual(240);
      expect((box?.y ?? 0) + (box?.height ?? 0), theme).toBeLessThanOrEqual(200);
      await view.page.keyboard.press("Escape");
      await expect.poll(() => shown(view)).toBe(false);
      await term(view).blur();
    }
    await term(view).focus();
    await expect.poll(() => shown(view)).toBe(true);
    await saveScreenshot(view.page, "term-card-narrow");
  });
});
