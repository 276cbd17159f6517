import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { modelHtml } from "../../../src/editor/torch/model/modelHtml.ts";
import type { ModelDocument } from "../../../src/protocol/torch/model.ts";
import type { WhatIf } from "../../../src/torch/whatif/model.ts";
import {
  accountOf,
  BATCH,
  CONTEXT,
  chained,
  DOCUMENT,
  hugePlans,
  LENET,
  processOf,
  rootOf,
} from "../../../webview/model/testing.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import { type OpenOptions, type OpenPage, openPage, THEMES_IN_TURN } from "./page.ts";
import { stagePage } from "./stage.ts";

const FOLDER = "/p/.jetson-memprof/runs/r1";
/** Of the model in DOCUMENT: weights and biases of two convolutions' worth and two linear layers, as float32. */
const PARAMETERS = 4 * (64 * 3 * 3 * 3 + 64 + 2 * 64 + 120 * 57_600 + 120 + 10 * 120 + 10);
const MIB = 1024 * 1024;
/** Eight layers that pass on 2 MiB each and save 6 MiB more. */
const CHAIN = { ...DOCUMENT, processes: [processOf(accountOf(chained(8, 2 * MIB, 6 * MIB)))] };
const stage = stagePage("model");

async function open(options: OpenOptions = {}): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => modelHtml({ ...parts, folder: FOLDER }), options),
  );
  await view.resize({ width: 1_300, height: 1_000 });
  return view;
}

async function openWith(document: ModelDocument = DOCUMENT, options: OpenOptions = {}): Promise<OpenPage> {
  const view = await open(options);
  await view.send({ kind: "model", document });
  await view.page.locator("#content").waitFor();
  return view;
}

const rows = (view: OpenPage): Locator => view.page.locator("#layers .rows .row");
const cells = (view: OpenPage, layer: number): Promise<string[]> =>
  view.page.locator(`#layer-${layer} > *`).allInnerTexts();
const choose = (view: OpenPage, name: "view" | "color", value: string): Promise<void> =>
  view.page.locator(`input[name="${name}"][value="${value}"] + span`).click();
const fact = (view: OpenPage, name: string): Locator =>
  view.page.locator("#facts div", { has: view.page.locator("dt", { hasText: name }) }).locator("dd");
const last = async (view: OpenPage): Promise<unknown> => (await view.received()).at(-1);
const card = (view: OpenPage, kind: string): Locator => view.page.locator(`.card[data-kind="${kind}"]`);
const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

