// How fast the flame view is in headless Chromium: from the tree's arrival to the first picture, then zoom and pan.
// node bench/massif/view.mjs
//
// The first picture is judged by the clock, or by the processor time of the page's process where that is less: page and
// worker work one after the other, so on a machine with nothing else to do it takes no longer than that.
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { chromium } from "playwright-core";
import { workerText } from "../../scripts/workerText.mjs";

const ORIGIN = "https://page.test";
const CASES = [
  { frames: 100_000, stacks: 2_950, bar: 300 },
  { frames: 1_000_000, stacks: 29_500, bar: 2_000 },
];
const RUNS = 5;
const GESTURE_MS = 2_000;
const LEAST_FRAMES_PER_SECOND = 30;
const absWorkingDir = fileURLToPath(new URL("../..", import.meta.url));

/** Deterministic numbers in 0…1 (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const DEPTH = 40;
/** Levels at which stacks still share their frames, at the program's and at the allocator's end. */
const SHARED = 3;
/** More than a real program has: the 350,000 nodes of `import numpy` at threshold 0.001 have 1,746 different labels. */
const FUNCTIONS = 5_000;
const PYTHON_LINES = 500;
const LIBRARIES = ["libtorch_cpu.so", "libcudnn.so.8", "libcudart.so.10.2", "libnumpy.so", "libc.so.6"];

/** A massif tree of `count` different stacks of 40 frames, as the editor sends it. */
function wireTree(count) {
  const random = randomNumbers(7);
  const pick = (choices) => Math.floor(random() * choices);
  const labels = ["(heap allocation functions) malloc/new/new[], --alloc-fns, etc."];
  for (let i = 0; i < PYTHON_LINES; i++) labels.push(`0x${(0x1000 + i).toString(16)}: py_${i} (in /tmp/pads.so)`);
  for (let i = 0; i < FUNCTIONS; i++)
    labels.push(
      `0x${(0x9000 + i).toString(16)}: at::native::kernel_${i}<float>(c10::Tensor const&) (in /usr/lib/${LIBRARIES[i % LIBRARIES.length]})`,
    );
  const native = () => 1 + PYTHON_LINES + pick(FUNCTIONS);
  const label = [0];
  const parent = [0];
  const bytes = [0];
  const known = new Map();
  for (let stack = 0; stack < count; stack++) {
    const size = Math.ceil(random() ** 8 * 1e6) + 16;
    let at = 0;
    bytes[0] += size;
    for (let depth = 0; depth < DEPTH; depth++) {
      const shared = depth < SHARED || depth >= DEPTH - SHARED;
      const frame = shared ? 1 + PYTHON_LINES + pick(3) : depth % 5 === 4 ? 1 + pick(PYTHON_LINES) : native();
      const key = depth < SHARED ? `${at} ${frame}` : undefined;
      let node = key === undefined ? undefined : known.get(key);
      if (node === undefined) {
        node = label.push(frame) - 1;
        parent.push(at);
        bytes.push(0);
        if (key !== undefined) known.set(key, node);
      }
      bytes[node] += size;
      at = node;
    }
  }
  const base64 = (array) => Buffer.from(array.buffer).toString("base64");
  return {
    nodes: label.length,
    wire: {
      labels,
      label: base64(Uint32Array.from(label)),
      parent: base64(Uint32Array.from(parent)),
      bytes: base64(Float64Array.from(bytes)),
      python: Array.from({ length: PYTHON_LINES }, (_, i) => ({
        label: 1 + i,
        place: { path: `pkg/module_${i % 40}.py`, line: 1 + i },
        function: `function_${i}`,
        kind: "line",
      })),
      library: [],
    },
  };
}

const documentOf = (nodes) => ({
  kind: "document",
  document: {
    title: "bench",
    files: [
      {
        name: "main",
        command: "python3 bench.py",
        description: "",
        timeUnit: "ms",
        pagesAsHeap: false,
        frames: "lines",
        snapshots: [{ number: 0, time: 1, heap: 1e9, extra: 0, stacks: 0, tree: "peak", nodes }],
        problems: [],
      },
    ],
    lines: [],
    notes: [],
  },
});

async function bundles() {
  const page = await esbuild.build({
    absWorkingDir,
    entryPoints: { page: "webview/massif/main.ts" },
    outdir: "dist",
    bundle: true,
    minify: true,
    target: "es2022",
    write: false,
    plugins: [workerText],
  });
  const skeleton = await esbuild.build({
    absWorkingDir,
    entryPoints: ["src/editor/massif/massifHtml.ts"],
    format: "esm",
    write: false,
  });
  const { massifHtml } = await import(`data:text/javascript,${encodeURIComponent(skeleton.outputFiles[0].text)}`);
  const text = (ending) => page.outputFiles.find((file) => file.path.endsWith(ending)).text;
  const html = massifHtml({
    cspSource: ORIGIN,
    nonce: "bm9uY2U=",
    scriptUri: `${ORIGIN}/page.js`,
    styleUri: `${ORIGIN}/page.css`,
    source: "",
  });
  return new Map([
    ["/", { contentType: "text/html", body: html }],
    ["/page.js", { contentType: "text/javascript", body: text(".js") }],
    ["/page.css", { contentType: "text/css", body: text(".css") }],
  ]);
}

