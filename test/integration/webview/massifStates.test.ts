import { describe, expect, test } from "vitest";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { DRAWN, FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import type { Scene } from "./massifPage.ts";
import { DOCUMENT, MIB, SCENE, wireOf } from "./massifScene.ts";
import { at, open, openShown, pixel, rowsOf, rowsOfTreeSelection, said, stage, text, tooltip } from "./massifStage.ts";
import { THEMES, THEMES_IN_TURN } from "./page.ts";

stage.use();

describe.skipIf(!stage.possible)("the tables and the tree of the massif page", () => {
  test("tables add up, are sorted by their headings, and lead into the graph", async () => {
    const view = await openShown();
    await view.page.locator("#tab-libraries").click();
    const libraries = view.page.locator("#panel-libraries");
    expect(await rowsOf(libraries)).toEqual([
      ["libtorch_cpu.so", "90.0 MiB", "84.9 %"],
      ["_multiarray_umath.so", "9.0 MiB", "8.5 %"],
      ["libcudart.so.10.2.300", "4.0 MiB", "3.8 %"],
      ["below threshold", "3.0 MiB", "2.8 %"],
    ]);
    await libraries.locator("th button").first().click();
    expect((await rowsOf(libraries))[0]?.[0]).toBe("_multiarray_umath.so");
    expect(await libraries.locator("th").first().getAttribute("aria-sort")).toBe("ascending");
    await libraries.getByRole("button", { name: "libtorch_cpu.so" }).click();
    expect(await text(view, "#matches")).toBe("Marked: libtorch_cpu.so");
    expect(await text(view, "#details .frame-name")).toMatch(/^at::empty/);

    await libraries.getByRole("button", { name: "below threshold" }).click();
    expect(await text(view, "#details .frame-name")).toBe("below threshold (12 places)");

    await view.page.locator("#tab-python").press("Enter");
    expect(await rowsOf(view.page.locator("#panel-python"))).toEqual([
      ["train.py:40", "<module>", "4.0 MiB", "103.0 MiB"],
      ["train.py:33", "train", "9.0 MiB", "99.0 MiB"],
      ["models/lenet.py:12", "forward", "90.0 MiB", "90.0 MiB"],
      ["…/nn/functional.py", "conv2d", "0 B", "90.0 MiB"],
    ]);
    await view.page.locator("#panel-python tbody button").nth(2).click();
    expect(await text(view, "#open-line")).toBe("Open lenet.py:12");
    await view.page.locator("#tab-python").press("ArrowLeft");
    expect(await view.page.locator("#panel-allocators").isVisible()).toBe(true);
  });

  test("the tree is the graph's equal for keys and screen readers", async () => {
    const view = await openShown();
    const tree = view.page.getByRole("tree", { name: "Call stacks" });
    expect(await tree.getByRole("treeitem").count()).toBe(3);
    const root = tree.getByRole("treeitem", { name: "All memory, 106.0 MiB (100.0 %)" });
    await root.focus();
    for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", " "]) await view.page.keyboard.press(key);
    const train = tree.getByRole("treeitem", { name: "train.py:33 train, 99.0 MiB (93.4 %)" });
    expect(await train.getAttribute("aria-selected")).toBe("true");
    expect(await train.getAttribute("aria-level")).toBe("3");
    expect(await train.getAttribute("aria-setsize")).toBe("2");
    expect(await text(view, "#details .frame-name")).toBe("train (train.py:33)");
    await view.page.keyboard.press("Enter");
    expect(await view.page.locator("#breadcrumb li").count()).toBe(3);
    await view.page.keyboard.press("o");
    expect(await said(view, "goTo")).toHaveLength(1);
    await view.page.keyboard.press("ArrowLeft");
    await view.page.keyboard.press("Home");
    expect(await view.page.locator(":focus").getAttribute("aria-level")).toBe("1");
  });

  test("hundreds of callees come in parts", async () => {
    const wide: Scene = {
      ...SCENE,
      tree: async () => wireOf(Array.from({ length: 250 }, (_, i) => [1_000 - i, `f${i}`, "_start"] as const)),
    };
    const view = await openShown(wide);
    await view.page.getByRole("treeitem", { name: /^_start/ }).click();
    await view.page.getByRole("treeitem", { name: "150 more…" }).click();
    await view.page.getByRole("treeitem", { name: "50 more…" }).click();
    expect(await view.page.getByRole("treeitem", { name: /^f\d/ }).count()).toBe(250);
    await view.page.locator("#tab-allocators").click();
    // The tables come after the picture.
    await expect.poll(() => view.page.locator("#panel-allocators tbody tr").count()).toBe(200);
    await view.page.getByRole("button", { name: "Show more (50 left)" }).click();
    expect(await view.page.locator("#panel-allocators tbody tr").count()).toBe(250);
  });

  test("only the stacks through one line, on demand and as the editor asks", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 3, 0.3);
    await view.page.mouse.click(x, y);
    await view.page.locator("#only-line").click();
    expect(await text(view, "#scope-text")).toBe("Only stacks through models/lenet.py:12 are shown.");
    await expect.poll(() => tooltip(view, 0, 0.5)).toContain("Size: 90.0 MiB");
    expect(await tooltip(view, 1, 0.9), "the share is that of the whole snapshot").toContain("Of the snapshot: 84.9 %");
    await view.page.locator("#scope-clear").click();
    await view.page.locator("#plot").press("ArrowRight");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 4/);
    const asked = { select: { kind: "snapshot", file: 0, snapshot: 1 }, scope: { path: "train.py", line: 33 } };
    await view.send({ kind: "document", document: DOCUMENT, ...asked });
    await expect.poll(() => text(view, "#readout"), { message: "the editor's wish goes first" }).toMatch(/^Snapshot 1/);
    await expect.poll(() => tooltip(view, 0, 0.5)).toContain("Size: 36.0 MiB");
    await view.send({ kind: "scope", scope: { path: "elsewhere.py", line: 1 } });
    await view.page.locator("#empty", { hasText: "elsewhere.py:1" }).waitFor();
    await view.page.locator("#scope-clear").click();
    await expect.poll(() => tooltip(view, 0, 0.5)).toContain("Size: 46.0 MiB");
  });

  test("copies a stack and exports in every format", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 5, 0.3);
    await view.page.mouse.click(x, y);
    await view.page.locator("#copy-stack").click();
    expect(await said(view, "copy")).toEqual([
      {
        kind: "copy",
        text: [
          "90.0 MiB (84.9 %)",
          "<module> (train.py:40)",
          "train (train.py:33)",
          "forward (models/lenet.py:12)",
          "conv2d (/usr/lib/python3/dist-packages/torch/nn/functional.py)",
          "at::empty<float>(c10::ArrayRef<long>) (libtorch_cpu.so)",
        ].join("\n"),
      },
    ]);
    for (const name of ["svg", "png", "folded", "speedscope", "heapprofile"]) {
      await view.page.locator("#export summary").click();
      await view.page.locator(`[data-format="${name}"]`).click();
    }
    await expect.poll(async () => (await said(view, "save")).length).toBe(5);
    const saved = new Map(
      (await said(view, "save")).map((message) => {
        const { format, name, content } = message as { format: string; name: string; content: string };
        return [format, { name, content }];
      }),
    );
    expect(saved.get("svg")?.name).toBe("train.py.svg");
    expect(saved.get("svg")?.content).toContain("<svg");
    expect(
      Buffer.from(saved.get("png")?.content ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const sums = (saved.get("folded")?.content ?? "").trim().split("\n");
    expect(sums.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)).toBe(106 * MIB);
    expect(JSON.parse(saved.get("speedscope")?.content ?? "{}")).toHaveProperty("shared.frames");
    expect(JSON.parse(saved.get("heapprofile")?.content ?? "{}")).toHaveProperty("head.children");
  });
});

