import { describe, expect, test } from "vitest";
import { boardLines, training } from "../../../src/board/testing.ts";
import { MAX_RECORDS } from "../../../src/protocol/board/memory.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import {
  drawn,
  FOLDER,
  moment,
  open,
  openRun,
  openWith,
  PEAK,
  PHASE_COSTS,
  press,
  RUN,
  stage,
  text,
  WATCH,
  watchLines,
} from "./memoryStage.ts";
import { type OpenPage, stepMeter, THEMES_IN_TURN } from "./page.ts";

stage.use();

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
    await drawn(view);
    expect(await text(view, "#status")).toContain("The connection was closed.");
    expect(await text(view, "#state")).toContain("Stopped");
    expect(await view.page.locator("#go-to-peak").isVisible()).toBe(false);
  });

  test("a run that goes on moves its peak", async () => {
    const lines = boardLines("nano", training(40));
    const view = await openWith(RUN, lines.slice(0, 12));
    expect(await text(view, "#state")).toContain("Run in progress");
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
    await view.resize({ width, height: 800 });
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
      // The table is one stop; “baseline” in its head can be asked about.
      "SPAN",
    ]);
  });

  test.each(THEMES_IN_TURN)("is readable in the %s theme", async (theme) => {
    const view = await openRun("nano", { reducedMotion: true });
    await view.send({ kind: "phases", costs: PHASE_COSTS });
    await view.resize({ width: 1200, height: 900 });
    await view.wear(theme);
    await view.page.locator("label", { hasText: "Icicle" }).click();
    await view.page.locator('[data-row="others.desktop"] button').click();
    await view.page.locator("#sureness summary").click();
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await accessibilityFaults(view.page)).toEqual([]);
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
      await view.page.evaluate(`window.message = ${JSON.stringify(message)}; undefined`);
      // A picture that is still to come would be this message's too.
      await drawn(view);
      return steps(async () => {
        await view.page.evaluate('window.dispatchEvent(new MessageEvent("message", { data: window.message }))');
        await drawn(view);
      });
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

  test("250 records are read in 100 steps each, and one more beside 10,000 is shown in 45 for each", async () => {
    const view = await open({ folder: "" });
    await view.resize({ width: 1200, height: 900 });
    await view.send(WATCH);
    const [header = ""] = watchLines(0, 1);
    await view.send({ kind: "records", lines: [header] });
    const linesOf = (from: number, count: number) => changesOnly(watchLines(from, from + count).slice(1));
    const steps = await meter(view);
    const batches: number[] = [];
    for (let i = 0; i < 40; i++)
      batches.push(await steps({ kind: "records", lines: linesOf(i * MAX_RECORDS, MAX_RECORDS) }));
    const recorded = batches.length * MAX_RECORDS;
    const added: number[] = [];
    for (let i = 0; i < 3; i++) added.push(await steps({ kind: "records", lines: linesOf(recorded + i, 1) }));
    console.log(`250 records read and shown in ${batches.at(-1)} steps; one more in ${added.join(", ")}`);
    // The picture is drawn once for either.
    const read = (batches.at(-1) ?? Number.NaN) - Math.max(...added);
    expect(read).toBeLessThan(100 * MAX_RECORDS);
    expect(Math.max(...added)).toBeLessThan(45 * recorded);
  });
});
