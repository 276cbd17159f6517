/** One contestant opened once in a browser of its own, and all that is measured there. */
import { openBrowser, settledHeap } from "./browser.mjs";

/** What takes longer is given up: nobody waits for it. */
const LIMIT_MS = 60_000;
/** Until what goes on behind the first picture has ended. */
const SETTLE_MS = 2_000;
const SEARCHED = "kernel_12";

/**
 * @returns `figures` by name, as far as they could be measured, and `why` not all of them
 * @throws where it shows no graph, though it said that it does
 */
export async function visit({ page: name, tuned = false }, origin) {
  const browser = await openBrowser();
  const figures = {};
  try {
    const empty = await emptyPss(browser, origin);
    const page = await browser.newPage(`${origin}/${name}/`);
    for (const script of ["common", name]) await page.addScriptTag({ url: `${origin}/pages/${script}.mjs` });
    await page.evaluate((value) => (window.tuned = value), tuned);
    await page.evaluate((data) => window.contestant.prepare(data), `/data/${name}`);
    await page.waitForTimeout(500);
    const steps = {
      async "first picture"() {
        const before = await browser.cpu();
        figures.picture = await page.evaluate(() => window.contestant.show());
        figures.cpu = (await browser.cpu()) - before;
      },
      async memory() {
        await page.waitForTimeout(SETTLE_MS);
        figures.heap = await settledHeap(page);
        figures.memory = (await browser.pss()) - empty;
      },
      async hover() {
        figures.hover = await page.evaluate(() => window.hovers());
      },
      async search() {
        figures.search = await page.evaluate((term) => window.contestant.search(term), SEARCHED);
      },
      async zoom() {
        const { frames, elapsed, longest } = await page.evaluate(() => window.contestant.zoom());
        if (frames === 0) throw new Error("nothing was there to zoom to");
        figures.zoom = (1000 * frames) / elapsed;
        figures.longest = longest;
        await proveZooms(page);
      },
    };
    for (const [step, run] of Object.entries(steps)) {
      const why = await within(run());
      if (why !== undefined) return { figures, why: `${step}: ${why}` };
      if (step === "first picture") await proveDrawn(browser, page);
    }
    return { figures };
  } finally {
    await browser.close();
  }
}

/** The processes of a browser that shows nothing but an empty page. */
async function emptyPss(browser, origin) {
  const page = await browser.newPage(`${origin}/empty/`);
  await page.waitForTimeout(SETTLE_MS);
  await settledHeap(page);
  const pss = await browser.pss();
  await page.close();
  return pss;
}

/** Why it came to nothing; undefined where it was done in time. What is late ends with its browser. */
async function within(work) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(`not done after ${LIMIT_MS / 1000} s`), LIMIT_MS);
  });
  try {
    return await Promise.race([
      work.then(
        () => undefined,
        (error) => error.message.split("\n")[0],
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** By its pixels, where the wheel zooms: frames of a graph that stands still would be fast. */
async function proveZooms(page) {
  const clip = await page.evaluate(() => (contestant.closer === undefined ? undefined : contestant.area()));
  if (clip === undefined) return;
  const before = await page.screenshot({ clip });
  await page.evaluate(() => window.contestant.closer());
  if (before.equals(await page.screenshot({ clip }))) throw new Error("its picture is the same after zooming");
}

/** By its pixels: a graph has many colors, and most of it is not background. */
async function proveDrawn(browser, page) {
  const { x, y, width, height } = await page.evaluate(() => window.contestant.area());
  const clip = { x, y, width, height: Math.min(height, 400) };
  const png = (await page.screenshot({ clip })).toString("base64");
  const judge = await browser.newPage("about:blank");
  const { colors, commonest } = await judge.evaluate(async (base64) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    return { colors: counts.size, commonest: Math.max(...counts.values()) / pixels.length };
  }, png);
  await judge.close();
  if (colors < 10 || commonest > 0.9) throw new Error("its picture shows no graph");
}
