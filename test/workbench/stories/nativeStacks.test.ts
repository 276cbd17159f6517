/** From the right click to the flame view: a script whose native stacks are sampled, on the simulated board. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

const workbench = story("nativeStacks", () => ({
  // The system's own Python, which boards have; a mean at which 24 MiB are certain to some percent.
  settings: {
    "jetsonMemprof.python": "/usr/bin/python3",
    "jetsonMemprof.nativeStacks.sampleKiB": 64,
    "workbench.colorTheme": ui.THEMES.dark,
  },
}));
const RUN_MS = 180_000;
const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project/heap.py"), "utf8").split("\n");
const lineNumber = (text: string): number => source.findIndex((line) => line.includes(text)) + 1;
const APPEND = lineNumber("blocks.append");
const BUILD = lineNumber("kept = build()");
const SPARE = lineNumber("spare = bytearray");
const MIB = 2 ** 20;

function newestRun(): string {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  return path.join(runs, fs.readdirSync(runs).sort().at(-1) ?? "");
}

/** What the helper leaves where CUDA is called, made by hand after docs/run-folder.md: there is no GPU here. */
function writeGpuByHand(run: string): void {
  const pid = /(\d+)$/.exec(fs.readdirSync(run).find((name) => name.startsWith("massif.out.")) ?? "")?.[1] ?? "";
  const frames = fs.readFileSync(path.join(run, `massif.frames.${pid}.jsonl`), "utf8").split("\n");
  const pad = JSON.parse(frames.find((text) => text.includes(`"line":${SPARE},`)) ?? "{}").name ?? "py_00000";
  const figures = (live: number, peak: number) => ({
    ...{ pytorch: false, file: "heap.py", line: SPARE, function: "main" },
    ...{ live: live * MIB, peak: peak * MIB, most: peak * MIB, taken: peak * MIB, count: 1 },
  });
  const rows = [
    { kind: "context", measured: "free-memory", library: null, ...figures(310, 310) },
    { kind: "device", measured: "call", library: "libcudnn_cnn_infer.so.8", ...figures(8, 64) },
    { kind: "device", measured: "call", library: "libc10_cuda.so", ...figures(96, 96), pytorch: true },
  ];
  const record = {
    schema: 1,
    pid: Number(pid),
    ppid: 1,
    command: "python3 heap.py",
    finished: true,
    seen: ["runtime"],
  };
  const sums = { calls: 2, peak: { ms: 9, bytes: 160 * MIB }, live: { bytes: 104 * MIB }, device: {}, rows, notes: [] };
  fs.writeFileSync(path.join(run, `gpu.${pid}.json`), JSON.stringify({ ...record, ...sums }));
  const tree = [
    `n2: ${160 * MIB} (GPU memory allocation calls) cudaMalloc, cuMemAlloc, etc.`,
    ` n1: ${96 * MIB} 0x1: cudaMalloc (in /usr/lib/libcudart.so.10.2)`,
    `  n1: ${96 * MIB} 0x2: c10::cuda::cudaMallocMaybeCapturing (in /usr/lib/libc10_cuda.so)`,
    `   n0: ${96 * MIB} 0x3: ${pad} (in /tmp/pads.so)`,
    ` n1: ${64 * MIB} 0x4: cudaMalloc (in /usr/lib/libcudart.so.10.2)`,
    `  n1: ${64 * MIB} 0x5: cudnnCreate (in /usr/lib/libcudnn_cnn_infer.so.8)`,
    `   n0: ${64 * MIB} 0x3: ${pad} (in /tmp/pads.so)`,
  ];
  const snapshot = (number: number, heap: number, kind: string, lines: readonly string[]) =>
    [
      ...["#-----------", `snapshot=${number}`, "#-----------", `time=${9 * number}`, `mem_heap_B=${heap}`],
      ...["mem_heap_extra_B=0", "mem_stacks_B=0", `heap_tree=${kind}`, ...lines, ""],
    ].join("\n");
  const head = "desc: --jetson-memprof-gpu\ncmd: python3 heap.py\ntime_unit: ms\n";
  const text = head + snapshot(0, 0, "empty", []) + snapshot(1, 160 * MIB, "peak", tree);
  fs.writeFileSync(path.join(run, `gpu.out.${pid}`), text);
}

