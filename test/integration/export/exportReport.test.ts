/** The HTML report as people open it: a file in a browser, light and dark, narrow, on paper, without programs. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportRun } from "../../../src/formats/exports/exportRun.ts";
import { makeTraining } from "../../../src/formats/exports/testing.ts";
import { openRunFolder } from "../../../src/profile/run/runFolder.ts";
import { hasChromium, launchChromium, saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "../webview/accessibility.ts";
import { POOR_CONTRASTS } from "../webview/checks.ts";

const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const rowsOf = "[...document.querySelectorAll('.weights tbody tr')].map((row) => row.cells[0].textContent)";

describe.skipIf(!hasChromium())("the HTML report in a browser", () => {
  let browser: Browser;
  let folder = "";
  let file = "";
  const asked: string[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-report-"));
    file = path.join(folder, "report.html");
    const { run, remove } = makeTraining();
    const reader = openRunFolder(run);
    await reader.refresh();
    fs.writeFileSync(file, [...(await exportRun(reader, "html", {})).content].join(""));
    remove();
  });
  afterAll(async () => {
    await browser?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  async function open(width: number, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 1000 }, ...options });
    page.on("request", (request) => {
      if (request.url() !== pathToFileURL(file).href) asked.push(request.url());
    });
    page.on("console", (message) => faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(pathToFileURL(file).href);
    return page;
  }

  test.each(["light", "dark"] as const)(
    "%s: reads well, asks for nothing and meets its own policy",
    async (colorScheme) => {
      const page = await open(1240, { colorScheme });
      await expect(page.title()).resolves.toBe("train.py --batch-size 64: memory");
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
      expect(await page.evaluate(POOR_CONTRASTS)).toEqual([]);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.evaluate("for (const part of document.querySelectorAll('#ledger details')) part.open = false");
      await saveScreenshot(page, `report-${colorScheme}`);
      await page.close();
      expect({ asked, faults }).toEqual({ asked: [], faults: [] });
    },
  );

  test("narrow: nothing but tables and pictures is wider than the window, and sources stay readable", async () => {
    const page = await open(400);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    const source = page.locator("table.source").first();
    expect(await source.locator("thead th:visible").allTextContents()).toEqual(["Line", "RSS net", "Source"]);
    await saveScreenshot(page, "report-narrow");
    await page.close();
  });

  test("on paper: in light colors, with all that is folded", async () => {
    const page = await open(720, { colorScheme: "dark" });
    await page.locator("details.file").first().evaluate("(file) => { file.open = false; }");
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    expect(await page.locator("nav").isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator("details:not([open])").count()).toBe(0);
    await saveScreenshot(page, "report-print");
    await page.close();
  });

  test("without programs all of it is there", async () => {
    const page = await open(1240, { javaScriptEnabled: false });
    await page.getByText("optimizer = torch.optim.Adam(net.parameters())").last().waitFor();
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Timeline",
      "Where the board’s RAM was",
      "Heaviest lines",
      "What PyTorch and CUDA took outside the allocator, by phase",
      "Sources",
      "What the figures mean",
    ]);
    expect(await page.locator("button").count()).toBe(0);
    await page.close();
  });

  test("with the keyboard: columns are sorted both ways, all sources opened and folded", async () => {
    const page = await open(1240);
    const asWritten = (await page.evaluate(rowsOf)) as string[];
    await page.getByRole("button", { name: "CUDA peak" }).press("Enter");
    expect((await page.evaluate(rowsOf)) as string[]).toMatchObject({ 0: "lenet.py:18", 1: "train.py:16" });
    await page.getByRole("button", { name: "CUDA peak" }).press("Enter");
    expect(((await page.evaluate(rowsOf)) as string[]).at(-1)).toBe("lenet.py:18");
    expect(await page.locator("th[aria-sort=ascending]").textContent()).toBe("CUDA peak");
    await page.getByRole("button", { name: "Weight" }).press("Enter");
    // Lines of one weight may change places.
    expect(((await page.evaluate(rowsOf)) as string[]).slice(0, 8)).toEqual(asWritten.slice(0, 8));
    await page.getByRole("button", { name: "Fold all" }).press("Enter");
    expect(await page.locator("details.file[open]").count()).toBe(0);
    await page.getByRole("button", { name: "Open all" }).press("Space");
    expect(await page.locator("details.file[open]").count()).toBe(2);
    await page.close();
    expect({ asked, faults }).toEqual({ asked: [], faults: [] });
  });
});
