/** A headless Chromium for one contestant, and what it takes of the machine. */
import * as fs from "node:fs";
import { chromium } from "playwright-core";
import { wholeChromium } from "../../scripts/chromium.mjs";

export const VIEWPORT = { width: 1280, height: 860 };
/** WebGL in software where there is no graphics processor; frames as fast as they can be drawn, not 60 a second. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--enable-unsafe-swiftshader",
  "--disable-frame-rate-limit",
];
const MIB = 2 ** 20;

export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: wholeChromium(), args: ARGUMENTS });
  const session = await browser.newBrowserCDPSession();
  const processes = async () =>
    (await session.send("SystemInfo.getProcessInfo")).processInfo.filter(({ type }) =>
      ["renderer", "GPU"].includes(type),
    );
  return {
    version: browser.version(),
    async newPage(url) {
      const page = await browser.newPage({ viewport: VIEWPORT, bypassCSP: true });
      await page.addInitScript(`
        window.acquireVsCodeApi = () => ({
          postMessage: (message) => window.editor?.(message), getState: () => undefined, setState: () => undefined,
        });`);
      await page.goto(url);
      return page;
    },
    /** CPU seconds that pages and graphics have used so far. */
    async cpu() {
      return (await processes()).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    },
    /** PSS of pages and graphics, in MiB. */
    async pss() {
      return (await processes()).reduce((sum, { id }) => sum + pssOf(id), 0);
    },
    close: () => browser.close(),
  };
}

function pssOf(pid) {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1];
  return (Number(kib) * 1024) / MIB;
}

/** Collects what the page no longer needs, and says how many MiB its JavaScript heap then has. */
export async function settledHeap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  for (let i = 0; i < 2; i++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return (usedSize + backingStorageSize) / MIB;
}