/** Turns the wheel over a hover until the row is in view, as the hover itself scrolls. */
async function scrolledTo(row: Locator): Promise<void> {
  const { page } = workbench();
  const hover = await page.locator(".monaco-hover:not(.hidden)").first().boundingBox();
  const isInView = async (): Promise<boolean> => {
    const box = await row.boundingBox();
    if (hover === null || box === null) return false;
    await page.mouse.move(hover.x + hover.width / 2, hover.y + hover.height / 2);
    if (box.y > hover.y && box.y + box.height < hover.y + hover.height) return true;
    await page.mouse.wheel(0, 60);
    return false;
  };
  await expect.poll(isInView).toBe(true);
}

/** Waits until the flame view shows stacks. */
async function flameView() {
  const view = ui.webview(workbench().page);
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  return view;
}

test("lines to measure before and after are marked in the gutter", async () => {
  const { page } = workbench();
  await ui.openFile(page, "heap.py");
  const signs: number[] = [];
  for (const [text, line] of [
    ["kept = build()", BUILD],
    ["spare = bytearray", SPARE],
  ] as const) {
    await ui.line(page, text).click();
    await ui.runCommand(page, "Jetson: Mark/Unmark Line to Measure");
    // It marks the line of the cursor as it is when the extension comes to it.
    await expect.poll(() => ui.gutterSigns(page, "massif-line")).toEqual([...signs, line]);
    signs.push(line);
  }
  await workbench().screenshot("native-stacks-1-marked");
});

test("profiling with native stacks ends as any run does, and offers the flame view", async () => {
  const { page } = workbench();
  await ui.pickFromSubmenu(page, ui.line(page, "def build"), "Jetson Memory", "Profile on Jetson with Native Stacks");
  await ui.pickQuickPick(page, "Simulated board");
  await ui.notificationText(page, /heap\.py: peak /, RUN_MS);
  const run = JSON.parse(fs.readFileSync(path.join(newestRun(), "run.json"), "utf8"));
  expect(run.engine).toMatchObject({ name: "line", heap: { mean: 65_536, state: "sampled" } });
  expect(run.warnings).toEqual([]);
  await workbench().screenshot("native-stacks-1-ended");
});

test("the flame view opens, says that it was sampled, and has the lines of Python in its stacks", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /heap\.py: peak /, "Open Flame View");
  const view = await flameView();
  expect(await view.locator("#title").textContent()).toContain("heap.py");
  expect(await view.locator("#about").textContent()).toContain("Native stacks, sampled: one in 64 KiB");
  expect(await view.locator("#notes-list").textContent()).toContain("One in 64 KiB that were allocated was sampled");
  expect(await view.locator("#extra-key").isVisible()).toBe(false);
  await view.locator("#tab-python").click();
  // Blocks of a MiB are counted whole.
  const row = view.locator("#panel-python tr", { hasText: `heap.py:${APPEND}` }).first();
  expect(await row.textContent()).toMatch(/2[345]\.\d MiB ± \d/);
  expect(await view.locator("#readout").textContent()).toMatch(/heap \d+\.\d MiB ± \d/);
  expect(await view.locator("#chart .doubt").count()).toBe(1);
  await workbench().screenshot("native-stacks-2-flame-view");
  await view.locator("#tab-tree").click();
  await view.locator("#panel-tree li .line").first().click();
  expect(await view.locator("#details").textContent()).toMatch(/MiB ± \d/);
});

picturesInThemes(workbench, "native-stacks-flame", () => ({
  "jetsonMemprof.python": "/usr/bin/python3",
  "jetsonMemprof.nativeStacks.sampleKiB": 64,
}));