async function openPage(browser, files) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.on("pageerror", (error) => console.error(error));
  await page.route("**/*", (route) =>
    route.fulfill(files.get(new URL(route.request().url()).pathname) ?? { status: 404 }),
  );
  await page.addInitScript(`
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => window.editor?.(message), getState: () => undefined, setState: () => undefined,
    });`);
  await page.goto(`${ORIGIN}/`);
  return page;
}

/** Resolves when the page has shown the document and waits for the tree. */
async function askedForTree(page, { wire, nodes }) {
  await page.evaluate(
    ({ tree, document_ }) =>
      new Promise((resolve) => {
        window.editor = (message) => {
          if (message.kind !== "tree") return;
          window.answer = { kind: "tree", request: message.request, tree };
          resolve();
        };
        window.postMessage(document_, "*");
      }),
    { tree: wire, document_: documentOf(nodes) },
  );
  await page.waitForTimeout(500);
}

/** Milliseconds from the tree's arrival to the picture. */
const firstPicture = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const graph = document.getElementById("graph");
        const start = performance.now();
        new MutationObserver(() => {
          if (graph.getAttribute("aria-busy") === "false") resolve(performance.now() - start);
        }).observe(graph, { attributes: true });
        window.postMessage(window.answer, "*");
      }),
  );

/** Milliseconds of processor time that the pages' processes have used so far. */
async function processorTime(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

/** Frames a second while a gesture goes on, and the longest time between two. */
async function gesture(page, kind) {
  return page.evaluate(
    ({ name, duration }) =>
      new Promise((resolve) => {
        const canvas = document.getElementById("canvas");
        const { left, top } = canvas.getBoundingClientRect();
        const at = (x, y, more) => ({ clientX: left + x, clientY: top + y, bubbles: true, cancelable: true, ...more });
        const times = [];
        const start = performance.now();
        const step = (now) => {
          times.push(now);
          const t = now - start;
          if (t > duration) {
            const gaps = times.slice(1).map((time, i) => time - times[i]);
            resolve({ rate: (1000 * gaps.length) / (times.at(-1) - times[0]), worst: Math.max(...gaps) });
            return;
          }
          // Closer for the first half, away again for the second.
          const closer = t < duration / 2;
          if (name === "zoom")
            canvas.dispatchEvent(new WheelEvent("wheel", at(300, 200, { deltaY: closer ? -40 : 40, ctrlKey: true })));
          else
            canvas.dispatchEvent(
              new WheelEvent("wheel", at(300, 200, { deltaX: closer ? 9 : -9, deltaY: closer ? 4 : -4 })),
            );
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    { name: kind, duration: GESTURE_MS },
  );
}

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(fs.existsSync);
const files = await bundles();
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const session = await browser.newBrowserCDPSession();
let missed = 0;
const check = (good, text) => {
  console.log(`${good ? "ok  " : "MISS"} ${text}`);
  if (!good) missed++;
};
try {
  for (const { frames, stacks, bar } of CASES) {
    const tree = wireTree(stacks);
    const pictures = [];
    let page;
    for (let run = 0; run < RUNS; run++) {
      await page?.close();
      page = await openPage(browser, files);
      await askedForTree(page, tree);
      const before = await processorTime(session);
      const elapsed = await firstPicture(page);
      pictures.push({ elapsed, processor: (await processorTime(session)) - before });
    }
    const times = (key) => pictures.map((picture) => Math.round(picture[key])).join(", ");
    check(
      Math.min(...pictures.flatMap(({ processor, elapsed }) => [processor, elapsed])) <= bar,
      `${frames} frames (${tree.nodes} nodes): first picture after ${times("processor")} ms of processor time ` +
        `(${times("elapsed")} ms by the clock); bar ${bar} ms`,
    );
    await page.waitForTimeout(3_000);
    for (const kind of ["zoom", "pan"]) {
      const { rate, worst } = await gesture(page, kind);
      check(
        rate >= LEAST_FRAMES_PER_SECOND,
        `${frames} frames: ${kind} ${rate.toFixed(0)} frames/s, longest ${worst.toFixed(0)} ms; bar ${LEAST_FRAMES_PER_SECOND} frames/s`,
      );
    }
    await page.close();
  }
} finally {
  await browser.close();
}
process.exitCode = missed === 0 ? 0 : 1;
