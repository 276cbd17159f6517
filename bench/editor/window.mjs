/** One window of the browser-run VS Code with the packed extension in it: what it takes to activate, scroll and hover. */
import * as fs from "node:fs";
import * as path from "node:path";
import { chromium } from "playwright-core";
import { wholeChromium } from "../../scripts/chromium.mjs";
import { startServer } from "../../test/workbench/support/server.mjs";

const SETTINGS = { "editor.minimap.enabled": false, "editor.accessibilitySupport": "off" };
const DEADLINE_MS = 120_000;

/** The times between any two frames of the window, each with its end as of Date.now(). */
const RECORD_FRAMES = `
  window.frames_ = [];
  let last = performance.now();
  const next = (now) => {
    window.frames_.push([performance.timeOrigin + now, now - last]);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);`;

/**
 * @param {{folder: string, extension: string, tests: string, scratch: string}} places
 * @param {object} order less the names of files, as in inhost.ts
 * @returns figures in ms: activation, scroll (mean of all), longest (frame), bare (longest frame without figures),
 *   hover (mean of all)
 */
export async function visit({ folder, extension, tests, scratch }, order) {
  const results = path.join(scratch, "results.json");
  const seen = path.join(scratch, "seen");
  for (const file of [results, `${seen}.activated`, `${seen}.scrolled`]) fs.rmSync(file, { force: true });
  const env = { HOME: scratch, BENCH_ORDER: JSON.stringify({ ...order, results, seen }) };
  const server = await startServer({ settings: SETTINGS, env });
  const browser = await chromium.launch({
    executablePath: wholeChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    let activation;
    const log = [];
    const steps = {
      activated: async () => {
        activation = await activationTime(page);
      },
      scrolled: async () => {
        const marks = await figuresInView(page);
        if (marks < 10) throw new Error(`only ${marks} lines in view have their figures`);
      },
    };
    const ended = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`the window did not end its work:\n${log.join("\n")}`)), DEADLINE_MS).unref();
      page.exposeFunction("codeAutomationExit", () => resolve());
      page.exposeFunction("codeAutomationLog", (_type, parts) => {
        log.push(parts.join(" "));
        const step = Object.keys(steps).find((name) => parts.some((part) => String(part).includes(name)));
        if (step !== undefined) steps[step]().then(() => fs.writeFileSync(`${seen}.${step}`, ""), reject);
      });
    });
    await page.goto(server.url({ folder, extension, tests }));
    await page.evaluate(RECORD_FRAMES);
    await ended;
    if (!fs.existsSync(results)) throw new Error(`the extension host died:\n${log.slice(-20).join("\n")}`);
    const done = JSON.parse(fs.readFileSync(results, "utf8"));
    if (done.scrolls.includes(0)) throw new Error("the extension did nothing after a scroll");
    if (done.empty > order.hovers / 20) throw new Error(`${done.empty} of ${order.hovers} hovers had no figures`);
    const frames = await page.evaluate("window.frames_");
    const longest = ([start, end]) =>
      Math.max(...frames.filter(([at]) => at >= start && at <= end).map(([, took]) => took));
    return {
      activation,
      scroll: mean(done.scrolls),
      longest: longest(done.shown),
      bare: longest(done.bare),
      hover: mean(done.hovers),
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

const mean = (figures) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length;

/** As VS Code tells it for each extension: loading its code and the call of `activate`. */
async function activationTime(page) {
  const row = page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: /jetson.memory.profiler/i });
  const text = await row.locator(".activation-time").innerText();
  const ms = /(\d+)\s*ms/.exec(text)?.[1];
  if (ms === undefined) throw new Error(`VS Code says "${text}" of the activation`);
  return Number(ms);
}

/** Lines in view with a figure beside them. */
function figuresInView(page) {
  return page.evaluate(
    () =>
      [...document.querySelectorAll(".editor-instance .view-line")].filter((line) =>
        [...line.querySelectorAll("span")].some((span) => /[KM]iB/.test(getComputedStyle(span, "::after").content)),
      ).length,
  );
}
