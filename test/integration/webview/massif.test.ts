import { describe, expect, test } from "vitest";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import type { Scene } from "./massifPage.ts";
import { DOCUMENT, SCENE, TWO_RUNS } from "./massifScene.ts";
import { at, open, openShown, pixel, rowsOf, rowsOfTreeSelection, said, stage, text, tooltip } from "./massifStage.ts";

stage.use();

describe.skipIf(!stage.possible)("the massif page", () => {
  test("says that it is ready, once, and shows the peak of the first process", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
    await view.send({ kind: "document", document: DOCUMENT });
    await view.painted();
    expect(await text(view, "#title")).toBe("train.py");
    expect(await text(view, "#about")).toBe("on simulated board · python3 train.py --epochs 2");
    expect(await text(view, "#readout")).toBe(
      "Snapshot 3 (peak) · 3.0 s · heap 106.0 MiB · allocator overhead 1.0 MiB",
    );
    expect(await text(view, "#chart .peak-label")).toBe("peak 107.0 MiB");
    expect(await view.page.locator("#chart circle.stacked").count()).toBe(3);
    expect(await said(view, "tree")).toEqual([
      { kind: "tree", request: 1, ref: { kind: "snapshot", file: 0, snapshot: 3 } },
    ]);
  });

  test("says of sampled stacks how seldom they were, and nothing of what the allocator needs besides", async () => {
    const view = await open();
    const files = DOCUMENT.files.map((file) => ({ ...file, sampled: 524_288 }));
    await view.send({ kind: "document", document: { ...DOCUMENT, files } });
    await view.painted();
    expect(await text(view, "#about")).toMatch(/^Native stacks, sampled: one in 512 KiB · on simulated board · /);
    expect(await view.page.locator("#extra-key").isVisible()).toBe(false);
    await view.send({ kind: "document", document: DOCUMENT });
    await view.page.locator("#extra-key").waitFor();
  });

  test("draws each frame where its share of the memory puts it", async () => {
    const view = await openShown();
    expect(await tooltip(view, 0, 0.5)).toContain("Size: 106.0 MiB");
    expect(await tooltip(view, 1, 0.5)).toEqual([
      "<module> (train.py:40)",
      "Size: 103.0 MiB",
      "Of the snapshot: 97.2 %",
      "In this frame itself: 0 B",
    ]);
    expect((await tooltip(view, 3, 0.4))[0]).toBe("forward (models/lenet.py:12)");
    expect((await tooltip(view, 5, 0.4))[0]).toBe("at::empty<float>(c10::ArrayRef<long>) (libtorch_cpu.so)");
    expect((await tooltip(view, 1, 0.99))[0]).toBe("below threshold (12 places)");
    // 90 of 106 MiB end where the fifth row ends.
    const background = await pixel(view, 12, 0.5);
    expect(await pixel(view, 5, 90 / 106 - 0.01)).not.toEqual(background);
    expect(await pixel(view, 5, 90 / 106 + 0.01)).toEqual(background);
    // Python and native frames, and libraries among themselves, have colors of their own.
    const colors = await Promise.all([pixel(view, 3, 0.4), pixel(view, 5, 0.4), pixel(view, 3, 0.88)]);
    expect(new Set(colors.map(String)).size).toBe(3);
  });

  test("is drawn with the screen's own pixels", async () => {
    const view = await openShown(SCENE, { pixelRatio: 2 });
    const ratio = await view.page.evaluate("canvas.width / canvas.clientWidth");
    expect(ratio).toBe(2);
    const background = await pixel(view, 12, 0.5);
    expect(await pixel(view, 5, 90 / 106 - 0.01)).not.toEqual(background);
    expect(await pixel(view, 5, 90 / 106 + 0.01)).toEqual(background);
  });

  test("a click on a Python frame selects it and opens its line; one on a native frame only selects", async () => {
    const view = await openShown();
    const python = await at(view, 2, 0.3);
    await view.page.mouse.click(python.x, python.y);
    expect(await said(view, "goTo")).toEqual([{ kind: "goTo", place: { path: "train.py", line: 33 } }]);
    expect(await text(view, "#details .frame-name")).toBe("train (train.py:33)");
    expect(await text(view, "#open-line")).toBe("Open train.py:33");
    const native = await at(view, 5, 0.3);
    await view.page.mouse.click(native.x, native.y);
    expect(await said(view, "goTo")).toHaveLength(1);
    expect(await text(view, "#details")).toContain("Size90.0 MiBOf the snapshot84.9 %In this frame itself90.0 MiB");
    expect(await view.page.locator("#open-line").isVisible()).toBe(false);
    const [first] = await rowsOfTreeSelection(view);
    expect(first).toContain("at::empty");
  });

  test("zooms by double click, key, wheel and breadcrumb, moves by dragging, and goes back with Escape", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 3, 0.88);
    await view.page.mouse.dblclick(x, y);
    expect((await tooltip(view, 3, 0.02))[0]).toBe("PyArray_NewFromDescr (_multiarray_umath.so)");
    expect((await tooltip(view, 3, 0.98))[0]).toBe("PyArray_NewFromDescr (_multiarray_umath.so)");
    expect(await view.page.locator("#breadcrumb li").allTextContents()).toEqual([
      "All",
      "train.py:40 <module>",
      "train.py:33 train",
      "PyArray_NewFromDescr (_multiarray_umath.so)",
    ]);
    await view.page.locator("#breadcrumb button").nth(2).click();
    expect((await tooltip(view, 3, 0.95))[0]).toBe("PyArray_NewFromDescr (_multiarray_umath.so)");
    expect((await tooltip(view, 3, 0.5))[0]).toBe("forward (models/lenet.py:12)");
    await view.page.locator("#graph").press("Escape");
    expect((await tooltip(view, 1, 0.99))[0]).toBe("below threshold (12 places)");

    const edge = await at(view, 1, 0.99);
    await view.page.mouse.move(edge.x, edge.y);
    await view.page.keyboard.down("Control");
    for (let i = 0; i < 5; i++) await view.page.mouse.wheel(0, -400);
    await view.page.keyboard.up("Control");
    await expect.poll(async () => (await tooltip(view, 1, 0.5))[0]).toBe("below threshold (12 places)");
    await view.page.mouse.move(edge.x - 600, edge.y);
    await view.page.mouse.down();
    await view.page.mouse.move(edge.x - 100, edge.y, { steps: 5 });
    await view.page.mouse.up();
    await expect.poll(async () => (await tooltip(view, 1, 0.1))[0]).toBe("<module> (train.py:40)");
    expect(await said(view, "goTo"), "dragging is no click").toEqual([]);
  });

  test("a double click zooms to what its first click hit, though the editor that opens makes the page narrow", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 2, 0.3);
    await view.page.mouse.click(x, y);
    await view.resize({ width: 600, height: 860 });
    await expect.poll(async () => (await view.page.locator("#canvas").boundingBox())?.width).toBeLessThan(600);
    expect((await tooltip(view, 3, 0.9))[0], "another frame than before").toMatch(/^PyArray/);
    const moved = await at(view, 3, 0.9);
    await view.page.mouse.move(moved.x, moved.y);
    await view.page.mouse.down({ clickCount: 2 });
    await view.page.mouse.up({ clickCount: 2 });
    expect(await view.page.locator("#breadcrumb li").allTextContents()).toEqual([
      "All",
      "train.py:40 <module>",
      "train.py:33 train",
    ]);
    expect(await text(view, "#details .frame-name")).toBe("train (train.py:33)");
    expect(await said(view, "goTo")).toHaveLength(1);
  });

  test("the keyboard moves between frames, zooms and opens lines", async () => {
    const view = await openShown();
    const graph = view.page.locator("#graph");
    const name = (): Promise<string | null> => text(view, "#details .frame-name");
    await graph.press("Home");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await graph.press(key);
    expect(await name()).toBe("forward (models/lenet.py:12)");
    await graph.press("ArrowRight");
    expect(await name()).toBe("PyArray_NewFromDescr (_multiarray_umath.so)");
    await graph.press("ArrowUp");
    expect(await name()).toBe("train (train.py:33)");
    await graph.press("o");
    expect(await said(view, "goTo")).toEqual([{ kind: "goTo", place: { path: "train.py", line: 33 } }]);
    await graph.press("Enter");
    expect(await view.page.locator("#breadcrumb li").count()).toBe(3);
    await view.page.getByText("Flame", { exact: true }).click();
    await graph.press("ArrowUp");
    expect(await name(), "in a flame the callees are above").toBe("forward (models/lenet.py:12)");
  });

  test("a search counts what it found, each byte once, and its faults are told", async () => {
    const view = await openShown();
    const search = view.page.locator("#search");
    await search.fill("conv2d|torch");
    await expect.poll(() => text(view, "#matches")).toBe("2 found · 90.0 MiB (84.9 %)");
    const dimmed = await pixel(view, 2, 0.3);
    await search.fill("nothing-like-it");
    await expect.poll(() => text(view, "#matches")).toBe("No frame matches.");
    await search.fill("train\\.py:33");
    await expect.poll(() => text(view, "#matches")).toBe("1 found · 99.0 MiB (93.4 %)");
    expect(await pixel(view, 2, 0.3)).not.toEqual(dimmed);
    await search.press("Enter");
    expect(await text(view, "#details .frame-name")).toBe("train (train.py:33)");
    await search.fill("(");
    await expect.poll(() => text(view, "#matches")).toMatch(/[a-z].*\.$/);
    await search.fill("");
    await expect.poll(() => text(view, "#matches")).toBe("");
  });

  test("a search that would take hours is ended, and the next one begins anew", async () => {
    const view = await openShown();
    const search = view.page.locator("#search");
    await search.fill("(((\\S+)+)+)+\\0$");
    await expect
      .poll(() => text(view, "#matches"), { timeout: 60_000 })
      .toBe("The search was ended after 5 s: this expression takes too long here.");
    await search.fill("train\\.py:33");
    await expect.poll(() => text(view, "#matches")).toBe("1 found · 99.0 MiB (93.4 %)");
  });

  test("switches turn the stacks round and show the interpreter's own frames", async () => {
    const view = await openShown();
    expect((await tooltip(view, 4, 0.3))[0]).toMatch(/^conv2d \(/);
    await view.page.getByText("Allocators First").click();
    await expect.poll(async () => (await tooltip(view, 1, 0.3))[0]).toMatch(/^at::empty/);
    await view.page.locator("#fold").uncheck();
    await expect.poll(async () => (await tooltip(view, 2, 0.3))[0]).toMatch(/^_PyEval_EvalFrameDefault/);
  });

  test("two snapshots are compared: what grew and what shrank, not by color alone", async () => {
    const view = await openShown();
    await view.page.locator("#compare").selectOption("1");
    await expect
      .poll(() => text(view, "#readout"))
      .toBe("Change from snapshot 1 to snapshot 3: +60.0 MiB (46.0 MiB → 106.0 MiB)");
    await expect.poll(() => tooltip(view, 5, 0.3)).toContain("Change: +60.0 MiB");
    // 63 MiB grew and 3 shrank: the shrunk ones are the last 3 of 66.
    expect(await tooltip(view, 2, 0.98)).toEqual([
      "[libcudart.so.10.2.300]",
      "Before: 7.0 MiB",
      "After: 4.0 MiB",
      "Change: -3.0 MiB",
      "In this frame itself: -3.0 MiB",
      "The function's name is not known: the library has no symbols for it.",
    ]);
    const stripes = async (row: number, from: number): Promise<Set<string>> =>
      new Set((await Promise.all([0, 1, 2, 3, 4, 5].map((i) => pixel(view, row, from + i * 0.0017)))).map(String));
    expect((await stripes(5, 0.5)).size).toBeGreaterThan(1);
    expect(await view.page.locator("#legend .key").allTextContents()).toEqual([
      "Grown",
      "Shrunk",
      "As much grown as shrunk",
      "Python line",
    ]);
    expect(await view.page.locator('[data-format="speedscope"]').isDisabled()).toBe(true);
    await view.page.locator("#tab-libraries").click();
    expect((await rowsOf(view.page.locator("#panel-libraries"))).sort()).toEqual([
      ["_multiarray_umath.so", "+3.0 MiB"],
      ["libcudart.so.10.2.300", "-3.0 MiB"],
      ["libtorch_cpu.so", "+60.0 MiB"],
    ]);
  });

  test("equal snapshots say that nothing changed", async () => {
    const still: Scene = { ...SCENE, tree: async () => SCENE.tree({ kind: "snapshot", file: 0, snapshot: 1 }) };
    const view = await openShown(still);
    await view.page.locator("#compare").selectOption("4");
    await view.page.locator("#empty", { hasText: "Nothing changed between these two snapshots." }).waitFor();
  });

  test("two runs: the change of each process stands first, and each file can be seen by itself", async () => {
    const view = await openShown(TWO_RUNS);
    expect(await text(view, "#readout")).toBe(
      "Change from the earlier run's peak to the later one's: +80.0 MiB (26.0 MiB → 106.0 MiB)",
    );
    expect(await view.page.locator("#file option").allTextContents()).toEqual([
      "main: change between the runs",
      "before: main: 26.0 MiB at peak",
      "after: main: 106.0 MiB at peak",
    ]);
    expect(await text(view, "#legend")).toContain("Grown");
    expect(await view.page.locator("#compare").isDisabled()).toBe(true);
    await view.page.locator("#file").selectOption("1");
    await view.painted();
    expect(await text(view, "#readout")).toContain("Snapshot 3 (peak)");
    await view.page.locator("#file").selectOption("pair 0");
    await view.painted();
    expect(await text(view, "#legend")).toContain("Shrunk");
    await saveScreenshot(view.page, "massif-two-runs");
  });

  test("no width of the page parts a size or a time from its unit", async () => {
    const view = await openShown();
    const readout = view.page.locator("#readout");
    expect(await readout.textContent()).toMatch(/\d s · .*\d MiB/);
    const parted = await readout.evaluate((line) => {
      const { ownerDocument: page } = line;
      const lineOf = (at: number): number | undefined => {
        const texts = page.createTreeWalker(line, 4);
        let before = 0;
        for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
          const { length } = node.textContent ?? "";
          if (at < before + length) {
            const range = page.createRange();
            range.setStart(node, at - before);
            range.setEnd(node, at - before + 1);
            return range.getClientRects()[0]?.top;
          }
          before += length;
        }
        return undefined;
      };
      const found: string[] = [];
      for (let width = 110; width <= 600; width += 5) {
        line.style.width = `${width}px`;
        for (const { index, 0: figure } of (line.textContent ?? "").matchAll(/\d (?:s|B|KiB|MiB)(?!\w)/g))
          if (lineOf(index) !== lineOf(index + 2)) found.push(`${width} px: ${figure}`);
      }
      return found;
    });
    expect(parted).toEqual([]);
  });

  test("a button that is off says why", async () => {
    const view = await openShown();
    const title = (id: string) => view.page.locator(`#${id}`).getAttribute("title");
    const off = async (): Promise<readonly (string | null)[]> =>
      Promise.all(["next-match", "zoom-in", "copy-stack"].map(title));
    expect(await off()).toEqual(["Type what to search for.", "Select a frame first.", "Select a frame first."]);
    await view.page.locator("#search").fill("nowhere at all");
    await expect.poll(() => title("next-match")).toBe("The search has no match to go to.");
    await view.page.locator("#search").fill("train");
    await expect.poll(() => title("next-match")).toBe("Next match (N)");
    const { x, y } = await at(view, 5, 0.3);
    await view.page.mouse.click(x, y);
    await expect.poll(off).toEqual(["Next match (N)", "", ""]);
  });

  test("snapshots are chosen by mouse and keys, and Shift compares", async () => {
    const view = await openShown();
    const plot = view.page.locator("#plot");
    await plot.press("ArrowRight");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 4 · 4\.0 s/);
    expect(await plot.getAttribute("aria-valuetext")).toMatch(/^Snapshot 4/);
    await plot.press("Home");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 1 /);
    await plot.press("Shift+ArrowRight");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Change from snapshot 1 to snapshot 3/);
    await view.painted();
    const last = await view.page.locator("#chart circle.stacked").nth(2).boundingBox();
    if (!last) throw new Error("The snapshots are not drawn.");
    await view.page.mouse.click(last.x + 2, last.y + 40);
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 4 /);
    await view.page.locator("#file").selectOption("1");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 1 · 1\.0 s · heap 26\.0 MiB/);
  });

  test("a measured line's execution shows exactly what it changed", async () => {
    const view = await openShown();
    await view.page.locator("#tab-measured").click();
    expect(await rowsOf(view.page.locator("#panel-measured"))).toEqual([
      ["train.py:33", "2 measured of 150", "+21.0 MiB", "", ""],
      ["train.py:33", "1", "+20.0 MiB ± 210 B", "26.0 MiB", "46.0 MiB"],
      ["train.py:33", "2 (sizes only)", "+1 KiB ± 210 B", "46.0 MiB", "46.0 MiB"],
    ]);
    await view.page.locator("#panel-measured tbody button").nth(1).click();
    await expect
      .poll(() => text(view, "#readout"))
      .toBe("train.py:33, execution 1: +20.0 MiB ± 210 B (26.0 MiB before, 46.0 MiB after)");
    await expect.poll(() => tooltip(view, 5, 0.3)).toContain("Change: +20.0 MiB");
    await view.page.locator("#panel-measured tbody button").nth(2).click();
    expect(await text(view, "#status")).toContain("No call stacks were kept for this execution");
  });
});
