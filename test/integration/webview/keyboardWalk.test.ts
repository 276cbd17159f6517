/** Each page walked as docs/keyboard.md says, by keyboard only. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../workbench/support/workbench.ts";
import { accessibilityFaults, heardFocus } from "./accessibility.ts";
import { type Press, type WrittenStop, writtenPages } from "./keyboardDocument.ts";
import { bundlePage, type OpenPage } from "./page.ts";
import { openerOf, PAGES } from "./pages.ts";
import { timeline } from "./timelineScene.ts";

/** More than any page has. */
const MOST_STOPS = 80;

/** What a screen reader says of what has the focus beside its name, and the sentences that tell what changed. */
const SAID = `(() => {
  const focused = document.activeElement;
  const active = (focused.getAttribute("aria-activedescendant") ?? "").split(" ").filter(Boolean);
  const told = [...document.querySelectorAll("[role=status], [aria-live], output")].filter((each) => each.checkVisibility());
  return [
    focused.getAttribute("aria-valuetext") ?? "",
    focused.closest("th[aria-sort]")?.getAttribute("aria-sort") ?? "",
    ...active.map((id) => document.getElementById(id).innerText),
    ...told.map((each) => each.innerText),
    JSON.stringify(window.received.at(-1)),
  ].join("\\n");
})()`;

const focusedName = async (page: Page): Promise<string | undefined> => (await heardFocus(page))?.name;

async function heardNow(page: Page): Promise<string> {
  const focused = await heardFocus(page);
  return [focused?.name, focused?.value, focused?.description, await page.evaluate<string>(SAID)].join("\n");
}

/** Whether what has the focus shows it, itself or in the part of it that is seen. */
const SHOWS_FOCUS = `(() => {
  const focused = document.activeElement;
  return [focused, focused.nextElementSibling, focused.querySelector(":scope > .line")].some((seen) => {
    if (!seen) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(seen);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
  });
})()`;

/** Outside of tables, where they are a stop like any other: words of the glossary are on every page. */
const IS_TERM = `document.activeElement.matches(".term") && !document.activeElement.closest("table")`;

async function stopsOf(page: Page): Promise<readonly string[]> {
  const stops: string[] = [];
  for (let i = 0; i < MOST_STOPS; i++) {
    await page.keyboard.press("Tab");
    const name = await focusedName(page);
    if (name === undefined) return stops;
    expect(await page.evaluate(SHOWS_FOCUS), `the focus on ${name} is seen`).toBe(true);
    if (!(await page.evaluate(IS_TERM))) stops.push(name);
  }
  throw new Error(`The Tab key does not leave the page: ${stops.join(", ")}`);
}

/** The stops by the names that the document gives them; those that it does not name are left out. */
function asWritten(stops: readonly string[], written: readonly WrittenStop[]): readonly string[] {
  const left = written.flatMap((stop) => (stop.kind === "named" ? [stop.name] : []));
  const met: string[] = [];
  for (const stop of stops) {
    const next = left[met.length];
    const isOther = written.some(({ kind }, i) => kind === "others" && countNamed(written, i) === met.length);
    if (next !== undefined && isCalled(stop, next)) met.push(next);
    else if (!isOther) met.push(`${stop}, which is not written`);
  }
  return met;
}

/** A long name is written as its beginning and three dots. */
const isCalled = (name: string | undefined, written: string): boolean =>
  name === written || (written.endsWith("…") && name?.startsWith(written.slice(0, -1)) === true);

const countNamed = (written: readonly WrittenStop[], before: number): number =>
  written.slice(0, before).filter(({ kind }) => kind === "named").length;

async function doPress(page: Page, press: Press): Promise<void> {
  switch (press.kind) {
    case "text":
      await page.keyboard.type(press.text);
      return;
    case "key":
      for (let i = 0; i < press.times; i++) await page.keyboard.press(press.key);
      return;
    case "tab-to":
      for (let i = 0; i < MOST_STOPS; i++) {
        await page.keyboard.press("Tab");
        if (isCalled(await focusedName(page), press.name)) return;
      }
      throw new Error(`The Tab key does not lead to ${press.name}.`);
  }
}

