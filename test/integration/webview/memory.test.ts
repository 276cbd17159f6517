import { describe, expect, test } from "vitest";
import { boardLines, type Load, type TestBoard, training } from "../../../src/board/testing.ts";
import { memoryHtml } from "../../../src/editor/board/memoryHtml.ts";
import { MAX_RECORDS } from "../../../src/protocol/memory.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { DRAWN, FOCUSED, POOR_CONTRASTS, ROLES_AND_NAMES } from "./checks.ts";
import { type OpenOptions, type OpenPage, openPage, stepMeter, THEMES } from "./page.ts";
import { stagePage } from "./stage.ts";

const FOLDER = "/p/.jetson-memprof/runs/r1";
const RUN = { kind: "start", title: "train.py", board: "Jetson Nano · JetPack 4.6.1", source: "run" };
const WATCH = { kind: "start", title: "nano@192.168.1.20", source: "watch" };

const PEAK = "at 30.0 s, peak, when this run held the most";

const MIB = 1024 * 1024;
const PHASE_COSTS = [
  {
    phase: "cuda",
    t: 2_100,
    at: { path: "train.py", line: 33 },
    rss: MIB,
    inUse: 300 * MIB,
    allocated: 0,
    reserved: 20 * MIB,
    outside: 280 * MIB,
  },
  { phase: "steady", t: 9_000 },
];

const stage = stagePage("memory");

async function open({
  folder = FOLDER,
  ...options
}: OpenOptions & { readonly folder?: string } = {}): Promise<OpenPage> {
  return stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => memoryHtml({ ...parts, folder }), options),
  );
}

/** A page with records, as they stand when the first of them is shown. */
async function openWith(
  start: object,
  lines: readonly string[],
  options?: Parameters<typeof open>[0],
): Promise<OpenPage> {
  const view = await open(options);
  await view.send(start);
  await view.send({ kind: "records", lines });
  await view.page.locator("#legend-rows tr").first().waitFor();
  return view;
}

/** A run of 40 s that is over: baseline, imports, CUDA from 10 s on, its peak at 30 s. */
async function openRun(board: TestBoard = "nano", options?: Parameters<typeof open>[0]): Promise<OpenPage> {
  const view = await openWith(RUN, boardLines(board, training(40), { simulated: "Jetson Nano" }), options);
  await view.send({ kind: "ended" });
  await expect.poll(() => text(view, "#state")).toContain("ended");
  return view;
}

const watchLoad = (second: number): Load => ({ t: second * 1000, pageCache: 200 + second, gpuLoad: 0.5 });
const watchLines = (from: number, to: number): string[] =>
  boardLines(
    "orin",
    Array.from({ length: to - from }, (_, i) => watchLoad(from + i)),
  );

const text = (view: OpenPage, selector: string): Promise<string | null> => view.page.locator(selector).textContent();
const moment = (view: OpenPage): Promise<string | null> => text(view, "#ledger-moment");
const press = (view: OpenPage, ...keys: readonly string[]): Promise<void> =>
  keys.reduce((before, key) => before.then(() => view.page.locator("#plot").press(key)), Promise.resolve());
/** The texts of a row of the ledger. */
const rowOf = (view: OpenPage, id: string): Promise<string[]> =>
  view.page.locator(`[data-row="${id}"] > tr`).first().locator("th, td").allTextContents();

