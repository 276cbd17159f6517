import { describe, expect, test } from "vitest";
import { MAX_LAYERS } from "../../../src/protocol/torch/snapshot.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { DRAWN, FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import { MIB } from "./massifScene.ts";
import { THEMES_IN_TURN } from "./page.ts";
import { MADE, SCENE, sceneOf } from "./snapshotScene.ts";
import { asked, clickChart, clickMap, open, openShown, pixel, said, shows, stage, text } from "./snapshotStage.ts";

stage.use();

describe.skipIf(!stage.possible)("the snapshot page in every state", () => {
  test("a file without events has its segments and its stacks", async () => {
    const made = MADE.map((each) => ({ ...each, start: 0, end: 99 }));
    const view = await openShown(sceneOf({ made, events: 0 }));
    expect(await view.page.locator("#plot").isVisible()).toBe(false);
    expect(await view.page.getByRole("button", { name: "Maximum" }).isVisible()).toBe(false);
    expect(await text(view, "#moment")).toBe("When the snapshot was taken: 32.0 MiB held.");
    expect(await asked(view, "memory")).toEqual([]);
    await clickMap(view, 0, 0.1);
    await shows(view, "#details", "Live fornot known: the file has no events");
  });

  test("what has no stack says so, and how to get one", async () => {
    const made = MADE.map((each) => ({ ...each, stack: -1 }));
    const view = await openShown(sceneOf({ made, events: 8 }));
    expect(await text(view, "#legend")).toBe("No stack was recorded30.0 MiB");
    await clickChart(view, 0.3, 4 * MIB);
    await shows(view, "#details", "It was made before the recorded events began");
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Record with stacks to see which line took it.");
  });

  test("allocations too small to be drawn are one layer on top, and the total is exact", async () => {
    const view = await openShown(sceneOf({ made: MADE, events: 8, least: 5 * MIB }));
    await shows(view, "#memory-about", "2 smaller allocations are drawn as one gray layer on top.");
    const rest = await pixel(view, 0.3, 17 * MIB);
    expect(rest).toEqual(await pixel(view, 0.55, 29 * MIB));
    expect(await pixel(view, 0.3, 19 * MIB)).not.toEqual(rest);
  });

  test("a million events come thinned, and are drawn with all that came", async () => {
    const layers = MAX_LAYERS - 1_000;
    const made = Array.from({ length: layers }, (_, i) => ({
      start: i * 60,
      end: i * 60 + 60_000,
      size: MIB,
      stack: i % 3,
    }));
    const view = await openShown(sceneOf({ made, events: 1_000_000, points: 2_000 }));
    expect(await text(view, "#moment")).toContain("of 1,000,000: 1000.0 MiB held.");
    await view.page.locator('#plot[aria-busy="false"]').waitFor();
  });

  test("an empty snapshot, and one that is refused, say what to do next", async () => {
    const view = await open();
    await view.send({
      kind: "unavailable",
      message: "This pickle could run a program. Nothing of it was run. Record a new snapshot.",
    });
    expect(await text(view, "#status")).toContain("Record a new snapshot.");
    await view.page.getByRole("button", { name: "Try Again" }).click();
    expect(await said(view, "ready")).toHaveLength(2);
    await view.send({ kind: "document", document: { ...SCENE.document, devices: [] } });
    await shows(view, "#status", "Take it while a model is on the GPU.");
    expect(await view.page.locator("#content").isVisible()).toBe(false);
    await view.send({ kind: "document", document: SCENE.document });
    await view.painted();
    expect(await text(view, "#status")).toBe("");
    expect(await view.page.locator("#again").isVisible()).toBe(false);
  });

  test("is busy until the moment that was asked for is shown, however often it is painted meanwhile", async () => {
    let go = (): void => {};
    const late = new Promise<void>((resolve) => {
      go = resolve;
    });
    const view = await openShown({
      ...SCENE,
      async answer(query) {
        if (query.about === "state" && query.moment === 3) await late;
        return SCENE.answer(query);
      },
    });
    const busy = () => Promise.all(["map", "graph"].map((id) => view.page.locator(`#${id}`).getAttribute("aria-busy")));
    await view.page.locator("#plot").press("ArrowLeft");
    await view.wear("light");
    await view.page.evaluate(`${DRAWN}.then(() => {})`);
    expect(await busy()).toEqual(["true", "true"]);
    go();
    await view.painted();
    await shows(view, "#moment", "After event 3 of 8");
  });

  test("a question that failed says why, and the page goes on", async () => {
    let broken = true;
    const view = await openShown({
      ...SCENE,
      answer(query) {
        if (query.about === "allocation" && broken) throw new Error("The file changed. Open it again.");
        return SCENE.answer(query);
      },
    });
    await clickChart(view, 0.3, 4 * MIB);
    await shows(view, "#status", "The file changed. Open it again.");
    broken = false;
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Allocation of 6.0 MiB");
    expect(await text(view, "#status")).toBe("");
  });

  test("passes over messages that are not its own, and shows names as text", async () => {
    const markup = '<img src=x onerror="document.title=1">';
    const frames = [{ name: markup, place: { path: `/home/${markup}.py`, line: 3 } }];
    const view = await openShown({
      document: { ...SCENE.document, title: markup, notes: [markup], settings: [{ name: markup, value: markup }] },
      async answer(query) {
        const answer = await SCENE.answer(query);
        if (answer.about !== "allocation") return answer;
        return { ...answer, allocation: { ...answer.allocation, stack: { frames } } };
      },
    });
    for (const message of [
      { kind: "document", document: { devices: 1 } },
      { kind: "answer", request: 1, answer: { about: "memory", memory: { moment: "?" } } },
      { kind: "answer", request: 77, answer: await SCENE.answer({ about: "state", device: 0, moment: 1 }) },
      { kind: "found", paths: 4 },
      "text",
    ])
      await view.send(message);
    await clickChart(view, 0.3, 4 * MIB);
    await shows(view, "#details", `${markup} (/home/${markup}.py:3)`);
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await text(view, "#title")).toBe(markup);
  });

  test("figures that do not fit together are refused with a message", async () => {
    const view = await openShown({
      ...SCENE,
      async answer(query) {
        const answer = await SCENE.answer(query);
        if (answer.about !== "memory") return answer;
        return { ...answer, memory: { ...answer.memory, total: "AAAA" } };
      },
    });
    await shows(view, "#status", "The snapshot's figures arrived damaged.");
    expect(await view.page.locator("#plot").getAttribute("aria-busy")).toBe("false");
  });

  test("other devices can be chosen", async () => {
    const [first] = SCENE.document.devices;
    if (!first) throw new Error("There is no device.");
    const devices = [first, { ...first, device: 3, maximum: { moment: 2, bytes: 18 * MIB } }];
    const view = await openShown({ ...SCENE, document: { ...SCENE.document, devices } });
    await view.page.locator("#device").selectOption("3");
    await shows(view, "#moment", "After event 2 of 8");
    expect((await asked(view, "memory")).at(-1)?.device).toBe(3);
  });

  test("controls have names, and the focus goes through them in order", async () => {
    const view = await openShown();
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Allocation of 6.0 MiB");
    expect(await accessibilityFaults(view.page)).toEqual([]);
    await view.page.locator("#search").focus();
    const order: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      order.push(await view.page.evaluate(FOCUSED));
      await view.page.keyboard.press("Tab");
    }
    expect(order).toEqual(["search", "plot", "BUTTON", "map", "fold", "reset", "BUTTON"]);
  });

  test.each(THEMES_IN_TURN)("can be read in the theme %s", async (theme) => {
    const view = await openShown();
    await view.wear(theme);
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Allocation of 6.0 MiB");
    await view.page.getByText("Largest blocks at this moment, as a table").click();
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    await saveScreenshot(view.page, `snapshot-page-${theme}`);
  });
});
