/** What PyTorch knows itself: snapshots of its allocator, from a file and of a live run (stand-in for torch), and a trace. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { runFiles, runJson, writeFiles } from "../../../src/profile/testing.ts";
import { type Picklable, pickle } from "../../../src/torch/pickle/testing.ts";
import { inFull } from "../../support/inFull.ts";
import { copyProject } from "../support/server.mjs";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

// The files are there before the window opens: its Explorer may not watch the folder yet when the first test begins.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wbs-snapshots-"));
const workbench = story("pytorch", () => {
  copyProject(path.join(projectRoot, "test/workbench/project"), folder);
  fs.writeFileSync(path.join(folder, "gpu-snapshot.pickle"), smallSnapshot());
  // Python would call os.system here.
  fs.writeFileSync(path.join(folder, "other.pickle"), "\x80\x04cos\nsystem\n(S'true'\ntR.", "latin1");
  if (fs.existsSync(REAL)) fs.copyFileSync(REAL, path.join(folder, "training-snapshot.pickle"));
  return {
    folder,
    settings: {
      "jetsonMemprof.python": "/usr/bin/python3",
      "jetsonMemprof.torch.snapshots": true,
      "jetsonMemprof.environment": { PYTHONPATH: path.join(projectRoot, "python-helper/tests/standin") },
      "workbench.colorTheme": ui.THEMES.dark,
    },
  };
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const source = fs.readFileSync(path.join(projectRoot, "test/workbench/project/heap.py"), "utf8").split("\n");
const lineNumber = (text: string): number => source.findIndex((line) => line.includes(text)) + 1;
const APPEND = lineNumber("blocks.append");
const MIB = 1024 * 1024;
const REAL = path.join(projectRoot, "../shared/fixtures/torch_snapshots/wedsonlin_medium128_training.pickle");
const RUN = "20260101-000000-heap-0000";

/** A frame of the project as it lay on another computer, or of C++. */
const python = (name: string, line: number): Picklable => ({ name, filename: "/home/nano/lab/heap.py", line });
const STACK: Picklable = [
  { name: "at::detail::empty_cuda", filename: "EmptyTensor.cpp", line: 0 },
  python("build", APPEND),
  python("<module>", lineNumber("kept = build()")),
];
const BASE = 0x7f00_0000_0000;

/** One segment of 20 MiB, an allocation of 12 MiB in it that stays, one of 4 MiB that goes, and a request too large. */
function smallSnapshot(): Uint8Array {
  const event = (action: string, addr: number, size: number, i: number, more: { [key: string]: Picklable } = {}) => ({
    action,
    addr,
    size,
    stream: 0,
    time_us: 1_700_000_000_000_000 + i * 1_000,
    frames: STACK,
    ...more,
  });
  const block = (offset: number, size: number, state: string, frames: Picklable): Picklable => ({
    address: BASE + offset,
    size,
    requested_size: size,
    state,
    frames,
  });
  return pickle({
    segments: [
      {
        device: 0,
        address: BASE,
        total_size: 20 * MIB,
        allocated_size: 12 * MIB,
        active_size: 12 * MIB,
        requested_size: 12 * MIB,
        stream: 0,
        segment_type: "large",
        blocks: [block(0, 12 * MIB, "active_allocated", STACK), block(12 * MIB, 8 * MIB, "inactive", [])],
      },
    ],
    device_traces: [
      [
        event("segment_alloc", BASE, 20 * MIB, 0),
        event("alloc", BASE, 12 * MIB, 1),
        event("alloc", BASE + 12 * MIB, 4 * MIB, 2),
        event("oom", 0, 2_048 * MIB, 3, { device_free: 300 * MIB }),
        event("free_requested", BASE + 12 * MIB, 4 * MIB, 4),
        event("free_completed", BASE + 12 * MIB, 4 * MIB, 5),
      ],
    ],
  });
}

/** Waits until the page shows a moment. */
async function snapshotPage(page: Page) {
  const view = ui.webview(page);
  await view.locator("#map[aria-busy=false]").waitFor({ timeout: 60_000 });
  await view.locator("#graph[aria-busy=false]").waitFor({ timeout: 60_000 });
  return view;
}

const inExplorer = (page: Page, name: string) =>
  page.locator(".explorer-folders-view .monaco-list-row", { hasText: name });

test("a snapshot opens in the page, which shows its maximum and where memory ran out", async () => {
  const { page } = workbench();
  // Its icon comes together with the editors that the extension brings.
  await ui.showView(page, "Jetson Memory");
  await ui.showExplorer(page);
  await inExplorer(page, "gpu-snapshot.pickle").dblclick();
  const view = await snapshotPage(page);
  expect(await view.locator("#title").textContent()).toBe("gpu-snapshot.pickle");
  expect(await view.locator("#moment").textContent()).toMatch(
    /^After event 3 of 6.*: 16\.0 MiB held\. Out of memory: asked for 2048\.0 MiB .* CUDA had 300\.0 MiB free/,
  );
  expect(await view.locator("#marks .oom-label").textContent()).toBe("out of memory: asked for 2048.0 MiB");
  await workbench().screenshot("snapshot-1-opened");
});