describe.skipIf(!stage.possible)("the memory page", () => {
  test("says that it is ready, once, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("a run opens at its peak, with the figures of that moment in its head", async () => {
    const view = await openRun();
    expect(await text(view, "h1")).toBe("train.py");
    expect(await text(view, "#board")).toBe("Jetson Nano · JetPack 4.6.1");
    expect(await text(view, "#simulated")).toBe("Simulated: Jetson Nano");
    expect(await moment(view)).toBe(PEAK);
    expect(await view.page.locator("#newest dt").allTextContents()).toEqual([
      "Peak",
      "RAM used",
      "Available",
      "Swap used",
      "GPU load",
      "This run (RSS)",
    ]);
    expect(await view.page.locator("#newest dd").first().textContent()).toBe("30.0 s");
    expect(await view.page.locator("#chart .event-name").allTextContents()).toEqual(["baseline", "peak"]);
  });

  test("where the GPU's memory cannot be read, the peak is the moment with the least memory available", async () => {
    const view = await openRun("orin");
    expect(await moment(view)).toMatch(/, peak, when the least memory was available$/);
  });

  test("the ledger's rows add up to MemTotal, and say what changed since the baseline and how sure they are", async () => {
    const view = await openRun();
    const sizes = await view.page.locator("[data-row] > tr:first-child > td:nth-child(2)").allTextContents();
    const sum = sizes.reduce((all, size) => all + Number.parseFloat(size), 0);
    expect(Math.abs(sum - 3964)).toBeLessThan(0.05 * sizes.length + 0.05);
    expect(await view.page.locator("#ledger-sum td").first().textContent()).toBe("3964.0 MiB");
    expect(await rowOf(view, "gpu.tensors")).toEqual([
      "Tensors on the GPU (PyTorch)",
      "260.0 MiB",
      "6.6 %",
      "",
      "+260.0 MiB",
      "●exact",
    ]);
    expect(await rowOf(view, "run.anon")).toContain("+940.0 MiB");
  });

  test("what each phase took is a table that folds, with links to the lines that began them", async () => {
    const view = await openRun();
    expect(await view.page.locator("#phases").isVisible()).toBe(false);
    await view.send({ kind: "phases", costs: PHASE_COSTS });
    const cells = (row: number) => view.page.locator("#phases-rows tr").nth(row).locator("th, td").allTextContents();
    expect(await cells(0)).toEqual([
      "starting CUDA",
      "2.1 s",
      "train.py:33",
      "+1.0 MiB",
      "+300.0 MiB",
      "0 B",
      "+20.0 MiB",
      "○ +280.0 MiB",
    ]);
    expect((await cells(1)).slice(2)).toEqual(["–", "–", "–", "–", "–", "–"]);
    await view.page.getByRole("button", { name: "train.py:33", exact: true }).click();
    expect(await view.received()).toContainEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
    await view.page.locator("#phases summary").click();
    expect(await view.page.locator("#phases-table").isVisible()).toBe(false);
    await view.send(RUN);
    await expect.poll(() => view.page.locator("#phases").isVisible()).toBe(false);
  });

  test("a row unfolds to how it was obtained and to the processes it is made of", async () => {
    const view = await openRun();
    const desktop = view.page.locator('[data-row="others.desktop"]');
    expect(await desktop.locator(".detail").isVisible()).toBe(false);
    await desktop.locator("button").click();
    expect(await desktop.locator(".detail").isVisible()).toBe(true);
    expect((await desktop.locator(".part th").allTextContents()).join()).toContain("gnome-shell");
    expect(await desktop.locator("button").getAttribute("aria-expanded")).toBe("true");
  });

  test("what held memory at the baseline and holds none now is told as well", async () => {
    const ended = [1731, 2831, 2950, 3100];
    const [header = "", baseline = "", ...later] = boardLines("nano", training(4));
    const without = later.map((line) => {
      const { p, ...record } = JSON.parse(line) as { readonly p: readonly (readonly [number])[] };
      return JSON.stringify({ ...record, p: p.filter(([pid]) => !ended.includes(pid)), gone: ended });
    });
    const view = await openWith(RUN, [header, baseline, ...without]);
    expect(await rowOf(view, "others.desktop")).toEqual(["Desktop", "0 B", "0.0 %", "", "-322.0 MiB", ""]);
  });

  test("a group of one row stands in one line", async () => {
    const view = await openRun();
    expect(await view.page.locator("tbody.group th").allTextContents()).toEqual([
      "This run",
      "GPU",
      "Other programs",
      "Kernel",
      "Page cache that no program has mapped",
      "Free",
    ]);
  });

  test("what only root may read is an unknown row with its reason and without a bar, never a zero", async () => {
    const view = await openRun("orin");
    const others = view.page.locator('[data-row="gpu.others"]');
    expect((await rowOf(view, "gpu.others")).slice(1)).toEqual(["not read", "", "", "", "?not readable"]);
    expect(await others.locator(".detail").textContent()).toContain("Not readable without root");
    expect(await others.locator(".detail").isVisible()).toBe(true);
    expect(await others.locator(".bar-of").count()).toBe(0);
  });

  test("the mouse reads a moment, a click chooses it, and its line can be opened", async () => {
    const view = await openRun();
    const box = await view.page.locator("#plot").boundingBox();
    if (!box) throw new Error("The chart is not drawn.");
    await view.page.mouse.move(box.x + box.width - 24, box.y + 100);
    expect(await text(view, "#reading-title")).toBe("40.0 s");
    expect(await moment(view)).toBe(PEAK);
    await view.page.mouse.click(box.x + box.width - 24, box.y + 100);
    expect(await moment(view)).toBe("at 40.0 s");
    expect(await text(view, "#open-line")).toBe("Open train.py:33");
    await view.page.locator("#open-line").click();
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
  });

  test("the keyboard does all of it, and a screen reader is told the moment", async () => {
    const view = await openRun();
    await press(view, "Home");
    expect(await moment(view)).toBe("at before the start, baseline");
    expect(await view.page.locator("#ledger-table").getAttribute("class")).toContain("without-baseline");
    await press(view, "ArrowRight");
    expect(await moment(view)).toBe("at 1.0 s");
    await press(view, "End", "ArrowLeft");
    expect(await moment(view)).toBe("at 39.0 s");
    await press(view, "b");
    expect(await moment(view)).toContain("baseline");
    await press(view, "p", "Enter");
    const valueText = await view.page.locator("#plot").getAttribute("aria-valuetext");
    expect(valueText).toMatch(/^30\.0 s, peak, RAM used \d+\.\d MiB, Available \d+\.\d MiB, train\.py line 33$/);
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
  });

  test("a click where no record is yet chooses the newest one, not what comes later", async () => {
    const view = await openWith(WATCH, watchLines(0, 10), { folder: "" });
    const box = await view.page.locator("#plot").boundingBox();
    await view.page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 40, (box?.y ?? 0) + 100);
    await view.send({ kind: "records", lines: watchLines(10, 30) });
    await expect.poll(() => view.page.locator("#plot").getAttribute("aria-valuemax")).toBe("29");
    expect(await moment(view)).toBe("at 9.0 s");
  });

  test("a moment without a known line offers no way there", async () => {
    const view = await openRun();
    await press(view, "Home", "Enter");
    expect(await view.page.locator("#open-line").isDisabled()).toBe(true);
    expect(await view.received()).toHaveLength(1);
  });

  test("the picture is a bar or an icicle; keys move through it and Enter leads to the row in the table", async () => {
    const view = await openRun();
    expect(await view.page.locator("[data-box]").count()).toBe(6);
    await view.page.locator("label", { hasText: "Icicle" }).click();
    const picture = view.page.locator("#picture");
    expect(await picture.locator('[data-box="gpu.tensors"]').count()).toBe(1);
    await picture.press("ArrowRight");
    await picture.press("ArrowRight");
    expect(await text(view, "#picture-text")).toMatch(/^GPU · \d+\.\d MiB · \d+\.\d % of the RAM$/);
    await picture.press("ArrowDown");
    expect(await text(view, "#picture-text")).toMatch(/^Tensors on the GPU \(PyTorch\) · 260\.0 MiB · .* · exact$/);
    await picture.press("Enter");
    expect(await view.page.locator('[data-row="gpu.tensors"] .detail').isVisible()).toBe(true);
    expect(await view.page.evaluate("document.activeElement.textContent")).toContain("Tensors");
  });

  test("a click on the picture leads to the row as well, one on a group to its first row", async () => {
    const view = await openRun();
    await view.page.locator('[data-box="kernel"]').click();
    expect(await view.page.evaluate("document.activeElement.textContent")).toBe("Kernel objects that stay");
    await view.page.locator("label", { hasText: "Icicle" }).click();
    await view.page.locator('[data-box="run.anon"]').click();
    expect(await view.page.locator('[data-row="run.anon"] .detail').isVisible()).toBe(true);
  });

  test("the tools stand in the order of their figures, each with its reason; one without says why", async () => {
    const view = await openWith(
      { ...RUN, massif: { bytes: 700 * 1024 * 1024, pages: false } },
      boardLines("nano", training(40)),
    );
    const rows = view.page.locator("#tools-rows tr");
    const figures = await rows.locator("td.number").allTextContents();
    const known = figures.filter((figure) => figure !== "not read").map(Number.parseFloat);
    expect(known).toEqual([...known].sort((a, b) => b - a));
    expect(figures).toContain("700.0 MiB");
    expect(figures.slice(known.length).every((figure) => figure === "not read")).toBe(true);
    for (const why of await rows.locator(".why p:first-child").allTextContents()) expect(why).toMatch(/\w.*\.$/);
    expect(await rows.locator(".formula").count()).toBe(await rows.count());
  });

  test("the ledger and the tools' figures can be copied as text", async () => {
    const view = await openRun();
    await view.page.locator("#copy").click();
    const message = (await view.received()).at(-1) as { readonly kind: string; readonly text: string };
    expect(message.kind).toBe("copy");
    expect(message.text).toContain("train.py, Jetson Nano · JetPack 4.6.1, 30.0 s, peak, simulated: Jetson Nano");
    expect(message.text).toContain("Tensors on the GPU (PyTorch)");
    expect(message.text).toContain("htop");
    await view.page.locator("#status", { hasText: "Copied" }).waitFor();
  });
});