describe.skipIf(!hasChromium())("by keyboard", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function open(title: string): Promise<OpenPage> {
    const page = PAGES.find((each) => each.title === title);
    if (page === undefined) throw new Error(`There is no scene of “${title}”.`);
    const view = await openerOf(page)(browser, await bundlePage(page.bundle));
    await view.resize({ width: 1_100, height: 900 });
    // The flame view adds its tables up after the picture.
    await expect.poll(() => view.page.getByText("Adding up…").count()).toBe(0);
    return view;
  }

  const pages = writtenPages();

  test("the document is of all pages", () => {
    expect(pages.map(({ title }) => title)).toEqual(PAGES.map(({ title }) => title));
  });

  describe.each(pages)("$title", ({ title, stops, walks }) => {
    test("Tab goes through it as is written, shows where it is, and leaves it", async () => {
      const view = await open(title);
      const named = stops.flatMap((stop) => (stop.kind === "named" ? [stop.name] : []));
      expect(asWritten(await stopsOf(view.page), stops)).toEqual(named);
      expect(await accessibilityFaults(view.page)).toEqual([]);
      await view.page.close();
    });

    test.each(walks)("$title", async ({ steps }) => {
      const view = await open(title);
      for (const { press, heard } of steps) {
        await doPress(view.page, press);
        for (const words of heard)
          await expect
            .poll(() => heardNow(view.page), { message: `${JSON.stringify(press)}: ${words}` })
            .toContain(words);
        expect(await focusedName(view.page), `${JSON.stringify(press)} keeps the focus`).toBeDefined();
      }
      expect(view.faults).toEqual([]);
      await view.page.close();
    });
  });

  describe("the focus is never lost", () => {
    const press = async (view: OpenPage, selector: string): Promise<void> => {
      await view.page.locator(selector).focus();
      await view.page.keyboard.press("Enter");
    };
    const focusIs = (view: OpenPage, name: string) => expect.poll(() => focusedName(view.page)).toBe(name);

    test("a button that hides itself leaves it to the one beside it", async () => {
      const view = await open("Flame view");
      await view.page.locator("#graph").focus();
      await view.page.keyboard.press("ArrowDown");
      await view.page.keyboard.press("ArrowDown");
      await press(view, "#only-line");
      await focusIs(view, "Copy Stack");
      await press(view, "#scope-clear");
      await focusIs(view, "Reset Zoom");
      await view.page.close();
    });

    test("a button that cannot be pressed for a while leaves it to the next", async () => {
      const view = await open("Check Board");
      await press(view, "#again");
      await view.send({ kind: "checking", target: "nano@192.168.1.20" });
      await focusIs(view, "valgrind");
      await view.page.close();
    });

    test("what is made anew has it again, in a run that goes on too", async () => {
      const view = await open("Memory timeline");
      await press(view, "#table summary");
      await view.page.locator("#table td button").nth(2).focus();
      const name = (await focusedName(view.page)) ?? "";
      await view.send({ ...timeline, finished: false });
      await focusIs(view, name);
      await view.page.close();
    });

    test("a table is left where one comes back to", async () => {
      const view = await open("Memory timeline");
      await press(view, "#table summary");
      await view.page.locator("#table td button").first().focus();
      await view.page.keyboard.press("ArrowDown");
      const name = (await focusedName(view.page)) ?? "";
      await view.page.keyboard.press("Shift+Tab");
      await focusIs(view, "Show as Table");
      await view.page.keyboard.press("Tab");
      await focusIs(view, name);
      await view.page.keyboard.press("Tab");
      expect(await focusedName(view.page)).toBeUndefined();
      await view.page.close();
    });
  });
});