test("a click on an allocation shows its stack, and a frame of it opens the workspace's line", async () => {
  const { page } = workbench();
  const view = await snapshotPage(page);
  const box = await view.locator("#layers").boundingBox();
  if (box === null) throw new Error("The chart is not in view.");
  await page.mouse.click(box.x + box.width * 0.7, box.y + box.height * 0.8);
  await view.locator("#details .name", { hasText: "Allocation of 12.0 MiB" }).waitFor();
  const frame = view.getByRole("button", { name: `build (/home/nano/lab/heap.py:${APPEND})` });
  await frame.waitFor();
  await workbench().screenshot("snapshot-2-selected");
  await frame.click();
  await expect.poll(() => ui.cursorLine(page, "heap.py"), { timeout: 30_000 }).toBe(APPEND);
  await workbench().screenshot("snapshot-3-line");
});

test.runIf(inFull)("the page is back as it was when the window was closed and opened again", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  const view = await snapshotPage(page);
  await view.locator("#details .name", { hasText: "Allocation of 12.0 MiB" }).waitFor({ timeout: 30_000 });
});

test("a file that could run a program is refused by name, and is shown when it is replaced by a snapshot", async () => {
  const { page, workspace } = workbench();
  await ui.closeAllEditors(page);
  await ui.showExplorer(page);
  await ui.pickFromContextMenu(page, inExplorer(page, "other.pickle"), "Open Allocator Snapshot…");
  const status = ui.webview(page).locator("#status");
  await expect.poll(() => status.textContent(), { timeout: 30_000 }).toMatch(/GLOBAL/);
  await workbench().screenshot("snapshot-4-refused");
  // The window may have been opened again just now, and not yet watch its files when the first change is made.
  const replace = async (): Promise<string | null> => {
    fs.writeFileSync(path.join(workspace, "other.pickle"), smallSnapshot());
    return status.textContent();
  };
  await expect.poll(replace, { timeout: 60_000, interval: 1_000 }).not.toMatch(/GLOBAL/);
  const view = await snapshotPage(page);
  expect(await view.locator("#title").textContent()).toBe("other.pickle");
});

test("a run's snapshot opens from the view of runs", async () => {
  const { page, workspace } = workbench();
  const run = path.join(workspace, ".jetson-memprof/runs", RUN);
  const command = { python: "/usr/bin/python3", script: "heap.py", args: [] };
  fs.mkdirSync(run, { recursive: true });
  fs.writeFileSync(path.join(run, "allocator.4242.0.pickle"), smallSnapshot());
  writeFiles(run, runFiles({ "run.json": JSON.stringify(runJson({ command })) }));
  await ui.closeAllEditors(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, "heap.py"), "Open Allocator Snapshot of a Run");
  const view = await snapshotPage(page);
  expect(await view.locator("#title").textContent()).toContain("allocator.4242.0.pickle");
  await workbench().screenshot("snapshot-5-run");
});

test.skipIf(!fs.existsSync(REAL))("a real training's snapshot has the maximum that its events add up to", async () => {
  const { page } = workbench();
  await ui.closeAllEditors(page);
  await ui.showExplorer(page);
  await inExplorer(page, "training-snapshot.pickle").dblclick();
  const view = await snapshotPage(page);
  // What the file's own events add up to.
  expect(await view.locator("#marks .maximum-label").textContent()).toBe("maximum 6688.4 MiB");
});

picturesInThemes(workbench, "snapshot-6");

const kept = (): readonly string[] => {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  if (!fs.existsSync(runs)) return [];
  return fs.readdirSync(runs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".pickle"));
};

test("Take Allocator Snapshot brings one home while the script goes on", async () => {
  const { page } = workbench();
  await ui.openFile(page, "allocates.py");
  await ui.pickFromContextMenu(page, ui.line(page, "import torch"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await expect.poll(() => ui.terminalText(page).catch(() => ""), { timeout: 60_000 }).toContain("end?");
  await ui.runCommand(page, "Jetson: Take Allocator Snapshot");
  await ui.notificationText(page, /The snapshot is taken when the script's next line begins/);
  await expect.poll(() => kept().length, { timeout: 60_000 }).toBeGreaterThan(0);
  await workbench().screenshot("recording-1-snapshot");
  await ui.typeInTerminal(page, "yes\n");
  await ui.notificationText(page, /allocates\.py: /, 60_000);
  await ui.dismissNotifications(page);
  // That of the end too.
  expect(kept().length).toBeGreaterThan(1);
});

test("a trace of torch.profiler opens in the timeline page", async () => {
  const { page, workspace } = workbench();
  await ui.runCommand(page, "View: Close All Editors");
  await ui.runCommand(page, "View: Hide Panel");
  const name = "step.pt.trace.json.gz";
  fs.copyFileSync(path.join(projectRoot, "test/fixtures/trace", name), path.join(workspace, name));
  await ui.showExplorer(page);
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
  await ui.pickFromContextMenu(page, row, "Open PyTorch Profiler Trace…");
  const view = ui.webview(page);
  await expect.poll(() => view.locator("#chart .plot-name").allTextContents(), { timeout: 60_000 }).toEqual(["CPU"]);
  expect(await view.locator("h1").textContent()).toBe(name);
  await view.locator("#go-to-peak").click();
  expect(await view.locator("#readout").textContent()).toMatch(/in autograd::.* › .* · CPU allocated 1\.6 MiB$/);
  expect(await view.locator("#held tbody tr").first().locator("td").first().textContent()).toBe("924 KiB");
  await workbench().screenshot("recording-2-trace");
});