describe.skipIf(!stage.possible)("the memory page of a live board", () => {
  test("follows the newest moment until another is chosen, and again when asked to", async () => {
    const view = await openWith(WATCH, watchLines(0, 10), { folder: "" });
    expect(await text(view, "#state")).toContain("Live");
    expect(await moment(view)).toBe("at 9.0 s, newest");
    await view.send({ kind: "records", lines: watchLines(10, 11) });
    await expect.poll(() => moment(view)).toBe("at 10.0 s, newest");
    await press(view, "Home");
    await view.send({ kind: "records", lines: watchLines(11, 12) });
    await expect.poll(() => view.page.locator("#plot").getAttribute("aria-valuemax")).toBe("11");
    expect(await moment(view)).toBe("at 0 s");
    expect(await view.page.locator("#follow").getAttribute("aria-pressed")).toBe("false");
    await view.page.locator("#follow").click();
    expect(await moment(view)).toBe("at 11.0 s, newest");
    await view.send({ kind: "ended", message: "The connection was closed." });
    await view.page.locator("#status", { hasText: "The connection was closed." }).waitFor();
    expect(await text(view, "#state")).toContain("Stopped");
    expect(await view.page.locator("#go-to-peak").isVisible()).toBe(false);
  });

  test("a run that goes on moves its peak", async () => {
    const lines = boardLines("nano", training(40));
    const view = await openWith(RUN, lines.slice(0, 12));
    expect(await text(view, "#state")).toContain("Run goes on");
    expect(await moment(view)).toBe("at 10.0 s, peak, newest, when this run held the most");
    await view.send({ kind: "records", lines: lines.slice(12) });
    await expect.poll(() => moment(view)).toBe(PEAK);
  });

  test("takes neither the focus nor what is unfolded", async () => {
    const view = await openWith(WATCH, watchLines(0, 5), { folder: "" });
    await view.page.locator('[data-row="others.services"] button').press("Enter");
    await view.send({ kind: "records", lines: watchLines(5, 6) });
    await expect.poll(() => moment(view)).toBe("at 5.0 s, newest");
    expect(await view.page.evaluate("document.activeElement.closest('[data-row]')?.dataset.row")).toBe(
      "others.services",
    );
    expect(await view.page.locator('[data-row="others.services"] .detail').isVisible()).toBe(true);
  });

  test("shows why nothing comes, until something does", async () => {
    const view = await openWith(WATCH, watchLines(0, 3), { folder: "" });
    await view.send({ kind: "waiting", message: "The connection was lost. Trying again." });
    await view.page.locator("#status", { hasText: "Trying again." }).waitFor();
    await view.send({ kind: "records", lines: watchLines(60, 62) });
    await expect.poll(() => text(view, "#status")).toBe("");
    const pieces = async () => (await view.page.locator("#chart .area.free").getAttribute("d"))?.match(/M/g)?.length;
    await expect.poll(pieces).toBe(2);
  });

  test("begins anew when it is told to start again", async () => {
    const view = await openWith(WATCH, watchLines(0, 30), { folder: "" });
    await view.send(WATCH);
    await view.send({ kind: "records", lines: watchLines(0, 2) });
    await expect.poll(() => moment(view)).toBe("at 1.0 s, newest");
  });
});

