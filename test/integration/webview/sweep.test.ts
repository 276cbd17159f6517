import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { sweepHtml } from "../../../src/editor/sweep/sweepHtml.ts";
import type { Sweep } from "../../../src/sweep/model.ts";
import { SWEEP, WORDS } from "../../../webview/sweep/testing.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import { type OpenOptions, type OpenPage, openPage } from "./page.ts";
import { stagePage } from "./stage.ts";

const stage = stagePage("sweep");

async function open(options: OpenOptions = {}): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => sweepHtml({ ...parts, sweep: SWEEP.id }), options),
  );
  await view.resize({ width: 1_000, height: 1_300 });
  return view;
}

async function openWith(sweep: Sweep = SWEEP, options: OpenOptions = {}): Promise<OpenPage> {
  const view = await open(options);
  await view.send({ kind: "sweep", sweep });
  await view.page.locator("#content").waitFor();
  return view;
}

const choose = (view: OpenPage, figure: string): Promise<void> =>
  view.page.locator(`input[name="figure"][value="${figure}"] + span`).click();
const row = (view: OpenPage, ...values: readonly string[]): Locator =>
  values.reduce(
    (rows, value) => rows.filter({ has: view.page.locator(`td:text-is("${value}")`) }),
    view.page.locator("#points tbody tr"),
  );
const marks = (view: OpenPage, state: string): Promise<number> => view.page.locator(`#plot .mark.${state}`).count();
/** The middle of a mark of the plot, CSS pixels. */
const middle = async (mark: Locator): Promise<readonly [number, number]> => {
  const [, x = "", y = ""] = /translate\(([\d.]+),([\d.]+)\)/.exec((await mark.getAttribute("transform")) ?? "") ?? [];
  return [Number(x), Number(y)];
};

