import { describe, expect, test } from "vitest";
import { readToSnapshotEditor } from "../../../src/protocol/snapshot.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { FOCUSED, POOR_CONTRASTS, pixelAt, ROLES_AND_NAMES } from "./checks.ts";
import { MIB } from "./massifScene.ts";
import { THEMES } from "./page.ts";
import { openSnapshotPage, type SnapshotPage } from "./snapshotPage.ts";
import { MADE, type Scene, SCENE, sceneOf } from "./snapshotScene.ts";
import { stagePage } from "./stage.ts";

const stage = stagePage("snapshot");

type Options = Parameters<typeof openSnapshotPage>[3];
const TRAIN = "/home/nano/work/train.py";

async function open(scene: Scene = SCENE, options: Options = {}): Promise<SnapshotPage> {
  const view = await stage.open((browser, bundle) =>
    openSnapshotPage(browser, bundle, scene, { reducedMotion: true, inside: [TRAIN], ...options }),
  );
  await view.page.setViewportSize({ width: 1_200, height: 1_000 });
  return view;
}

async function openShown(scene: Scene = SCENE, options?: Options): Promise<SnapshotPage> {
  const view = await open(scene, options);
  await view.send({ kind: "document", document: scene.document });
  await view.painted();
  return view;
}

const text = (view: SnapshotPage, selector: string): Promise<string | null> =>
  view.page.locator(selector).textContent();
const said = async (view: SnapshotPage, kind: string): Promise<unknown[]> =>
  (await view.received()).filter((message) => readToSnapshotEditor(message)?.kind === kind);

/** A point of the chart: the part of its width, and bytes. The maximum is 30 MiB, with 3 % of room above it. */
async function at(view: SnapshotPage, fraction: number, bytes: number): Promise<{ x: number; y: number }> {
  const box = await view.page.locator("#layers").boundingBox();
  if (!box) throw new Error("There is no chart.");
  return { x: box.x + fraction * box.width, y: box.y + (1 - bytes / (30 * MIB * 1.03)) * box.height };
}

describe.skipIf(!stage.possible)("the snapshot page", () => {
  test("says that it is ready, and shows the moment at which the most was held", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
    await view.send({ kind: "document", document: SCENE.document });
    await view.painted();
    expect(await text(view, "#moment")).toBe("After event 4 of 8 · 16 ms: 30.0 MiB held.");
    console.log(await view.received());
    for (const theme of ["dark"] as const) { await view.wear(theme); await saveScreenshot(view.page, `snapshot-${theme}`); }
  });
});