describe.skipIf(!stage.possible)("the massif page in every state", () => {
  test("what was chosen is there again after a reload, but not in another file's view", async () => {
    const view = await openShown(SCENE, { source: "a" });
    await view.page.getByText("Allocators First").click();
    await view.page.locator("#plot").press("ArrowRight");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 4/);
    await view.painted();
    const { x, y } = await at(view, 1, 0.3);
    await view.page.mouse.dblclick(x, y);
    await view.page.locator("#search").fill("torch");
    await expect.poll(() => text(view, "#matches")).toMatch(/found/);
    await view.page.locator("#tab-python").click();
    const state = await view.state();
    await view.page.close();

    const again = await openShown(SCENE, { source: "a", savedState: state });
    expect(await text(again, "#readout")).toMatch(/^Snapshot 4/);
    expect(await again.page.locator("#breadcrumb li").count()).toBe(2);
    expect(await text(again, "#details .frame-name")).toMatch(/^at::empty/);
    expect(await again.page.locator("#search").inputValue()).toBe("torch");
    await expect.poll(() => text(again, "#matches")).toMatch(/found/);
    expect(await again.page.locator("#panel-python").isVisible()).toBe(true);
    expect(await again.page.getByRole("radio", { name: "Allocators First" }).isChecked()).toBe(true);
    await again.page.close();

    const other = await openShown(SCENE, { source: "b", savedState: state });
    expect(await text(other, "#readout")).toMatch(/^Snapshot 3/);
    expect(await other.page.locator("#search").inputValue()).toBe("");
  });

  test("the side pane is hidden by a key, leaves its room to the graph, and stays hidden after a reload", async () => {
    const view = await openShown(SCENE, { source: "a" });
    await view.resize({ width: 1_280, height: 800 });
    const width = async (of = view): Promise<number> => (await of.page.locator("#graph").boundingBox())?.width ?? 0;
    const [content, beside] = [(await view.page.locator("#content").boundingBox())?.width ?? 0, await width()];
    expect(beside).toBeLessThan(content * 0.7);
    await view.page.getByRole("button", { name: "Hide Side Pane" }).press("Enter");
    await expect.poll(() => width()).toBe(content);
    expect(await view.page.locator("#side").isVisible()).toBe(false);
    const show = view.page.getByRole("button", { name: "Show Side Pane" });
    expect(await show.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    // What is selected meanwhile is in sight in the tree once that is there again.
    const { x, y } = await at(view, 5, 0.3);
    await view.page.mouse.click(x, y);
    const state = await view.state();
    await show.press("Enter");
    await expect.poll(() => width()).toBe(beside);
    expect((await rowsOfTreeSelection(view))[0]).toContain("at::empty");
    expect(await view.state()).not.toHaveProperty("sideHidden");
    await view.page.close();

    const again = await openShown(SCENE, { source: "a", savedState: state });
    expect(await again.page.locator("#side").isVisible()).toBe(false);
    await again.page.getByRole("button", { name: "Show Side Pane" }).click();
    expect(await again.page.locator("#panel-tree").isVisible()).toBe(true);
  });

  test("most of a usual page is the graph's, and what is selected does not move it", async () => {
    const view = await openShown();
    // What a window of 1,280 x 800 leaves of itself to a page, beside the side bar.
    await view.resize({ width: 925, height: 705 });
    const box = () => view.page.locator("#graph").boundingBox();
    const before = await box();
    expect(before?.width).toBeGreaterThan(560);
    expect(before?.height).toBeGreaterThan(360);
    const { x, y } = await at(view, 3, 0.3);
    await view.page.mouse.click(x, y);
    expect(await text(view, "#details .frame-name")).toBe("forward (models/lenet.py:12)");
    expect(await box()).toEqual(before);
  });

  test("what is no longer chosen is no longer kept", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 3, 0.3);
    await view.page.mouse.click(x, y);
    await view.page.locator("#only-line").click();
    await expect.poll(() => view.state()).toHaveProperty("scope", { path: "models/lenet.py", line: 12 });
    expect(await view.state()).toHaveProperty("selected");
    await view.page.locator("#scope-clear").click();
    expect(await view.state()).not.toHaveProperty("scope");
    await view.painted();
    const nowhere = await at(view, 8, 0.5);
    await view.page.mouse.click(nowhere.x, nowhere.y);
    expect(await view.state()).not.toHaveProperty("selected");
  });

  test("a file that goes on being written keeps what the user chose", async () => {
    const view = await openShown();
    await view.page.locator("#plot").press("ArrowRight");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Snapshot 4/);
    await view.send({ kind: "document", document: { ...DOCUMENT, title: "train.py again" } });
    await expect.poll(() => text(view, "#title")).toBe("train.py again");
    await view.painted();
    expect(await text(view, "#readout")).toMatch(/^Snapshot 4/);
    expect(await said(view, "tree"), "trees are those of the file as it is now").toHaveLength(3);
  });

  test("notes and problems are told plainly", async () => {
    const view = await openShown();
    expect(await text(view, "#notes-title")).toBe("2 things to know about these figures");
    await view.page.locator("#notes-title").click();
    expect(await view.page.locator("#notes-list li").allTextContents()).toEqual([
      DOCUMENT.notes[0],
      "main, line 812 of the file: The last snapshot is cut off; what was read of it is shown.",
    ]);
  });

  test("says what to do where there is nothing to show", async () => {
    const [file] = DOCUMENT.files;
    if (!file) throw new Error("The scene has no file.");
    const view = await open();
    await view.send({ kind: "unavailable", message: "The file is gone. Open another one." });
    await expect.poll(() => text(view, "#status")).toBe("The file is gone. Open another one.");
    await view.send({ kind: "document", document: { ...DOCUMENT, files: [], lines: [] } });
    await expect.poll(() => text(view, "#status")).toContain("Massif has written nothing here yet.");
    const bare = { ...file, snapshots: file.snapshots.map((entry) => ({ ...entry, tree: "none", nodes: 0 })) };
    await view.send({ kind: "document", document: { ...DOCUMENT, files: [bare], lines: [] } });
    await view.page.locator("#empty", { hasText: "--detailed-freq=1" }).waitFor();
    expect(await view.page.locator("#chart .band.heap").count()).toBe(1);
  });

  test("a tree that cannot be had, or came damaged, is told; the next choice works", async () => {
    const faulty: Scene = {
      document: DOCUMENT,
      tree: async (ref) => {
        if (ref.kind === "snapshot" && ref.snapshot === 3) throw new Error("The snapshot is gone. Choose another one.");
        const wire = await SCENE.tree(ref);
        return ref.kind === "snapshot" && ref.snapshot === 4 ? { ...wire, parent: wire.label } : wire;
      },
    };
    const view = await openShown(faulty);
    expect(await text(view, "#status")).toBe("The snapshot is gone. Choose another one.");
    await view.page.locator("#plot").press("ArrowRight");
    await expect.poll(() => text(view, "#status")).toContain("arrived damaged");
    await view.page.locator("#plot").press("Home");
    await expect.poll(async () => (await tooltip(view, 0, 0.5)).join()).toContain("46.0 MiB");
    expect(await text(view, "#status")).toBe("");
    // The figures of the one must not stay below the name of the other.
    await view.page.locator("#plot").press("p");
    await view.page.locator("#empty", { hasText: "Choose another snapshot" }).waitFor();
    expect(await text(view, "#readout")).toContain("Snapshot 3 (peak)");
    for (const part of ["#tooltip", "#side", "#details", "#export"])
      expect(await view.page.locator(part).isVisible()).toBe(false);
  });

  test("a slow snapshot says that it is read, and says so no longer when another one is shown", async () => {
    const never: Scene = {
      document: DOCUMENT,
      tree: (ref) => (ref.kind === "snapshot" && ref.snapshot === 1 ? new Promise(() => {}) : SCENE.tree(ref)),
    };
    const view = await openShown(never);
    await view.page.locator("#plot").press("Home");
    await expect.poll(() => text(view, "#status")).toBe("Reading the call stacks…");
    // What is painted meanwhile is the snapshot before.
    await view.wear("light");
    await view.page.evaluate(`${DRAWN}.then(() => {})`);
    expect(await view.page.locator("#graph").getAttribute("aria-busy")).toBe("true");
    await view.page.locator("#plot").press("End");
    await view.painted();
    await expect.poll(() => text(view, "#status")).toBe("");
    // Gone back before the message was due: it must not come later. The page's clock goes on when it is told to.
    await view.page.clock.install();
    await view.page.clock.pauseAt(Date.now() + 3_600_000);
    await view.page.locator("#plot").press("Home");
    await view.page.locator("#plot").press("End");
    await expect
      .poll(async () => {
        await view.page.clock.runFor(20);
        return view.page.locator('#graph[aria-busy="false"]').count();
      })
      .toBe(1);
    await view.page.clock.runFor(60_000);
    expect(await text(view, "#status")).toBe("");
    await view.page.locator("#plot").press("Home");
    await view.page.clock.runFor(60_000);
    expect(await text(view, "#status")).toBe("Reading the call stacks…");
  });

  test("passes over messages that are none of its own, and shows text as text", async () => {
    const hostile = '<img src=x onerror="window.hit=1">';
    const scene: Scene = {
      document: { ...DOCUMENT, title: hostile, notes: [hostile] },
      tree: async () => wireOf([[MIB, hostile, "_start"]]),
    };
    const view = await openShown(scene);
    await view.send({ kind: "tree", request: 99, tree: wireOf([]) });
    await view.send({ kind: "document", document: { title: 1 } });
    await view.send({ command: "eval", code: "window.hit=1" });
    for (const tab of ["tree", "libraries", "allocators", "python", "measured"])
      await view.page.locator(`#tab-${tab}`).click();
    await tooltip(view, 2, 0.5);
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await text(view, "#title")).toBe(hostile);
  });

  test("fits its window down to a narrow one, and at twice the size of text", async () => {
    const view = await openShown();
    for (const size of [
      { width: 1_400, height: 900 },
      { width: 1_080, height: 700 },
      { width: 640, height: 430 },
      { width: 400, height: 800 },
    ]) {
      await view.resize(size);
      await expect
        .poll(() => view.page.evaluate("document.documentElement.scrollWidth"))
        .toBeLessThanOrEqual(size.width);
      const canvas = view.page.locator("#canvas");
      await expect.poll(async () => (await canvas.boundingBox())?.width).toBeGreaterThan(size.width / 2);
      await view.page.locator("#export summary").click();
      const menu = await view.page.locator("#export .items").boundingBox();
      expect(menu?.x).toBeGreaterThanOrEqual(0);
      expect((menu?.x ?? 0) + (menu?.width ?? size.width)).toBeLessThanOrEqual(size.width);
      await view.page.locator("#export summary").press("Escape");
    }
  });
});