describe.skipIf(!stage.possible)("the page of a model account", () => {
  test("says that it is ready, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("begins with what the figures are of, and names a simulated board as such", async () => {
    const view = await openWith();
    expect(await view.page.locator("h1").textContent()).toBe("train.py --batch-size 64");
    expect(await view.page.locator("#simulated").textContent()).toBe("Simulated: Jetson Nano");
    expect(await fact(view, "Parameters").textContent()).toBe(mib(PARAMETERS));
    expect(await fact(view, "PyTorch").textContent()).toBe("1.13.1");
    expect(await fact(view, "Device").textContent()).toBe("cuda:0");
    expect(await fact(view, "Step shown").textContent()).toBe("step 1, training");
    expect(await fact(view, "Batch").textContent()).toBe(String(BATCH));
    expect(await view.page.locator("#notes").textContent()).toContain("seen as it kept them");
  });

  test("the tree shows each layer with all that is in it, and its share of the model", async () => {
    const view = await openWith();
    expect(await cells(view, 0)).toEqual([
      expect.stringContaining("LeNet"),
      mib(PARAMETERS),
      "512 B",
      mib(PARAMETERS),
      mib(2 * PARAMETERS),
      "56.3 MiB",
      "161.8 MiB",
      "100.0 %",
    ]);
    expect((await cells(view, 4)).slice(1)).toEqual(["0 B", "0 B", "0 B", "0 B", "14.1 MiB", "14.1 MiB", "8.7 %"]);
  });

  test("the tree is walked and folded by keys alone", async () => {
    const view = await openWith();
    await view.page.locator("#layers").focus();
    const keys = async (...pressed: readonly string[]): Promise<string | null> => {
      for (const key of pressed) await view.page.keyboard.press(key);
      return view.page.locator("#layers").getAttribute("aria-activedescendant");
    };
    expect(await keys("ArrowDown")).toBe("layer-1");
    await keys("ArrowLeft");
    expect(await view.page.locator("#layer-1").getAttribute("aria-expanded")).toBe("false");
    expect(await rows(view).count()).toBe(5);
    expect(await keys("ArrowDown")).toBe("layer-5");
    expect(await keys("End")).toBe("layer-7");
    expect(await keys("ArrowLeft")).toBe("layer-5");
    expect(await keys("Home", "ArrowDown", "ArrowRight", "ArrowRight")).toBe("layer-2");
    expect(await view.page.locator("#details h3").textContent()).toBe("features.0 Conv2d");
    expect(await view.page.evaluate(FOCUSED)).toBe("layers");
  });

  test("the row of a layer itself is a step of the keys like any other", async () => {
    const plans = LENET.map((plan) => (plan.name === "features" ? { ...plan, saved: [[BATCH, 3]] } : plan));
    const view = await openWith({ ...DOCUMENT, processes: [{ name: "main", account: accountOf(rootOf(plans)) }] });
    await view.page.locator("#layers").focus();
    const walked: (string | null)[] = [];
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft"]) {
      await view.page.keyboard.press(key);
      walked.push(await view.page.locator("#layers").getAttribute("aria-activedescendant"));
    }
    expect(walked).toEqual(["layer-1", "layer-1-itself", "layer-2", "layer-1-itself", "layer-1"]);
    expect(await view.page.locator("#details h3").textContent()).toBe("features Sequential");
  });

  test("the details tell settings, shapes and types, and lead to the line that called the model", async () => {
    const view = await openWith();
    await view.page.locator("#layer-2").click();
    const details = view.page.locator("#details");
    expect(await details.locator("pre").textContent()).toBe("3, 64, kernel_size=(3, 3), stride=(1, 1)");
    const tensors = details.locator("table", { hasText: "Parameters (2)" }).locator("tbody tr");
    expect(await tensors.nth(0).locator("td").allTextContents()).toEqual([
      "features.0.weight",
      "64 × 3 × 3 × 3",
      "float32",
      "7 KiB",
      "yes",
    ]);
    const saved = details.locator("table", { hasText: "Saved activations (1)" }).locator("tbody td");
    expect(await saved.allTextContents()).toEqual(["64 × 64 × 30 × 30", "float32", "14.1 MiB", "yes", "in the layer"]);
    await details.getByRole("button", { name: "train.py:33" }).click();
    expect(await last(view)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
  });

  test("the table shows each layer alone and is sorted by its headings", async () => {
    const view = await openWith();
    await choose(view, "view", "table");
    expect((await cells(view, 0)).slice(-2)).toEqual(["0 B", "0.0 %"]);
    await view.page.getByRole("button", { name: "Activations" }).click();
    const heading = view.page.locator('[role="columnheader"].activations');
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    expect(await rows(view).first().getAttribute("data-layer")).toBe("2");
    await view.page.getByRole("button", { name: "Activations" }).press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("none");
    expect(await rows(view).first().getAttribute("data-layer")).toBe("0");
  });

  test("the three views mark the same layer", async () => {
    const view = await openWith();
    await view.page.locator("#layer-6").click();
    await choose(view, "view", "icicle");
    expect(await view.page.locator("#icicle-text").textContent()).toContain("classifier.0 Linear · 119.5 MiB · 73.9 %");
    await view.page.locator("#icicle-picture").focus();
    await view.page.keyboard.press("ArrowUp");
    expect(await view.page.locator("#details h3").textContent()).toBe("classifier Sequential");
    await choose(view, "view", "table");
    expect(await view.page.locator('[aria-selected="true"]').getAttribute("data-layer")).toBe("5");
  });

  test("the icicle is as wide as the bytes, zooms, and is colored by kind or by type", async () => {
    const view = await openWith();
    await choose(view, "view", "icicle");
    const width = async (layer: number): Promise<number> =>
      Number(await view.page.locator(`#icicle-picture [data-layer="${layer}"] .edge`).getAttribute("width"));
    expect((await width(5)) / (await width(0))).toBeCloseTo(0.739, 2);
    expect(await view.page.locator("#icicle-legend li").allTextContents()).toEqual([
      "Parameters",
      "Buffers",
      "Gradients",
      "Optimizer",
      "Activations",
    ]);
    await choose(view, "color", "type");
    expect((await view.page.locator("#icicle-legend li").allTextContents())[0]).toBe("Linear");
    await view.page.locator("#icicle-picture").focus();
    await view.page.keyboard.press("ArrowDown");
    await view.page.keyboard.press("Enter");
    await expect.poll(async () => (await width(1)) / (await width(0))).toBeCloseTo(1, 3);
    await view.page.keyboard.press("Escape");
    await expect.poll(async () => (await width(1)) / (await width(0))).toBeCloseTo(0.261, 2);
  });

  test("what was not seen is said to be, and sums are then the least", async () => {
    const half = rootOf(LENET, { gradients: false, optimizer: false, activations: false });
    const account = { ...accountOf(half), optimizers: [], complete: false, activationsBy: "outputs" as const };
    const view = await openWith({ ...DOCUMENT, processes: [{ name: "main", account }] });
    expect((await cells(view, 0)).slice(3)).toEqual([
      "not seen",
      "not seen",
      "not seen",
      `≥ ${mib(PARAMETERS + 512)}`,
      "100.0 %",
    ]);
    expect(await fact(view, "Total held").textContent()).toBe(`at least ${mib(PARAMETERS + 512)}`);
    expect(await fact(view, "Peak above a step").textContent()).toBe("not measured");
    const notes = await view.page.locator("#notes").innerText();
    expect(notes).toContain("older than 1.10");
    expect(notes).toContain("not complete");
    expect(notes).toContain("Not seen: gradients, optimizer, activations.");
    expect(await view.page.locator("#batch-content").textContent()).toContain("not known");
  });

  test("a run without any model says so, and a live one where it will be", async () => {
    const view = await open();
    await view.send({ kind: "model", document: { ...DOCUMENT, processes: [] } });
    await expect.poll(() => view.page.locator("#status").textContent()).toContain("No model was seen");
    await view.send({ kind: "model", document: { ...DOCUMENT, running: true, processes: [] } });
    await expect.poll(() => view.page.locator("#status").textContent()).toContain("when the run has ended");
    await view.send({ kind: "unavailable", message: "The run is gone." });
    await expect.poll(() => view.page.locator("#status").textContent()).toBe("The run is gone.");
  });

  test("several models can be chosen among, the heaviest first", async () => {
    const loss = rootOf([{ name: "", type: "torch.nn.modules.loss.CrossEntropyLoss" }]);
    const account = accountOf(loss, rootOf(LENET));
    const view = await openWith({ ...DOCUMENT, processes: [{ name: "main", account }] });
    const select = view.page.locator("#models");
    expect(await select.locator("option").allTextContents()).toEqual(["LeNet, main", "CrossEntropyLoss, main"]);
    await select.selectOption({ index: 1 });
    expect(await rows(view).count()).toBe(1);
    expect(await view.state()).toMatchObject({ model: 1, layer: 0 });
  });

  test("is shown as it was left", async () => {
    const savedState = { folder: FOLDER, view: "table", model: 0, layer: 6, free: 512 * 1024 * 1024 };
    const view = await openWith(DOCUMENT, { savedState });
    expect(await view.page.locator('[aria-selected="true"]').getAttribute("data-layer")).toBe("6");
    expect(await view.page.locator('input[value="table"]').isChecked()).toBe(true);
    expect(await view.page.locator("#free").inputValue()).toBe("512.0");
  });

  test("five thousand layers are there at once and scroll to the last", async () => {
    const account = accountOf(rootOf(hugePlans(5_000)));
    const view = await open();
    const message = { kind: "model", document: { ...DOCUMENT, processes: [{ name: "main", account }] } };
    await view.send(message);
    await view.page.locator("#layer-4").waitFor();
    expect(await rows(view).count()).toBeLessThan(100);
    await view.page.locator("#layers").focus();
    await view.page.keyboard.press("End");
    await view.page.locator("#layer-4999").waitFor();
    await choose(view, "view", "icicle");
    expect(await view.page.locator("#icicle-picture [data-layer]").count()).toBeLessThan(2_000);
  });

  test("takes nothing that is not a model, and shows hostile names as text", async () => {
    const evil = '<img src=x onerror="window.hacked=1">\u202e\u0007';
    const plans = LENET.map((plan, i) => (i === 2 ? { ...plan, config: evil, type: evil } : plan));
    const view = await openWith({
      ...DOCUMENT,
      title: evil,
      processes: [{ name: evil, account: { ...accountOf(rootOf(plans)), torch: evil, problems: [evil] } }],
    });
    await view.page.locator("#layer-2").click();
    expect(await view.page.evaluate("window.hacked")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await view.page.locator("#details pre").textContent()).not.toContain("\u202e");
    const before = await view.page.locator("#layers").innerText();
    const root = rootOf(LENET);
    const looped = root.layers.map((layer) => (layer.index === 1 ? { ...layer, parent: 5 } : layer));
    for (const bad of [
      null,
      "model",
      { kind: "model" },
      {
        kind: "model",
        document: { ...DOCUMENT, processes: [{ name: "x", account: accountOf({ ...root, layers: looped }) }] },
      },
      { kind: "model", document: { ...DOCUMENT, context: { ...DOCUMENT.context, availableBefore: -1 } } },
    ])
      await view.send(bad);
    expect(await view.page.locator("#layers").innerText()).toBe(before);
  });

  test("the largest batch follows the memory that is free, and says how certain it is", async () => {
    const view = await openWith();
    const verdict = view.page.locator("#batch-result .verdict");
    const largest = async (): Promise<number> =>
      Number(/about ([\d,]+)\./.exec((await verdict.textContent()) ?? "")?.[1]?.replaceAll(",", ""));
    const before = await largest();
    expect(before).toBeGreaterThan(BATCH);
    expect(await view.page.locator("#free").inputValue()).toBe("2400.0");
    await view.page.locator("#free").fill("1200");
    expect(await largest()).toBeLessThan(before);
    expect(await view.state()).toMatchObject({ free: 1_200 * MIB });
    expect(await view.page.locator("#batch-result .evidence li").count()).toBeGreaterThan(1);
    await view.page.locator("#free").fill("10");
    expect(await verdict.textContent()).toContain("Not even a batch of one fits.");
    await view.page.locator("#free").fill("");
    expect(await verdict.textContent()).toContain("Type how much memory is free");
    const fits = view.page.locator("#batch-result tbody tr td:last-child");
    expect(new Set(await fits.allTextContents())).toEqual(new Set([""]));
  });

  test("batch sizes are listed with their band, and whether they fit", async () => {
    const view = await openWith();
    const cellsOf = (batch: string): Promise<string[]> =>
      view.page
        .locator("#batch-result tbody tr", { has: view.page.locator(`td:first-child:text-is("${batch}")`) })
        .locator("td")
        .allTextContents();
    const [, about = "", least = "", most = "", fits] = await cellsOf("64");
    expect(Number.parseFloat(least)).toBeLessThanOrEqual(Number.parseFloat(about));
    expect(Number.parseFloat(about)).toBeLessThanOrEqual(Number.parseFloat(most));
    expect(fits, "what the process takes outside the model is not known").toBe("perhaps");
    expect(await view.page.locator("#batch-result .plot path.band").count()).toBe(1);
  });

  test("what-ifs that came with the document stand beside the others, without a slider, as text", async () => {
    const bytes = (size: number) => ({ bytes: size, low: size, high: size });
    const lora: WhatIf = {
      kind: "lora+4bit",
      title: "LoRA <b>adapters</b>",
      of: "weights",
      now: bytes(8 * MIB),
      changed: bytes(2 * MIB),
      formula: "W + P",
      symbols: [{ symbol: "W", meaning: "weights", value: MIB, unit: "bytes" }],
      notes: ["For a rank of 8"],
      verify: { kind: "edit", code: "get_peft_model(model)" },
    };
    const [main] = DOCUMENT.processes;
    if (main === undefined) throw new Error("no process");
    const view = await openWith({
      ...DOCUMENT,
      processes: [{ ...main, whatIfs: [{ estimates: [lora], refused: [] }] }],
    });
    const shown = card(view, "lora+4bit");
    expect(await shown.locator("h3").textContent()).toBe("LoRA <b>adapters</b>");
    expect(await shown.locator(".saving").textContent()).toBe("Saves about 6.0 MiB (75.0 %)");
    expect(await shown.locator('input[type="range"]').count()).toBe(0);
    expect(await card(view, "accumulation").count()).toBe(1);
  });

  test("a what-if shows now and then, and answers its slider at once", async () => {
    const view = await openWith(CHAIN);
    const checkpoint = card(view, "checkpoint");
    const values = checkpoint.locator(".measure .value");
    await checkpoint.locator("summary").click();
    const slider = checkpoint.locator('input[type="range"]');
    await slider.fill("8");
    const together = await values.nth(1).textContent();
    await slider.fill("2");
    const [now, then] = await values.allTextContents();
    expect(Number.parseFloat(then ?? "")).toBeLessThan(Number.parseFloat(now ?? ""));
    expect(Number.parseFloat(then ?? "")).toBeLessThan(Number.parseFloat(together ?? ""));
    expect(await checkpoint.locator("output").textContent()).toBe("2");
    expect(await checkpoint.locator("details").getAttribute("open")).not.toBeNull();
    expect(await checkpoint.locator(".formula").textContent()).toContain("Then = ");
    expect(await checkpoint.locator("details tbody tr").count()).toBeGreaterThan(2);
    expect(await view.state()).toMatchObject({ choices: { checkpoint: 2 } });
  });

  test("a what-if is checked with a real run, whose figure then stands beside the estimate", async () => {
    const view = await openWith(CHAIN);
    const checkpoint = card(view, "checkpoint");
    await checkpoint.locator('input[type="range"]').fill("2");
    await view.page.locator("#layer-0 .fold").click();
    expect(await rows(view).count()).toBe(1);
    await checkpoint.getByRole("button", { name: "Check with a Real Run…" }).click();
    const trial = { kind: "checkpoint", every: 2 } as const;
    expect(await last(view)).toEqual({ kind: "check", trial });
    const root = "torch.nn.modules.container.Sequential";
    const measured = {
      run: "20261122-1",
      root,
      trial,
      batch: BATCH,
      peak: 50 * MIB,
      measure: "cuda-allocated",
    } as const;
    const context = { ...CONTEXT, others: [{ ...measured, sameArguments: true }] };
    await view.send({ kind: "model", document: { ...CHAIN, context } });
    await expect.poll(() => checkpoint.locator(".measured").textContent()).toContain("Measured: 50.0 MiB");
    expect(await checkpoint.locator(".measured").textContent()).toContain("20261122-1");
    expect(await checkpoint.locator("output").textContent(), "the choice is kept").toBe("2");
    expect(await rows(view).count(), "what was folded stays so").toBe(1);
  });

  test("what cannot be run is code to copy, what does not apply says why", async () => {
    const view = await openWith({ ...CHAIN, repeatable: false });
    expect(await view.page.getByRole("button", { name: "Check with a Real Run…" }).count()).toBe(0);
    expect(await card(view, "checkpoint").textContent()).toContain("cannot be repeated from here");
    const accumulation = card(view, "accumulation");
    await accumulation.getByRole("button", { name: "Copy" }).click();
    expect(await last(view)).toEqual({ kind: "copy", text: await accumulation.locator("pre").textContent() });
    expect(await view.page.locator(".refused li").count()).toBeGreaterThan(0);
  });

  test("layers that models have in common come with what merging saves and what it needs", async () => {
    const copies = ["a.py", "b.py"].map((model) => ({ model, layer: "classifier.0" }));
    const layer = { type: "torch.nn.modules.linear.Linear", config: "in_features=512", bytes: 3 * MIB, copies };
    const view = await openWith({ ...DOCUMENT, compared: 2, shared: [{ ...layer, saving: 3 * MIB }] });
    const shared = view.page.locator("#shared-content");
    expect(await shared.locator("tbody td").allTextContents()).toEqual([
      "Linear (in_features=512)",
      "3.0 MiB",
      "2",
      "3.0 MiB",
      "a.py: classifier.0, b.py: classifier.0",
    ]);
    expect(await shared.textContent()).toContain("trained together again");
    await view.send({ kind: "model", document: { ...DOCUMENT, compared: 2 } });
    await expect.poll(() => shared.textContent()).toContain("No layer is the same");
  });

  test.each(THEMES_IN_TURN)("is readable in the theme %s", async (theme) => {
    const view = await openWith(CHAIN);
    await view.resize({ width: 1_300, height: 2_200 });
    for (const summary of await view.page.locator("summary").all()) await summary.click();
    await view.wear(theme);
    for (const shown of ["tree", "table", "icicle"] as const) {
      await choose(view, "view", shown);
      expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
      expect(await accessibilityFaults(view.page)).toEqual([]);
    }
    await saveScreenshot(view.page, `model-page-${theme}`);
  });

  test.each([400, 700, 1_400])("has no sideways scrolling at a width of %i", async (width) => {
    const view = await openWith(CHAIN);
    await view.resize({ width, height: 3_000 });
    await view.page.locator("#layer-2").click();
    for (const shown of ["icicle", "tree"] as const) {
      await choose(view, "view", shown);
      expect(await view.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
    await saveScreenshot(view.page, `model-page-${width}`);
  });
});
