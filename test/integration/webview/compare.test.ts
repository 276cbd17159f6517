import { describe, expect, test } from "vitest";
import { compareHtml } from "../../../src/editor/compare/compareHtml.ts";
import type { CompareDocument } from "../../../src/protocol/compare.ts";
import { DOCUMENT, difference, LINES, REPEATED, SPREAD } from "../../../webview/compare/testing.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import { type OpenOptions, type OpenPage, openPage, THEMES } from "./page.ts";
import { stagePage } from "./stage.ts";

const MIB = 1024 * 1024;
const FOLDERS = { before: ["/p/.jetson-memprof/runs/r1"], after: ["/p/.jetson-memprof/runs/r2"] };
const stage = stagePage("compare");

async function open(options: OpenOptions = {}): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => compareHtml({ ...parts, folders: FOLDERS }), options),
  );
  await view.resize({ width: 1_100, height: 1_000 });
  return view;
}

async function openWith(document: CompareDocument = DOCUMENT, options: OpenOptions = {}): Promise<OpenPage> {
  const view = await open(options);
  await view.send({ kind: "comparison", document });
  await view.page.locator("#content").waitFor();
  return view;
}

const card = (view: OpenPage, title: string) =>
  view.page.locator(".card", { has: view.page.locator("h3", { hasText: title }) });
