import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { EndingReport } from "../../../src/board/ending/model.ts";
import { endingHtml } from "../../../src/editor/board/ending/endingHtml.ts";
import type { RunEnding } from "../../../src/protocol/board/ending.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { POOR_CONTRASTS } from "./checks.ts";
import { ADVICE, ENDING, FOLDER, MIB, REPORT } from "./endingScene.ts";
import { type OpenPage, openPage, THEMES_IN_TURN } from "./page.ts";
import { stagePage } from "./stage.ts";

const stage = stagePage("ending");

async function open(): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => endingHtml({ ...parts, folder: FOLDER })),
  );
  await view.resize({ width: 1_300, height: 1_000 });
  return view;
}

async function openWith(ending: RunEnding = ENDING): Promise<OpenPage> {
  const view = await open();
  await view.send({ kind: "ending", ending });
  await view.page.locator("#content").waitFor();
  return view;
}

const section = (view: OpenPage, title: string): Locator =>
  view.page.locator("main section", { has: view.page.locator("h2", { hasText: title }) });
const last = async (view: OpenPage): Promise<unknown> => (await view.received()).at(-1);

describe.skipIf(!stage.possible)("the page of a run's end", () => {
  test("says that it is ready and which run it is of, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.state()).toEqual({ folder: FOLDER });
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("begins with what happened, what it means, the line with its text, and how certain that is", async () => {
    const view = await openWith();
    expect(await view.page.locator("h1").textContent()).toBe("train.py --batch-size 64");
    expect(await view.page.locator("#about").textContent()).toBe(ENDING.board);
    expect(await view.page.locator("#simulated").textContent()).toBe("Simulated: Jetson Nano");
    const verdict = view.page.locator(".verdict");
    expect(await verdict.locator("h2").textContent()).toBe(REPORT.headline);
    expect(await verdict.locator(".where").textContent()).toBe("models/lenet.py:12x = F.relu(self.conv2(x))");
    expect(await verdict.locator("#sureness").textContent()).toBe(
      "How certain this is: certain. How it is known: PyTorch said so in the script's error output.",
    );
    await view.page.locator("#go-to-line").click();
    expect(await last(view)).toEqual({ kind: "goTo", place: { path: "models/lenet.py", line: 12 } });
  });

  test("the stack leads to own lines, and folds calls in libraries", async () => {
    const view = await openWith();
    const frames = view.page.locator(".stack > li");
    expect(await frames.count()).toBe(5);
    expect(await frames.nth(1).textContent()).toBe("train.py:33 in trainloss = model(x.cuda())");
    await frames.nth(1).getByRole("button").click();
    expect(await last(view)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
    expect(await frames.nth(2).locator("summary").textContent()).toBe("2 calls in libraries");
    expect(await frames.nth(2).locator("ol").isVisible()).toBe(false);
    await frames.nth(2).locator("summary").press("Enter");
    expect(await frames.nth(2).locator("ol li").allTextContents()).toEqual([
      "torch/nn/modules/module.py:1102 in _call_impl",
      "torch/nn/modules/container.py:141 in forward",
    ]);
    expect(await frames.nth(4).textContent()).toBe("torch/nn/modules/conv.py:446 in forward");
  });

  test("PyTorch's figures are a table, and a picture where they add up", async () => {
    const view = await openWith();
    const box = section(view, "PyTorch's GPU memory");
    expect(await box.locator("tr").allTextContents()).toEqual([
      "Tried to allocate192.0 MiB",
      "Allocated by PyTorch1700.0 MiB",
      "Reserved by PyTorch, not allocated153.0 MiB",
      "Reserved by PyTorch in all1853.0 MiB",
      "Free for the GPU11.0 MiB",
      "The GPU's memory in all3953.0 MiB",
    ]);
    const widths = await box
      .locator(".bars .part")
      .evaluateAll((parts) => parts.map((part) => Number(part.getAttribute("width"))));
    expect(widths[0]).toBeCloseTo((1_700 / 3_953) * 100, 6);
    expect(widths.slice(0, 4).reduce((sum, width) => sum + width, 0)).toBeCloseTo(100, 6);
    expect(widths[4], "to the same scale").toBeCloseTo((192 / 3_953) * 100, 6);

    await view.send({
      kind: "ending",
      ending: { ...ENDING, report: { ...REPORT, allocator: { form: "from-2.1", tried: 2 * MIB } } },
    });
    await box.locator("td", { hasText: "not told" }).first().waitFor();
    expect(await box.locator(".bars").count()).toBe(0);
  });

  test("the last moments are told in words, drawn, and listed with what was not read", async () => {
    const view = await openWith();
    const box = section(view, "The last moments");
    expect(await box.locator("p").first().textContent()).toBe(
      "Available RAM fell from 1200.0 MiB to 12.0 MiB. Free swap fell from 1978.0 MiB to 378.0 MiB. " +
        "Script (RSS) rose from 900.0 MiB to 1120.0 MiB.",
    );
    const path = (await box.locator(".plot path.memAvailable").getAttribute("d")) ?? "";
    expect(path.match(/M/g), "a gap where nothing was read").toHaveLength(2);
    expect(await box.locator(".legend li").allTextContents()).toEqual(["Available RAM", "Free swap", "Script (RSS)"]);
    await box.locator("summary").click();
    const rows = box.locator("tbody tr");
    expect(await rows.nth(5).locator("td").allTextContents()).toEqual([
      "6.0 s before",
      "not read",
      "1978.0 MiB",
      "1000.0 MiB",
      "models/lenet.py:12",
    ]);
    expect(await rows.nth(11).locator("td").first().textContent()).toBe("the last one");
  });

  test("message and kernel log are as they were printed; the log is folded", async () => {
    const view = await openWith();
    expect(await section(view, "What was printed").locator("pre").textContent()).toBe(REPORT.message);
    const log = section(view, "The kernel's log");
    expect(await log.locator("pre").isVisible()).toBe(false);
    await log.locator("summary").click();
    expect(await log.locator("pre").textContent()).toBe(REPORT.kernelLog.join("\n"));
  });

  test("advice comes as cards with evidence, saving and steps that say exactly what they do", async () => {
    const view = await openWith();
    const cards = view.page.locator(".card");
    expect(await cards.locator("h3").allTextContents()).toEqual(ADVICE.map(({ symptom }) => symptom));
    expect(await cards.nth(0).locator(".saving").textContent()).toBe(
      "Would save about 610.0 MiB, what the desktop's processes held at the baseline",
    );
    expect(await cards.nth(0).locator(".evidence li").allTextContents()).toEqual(ADVICE[0]?.evidence);
    expect(await cards.nth(0).locator(".step pre").textContent()).toBe("sudo systemctl isolate multi-user.target");
    expect(await cards.nth(1).locator(".step pre").allTextContents()).toEqual([
      "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128",
      "total += loss → total += loss.item()",
    ]);
    await cards.nth(1).getByRole("button", { name: "Set It for the Next Runs…" }).click();
    expect(await last(view)).toEqual({ kind: "step", advice: 1, step: 0 });
    await cards.nth(1).getByRole("button", { name: "Change Line 35" }).click();
    expect(await last(view)).toEqual({ kind: "step", advice: 1, step: 1 });
    await cards.nth(1).getByRole("button", { name: "train.py:35" }).click();
    expect(await last(view)).toEqual({ kind: "goTo", place: { path: "train.py", line: 35 } });
    await cards.nth(0).getByRole("button", { name: "Source: Jetson documentation" }).press("Enter");
    expect(await last(view)).toEqual({ kind: "openSource", advice: 0 });
    await view.page.locator("#open-memory").click();
    expect(await last(view)).toEqual({ kind: "openMemory" });
  });

  test("the keyboard goes through the page in its order", async () => {
    const view = await openWith();
    const reached: unknown[] = [];
    for (let i = 0; i < 14; i++) {
      await view.page.keyboard.press("Tab");
      reached.push(await view.page.evaluate("document.activeElement.textContent"));
    }
    expect(reached).toEqual([
      "Show Board Memory",
      "Go to Line 12",
      "train.py:40",
      "train.py:33",
      "2 calls in libraries",
      "models/lenet.py:12",
      // A word of the table that can be asked about.
      "Allocated",
      "Show as Table",
      "Show 2 lines",
      "Stop the Desktop on the Board…",
      "Source: Jetson documentation",
      "Set It for the Next Runs…",
      "Change Line 35",
      "train.py:35",
    ]);
  });

  test("a run that ended well says so; without advice, that too", async () => {
    const view = await openWith({ ...ENDING, report: null });
    expect(await view.page.locator(".verdict").textContent()).toBe("This run did not run out of memory.");
    expect(await view.page.locator(".card").count()).toBe(2);
    await view.send({ kind: "ending", ending: { ...ENDING, report: null, advice: [] } });
    await view.page.locator("#cards", { hasText: "No advice" }).waitFor();
    expect(await view.page.locator(".card").count()).toBe(0);
  });

  test("a kill of which nothing is known but the kill shows no empty parts", async () => {
    const bare: EndingReport = {
      kind: "killed",
      headline: "train.py was killed.",
      meaning: "Something ended it by SIGKILL.",
      sureness: "inferred",
      stack: [],
      stackSource: "none",
      kernelLog: [],
      last: [{ t: 0 }],
    };
    const view = await openWith({ ...ENDING, report: bare });
    expect(await view.page.locator(".verdict").textContent()).toContain("Which line was running is not known.");
    expect(await view.page.locator("main h2").allTextContents()).toEqual(["train.py was killed.", "The last moments"]);
    expect(await view.page.locator(".moments p").textContent()).toBe("Nothing could be read in them.");
    expect(await view.page.locator(".plot").count()).toBe(0);
  });

  test("says why a run cannot be read, and keeps what was shown before", async () => {
    const view = await openWith();
    await view.send({ kind: "unavailable", message: "The run folder is gone. Refresh the runs." });
    await view.page.locator("#status", { hasText: "The run folder is gone." }).waitFor();
    expect(await view.page.locator(".verdict").count()).toBe(1);
  });

  test("what a run says is text", async () => {
    const hostile = '<img src=x onerror="window.hit=1">\u202e';
    const place = { path: hostile, line: 1 };
    const view = await openWith({
      title: hostile,
      board: hostile,
      simulated: hostile,
      report: {
        ...REPORT,
        headline: hostile,
        meaning: hostile,
        evidence: hostile,
        message: hostile,
        kernelLog: [hostile],
        place,
        stack: [
          { ...place, function: hostile, text: hostile, own: true },
          { ...place, function: hostile, own: false },
        ],
        last: [{ t: 0, memAvailable: MIB, at: place }],
      },
      advice: [
        {
          rule: hostile,
          symptom: hostile,
          evidence: [hostile],
          remedy: hostile,
          steps: [{ kind: "edit", label: hostile, place, find: hostile, replace: hostile }],
          saves: { bytes: MIB, how: hostile },
          source: { title: hostile, url: hostile },
          strength: "likely",
        },
      ],
    });
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await view.page.locator("h1").textContent()).toBe('<img src=x onerror="window.hit=1">?');
    expect(await view.page.evaluate("document.body.textContent.includes('\\u202e')")).toBe(false);
  });

  test("passes over messages that are none of its own", async () => {
    const view = await openWith();
    await view.send({ kind: "ending", ending: { ...ENDING, title: "bad", advice: [{ rule: 1 }] } });
    await view.send({ kind: "ending", ending: { ...ENDING, title: "next" } });
    await view.page.locator("h1", { hasText: "next" }).waitFor();
  });

  test.each(THEMES_IN_TURN)("is readable in the %s theme", async (theme) => {
    const view = await openWith();
    await view.wear(theme);
    for (const fold of await view.page.locator("summary").all()) await fold.click();
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await accessibilityFaults(view.page)).toEqual([]);
    for (const fold of await view.page.locator("summary").all()) await fold.click();
    await view.page.evaluate("scrollTo(0, 0)");
    await saveScreenshot(view.page, `ending-page-${theme}`);
  });

  test("fits a narrow editor", async () => {
    const view = await openWith();
    await view.resize({ width: 420, height: 1_000 });
    await expect.poll(() => view.page.locator(".plot svg").getAttribute("width")).toBe("388");
    expect(await view.page.evaluate("document.documentElement.scrollWidth")).toBe(420);
    await saveScreenshot(view.page, "ending-page-narrow");
  });
});