describe.skipIf(!stage.possible)("the massif page in themes", () => {
  test.each(THEMES_IN_TURN)("is readable in %s", async (theme) => {
    const view = await openShown();
    await view.wear(theme);
    const { x, y } = await at(view, 2, 0.3);
    await view.page.mouse.click(x, y);
    await expect.poll(() => pixel(view, 12, 0.5)).toEqual(rgb(THEMES[theme].variables["editor-background"]));
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await view.page.evaluate("document.getAnimations().length")).toBe(0);
    await saveScreenshot(view.page, `massif-page-${theme}`);
    await view.page.locator("#compare").selectOption("1");
    await expect.poll(() => text(view, "#readout")).toMatch(/^Change/);
    await view.painted();
    await saveScreenshot(view.page, `massif-page-difference-${theme}`);
  });
});

const rgb = (hex: string): number[] => (hex.match(/[0-9a-f]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));

describe.skipIf(!stage.possible)("the massif page for assistive technology", () => {
  test("every control has a name, every id is once, and every reference leads somewhere", async () => {
    const view = await openShown();
    const { x, y } = await at(view, 2, 0.3);
    await view.page.mouse.click(x, y);
    expect(await accessibilityFaults(view.page)).toEqual([]);
  });

  test("the Tab key goes through the page in the order of what is seen, and is caught nowhere", async () => {
    const view = await openShown();
    const order: string[] = [];
    await view.page.locator("body").press("Tab");
    for (let i = 0; i < 60; i++) {
      const here = await view.page.evaluate<string>(FOCUSED);
      if (here === "" || (order.length > 0 && here === order[0])) break;
      order.push(here);
      await view.page.keyboard.press("Tab");
    }
    const wanted = ["notes-title", "file", "compare", "plot", "shape", "direction", "fold", "search", "reset", "graph"];
    expect(order.filter((id) => wanted.includes(id))).toEqual(wanted);
    expect(order.indexOf("tab-tree")).toBeGreaterThan(order.indexOf("graph"));
  });
});
