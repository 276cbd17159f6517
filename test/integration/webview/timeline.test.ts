import { describe, expect, test } from "vitest";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { cpuMeter, type OpenPage, openTimelinePage, THEMES } from "./page.ts";
import { stagePage } from "./stage.ts";
import { samples, timeline } from "./timelineScene.ts";

const MIB = 1024 * 1024;

const stage = stagePage("timeline");

async function open(options?: Parameters<typeof openTimelinePage>[2]): Promise<OpenPage> {
  return stage.open((browser, bundle) => openTimelinePage(browser, bundle, options));
}

async function openWith(message: object): Promise<OpenPage> {
  const view = await open();
  await view.send(message);
  await view.page.locator("#chart .axis").first().waitFor();
  return view;
}

const readout = (view: OpenPage): Promise<string | null> => view.page.locator("#readout").textContent();

describe.skipIf(!stage.possible)("the timeline page", () => {
  test("says that it is ready, once, and draws nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#chart path").count()).toBe(0);
  });

  test("draws both figures, marks the peak with its line, and leaves a gap where nothing was read", async () => {
    const view = await openWith(timeline);
    const peak = view.page.locator("#chart .peak-label");
    expect(await peak.textContent()).toBe("peak 500.0 MiB · net/train.py:50");
    const path = (await view.page.locator("#chart .series.rss").getAttribute("d")) ?? "";
    expect(path.match(/M/g)).toHaveLength(2);
    expect(await view.page.locator("#not-read").isVisible()).toBe(true);
    expect(await view.page.locator("#chart .plot-name").allTextContents()).toEqual([
      "Memory of the script (RSS)",
      "Available on the board (of 3956.0 MiB)",
    ]);
  });

  test("a figure that was never read is said to be so, not drawn as zero", async () => {
    const view = await openWith({ ...timeline, samples: samples.map(({ memAvailable: _, ...rest }) => rest) });
    expect(await view.page.locator("#chart .not-read").allTextContents()).toEqual(["not read in this run"]);
    expect(await view.page.locator("#chart .series").count()).toBe(1);
  });

  test("a peak between two samples is told as such", async () => {
    const view = await openWith({ ...timeline, rssPeak: 700 * MIB, samples: [{ t: 100, rss: 7 * MIB }, { t: 300 }] });
    expect(await view.page.locator("#chart .peak-label").textContent()).toBe("peak 700.0 MiB, between two samples");
    const peakReached = { after: 100, until: 300 };
    const known = await openWith({
      ...timeline,
      rssPeak: 700 * MIB,
      peakReached,
      samples: [
        { t: 100, rss: 7 * MIB },
        { t: 300, rss: 6 * MIB },
      ],
    });
    expect(await known.page.locator("#chart .peak-label").textContent()).toBe(
      "peak 700.0 MiB, between the samples at 100 ms and 300 ms",
    );
    await known.page.click("#go-to-peak");
    expect(await known.page.locator("#readout").textContent()).toContain("300 ms");
    expect(await view.page.locator("#chart circle.lone").count()).toBe(1);
  });

  test("the mouse reads the moment below it, and a click goes to its line", async () => {
    const view = await openWith(timeline);
    const box = await view.page.locator("#chart circle.peak").boundingBox();
    if (!box) throw new Error("The peak is not drawn.");
    await view.page.mouse.move(box.x + box.width / 2, box.y + 40);
    expect(await readout(view)).toBe("8.0 s · RSS 500.0 MiB · available 2500.0 MiB · net/train.py, line 50");
    await view.page.mouse.click(box.x + box.width / 2, box.y + 40);
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "net/train.py", line: 50 } });
  });

  test("the keyboard does all of it, and a screen reader is told", async () => {
    const view = await openWith(timeline);
    await view.page.locator("#plot").focus();
    await view.page.keyboard.press("ArrowRight");
    expect(await readout(view)).toMatch(/^0 s · RSS 20\.0 MiB/);
    await view.page.keyboard.press("End");
    expect(await readout(view)).toMatch(/^11\.8 s · RSS 140\.0 MiB/);
    await view.page.keyboard.press("p");
    await view.page.keyboard.press("Enter");
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "net/train.py", line: 50 } });
    expect(await view.page.locator("#plot").getAttribute("aria-valuetext")).toBe(await readout(view));
    expect(await view.page.locator("#chart .cursor-line").count()).toBe(1);
  });

  test("a moment without a known line offers no way there", async () => {
    const view = await openWith({ ...timeline, samples: [{ t: 0, rss: MIB }] });
    await view.page.locator("#plot").press("Home");
    expect(await readout(view)).toBe("0 s · RSS 1.0 MiB · available not read · line not known");
    expect(await view.page.locator("#go-to-line").isDisabled()).toBe(true);
    await view.page.locator("#plot").press("Enter");
    expect(await view.received()).toHaveLength(1);
  });

  test("a table holds the same figures, and its lines can be gone to", async () => {
    const view = await openWith(timeline);
    expect(await view.page.locator("table").count()).toBe(0);
    await view.page.locator("summary").click();
    const rows = view.page.locator("tbody tr");
    // The table is made when the page hears that it was opened, a moment after the click.
    await expect.poll(() => rows.count()).toBe(60);
    expect(await rows.nth(40).locator("td").allTextContents()).toEqual([
      "8.0 s",
      "peak 500.0 MiB",
      "2500.0 MiB",
      "net/train.py:50",
    ]);
    expect(await rows.nth(47).locator("td").allTextContents()).toEqual(["9.4 s", "not read", "not read", "not known"]);
    await rows.nth(0).locator("button").click();
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "net/train.py", line: 10 } });
  });

  test("a peak just above the highest sample is told by its own figure, there", async () => {
    const view = await openWith({ ...timeline, rssPeak: 503 * MIB });
    expect(await view.page.locator("#chart .peak-label").textContent()).toBe("peak 503.0 MiB · net/train.py:50");
    await view.page.locator("summary").click();
    const cells = view.page.locator("tbody tr").nth(40).locator("td");
    await expect.poll(() => cells.allTextContents()).toContain("500.0 MiB, peak 503.0 MiB");
  });

  test("grows while the run goes on and keeps the cursor at its moment", async () => {
    const view = await openWith({ ...timeline, finished: false, samples: samples.slice(0, 20) });
    expect(await view.page.locator("#status").textContent()).toContain("in progress");
    await view.page.locator("#plot").press("End");
    const before = await readout(view);
    await view.send(timeline);
    await view.page.locator("#chart .peak-label", { hasText: "500.0" }).waitFor();
    expect(await readout(view)).toBe(before);
    expect(await view.page.locator("#status").textContent()).toBe("");
  });

  test("keeps cursor and table over being hidden, but not those of another run", async () => {
    const folder = "/p/.jetson-memprof/runs/r1";
    const view = await openWith(timeline);
    await view.page.locator("#plot").press("p");
    await view.page.locator("summary").click();
    const state = { folder, cursor: 8_000, table: true };
    await expect.poll(() => view.state()).toEqual(state);
    await view.page.close();

    const again = await open({ folder, savedState: state });
    await again.send(timeline);
    await again.page.locator("tbody tr").first().waitFor();
    expect(await readout(again)).toMatch(/^8\.0 s/);
    await again.page.close();

    const other = await open({ folder: "/p/.jetson-memprof/runs/r2", savedState: state });
    await other.send(timeline);
    await other.page.locator("#chart .peak").waitFor();
    expect(await readout(other)).toMatch(/^Point at the chart/);
  });

  test("keeps what is zoomed to over being hidden, as far as the run has that time", async () => {
    const folder = "/p/.jetson-memprof/runs/r1";
    const kept = await open({ folder, savedState: { folder, zoom: { from: 4_000, until: 6_000 } } });
    await kept.send(timeline);
    await kept.page.locator("#chart .axis").first().waitFor();
    expect(await kept.page.locator("#zoom-out").isDisabled()).toBe(false);
    expect(await kept.received()).toContainEqual({ kind: "zoom", range: { from: 4_000, until: 6_000 } });
    await kept.page.close();

    const gone = await open({ folder, savedState: { folder, zoom: { from: 4_000, until: 600_000 } } });
    await gone.send(timeline);
    await expect.poll(() => gone.page.locator("#zoom-out").isDisabled()).toBe(true);
  });

  test("on a page that was just opened left and right are the chart's", async () => {
    const view = await openWith(timeline);
    await view.page.locator("body").click({ position: { x: 2, y: 2 } });
    await view.page.keyboard.press("ArrowRight");
    expect(await readout(view)).toMatch(/^0 s · RSS 20\.0 MiB/);
    await view.page.keyboard.press("End");
    expect(await readout(view)).toMatch(/^11\.8 s/);
  });

  test("passes over messages that are none of its own, and shows text as text", async () => {
    const view = await openWith({ ...timeline, title: '<img src=x onerror="window.hit=1">' });
    await view.send({ kind: "timeline", title: "bad", finished: true, samples: [{ t: 0, rss: "much" }] });
    await view.send({ command: "eval", code: "window.hit=1" });
    expect(await view.page.locator("h1").textContent()).toContain("<img");
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
    expect(await view.page.locator("h1 img").count()).toBe(0);
  });

  test("zooms around the cursor by buttons, keys and wheel, and back to all of the time", async () => {
    const view = await openWith(timeline);
    const { page } = view;
    const times = () => page.locator("#chart .axis:not(.faint) text").allTextContents();
    const all = await times();
    expect(await page.locator("#zoom-out").isDisabled()).toBe(true);
    await page.locator("#plot").press("p");
    const before = await page.locator("#chart .cursor-line").getAttribute("x1");
    await page.click("#zoom-in");
    const half = await times();
    expect(half).not.toEqual(all);
    expect(await page.locator("#zoom-out").isDisabled()).toBe(false);
    // The moment stays where it was, and so does its reading.
    expect(Number(await page.locator("#chart .cursor-line").getAttribute("x1"))).toBeCloseTo(Number(before), 0);
    expect(await readout(view)).toMatch(/^8\.0 s · RSS 500\.0 MiB/);
    // A long run comes thinned: more of this part is asked for, and the part is kept while the page is hidden.
    const zoom = { from: expect.any(Number), until: expect.any(Number) };
    expect((await view.received()).at(-1)).toEqual({ kind: "zoom", range: zoom });
    expect(await view.state()).toMatchObject({ zoom });
    await page.locator("#plot").press("+");
    await page.locator("#plot").press("-");
    expect(await times()).toEqual(half);
    await page.locator("#plot").press("Escape");
    expect(await times()).toEqual(all);
    expect((await view.received()).at(-1)).toEqual({ kind: "zoom" });
    expect(await view.state()).not.toHaveProperty("zoom");

    const box = await page.locator("#chart").boundingBox();
    if (!box) throw new Error("The chart is not drawn.");
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -100);
    expect(await times()).toEqual(all);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await expect.poll(times).not.toEqual(all);
    await page.locator("#plot").press("0");
    expect(await times()).toEqual(all);
  });

  test("no time below the chart is cut off, however closely it is zoomed", async () => {
    const { page } = await openWith(timeline);
    await page.locator("#plot").press("End");
    for (let step = 0; step < 14; step++) {
      await page.locator("#plot").press("+");
      const cut = await page.locator("#chart").evaluate((chart) => {
        const { right } = chart.getBoundingClientRect();
        const texts = [...chart.querySelectorAll(".axis:not(.faint) text")];
        return texts.filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
      });
      expect(cut).toEqual([]);
    }
  });

  test("a moment that is gone to comes into what is zoomed, and a peak out of sight is not drawn elsewhere", async () => {
    const { page } = await openWith(timeline);
    await page.locator("#plot").press("Home");
    for (let step = 0; step < 3; step++) await page.locator("#plot").press("+");
    expect(await page.locator("#chart .peak-label").count()).toBe(0);
    await page.click("#go-to-peak");
    expect(await page.locator("#chart .cursor-line").count()).toBe(1);
    expect(await page.locator("#chart .peak-label").textContent()).toContain("peak 500.0 MiB");
  });

  test("below the plots stands which line ran when", async () => {
    const of = (line: number) => ({ path: "net/train.py", line });
    const told = samples.map((sample, i) => ({ ...sample, at: of(i < 30 ? 12 : 13) }));
    const { page } = await openWith({ ...timeline, samples: told });
    expect(await page.locator("#chart .band title").allTextContents()).toEqual(["net/train.py:12", "net/train.py:13"]);
    expect(await page.locator("#chart .band-line").allTextContents()).toEqual(["net/train.py:12", "net/train.py:13"]);
    const unknown = await openWith({ ...timeline, samples: samples.map(({ at: _, ...rest }) => rest) });
    expect(await unknown.page.locator("#chart .band").count()).toBe(0);
  });

  test("says why a run cannot be read", async () => {
    const view = await open();
    await view.send({ kind: "unavailable", message: "The run folder is gone. Refresh the runs." });
    await view.page.locator("#status", { hasText: "The run folder is gone." }).waitFor();
    expect(await view.page.locator("#plot").isVisible()).toBe(false);
  });

  test("follows the size of its window, down to a narrow one", async () => {
    const view = await openWith(timeline);
    for (const width of [1_400, 420]) {
      await view.resize({ width, height: 500 });
      await expect.poll(async () => (await view.page.locator("#chart").boundingBox())?.width).toBe(width - 32);
      const right = (await view.page.locator("#chart .peak-label").boundingBox()) ?? { x: 0, width: 0 };
      expect(right.x + right.width).toBeLessThan(width);
    }
  });

  test("2,000 points are drawn in less than a tenth of a second of the page's own", async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({ t: i * 50, rss: (i % 97) * MIB, memAvailable: 9 * MIB }));
    const view = await openWith({ ...timeline, samples: many });
    await view.page.evaluate(`window.again = ${JSON.stringify({ ...timeline, samples: many })}`);
    const cpuMs = await cpuMeter(view.page);
    const draw = () => view.page.evaluate('window.dispatchEvent(new MessageEvent("message", { data: window.again }))');
    const draws: number[] = [];
    for (let round = 0; round < 5; round++) draws.push(await cpuMs(draw));
    console.log(`2,000 points drawn in ${draws.map((ms) => ms.toFixed(1)).join(", ")} ms`);
    expect(Math.min(...draws)).toBeLessThan(100);
  });

  test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])("is readable in the %s theme", async (theme) => {
    const view = await openWith(timeline);
    await view.wear(theme);
    await view.page.locator("#plot").press("p");
    const { stroke, animated } = await view.page.locator("#chart .series.rss").evaluate((path) => {
      const window = path.ownerDocument.defaultView;
      const style = window?.getComputedStyle(path);
      return { stroke: style?.stroke ?? "", animated: path.ownerDocument.getAnimations().length };
    });
    expect(stroke).toBe(theme.endsWith("light") ? "rgb(24, 77, 221)" : "rgb(65, 121, 255)");
    expect(animated).toBe(0);
    expect(await accessibilityFaults(view.page)).toEqual([]);
    await saveScreenshot(view.page, `timeline-page-${theme}`);
  });
});