test("a line's hover has its RSS, what was sampled below it, and the way to its stacks", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  const hover = await ui.hoverText(page, "spare = bytearray", "Allocated in native code, sampled");
  expect(hover).toMatch(/Net/);
  expect(hover).toMatch(/heap held 8\.\d MiB ± \d/);
  await workbench().screenshot("native-stacks-3-hover");
  await page.locator(".monaco-hover a", { hasText: "Show Native Stacks of This Line" }).first().click();
  const view = await flameView();
  await view.locator("#scope-text", { hasText: `heap.py:${SPARE}` }).waitFor();
});

test("a marked line's hover has what changed from before to after, and how certain that is", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  const hover = await ui.hoverText(page, "kept = build()", "Change from before to after");
  expect(hover).toMatch(/Change from before to after, in 1 hit\s*\+2[345]\.\d MiB ± \d/);
  await scrolledTo(page.locator(".monaco-hover:not(.hidden) td", { hasText: "Change from before to after" }).first());
  await workbench().screenshot("native-stacks-4-marked-hover");
});

test("the flame view has the stacks that were new after a marked line", async () => {
  const { page } = workbench();
  await page.locator(".monaco-hover a", { hasText: "Show Native Stacks of This Line" }).first().click();
  await ui.runCommand(page, "View: Hide Panel");
  const view = await flameView();
  expect(await view.locator("#notes-list").textContent()).toContain(
    "Before and after a marked line, ± is known of all",
  );
  await view.locator("#tab-measured").click();
  const rows = view.locator("#panel-measured tbody tr");
  // Of each line all its executions, then each.
  await expect.poll(() => rows.count()).toBe(4);
  const execution = rows.filter({ hasText: `heap.py:${BUILD}` }).nth(1);
  expect(await execution.textContent()).toMatch(/\+2[345]\.\d MiB ± \d/);
  await execution.locator("button").first().click();
  const readout = view.locator("#readout");
  await readout.filter({ hasText: `heap.py:${BUILD}, execution 1: +` }).waitFor();
  expect(await readout.textContent()).toMatch(
    /execution 1: \+2[345]\.\d MiB ± \d.*\(\d+\.\d [KM]iB before, \d+\.\d MiB after\)/,
  );
  await view.locator("#graph[aria-busy=false]").waitFor();
  await readout.scrollIntoViewIfNeeded();
  await workbench().screenshot("native-stacks-5-marked-flame");
});

picturesInThemes(workbench, "native-stacks-marked", () => ({
  "jetsonMemprof.python": "/usr/bin/python3",
  "jetsonMemprof.nativeStacks.sampleKiB": 64,
}));

test("its row in Memory Runs leads there too", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^heap\.py.*native stacks/), "Open Flame View");
  await flameView();
});

test("what calls took of the GPU is in the hover's first line, and its stacks beside the heap's", async () => {
  writeGpuByHand(newestRun());
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.openFile(page, "heap.py");
  const hover = await ui.hoverText(page, "spare = bytearray", "GPU past PyTorch");
  expect(hover).toContain("GPU past PyTorch 64.0 MiB");
  expect(hover).toContain("cuDNN");
  await workbench().screenshot("native-stacks-6-gpu-hover");
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^heap\.py.*native stacks/), "Open Flame View");
  const view = await flameView();
  await view.locator("#file").selectOption({ label: "main, GPU: 160.0 MiB at peak" });
  await view.locator("#panel-libraries tr", { hasText: "libcudnn_cnn_infer.so.8" }).waitFor({ state: "attached" });
  await view.locator("#tab-libraries").click();
  expect(await view.locator("#readout").textContent()).toContain("GPU memory 160.0 MiB");
  await view.locator("#graph[aria-busy=false]").waitFor();
  await workbench().screenshot("native-stacks-7-gpu-flame");
});

picturesInThemes(workbench, "native-stacks-gpu", () => ({
  "jetsonMemprof.python": "/usr/bin/python3",
  "jetsonMemprof.nativeStacks.sampleKiB": 64,
}));
