import { describe, expect, test } from "vitest";
import { MIB } from "./massifScene.ts";
import { MADE, NAMED_SCENE, SCENE, sceneOf } from "./snapshotScene.ts";
import {
  asked,
  at,
  clickChart,
  clickMap,
  open,
  openShown,
  pixel,
  said,
  shows,
  stage,
  TRAIN,
  text,
} from "./snapshotStage.ts";

stage.use();

describe.skipIf(!stage.possible)("the snapshot page", () => {
  test("says that it is ready, and shows the moment at which the most was held", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
    await view.send({ kind: "document", document: SCENE.document });
    await view.painted();
    expect(await text(view, "#title")).toBe("allocator.4242.0.pickle");
    expect(await text(view, "#moment")).toBe("After event 4 of 8 · 16 ms: 30.0 MiB held.");
    expect(await text(view, "#marks .maximum-label")).toBe("maximum 30.0 MiB");
    expect(await asked(view, "memory")).toEqual([
      { about: "memory", device: 0, from: 0, to: 8, layers: 15_000, points: 4_000 },
    ]);
    expect(await asked(view, "state")).toEqual([{ about: "state", device: 0, moment: 4 }]);
    expect(await asked(view, "tree")).toEqual([{ about: "tree", device: 0, moment: 4, frames: "python" }]);
    expect(await text(view, "#totals")).toContain("Asked fornot in the file");
  });

  test("draws each allocation as high as it is large, while it is live, in the color of its line", async () => {
    const view = await openShown();
    const background = await pixel(view, 0.03, 9 * MIB);
    const weights = await pixel(view, 0.03, 4 * MIB);
    const activation = await pixel(view, 0.3, 11 * MIB);
    expect(new Set([background, weights, activation].map(String)).size).toBe(3);
    expect(await pixel(view, 0.97, 4 * MIB)).toEqual(weights);
    expect(await pixel(view, 0.3, 17 * MIB)).not.toEqual(background);
    expect(await pixel(view, 0.3, 19 * MIB)).toEqual(background);
    expect(await pixel(view, 0.55, 29 * MIB)).not.toEqual(background);
    expect(await pixel(view, 0.7, 29 * MIB)).toEqual(background);
    expect(await text(view, "#legend")).toBe("train.py:33 train20.0 MiBlenet.py:12 forward10.0 MiB");
  });

  test("marks a request that could not be met, leads there, and says what was free", async () => {
    const view = await openShown();
    expect(await text(view, "#marks .oom-label")).toBe("out of memory: asked for 2048.0 MiB");
    await view.page.getByRole("button", { name: "Out of Memory" }).click();
    await shows(view, "#moment", "After event 5 of 8");
    expect(await text(view, "#moment")).toContain(
      "Out of memory: asked for 2048.0 MiB while 18.0 MiB were held; CUDA had 300.0 MiB free",
    );
  });

  test("names the parts of the program below the chart, and within which of them a moment lies", async () => {
    const view = await openShown(NAMED_SCENE);
    expect(await view.page.locator("#marks .part-name").allTextContents()).toEqual([
      "step 1",
      "forward",
      "backward",
      "step 2",
    ]);
    expect(await text(view, "#moment")).toBe("After event 4 of 8 · 16 ms: 30.0 MiB held. Within step 1 › forward.");
    expect(await view.page.locator("#plot").getAttribute("aria-valuetext")).toContain("Within step 1 › forward.");
    // Over the bar of a part, what is held is within it too.
    const bar = await view.page.locator("#marks rect.part").nth(2).boundingBox();
    if (!bar) throw new Error("There is no bar.");
    const { y } = await at(view, 0, 4 * MIB);
    for (const x of [bar.x + 3, bar.x + bar.width - 3]) {
      await view.page.mouse.move(x, y);
      await shows(view, "#layer-tip", "Within step 1 › backward.");
    }
    // Zoomed in, a part that goes on to both sides keeps its name.
    await view.page.locator("#plot").press("+");
    await view.page.locator("#plot").press("+");
    await expect.poll(() => view.page.locator("#marks .part-name").allTextContents()).toContain("backward");
  });

  test("says what lies under the pointer", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 0.3, 11 * MIB);
    await view.page.mouse.move(x, y);
    expect(await view.page.locator("#layer-tip").locator("strong, span").allTextContents()).toEqual([
      "6.0 MiB",
      "lenet.py:12 forward",
      "Live from event 1 to event 7. A click shows its whole stack.",
      "18.0 MiB held after event 2 of 8 · 4.0 ms",
    ]);
    await view.page.mouse.move(5, 5);
    expect(await view.page.locator("#layer-tip").isVisible()).toBe(false);
  });

  test("a click chooses the moment and the allocation, in all three parts", async () => {
    const view = await openShown();
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Allocation of 6.0 MiB");
    expect(await text(view, "#moment")).toBe("After event 2 of 8 · 4.0 ms: 18.0 MiB held.");
    const details = (await text(view, "#details")) ?? "";
    expect(details).toContain("Address0x7fffffffffffff00");
    expect(details).toContain("Live for6 events (from event 1; freed at event 7)");
    expect(details).toContain("Blocknot known");
    expect(details).toContain("Stack, innermost first (1 C++ frame hidden)");
    await expect
      .poll(() => view.page.locator("#details li").allTextContents())
      .toEqual([
        "forward (/home/nano/work/models/lenet.py:12) outside the workspace",
        "_call_impl (/usr/lib/python3/dist-packages/torch/nn/modules/module.py:1190) outside the workspace",
        "<module> (/home/nano/work/train.py:40)",
      ]);
    expect((await asked(view, "state")).at(-1)).toEqual({ about: "state", device: 0, moment: 2 });
    expect((await asked(view, "tree")).at(-1)).toMatchObject({ moment: 2 });
  });

  test("a frame in the workspace is a link that opens its line", async () => {
    const view = await openShown();
    await clickChart(view, 0.3, 4 * MIB);
    await view.page.getByRole("button", { name: "train (/home/nano/work/train.py:33)" }).click();
    expect(await said(view, "goTo")).toEqual([{ kind: "goTo", place: { path: TRAIN, line: 33 } }]);
    await view.page.getByRole("button", { name: "Copy Stack" }).click();
    expect(await said(view, "copy")).toEqual([
      {
        kind: "copy",
        text: "at::detail::empty_cuda(c10::ArrayRef<long>) (EmptyTensor.cpp)\ntrain (/home/nano/work/train.py:33)\n<module> (/home/nano/work/train.py:40)",
      },
    ]);
  });

  test("a file that is found by its name only is a link that says so", async () => {
    const view = await openShown(SCENE, { byName: TRAIN });
    await clickChart(view, 0.3, 4 * MIB);
    await shows(view, "#details ol", "train (/home/nano/work/train.py:33) found by the file's name only");
    await view.page.getByRole("button", { name: "train (/home/nano/work/train.py:33)" }).waitFor();
  });

  test("asks once which paths are in the workspace", async () => {
    const view = await openShown();
    await clickChart(view, 0.3, 11 * MIB);
    await shows(view, "#details", "Allocation of 6.0 MiB");
    const paths = (await said(view, "find")).flatMap((message) => (message as { paths: string[] }).paths);
    expect([...new Set(paths)]).toEqual(paths);
    expect(paths).toHaveLength(3);
  });

  test("the keyboard goes from event to event, to the maximum, through the allocations, and to their lines", async () => {
    const view = await openShown();
    const plot = view.page.locator("#plot");
    const value = (): Promise<string | null> => plot.getAttribute("aria-valuenow");
    await plot.press("ArrowLeft");
    expect(await value()).toBe("3");
    await plot.press("End");
    expect(await value()).toBe("8");
    await shows(view, "#moment", "After event 8 of 8 · 64 ms, when the snapshot was taken: 10.0 MiB held.");
    await plot.press("Home");
    await shows(view, "#moment", "Before the first of 8 recorded events");
    await plot.press("m");
    expect(await value()).toBe("4");
    expect(await plot.getAttribute("aria-valuetext")).toContain("30.0 MiB held");
    await plot.press("n");
    expect(await value()).toBe("5");
    await plot.press("m");
    await plot.press("ArrowDown");
    await shows(view, "#details", "Allocation of 12.0 MiB");
    await plot.press("ArrowDown");
    await shows(view, "#details", "Allocation of 4.0 MiB");
    await plot.press("Enter");
    expect(await said(view, "goTo")).toEqual([
      { kind: "goTo", place: { path: "/home/nano/work/models/lenet.py", line: 12 } },
    ]);
  });

  test("zooms by keys, buttons, wheel and drag, and asks for what it then shows", async () => {
    const made = Array.from({ length: 100 }, (_, i) => ({ start: i, end: i + 20, size: MIB, stack: i % 2 }));
    const view = await openShown(sceneOf({ made, events: 120 }));
    const range = async () => ((await view.state()) as { range?: { from: number; to: number } }).range;
    await view.page.locator("#plot").press("+");
    await expect.poll(range).toBeDefined();
    const first = await range();
    await expect.poll(async () => (await asked(view, "memory")).length).toBe(2);
    const [, finer] = await asked(view, "memory");
    expect(finer?.from).toBeLessThanOrEqual(first?.from ?? -1);
    expect(finer?.to).toBeGreaterThanOrEqual(first?.to ?? 999);
    const { x, y } = await at(view, 0.5, 10 * MIB);
    await view.page.mouse.move(x, y);
    await view.page.keyboard.down("Control");
    await view.page.mouse.wheel(0, -400);
    await view.page.keyboard.up("Control");
    const width = (each: Awaited<ReturnType<typeof range>>): number => (each ? each.to - each.from : 120);
    await expect.poll(async () => width(await range())).toBeLessThan(width(first));
    const before = await range();
    await view.page.mouse.down();
    await view.page.mouse.move(x - 200, y, { steps: 4 });
    await view.page.mouse.up();
    await expect.poll(async () => (await range())?.from ?? 0).toBeGreaterThan(before?.from ?? 0);
    await view.page.getByRole("button", { name: "Show All" }).click();
    await expect.poll(range).toBeUndefined();
    const all = view.page.getByRole("button", { name: "Show All" });
    expect(await all.isDisabled()).toBe(true);
    expect(await all.getAttribute("title")).toBe("All events are shown.");
  });

  test("shows the events by time where the file has times", async () => {
    const view = await openShown();
    await view.page.locator("#axis").selectOption("time");
    // Event 4 of 8 came after 16 of 64 ms.
    await expect.poll(() => view.page.locator("#marks line.chosen").last().getAttribute("x1")).toMatch(/^3[0-9][0-9]/);
    expect(await view.page.locator("#marks .axis").last().textContent()).toContain("10 ms");
    const untimed = await openShown(sceneOf({ made: MADE, events: 8 }));
    expect(await untimed.page.locator("#axis").isVisible()).toBe(false);
    expect(await text(untimed, "#moment")).toBe("After event 4 of 8: 30.0 MiB held.");
  });

  test("tells of the segments, and what fragmentation means", async () => {
    const view = await openShown();
    expect(await text(view, "#state-text")).toBe(
      "PyTorch took 40.0 MiB in 2 segments: 24.0 MiB are in use, 6.0 MiB were freed but await another stream. 10.0 MiB are free inside segments in use, but in 2 pieces: the largest is 8.0 MiB, so a larger tensor does not fit there (fragmentation).",
    );
    await clickMap(view, 1, 0.95);
    await shows(view, "#map-spot", "Free: 8.0 MiB, in a segment of 20.0 MiB · expandable");
    expect(await text(view, "#details")).toBe(
      "Free: 8.0 MiB at 0x7f10c00000, in a segment of 20.0 MiB · expandable at 0x7f10000000.",
    );
    await clickMap(view, 0, 0.1);
    await shows(view, "#details", "Allocation of 8.0 MiB");
    await view.page.locator("#map").press("ArrowRight");
    await shows(view, "#map-spot", "Freed, awaiting another stream: 6.0 MiB");
    await shows(view, "#details", "Allocation of 6.0 MiB");
    await view.page.locator("#map").press("ArrowDown");
    await shows(view, "#map-spot", "in a segment of 20.0 MiB · expandable");
  });

  test("has a table of the largest blocks, from which one is selected", async () => {
    const view = await openShown();
    await view.page.getByText("Largest blocks at this moment, as a table").click();
    const rows = await view.page.locator("#largest-rows tr").all();
    expect(await Promise.all(rows.map((row) => row.locator("td").allTextContents()))).toEqual([
      ["12.0 MiB", "train.py:33 train", "in use"],
      ["8.0 MiB", "train.py:33 train", "in use"],
      ["6.0 MiB", "lenet.py:12 forward", "awaiting another stream"],
      ["4.0 MiB", "lenet.py:12 forward", "in use"],
    ]);
    await view.page.locator("#largest-rows button").nth(3).click();
    await shows(view, "#details", "Allocation of 4.0 MiB");
  });

  test("draws live bytes by stack, with C++ frames where they are asked for", async () => {
    const view = await openShown();
    const box = await view.page.locator("#canvas").boundingBox();
    if (!box) throw new Error("There is no graph.");
    await view.page.mouse.click(box.x + 20, box.y + 2.5 * 20);
    await shows(view, "#details", "train (/home/nano/work/train.py:33)");
    expect(await text(view, "#details")).toContain("Size20.0 MiB");
    await view.page.getByRole("checkbox", { name: "Hide C++ Frames" }).uncheck();
    await expect.poll(async () => (await asked(view, "tree")).at(-1)?.frames).toBe("all");
    await view.painted();
    await view.page.mouse.move(box.x + 20, box.y + 3.5 * 20);
    expect(await view.page.locator("#tooltip strong").textContent()).toContain("at::detail::empty_cuda");
  });

  test("a search leaves bright what it finds", async () => {
    const view = await openShown();
    const before = await Promise.all([pixel(view, 0.3, 4 * MIB), pixel(view, 0.3, 11 * MIB)]);
    await view.page.locator("#search").fill("LeNet");
    await shows(view, "#matches", "1 of 3 stacks at this moment");
    const after = await Promise.all([pixel(view, 0.3, 4 * MIB), pixel(view, 0.3, 11 * MIB)]);
    expect(after[0]).not.toEqual(before[0]);
    expect(after[1]).toEqual(before[1]);
  });

  test("a click counts that comes before the next picture is drawn", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 0.01, 4 * MIB);
    await view.page.evaluate(`
      const axis = document.getElementById("axis");
      axis.value = "time";
      axis.dispatchEvent(new Event("change"));
      document.getElementById("plot").dispatchEvent(new MouseEvent("click", { clientX: ${x}, clientY: ${y} }));
    `);
    await shows(view, "#details", "Allocation of 8.0 MiB");
  });

  test("keeps what is shown while it is hidden", async () => {
    const view = await openShown();
    await view.page.locator("#axis").selectOption("time");
    await clickChart(view, 0.01, 4 * MIB);
    await shows(view, "#details", "Allocation of 8.0 MiB");
    const again = await openShown(SCENE, { savedState: await view.state() });
    await shows(again, "#details", "Allocation of 8.0 MiB");
    expect(await again.page.locator("#axis").inputValue()).toBe("time");
    expect(await text(again, "#moment")).toBe(await text(view, "#moment"));
    const other = await openShown(SCENE, { savedState: await view.state(), source: "/other.pickle" });
    expect(await other.page.locator("#axis").inputValue()).toBe("events");
  });
});