describe.skipIf(!stage.possible)("the memory page with little or bad input", () => {
  test("says what it waits for, and what to do where a run has no record", async () => {
    const view = await open();
    await view.send(RUN);
    await view.page.locator("#status", { hasText: "Waiting for the first record" }).waitFor();
    await view.send({ kind: "ended" });
    await view.page
      .locator("#status", { hasText: "no record of the board’s memory. Profile the script again" })
      .waitFor();
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("says why nothing can be shown", async () => {
    const view = await openRun();
    await view.send({ kind: "unavailable", message: "The run folder is gone. Refresh the runs." });
    await view.page.locator("#status", { hasText: "The run folder is gone." }).waitFor();
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("damaged records are counted, the others shown", async () => {
    const lines = boardLines("nano", training(10));
    const view = await openWith(RUN, [...lines.slice(0, 5), "{cut", '{"t":"soon"}', ...lines.slice(5)]);
    expect(await text(view, "#status")).toContain("2 damaged records were passed over");
    expect(await view.page.locator("#plot").getAttribute("aria-valuemax")).toBe("10");
  });

  test("records of a later version are refused in words", async () => {
    const view = await open();
    await view.send(RUN);
    await view.send({ kind: "records", lines: boardLines("nano", training(3), { schema: 99 }) });
    await expect.poll(() => text(view, "#status")).toContain("Update the");
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("passes over messages that are none of its own, and shows text as text", async () => {
    const evil = "<img src=x onerror='window.hit=1'>";
    const lines = boardLines("nano", training(3), { simulated: evil }).map((line) =>
      line.replaceAll("gnome-shell", evil).replaceAll("train.py", evil),
    );
    const view = await openWith({ ...RUN, title: evil, board: evil }, lines);
    await view.send({ kind: "records", lines: [5] });
    await view.send({ command: "eval", code: "window.hit=1" });
    await view.page.locator("label", { hasText: "Icicle" }).click();
    for (const fold of await view.page.locator(".fold").all())
      if ((await fold.getAttribute("aria-expanded")) === "false") await fold.click();
    expect(await text(view, "h1")).toBe(evil);
    expect(
      (await view.page.locator('[data-row="others.other"], [data-row="others.desktop"]').allTextContents()).join(),
    ).toContain("<img");
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
  });

  test("keeps moment and picture over being hidden, but not those of another run", async () => {
    const view = await openRun();
    expect(await view.state(), "known to VS Code before anything is chosen").toMatchObject({ folder: FOLDER });
    await press(view, "Home", "ArrowRight", "ArrowRight");
    await view.page.locator("label", { hasText: "Icicle" }).click();
    const state = { folder: FOLDER, moment: 2_000, picture: "icicle" };
    await expect.poll(() => view.state()).toEqual(state);
    await view.page.close();
    const again = await openRun("nano", { savedState: state });
    expect(await moment(again)).toBe("at 2.0 s");
    expect(await again.page.locator("input[value=icicle]").isChecked()).toBe(true);
    await again.page.close();
    const other = await openRun("nano", { savedState: { ...state, folder: "/p/.jetson-memprof/runs/r2" } });
    expect(await moment(other)).toBe(PEAK);
  });
});

describe.skipIf(!stage.possible)("the memory page for everybody", () => {
  test.each([400, 700, 1400])("nothing is cut off at a width of %i", async (width) => {
    const view = await openRun();
    await view.send({ kind: "phases", costs: PHASE_COSTS });
    await view.page.locator("label", { hasText: "Icicle" }).click();
    await view.page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await view.page.locator("#chart").boundingBox())?.width ?? 0).toBeLessThan(width);
    expect(await view.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await saveScreenshot(view.page, `memory-page-${width}`);
  });

  test("the Tab key goes through the page from top to bottom", async () => {
    const view = await openRun();
    const order: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      await view.page.keyboard.press("Tab");
      order.push(await view.page.evaluate(FOCUSED));
    }
    expect(order).toEqual([
      "go-to-baseline",
      "go-to-peak",
      "plot",
      "open-line",
      "picture",
      "copy",
      "picture",
      "BUTTON",
    ]);
  });

  test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])("is readable in the %s theme", async (theme) => {
    const view = await openRun("nano", { reducedMotion: true });
    await view.send({ kind: "phases", costs: PHASE_COSTS });
    await view.page.setViewportSize({ width: 1200, height: 900 });
    await view.wear(theme);
    await view.page.locator("label", { hasText: "Icicle" }).click();
    await view.page.locator('[data-row="others.desktop"] button').click();
    await view.page.locator("#sureness summary").click();
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await view.page.evaluate(ROLES_AND_NAMES)).toEqual([]);
    expect(await view.page.evaluate("document.getAnimations().length")).toBe(0);
    await view.page.locator("#phases").scrollIntoViewIfNeeded();
    await saveScreenshot(view.page, `memory-page-phases-${theme}`);
    await view.page.locator("h1").scrollIntoViewIfNeeded();
    await saveScreenshot(view.page, `memory-page-${theme}`);
  });
});

describe.skipIf(!stage.possible)("the work of the memory page", () => {
  /** Gives the steps that the page takes for a message and for the picture that follows it. */
  async function meter(view: OpenPage): Promise<(message: object) => Promise<number>> {
    const steps = await stepMeter(view.page);
    return async (message) => {
      await view.page.evaluate(`window.message = ${JSON.stringify(message)}; ${DRAWN}`);
      return steps(() =>
        view.page.evaluate(`window.dispatchEvent(new MessageEvent("message", { data: window.message })); ${DRAWN}`),
      );
    };
  }

  /** As the recorder writes them: only the processes that changed, here one. */
  const changesOnly = (lines: readonly string[]): string[] =>
    lines.map((line) => {
      const { p, ...record } = JSON.parse(line) as { readonly p?: readonly unknown[] };
      return JSON.stringify(
        p === undefined || record["t" as never] === 0 ? { p, ...record } : { ...record, p: p.slice(-1) },
      );
    });

  test("2,000 records are read in 100 steps each, and one more beside 10,000 is shown in 45 for each", async () => {
    const view = await open({ folder: "" });
    await view.page.setViewportSize({ width: 1200, height: 900 });
    await view.send(WATCH);
    const [header = ""] = watchLines(0, 1);
    await view.send({ kind: "records", lines: [header] });
    const linesOf = (from: number, count: number) => changesOnly(watchLines(from, from + count).slice(1));
    const steps = await meter(view);
    const batches: number[] = [];
    for (let i = 0; i < 5; i++)
      batches.push(await steps({ kind: "records", lines: linesOf(i * MAX_RECORDS, MAX_RECORDS) }));
    const recorded = batches.length * MAX_RECORDS;
    const added: number[] = [];
    for (let i = 0; i < 3; i++) added.push(await steps({ kind: "records", lines: linesOf(recorded + i, 1) }));
    console.log(`2,000 records read and shown in ${batches.join(", ")} steps; one more in ${added.join(", ")}`);
    // The picture is drawn once for either.
    const read = (batches.at(-1) ?? Number.NaN) - Math.max(...added);
    expect(read).toBeLessThan(100 * MAX_RECORDS);
    expect(Math.max(...added)).toBeLessThan(45 * recorded);
  });
});
