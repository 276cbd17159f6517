import { describe, expect, test } from "vitest";
import { doctorHtml } from "../../../src/editor/board/doctor/doctorHtml.ts";
import type { ToDoctorPage } from "../../../src/protocol/board/doctor.ts";
import { saveScreenshot } from "../../workbench/support/workbench.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { FOCUSED, POOR_CONTRASTS } from "./checks.ts";
import { MESSAGE, REPORT } from "./doctorScene.ts";
import { type OpenPage, openPage, THEMES_IN_TURN } from "./page.ts";
import { stagePage } from "./stage.ts";

const stage = stagePage("doctor");

async function open(): Promise<OpenPage> {
  return stage.open((browser, bundle) => openPage(browser, bundle, doctorHtml));
}

async function openWith(message: ToDoctorPage): Promise<OpenPage> {
  const view = await open();
  await view.send(message);
  await view.page.locator(".line").first().waitFor();
  return view;
}

const line = (view: OpenPage, id: string) => view.page.locator(`[data-line="${id}"]`);

describe.skipIf(!stage.possible)("the page of Check Board", () => {
  test("says that it is ready, once, and offers nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#again").isDisabled()).toBe(true);
    expect(await view.page.locator(".line").count()).toBe(0);
  });

  test("names the board, where it is, and that it is simulated", async () => {
    const view = await openWith(MESSAGE);
    expect(await view.page.locator("h1").textContent()).toBe(REPORT.title);
    expect(await view.page.locator("#about").textContent()).toMatch(/^nano@192\.168\.1\.20 · checked .*2026/);
    expect(await view.page.locator("#simulated").textContent()).toBe("Simulated: Jetson Nano");
    const { simulated: _, ...real } = REPORT;
    await view.send({ ...MESSAGE, report: real });
    await view.page.locator("#simulated").waitFor({ state: "hidden" });
  });

  test("groups the lines by topic, each with its status as a word, and counts them worst first", async () => {
    const view = await openWith(MESSAGE);
    expect(await view.page.locator("h2").allTextContents()).toEqual(["Board", "Memory", "Tools", "What may be read"]);
    expect(await view.page.locator("#summary li").allTextContents()).toEqual([
      "1 missing:valgrind",
      "1 limited:Desktop",
      "1 unknown:GPU memory per process",
      "2 fine",
    ]);
    expect(await view.page.locator(".status").allTextContents()).toEqual([
      "Fine",
      "Fine",
      "Limited",
      "Missing",
      "Unknown",
    ]);
    const left = await view.page
      .locator(".line .text")
      .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().left));
    expect(new Set(left).size, "the columns are aligned").toBe(1);
  });

  test("the summary names what could be better, and leads to it", async () => {
    const view = await openWith(MESSAGE);
    await view.resize({ width: 700, height: 200 });
    await view.page.locator("#summary").getByRole("button", { name: "valgrind" }).click();
    expect(await view.page.locator(":focus").textContent()).toBe("valgrind");
    const top = await line(view, "valgrind").evaluate((item) => item.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(-1);
    expect(top).toBeLessThan(200);
  });

  test("how to get what nobody needs is folded", async () => {
    const report = { ...REPORT, lines: REPORT.lines.map((each) => ({ ...each, status: "ok" as const })) };
    const view = await openWith({ ...MESSAGE, report });
    const command = line(view, "valgrind").locator("pre");
    expect(await command.isVisible()).toBe(false);
    await line(view, "valgrind").locator("summary").click();
    expect(await command.isVisible()).toBe(true);
  });

  test("a remedy shows the exact command and how to undo it; its buttons name the line", async () => {
    const view = await openWith(MESSAGE);
    const desktop = line(view, "desktop");
    expect(await desktop.locator("pre code").textContent()).toBe("sudo systemctl set-default multi-user.target");
    expect(await desktop.locator(".remedy").textContent()).toContain(
      "To undo it: sudo systemctl set-default graphical.target",
    );
    expect(await desktop.locator(".remedy p code").allTextContents()).toEqual([
      "systemctl isolate",
      "sudo systemctl set-default graphical.target",
    ]);
    await desktop.getByRole("button", { name: "Copy" }).click();
    await line(view, "valgrind").getByRole("button", { name: "Run on the board" }).click();
    expect((await view.received()).slice(1)).toEqual([
      { kind: "copy", line: "desktop" },
      { kind: "run", line: "valgrind" },
    ]);
    expect(await line(view, "nvmap").getByRole("button").count(), "nothing to run").toBe(0);
  });

  test("checks again, says so meanwhile, and keeps the last findings where that fails", async () => {
    const view = await openWith(MESSAGE);
    await view.page.locator("#again").click();
    expect((await view.received()).at(-1)).toEqual({ kind: "again" });
    await view.send({ kind: "checking", target: "nano@192.168.1.20" });
    await view.page.locator("#status", { hasText: "Checking nano@192.168.1.20…" }).waitFor();
    expect(await view.page.locator("#again").isDisabled()).toBe(true);
    await view.send({ kind: "unavailable", message: "The board cannot be reached. Is it on?" });
    await view.page.locator("#status", { hasText: "The board cannot be reached." }).waitFor();
    expect(await view.page.locator("#again").isDisabled()).toBe(false);
    expect(await view.page.locator(".line").count()).toBe(5);
  });

  test("the keyboard reaches every button in the order of the page", async () => {
    const view = await openWith(MESSAGE);
    const reached: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      await view.page.keyboard.press("Tab");
      const focused = view.page.locator(":focus");
      reached.push((await focused.getAttribute("aria-label")) ?? (await focused.textContent()));
    }
    expect(reached).toEqual([
      "Check Again",
      "valgrind",
      "Desktop",
      "GPU memory per process",
      "Copy the command: Desktop",
      "Run on the Board: Desktop",
      "Copy the command: valgrind",
      "Run on the Board: valgrind",
    ]);
    await view.page.locator("#again").focus();
    expect(await view.page.evaluate(FOCUSED)).toBe("again");
    await view.page.keyboard.press("Enter");
    expect((await view.received()).at(-1)).toEqual({ kind: "again" });
  });

  test("what a board says is text, and cannot hide what a command does", async () => {
    const hostile = '<img src=x onerror="window.hit=1">\u202e\u0007';
    const view = await openWith({
      ...MESSAGE,
      target: hostile,
      report: {
        title: hostile,
        simulated: hostile,
        lines: [
          {
            id: hostile,
            topic: "board",
            title: hostile,
            status: "missing",
            found: hostile,
            goodFor: hostile,
            remedy: { text: hostile, command: hostile, undo: hostile },
          },
        ],
      },
    });
    expect(await view.page.evaluate("window.hit")).toBeUndefined();
    expect(await view.page.locator("img").count()).toBe(0);
    expect(await view.page.locator("pre code").textContent()).toBe('<img src=x onerror="window.hit=1">??');
    await view.send({ ...MESSAGE, report: { ...REPORT, lines: [{ id: "board", status: "great" }] } });
    await view.send({ ...MESSAGE, target: "last" });
    await view.page.locator("#about", { hasText: "last" }).waitFor();
    expect(await view.page.locator(".line").count(), "the damaged report in between was passed over").toBe(5);
  });

  test.each(THEMES_IN_TURN)("is readable in the %s theme", async (theme) => {
    const view = await openWith(MESSAGE);
    await view.wear(theme);
    expect(await view.page.evaluate(POOR_CONTRASTS)).toEqual([]);
    expect(await accessibilityFaults(view.page)).toEqual([]);
    await saveScreenshot(view.page, `doctor-page-${theme}`);
  });

  test("fits a narrow editor", async () => {
    const view = await openWith(MESSAGE);
    await view.resize({ width: 400, height: 700 });
    expect(await view.page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    await saveScreenshot(view.page, "doctor-page-narrow");
  });
});
