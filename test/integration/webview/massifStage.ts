/** What tests of the massif page share: the page opened, and what stands where on it. */
import type { Locator } from "playwright-core";
import { readToMassifEditor } from "../../../src/protocol/massif/massif.ts";
import { pixelAt } from "./checks.ts";
import { type MassifPage, openMassifPage, type Scene } from "./massifPage.ts";
import { SCENE } from "./massifScene.ts";
import { sharedStage } from "./stage.ts";

export const stage = sharedStage("massif");

export type Options = Parameters<typeof openMassifPage>[3];

export async function open(scene: Scene = SCENE, options: Options = {}): Promise<MassifPage> {
  const view = await stage.open((browser, bundle) =>
    openMassifPage(browser, bundle, scene, { reducedMotion: true, ...options }),
  );
  await view.resize({ width: 1_200, height: 860 });
  return view;
}

export async function openShown(scene: Scene = SCENE, options?: Options): Promise<MassifPage> {
  const view = await open(scene, options);
  await view.send({ kind: "document", document: scene.document });
  await view.painted();
  return view;
}

export const ROW = 20;
export const text = (view: MassifPage, selector: string): Promise<string | null> =>
  view.page.locator(selector).textContent();
export const said = async (view: MassifPage, kind: string): Promise<unknown[]> =>
  (await view.received()).filter((message) => readToMassifEditor(message)?.kind === kind);

/** The middle of a row of the icicle, at a fraction of its width. */
export async function at(view: MassifPage, row: number, fraction: number): Promise<{ x: number; y: number }> {
  const box = await view.page.locator("#canvas").boundingBox();
  if (!box) throw new Error("There is no canvas.");
  return { x: box.x + fraction * box.width, y: box.y + (row + 0.5) * ROW };
}

/** Color of the canvas at a fraction of its width, low in a row, where no letters are. */
export const pixel = (view: MassifPage, row: number, fraction: number): Promise<readonly number[]> =>
  view.page.evaluate(pixelAt(fraction, row * ROW + 17));

export const tooltip = async (view: MassifPage, row: number, fraction: number): Promise<string[]> => {
  const { x, y } = await at(view, row, fraction);
  await view.page.mouse.move(x, y);
  return view.page.locator("#tooltip").locator("strong, span").allTextContents();
};

export async function rowsOf(table: Locator): Promise<string[][]> {
  await table.locator("tbody tr").first().waitFor();
  const rows = await table.locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allTextContents()));
}
export async function rowsOfTreeSelection(view: MassifPage): Promise<string[]> {
  return view.page.locator('[role="treeitem"][aria-selected="true"] > .line').allTextContents();
}
