import { describe, expect, test } from "vitest";
import { MIB } from "./massifScene.ts";
import { MADE, SCENE, sceneOf } from "./snapshotScene.ts";
import { asked, at, openShown, said, shows, stage, TRAIN, text } from "./snapshotStage.ts";

stage.use();

/** Longer than the one that is shown, and with more at its maximum, of another line. */
const OTHER = sceneOf({
  made: [...MADE, { start: 4, end: 12, size: 16 * MIB, stack: 0 }],
  events: 16,
  timed: true,
  document: { title: "before.pickle" },
});

const compared = async () => {
  const view = await openShown(SCENE, { other: OTHER });
  await view.page.getByRole("button", { name: "Compare with Snapshot…" }).click();
  await view.send({ kind: "other", document: OTHER.document });
  await view.page.locator("#marks path.other").first().waitFor();
  return view;
};

const rows = (view: Awaited<ReturnType<typeof compared>>) =>
  view.page
    .locator("#compared-rows tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

describe.skipIf(!stage.possible)("a snapshot beside another", () => {
  test("lets the editor choose, and has both maxima and the lines that differ", async () => {
    const view = await compared();
    expect(await said(view, "compare")).toEqual([{ kind: "compare" }]);
    expect(await text(view, "#compared-title")).toBe("Compared with before.pickle");
    expect(await text(view, "#compared-text")).toBe(
      "At most 46.0 MiB were held there, 30.0 MiB here (-16.0 MiB). When they were taken, PyTorch had reserved 50.0 MiB there and 40.0 MiB here. The dashed line is what it held over its 16 events in 256 ms.",
    );
    await expect
      .poll(() => rows(view))
      .toEqual([
        ["-16.0 MiB", "10.0 MiB", "26.0 MiB", "lenet.py:12 forward"],
        ["0 B", "20.0 MiB", "20.0 MiB", "train.py:33 train"],
      ]);
    await view.page.locator("#compared-rows").getByRole("button", { name: "train.py:33 train" }).click();
    expect(await said(view, "goTo")).toEqual([{ kind: "goTo", place: { path: TRAIN, line: 33 } }]);
  });

  test("shares its axes: what is shown ends where it was recorded until", async () => {
    const view = await compared();
    expect(await view.page.locator("#marks .axis text").allTextContents()).toContain("16");
    const { x, y } = await at(view, 0.75, 4 * MIB);
    await view.page.mouse.move(x, y);
    expect(await view.page.locator("#layer-tip").isVisible()).toBe(false);
    const inside = await at(view, 0.25, 4 * MIB);
    await view.page.mouse.move(inside.x, inside.y);
    await shows(view, "#layer-tip", "after event 4 of 8");
    await view.page.locator("#plot").press("End");
    await shows(view, "#moment", "After event 8 of 8");
  });

  test("zoomed in is read again, as finely as what is shown", async () => {
    const view = await compared();
    await view.page.locator("#plot").press("+");
    await expect
      .poll(async () => (await asked(view, "memory")).filter(({ layers, points }) => layers === 0 && points > 2).length)
      .toBe(2);
    await view.page.locator("#marks path.other").first().waitFor();
    await view.page.locator("#plot").press("0");
    await expect.poll(() => view.page.locator("#marks .axis text").allTextContents()).toContain("16");
  });

  test("is taken away again, and by time where both have times", async () => {
    const view = await compared();
    await view.page.locator("#axis").selectOption("time");
    await view.page.locator("#marks path.other").first().waitFor();
    await view.page.getByRole("button", { name: "Stop Comparing" }).click();
    await expect.poll(() => view.page.locator("#marks path.other").count()).toBe(0);
    expect(await view.page.locator("#compared").isVisible()).toBe(false);
    expect(await said(view, "stopComparing")).toHaveLength(1);
  });

  test("that has no events, no times or nothing at all says so", async () => {
    const view = await compared();
    const [device] = OTHER.document.devices;
    if (device === undefined) throw new Error("There is a device.");
    const { duration: _, ...untimed } = device;
    await view.send({ kind: "other", document: { ...OTHER.document, devices: [{ ...untimed, device: 1 }] } });
    await shows(view, "#compared-text", "It has nothing of device 0: this is device 1. It has no times");
    await view.page.locator("#axis").selectOption("time");
    await expect.poll(() => view.page.locator("#marks path.other").count()).toBe(0);
    await view.send({ kind: "other", document: { ...OTHER.document, devices: [] } });
    await shows(view, "#compared-text", "PyTorch held no memory of a CUDA device in it");
    expect(await view.page.locator("#compared-lines").isVisible()).toBe(false);
  });
});
