/** What opens over the flame view is read whole in a narrow panel, in each theme. */
import { expect, test } from "vitest";
import { accessibilityFaults } from "./accessibility.ts";
import { POOR_CONTRASTS } from "./checks.ts";
import { LAYOUT_FAULTS } from "./gallery.ts";
import { type OpenPage, THEMES } from "./page.ts";
import { openerOf, pageCalled } from "./pages.ts";
import { stagePage } from "./stage.ts";

const stage = stagePage("massif");

async function open(): Promise<OpenPage> {
  const view = await stage.open(openerOf(pageCalled("massif")));
  await view.resize({ width: 400, height: 700 });
  return view;
}

/** Of all that is seen, with `selector` open. */
async function faultsWith(view: OpenPage, selector: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    await view.wear(theme);
    expect(await view.page.locator(selector).isVisible(), theme).toBe(true);
    const found = await view.page.evaluate<string[]>(`[...${LAYOUT_FAULTS}, ...${POOR_CONTRASTS}]`);
    faults.push(...found.map((fault) => `${theme}: ${fault}`));
  }
  const box = await view.page.locator(selector).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(400);
  return [...faults, ...(await accessibilityFaults(view.page))];
}

test.skipIf(!stage.possible)("the formats of an export", async () => {
  const view = await open();
  await view.page.locator("#export summary").click();
  expect(await faultsWith(view, "#export .items")).toEqual([]);
});

test.skipIf(!stage.possible)("the figures of the frame under the pointer", async () => {
  const view = await open();
  await view.page.locator("#canvas").hover({ position: { x: 60, y: 30 } });
  await view.page.locator("#tooltip:not([hidden])").waitFor();
  expect(await faultsWith(view, "#tooltip")).toEqual([]);
});
