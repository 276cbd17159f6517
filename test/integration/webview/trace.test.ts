import { describe, expect, test } from "vitest";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { POOR_CONTRASTS } from "./checks.ts";
import { type OpenPage, openTracePage, THEMES } from "./page.ts";
import { stagePage } from "./stage.ts";
import { trace } from "./traceScene.ts";

const stage = stagePage("timeline");

async function openWith(message: object): Promise<OpenPage> {
  const view = await stage.open((browser, bundle) => openTracePage(browser, bundle));
  await view.send(message);
  await view.page.locator("#chart .axis").first().waitFor();
  return view;
}

const readout = (view: OpenPage): Promise<string | null> => view.page.locator("#readout").textContent();

describe.skipIf(!stage.possible)("the timeline page of a torch.profiler trace", () => {
  test("has a plot for each device, with what is allocated and, where it is said, reserved", async () => {
    const view = await openWith(trace);
    expect(await view.page.locator("h1").textContent()).toBe("step.pt.trace.json");
    expect(await view.page.locator("#chart .plot-name").allTextContents()).toEqual([
      "CPU (since the trace began)",
      "CUDA 0",
    ]);
    expect(await view.page.locator("#chart .series.allocated").count()).toBe(2);
    expect(await view.page.locator("#chart .series.reserved").count()).toBe(1);
    expect(await view.page.locator("#chart .peak-label").allTextContents()).toEqual(["peak 4.0 MiB", "peak 200.0 MiB"]);
    expect(await view.page.locator("#status").textContent()).toBe(trace.problems[0]);
    expect(await view.page.locator("#go-to-line").isVisible()).toBe(false);
  });

  test("names the operators that ran at a moment, by keyboard and mouse", async () => {
    const view = await openWith(trace);
    await view.page.locator("#plot").press("p");
    expect(await readout(view)).toBe(
      "5.0 ms · CUDA 0 +70.0 MiB in aten::conv2d · CPU allocated 4.0 MiB · CUDA 0 allocated 200.0 MiB, reserved 240.0 MiB",
    );
    await view.page.locator("#plot").press("Home");
    expect(await readout(view)).toContain("in aten::to › aten::copy_ · CPU allocated not known");
    const box = await view.page.locator("#chart circle.peak").first().boundingBox();
    if (!box) throw new Error("The peak is not drawn.");
    await view.page.mouse.move(box.x + box.width / 2, box.y + 30);
    expect(await readout(view)).toContain("2.5 ms · CPU +4.0 MiB in no operator of the trace");
  });

  test("tells who held what at each device's peak, and what was there before the trace", async () => {
    const view = await openWith(trace);
    const tables = view.page.locator("#held table");
    expect(await tables.locator("caption").allTextContents()).toEqual(["CPU at its peak", "CUDA 0 at its peak"]);
    expect(await tables.nth(1).locator("td").allTextContents()).toEqual([
      ...["70.0 MiB", "1", "aten::conv2d › aten::empty"],
      ...["30.0 MiB", "", "all others"],
      ...["100.0 MiB", "", "allocated before the trace began"],
    ]);
  });

  test("has all of it as a table", async () => {
    const view = await openWith(trace);
    await view.page.locator("#table summary").click();
    const rows = view.page.locator("#table-holder tbody tr");
    await expect.poll(() => rows.count()).toBe(4);
    const cells = ["5.0 ms", "CUDA 0", "+70.0 MiB", "peak 200.0 MiB", "240.0 MiB", "aten::conv2d"];
    expect(await rows.nth(2).locator("td").allTextContents()).toEqual(cells);
  });

  test("says that a large trace was thinned, and shows names as text", async () => {
    const named = trace.moments.map((moment) => ({ ...moment, path: ['<img src=x onerror="window.hit=1">'] }));
    const view = await openWith({ ...trace, problems: [], events: 134_442, moments: named });
    expect(await view.page.locator("#status").textContent()).toBe(
      "4 of 134,442 memory events are drawn, the peaks among them.",
    );
    await view.page.locator("#plot").press("p");
    expect(await readout(view)).toContain("<img");
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
  });

  test("says why a trace cannot be read", async () => {
    const view = await stage.open((browser, bundle) => openTracePage(browser, bundle));
    await view.send({ kind: "unavailable", message: "The trace has no memory events." });
    await view.page.locator("#status", { hasText: "no memory events" }).waitFor();
    expect(await view.page.locator("#plot").isVisible()).toBe(false);
    expect(await view.page.locator("#held").isVisible()).toBe(false);
  });

  test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])("is readable in the %s theme", async (theme) => {
    const view = await openWith(trace);
    await view.wear(theme);
    await view.page.locator("#plot").press("p");
    await saveScreenshot(view.page, `trace-page-${theme}`);
    expect(await view.page.locator("#chart .cursor circle").count()).toBe(3);
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await accessibilityFaults(view.page)).toEqual([]);
  });
});