describe.skipIf(!stage.possible)("the page of a sweep", () => {
  test("says that it is ready, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("begins with what fits, for each combination of the others, and how certain that is", async () => {
    const view = await openWith();
    expect(await view.page.locator("h1").textContent()).toBe("Sweep of train.py --epochs 2");
    expect(await view.page.locator("#simulated").textContent()).toBe("Simulated: no real board");
    const [cpu = "", cuda = ""] = await view.page.locator("#limits li").allInnerTexts();
    expect(cpu).toContain(
      "batch-size with device cpu: 128 is the largest that ran to its end, and none ran out of memory.",
    );
    expect(cpu).toMatch(/Estimate: up to 4\d\d fits, by Board's memory. 4 peaks lie on a straight line/);
    expect(cpu).toContain("times the largest that ran, so run it to be sure.");
    expect(cuda).toContain("128 is the largest that ran, 256 ran out of memory.");
  });

  test("news of runs that are being made leave the keyboard where it is", async () => {
    const view = await openWith();
    const focusedAfterNews = async (selector: string, points: Sweep["points"]): Promise<string> => {
      await view.page.locator(selector).focus();
      await view.send({ kind: "sweep", sweep: { ...SWEEP, points }, making: `${points.length} left` });
      await expect.poll(() => view.page.locator("#status").textContent()).toContain(`${points.length} left`);
      return view.page.locator(":focus").evaluate((focused) => focused.outerHTML);
    };
    const [, ...more] = SWEEP.points;
    const label = (await view.page.locator('#points [aria-label^="Open run"]').last().getAttribute("aria-label")) ?? "";
    expect(await focusedAfterNews(`[aria-label="${label}"]`, more)).toContain(label);
    expect(await focusedAfterNews('input[name="figure"][value="rss"]', SWEEP.points)).toContain('value="rss"');
  });

  test("a point has every figure in the table, its spread, and its runs to open", async () => {
    const view = await openWith();
    const cells = await row(view, "cuda", "64").locator("td").allInnerTexts();
    expect(cells).toEqual([
      "cuda",
      "64",
      "fits",
      expect.stringMatching(/1\s*2\s*3/),
      "610.0 MiB",
      "23.0 MiB",
      "1380.0 MiB",
      "23.0 MiB",
      "760.0 MiB",
      "11.5 MiB",
      "22.6 s",
    ]);
    await row(view, "cuda", "64").getByRole("button", { name: "Open run 2 with device cuda, batch-size 64" }).click();
    const { folders = [] } =
      SWEEP.points.find(({ values }) => values["device"] === "cuda" && values["batch-size"] === "64") ?? {};
    expect((await view.received()).at(-1)).toEqual({ kind: "openRun", folder: folders[1] });
  });

  test("outcomes are told by words and shapes: out of memory, failed, skipped, not run", async () => {
    const view = await openWith();
    expect(await row(view, "cuda", "256").innerText()).toContain("out of memory");
    expect(await row(view, "cuda", "256").innerText()).toContain(
      "PyTorch could get no more CUDA memory at train.py:33.",
    );
    expect(await row(view, "cuda", "256").innerText()).toContain("≥ 2700.0 MiB");
    expect(await row(view, "cuda", "512").innerText()).toContain("a smaller value ran out of memory");
    expect(await row(view, "cpu", "256").innerText()).toContain(
      "exit status 2, which does not mean that memory ran out",
    );
    expect(await row(view, "cpu", "512").innerText()).toContain("not run");
    expect([await marks(view, "fits"), await marks(view, "out-of-memory"), await marks(view, "failed")]).toEqual([
      8, 1, 1,
    ]);
    expect(await view.page.locator("#legend").innerText()).toContain("out of memory, at what had been seen by then");
  });

  test("the plot has its marks where the figures are, and the room as a line with its words", async () => {
    const view = await openWith();
    const fits = view.page.locator("#plot .mark.fits.s0");
    const [first, second, , fourth] = await Promise.all([0, 1, 2, 3].map((i) => middle(fits.nth(i))));
    const slope = (a = [0, 0] as readonly [number, number], b = a) => (b[1] - a[1]) / (b[0] - a[0]);
    expect(slope(first, second)).toBeCloseTo(slope(second, fourth), 1);
    expect(await view.page.locator("#plot .room").count()).toBe(1);
    expect(await view.page.locator("#plot").innerHTML()).toContain("Room 2959.0 MiB");
    expect(await view.page.locator("#room").textContent()).toContain(
      "2959.0 MiB available on the board right before the runs",
    );
    expect(await view.page.locator("#plot .spread[d^=M]").count()).toBe(8);
    expect(await view.page.locator("#plot .label").allTextContents()).toEqual(["cpu", "cuda"]);
  });

  test("shows another memory where that is chosen, by keys too, and keeps the choice", async () => {
    const view = await openWith();
    expect(await view.page.locator("#meaning").textContent()).toContain("MemTotal − MemAvailable");
    await choose(view, "cuda");
    expect(await view.page.locator("#meaning").textContent()).toContain("reserve from CUDA");
    expect(await marks(view, "fits")).toBe(4);
    expect(await view.page.locator("#room").textContent()).toContain("2101.0 MiB what PyTorch held");
    await view.page.keyboard.press("ArrowLeft");
    expect(await view.page.evaluate(FOCUSED)).toBe("figure");
    expect(await view.state()).toEqual({ sweep: SWEEP.id, figure: "board" });
    const again = await openWith(SWEEP, { savedState: { sweep: SWEEP.id, figure: "rss" } });
    expect(await again.page.locator('input[value="rss"]').isChecked()).toBe(true);
  });

  test("a parameter of numbers can be chosen along the plot where there are several", async () => {
    const more = { ...SWEEP.parameters[1], name: "seq-len", values: ["64", "128"] } as const;
    const points = SWEEP.points.flatMap((point) =>
      more.values.map((length) => ({ ...point, values: { ...point.values, "seq-len": length } })),
    );
    const view = await openWith({ ...SWEEP, parameters: [...SWEEP.parameters, more], points, limits: [] });
    const axis = view.page.getByLabel("Along");
    expect(await axis.inputValue()).toBe("batch-size");
    await axis.selectOption("seq-len");
    expect(await view.page.locator("#plot .caption").first().textContent()).toBe("seq-len");
    expect(await view.state()).toMatchObject({ axis: "seq-len" });
  });

  test("without any parameter of numbers it shows a row for each point", async () => {
    const view = await openWith(WORDS);
    expect(await view.page.locator("#limits").textContent()).toContain("no largest one");
    expect(await view.page.locator("#plot .row").allTextContents()).toEqual([
      "605.0 MiB · model resnet18, amp on",
      "990.0 MiB · model resnet18, amp off",
      "305.0 MiB · model mobilenet_v3_small_with_a_long_name, amp on",
      "435.0 MiB · model mobilenet_v3_small_with_a_long_name, amp off",
    ]);
    for (const width of [400, 1_000]) {
      await view.resize({ width, height: 700 });
      await saveScreenshot(view.page, `sweep-words-${width}`);
    }
  });

  test("what is missing can be made, unless it is under way", async () => {
    const view = await openWith();
    expect(await view.page.locator("#missing-words").textContent()).toBe("3 runs are missing.");
    await view.page.getByRole("button", { name: "Make Missing Runs…" }).click();
    expect((await view.received()).at(-1)).toEqual({ kind: "resume" });
    await view.send({ kind: "sweep", sweep: SWEEP, making: "run 11 of 12" });
    await expect.poll(() => view.page.locator("#status").textContent()).toBe("Under way: run 11 of 12");
    expect(await view.page.locator("#missing").isVisible()).toBe(false);
  });

  test("says so where the sweep is gone", async () => {
    const view = await open();
    await view.send({ kind: "unavailable", message: "There are no runs of the sweep." });
    await expect.poll(() => view.page.locator("#status").textContent()).toBe("There are no runs of the sweep.");
  });

  test("takes nothing that is not a sweep, and shows hostile names as text", async () => {
    const evil = '<img src=x onerror="window.hacked=1">\u202e\u0007';
    const named = (values: Readonly<Record<string, string>>) => ({ ...values, device: evil });
    const view = await openWith({
      ...SWEEP,
      title: evil,
      target: evil,
      notes: [evil],
      points: SWEEP.points.slice(0, 4).map((point) => ({ ...point, values: named(point.values), reason: evil })),
      limits: SWEEP.limits.slice(0, 1).map((limit) => ({ ...limit, others: { device: evil } })),
    });
    expect(await view.page.evaluate("window.hacked")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await view.page.locator("body").textContent()).not.toContain("\u202e");
    const before = await view.page.locator("#points").innerText();
    for (const bad of [
      null,
      { kind: "sweep" },
      { kind: "sweep", sweep: { ...SWEEP, repeat: -1 } },
      { kind: "sweep", sweep: { ...SWEEP, rooms: { rss: { bytes: -5, how: "x" } } } },
    ])
      await view.send(bad);
    expect(await view.page.locator("#points").innerText()).toBe(before);
  });

  test.each(["dark", "light", "hc-dark", "hc-light"] as const)("is readable in the theme %s", async (theme) => {
    const view = await openWith();
    await view.wear(theme);
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await accessibilityFaults(view.page)).toEqual([]);
    await saveScreenshot(view.page, `sweep-page-${theme}`);
  });

  test.each([400, 700, 1_400])("has no sideways scrolling at a width of %i", async (width) => {
    const view = await openWith();
    await view.resize({ width, height: 1_500 });
    expect(await view.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await saveScreenshot(view.page, `sweep-page-${width}`);
  });
});