const rows = async (view: OpenPage): Promise<readonly string[]> =>
  (await view.page.locator("#lines tbody tr").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
const last = async (view: OpenPage): Promise<unknown> => (await view.received()).at(-1);

describe.skipIf(!stage.possible)("the page of a comparison", () => {
  test("says that it is ready, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
    await view.send({ kind: "unavailable", message: "The run is gone." });
    await expect.poll(() => view.page.locator("#status").textContent()).toBe("The run is gone.");
  });

  test("names both sides with time, board and commit", async () => {
    const view = await openWith();
    expect((await view.page.locator("#sides").innerText()).replace(/\s+/g, " ")).toBe(
      "Before weights made on the CPU on ssh://nano@192.168.1.20 · 2026-11-21 09:45:01 UTC · commit 1a2b3c4d · 1 run " +
        "After weights made on the GPU on ssh://nano@192.168.1.20 · 2026-11-21 10:12:44 UTC · commit 1a2b3c4d and 2 changed files · 1 run",
    );
    expect(await view.page.locator("#simulated").isVisible()).toBe(false);
  });

  test("the cards tell before, after and change, and how certain they are", async () => {
    const view = await openWith();
    const peak = await card(view, "Peak RSS").innerText();
    expect(peak).toContain("2120.4 → 1702.9 MiB");
    expect(peak).toContain("▼-417.5 MiB");
    expect(peak).toContain("one run each: at least 1.0 MiB of noise, and runs may differ by more");
    expect(await card(view, "Baseline").innerText()).toContain("no change beyond noise");
    expect(await card(view, "Time").innerText()).toContain("1 min 10 s → 1 min 4 s");
  });

  test("repeats tell by how much the runs differ on their own", async () => {
    const view = await openWith(REPEATED);
    expect(await card(view, "Peak RSS").innerText()).toContain("runs differ by up to 3.1 MiB on their own");
    // The last words of the card; a size is not parted from its unit.
    expect(await card(view, "Peak RSS").locator(".quiet .whole").allTextContents()).toEqual(["3.1 MiB"]);
    expect(await card(view, "Time").innerText()).toContain("no change beyond noise");
    expect(await view.page.locator("#sides").innerText()).toContain("median of 5 runs");
  });

  test("lists the lines that changed, largest first; gone and new ones are said to be", async () => {
    const view = await openWith();
    expect(await rows(view)).toEqual([
      "model.py:44edited net = LeNet().to(device) 1585.2 MiB 1180.4 MiB ▼-404.8 MiB",
      "train.py:52 beforegone copy = weights.clone() 61.5 MiB – ▼-61.5 MiB",
      "train.py:36 for images, labels in loader: 120.5 MiB 180.5 MiB ▲+60.0 MiB",
      "train.py:12new cache = torch.zeros(64, 3, 224, 224) – 36.8 MiB ▲+36.8 MiB",
      "train.py:20peak batch = next(images) 4.0 MiB 9.5 MiB ▲+5.5 MiB",
    ]);
    expect(await view.page.locator("#lines-words").textContent()).toContain(
      "5 lines changed by more than the noise, 1 did not. Whether 1 line changed is unknown.",
    );
  });

  test("a line whose peak went the other way has a row for each", async () => {
    const [first] = LINES;
    if (first === undefined) throw new Error("no line");
    const line = { ...first, net: difference([20 * MIB], [10 * MIB]), peak: difference([20 * MIB], [30 * MIB]) };
    const view = await openWith({ ...DOCUMENT, lines: [line] });
    expect(await rows(view)).toEqual([
      "model.py:44edited net = LeNet().to(device) 20.0 MiB 10.0 MiB ▼-10.0 MiB",
      "model.py:44editedpeak net = LeNet().to(device) 20.0 MiB 30.0 MiB ▲+10.0 MiB",
    ]);
    expect(await view.page.locator("#lines-words").textContent()).toContain("1 line changed");
  });

  test("what did not change is shown on demand, as noise or as unknown", async () => {
    const view = await openWith();
    await view.page.locator("#all").check();
    const all = await rows(view);
    expect(all).toContain("train.py:18 import torch 201.1 MiB 201.1 MiB ≈within noise");
    expect(all).toContain("train.py:70 print(total) unknown 307 KiB ?unknown");
    expect(await view.state()).toMatchObject({ all: true, folders: FOLDERS });
  });

  test("filters by file and text, and sorts by its headings; the keyboard is enough", async () => {
    const view = await openWith();
    await view.page.locator("#search").fill("LOADER");
    expect(await rows(view)).toHaveLength(1);
    await view.page.locator("#search").fill("");
    await view.page.locator("#sort-place").focus();
    await view.page.keyboard.press("Enter");
    expect((await rows(view)).map((row) => row.split(" ")[0])).toEqual([
      "model.py:44edited",
      "train.py:12new",
      "train.py:20peak",
      "train.py:36",
      "train.py:52",
    ]);
    expect(await view.page.evaluate(FOCUSED)).toBe("sort-place");
    expect(await view.page.locator("th", { hasText: "Line" }).first().getAttribute("aria-sort")).toBe("ascending");
    await view.page.locator("#sort-after").click();
    expect((await rows(view))[0]).toContain("model.py:44");
  });

  test("the same comparison again leaves the keyboard where it is", async () => {
    const view = await openWith();
    await view.page.getByRole("button", { name: "model.py:44" }).focus();
    await view.send({ kind: "comparison", document: DOCUMENT });
    await view.send({ kind: "unavailable", message: "Read." });
    await expect.poll(() => view.page.locator("#status").textContent()).toBe("Read.");
    expect(await view.page.locator(":focus").textContent()).toBe("model.py:44");
  });

  test("a line leads to the later side, a line that is gone to the earlier one", async () => {
    const view = await openWith();
    await view.page.getByRole("button", { name: "model.py:44" }).click();
    expect(await last(view)).toEqual({ kind: "goTo", side: "after", place: { path: "model.py", line: 44 } });
    await view.page.getByRole("button", { name: "train.py:52" }).click();
    expect(await last(view)).toEqual({ kind: "goTo", side: "before", place: { path: "train.py", line: 52 } });
  });

  test("puts the ledgers side by side in one scale; what was not read is unknown", async () => {
    const view = await openWith();
    const texts = (await view.page.locator("#ledger tbody tr").allInnerTexts()).map((text) =>
      text.replace(/\s+/g, " "),
    );
    expect(texts).toContain("This run: anonymous memory 2001.0 MiB 1601.0 MiB ▼-400.0 MiB");
    expect(texts).toContain("GPU buffers (NvMap) unknown 612.0 MiB ?unknown");
    // More that is free, or only cached, is not told as if it were worse.
    expect(texts).toContain("Free 180.0 MiB 560.0 MiB ↑+380.0 MiB");
    expect(texts).toContain("Page cache 320.5 MiB 330.1 MiB ↑+9.6 MiB");
    expect(texts).toContain("Other processes 512.0 MiB 515.5 MiB ▲+3.5 MiB");
    const width = (name: string, side: string) =>
      view.page
        .locator("#ledger tr", { hasText: name })
        .locator(`.bar-of.${side}`)
        .evaluate((bar) => bar.getBoundingClientRect().width);
    const [before, after] = [await width("anonymous", "before"), await width("anonymous", "after")];
    expect(after / before).toBeCloseTo(1601 / 2001, 2);
    expect((await width("Free", "after")) / before).toBeCloseTo(560 / 2001, 2);
    await view.send({ kind: "comparison", document: { ...DOCUMENT, ledger: [] } });
    await expect.poll(() => view.page.locator("#ledger-words").textContent()).toContain("no record of the whole board");
  });

  test("swaps, and opens the flame graph where both have one", async () => {
    const view = await openWith();
    expect(await view.page.locator("#flame").isVisible()).toBe(false);
    await view.page.locator("#swap").click();
    expect(await last(view)).toEqual({ kind: "swap" });
    await view.send({ kind: "comparison", document: { ...DOCUMENT, flame: true, metric: "heap" } });
    await view.page.locator("#flame").click();
    expect(await last(view)).toEqual({ kind: "flame" });
    expect(await card(view, "Peak of the heap").isVisible()).toBe(true);
  });

  test("shows the spread of one run's repeats by themselves", async () => {
    const view = await openWith(SPREAD);
    expect(await view.page.locator("h1").textContent()).toBe("Repeats of weights made on the GPU");
    expect(await card(view, "Peak RSS").innerText()).toContain("median; the runs lie 2.0 MiB apart");
    // Of a figure that one of the runs has, nothing is known of the others.
    await view.send({ kind: "comparison", document: { ...SPREAD, peak: difference([], [20 * MIB]) } });
    await expect.poll(() => card(view, "Peak RSS").innerText()).toContain("measured in one run only");
    expect(await rows(view)).toEqual(["train.py:12 import torch 201.1 MiB 2.2 MiB"]);
    expect(await view.page.locator("#swap").isVisible()).toBe(false);
    expect(await view.page.locator("#ledger-section").isVisible()).toBe(false);
  });

  test("texts of a board are text, whatever is in them", async () => {
    const evil = '<img src=x onerror="alert(1)">\u202e';
    const [first] = LINES;
    const view = await openWith({
      ...DOCUMENT,
      after: { ...DOCUMENT.after, name: evil },
      notes: [evil],
      lines: first === undefined ? [] : [{ ...first, text: evil, path: evil }],
    });
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await view.page.locator("#notes").innerText()).not.toContain("\u202e");
  });

  test("keeps its choices for the same runs only", async () => {
    const state = { folders: FOLDERS, sort: "place", search: "train", all: true };
    const view = await openWith(DOCUMENT, { savedState: state });
    expect(await view.page.locator("#search").inputValue()).toBe("train");
    expect(await view.page.locator("#all").isChecked()).toBe(true);
    await view.page.close();
    const other = await openWith(DOCUMENT, { savedState: { ...state, folders: { before: [], after: ["/other"] } } });
    expect(await other.page.locator("#search").inputValue()).toBe("");
  });

  test("5,000 lines are listed a hundred at a time", async () => {
    const [first] = LINES;
    if (first === undefined) throw new Error("no line");
    const lines = Array.from({ length: 5_000 }, (_, i) => ({ ...first, after: i + 1 }));
    const view = await openWith({ ...DOCUMENT, lines, linesLeft: 15_000 });
    expect(await view.page.locator("#lines tbody tr").count()).toBe(100);
    expect(await view.page.locator("#lines-words").textContent()).toContain("15,000 more lines");
    await view.page.locator("#more").click();
    expect(await view.page.locator("#lines tbody tr").count()).toBe(200);
  });

  test.each([400, 700, 1_400])("fits a panel of %i pixels in every theme, with names and contrast", async (width) => {
    const view = await openWith({ ...DOCUMENT, flame: true });
    await view.page.locator("#all").check();
    await view.resize({ width, height: 1_500 });
    expect(await accessibilityFaults(view.page)).toEqual([]);
    expect(await view.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await view.wear(theme);
      expect(await view.page.evaluate(POOR_CONTRASTS), theme).toEqual([]);
      await saveScreenshot(view.page, `compare-${width}-${theme}`);
    }
  });
});
