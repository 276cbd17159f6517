/** What tests of the snapshot page share: the page opened, and what lies where on its charts. */
import { expect } from "vitest";
import { readToSnapshotEditor, type SnapshotQuery } from "../../../src/protocol/torch/snapshot.ts";
import { DRAWN } from "./checks.ts";
import { MIB } from "./massifScene.ts";
import { openSnapshotPage, type SnapshotPage } from "./snapshotPage.ts";
import { SCENE, type Scene } from "./snapshotScene.ts";
import { sharedStage } from "./stage.ts";

export const stage = sharedStage("snapshot");

export type Options = Parameters<typeof openSnapshotPage>[3];
export const TRAIN = "/home/nano/work/train.py";

export async function open(scene: Scene = SCENE, options: Options = {}): Promise<SnapshotPage> {
  const view = await stage.open((browser, bundle) =>
    openSnapshotPage(browser, bundle, scene, { reducedMotion: true, inside: [TRAIN], ...options }),
  );
  await view.resize({ width: 1_200, height: 1_000 });
  return view;
}

export async function openShown(scene: Scene = SCENE, options?: Options): Promise<SnapshotPage> {
  const view = await open(scene, options);
  await view.send({ kind: "document", document: scene.document });
  await view.painted();
  return view;
}

export const text = (view: SnapshotPage, selector: string): Promise<string | null> =>
  view.page.locator(selector).textContent();
export const shows = (view: SnapshotPage, selector: string, expected: string) =>
  expect.poll(() => text(view, selector)).toContain(expected);
export const said = async (view: SnapshotPage, kind: string): Promise<unknown[]> =>
  (await view.received()).filter((message) => readToSnapshotEditor(message)?.kind === kind);
/** What was asked about one subject. */
export const asked = async <About extends SnapshotQuery["about"]>(view: SnapshotPage, about: About) =>
  (await view.received()).flatMap((raw) => {
    const message = readToSnapshotEditor(raw);
    return message?.kind === "query" && message.query.about === about
      ? [message.query as Extract<SnapshotQuery, { about: About }>]
      : [];
  });

/** A point of the chart: a part of its width, and bytes. The maximum is 30 MiB, with 3 % of room above it. */
export async function at(view: SnapshotPage, fraction: number, bytes: number): Promise<{ x: number; y: number }> {
  const box = await view.page.locator("#layers").boundingBox();
  if (!box) throw new Error("There is no chart.");
  return { x: box.x + fraction * box.width, y: box.y + (1 - bytes / (30 * MIB * 1.03)) * box.height };
}

/** Red, green and blue of the chart there. */
export async function pixel(view: SnapshotPage, fraction: number, bytes: number): Promise<readonly number[]> {
  const share = 1 - bytes / (30 * MIB * 1.03);
  return view.page.evaluate(`${DRAWN}.then(() => {
    const canvas = document.getElementById("layers");
    const [x, y] = [${fraction} * canvas.width, ${share} * canvas.height];
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3);
  })`);
}

export async function clickChart(view: SnapshotPage, fraction: number, bytes: number): Promise<void> {
  const { x, y } = await at(view, fraction, bytes);
  await view.page.mouse.click(x, y);
}

/** The middle of a row of the map, at a part of its bar; the first column has the rows' names. */
export async function clickMap(view: SnapshotPage, row: number, fraction: number): Promise<void> {
  const box = await view.page.locator("#map").boundingBox();
  if (!box) throw new Error("There is no map.");
  await view.page.mouse.click(box.x + box.width * (0.36 + 0.64 * fraction), box.y + row * 22 + 11);
}
