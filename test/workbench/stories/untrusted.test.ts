/** A project of somebody else in Restricted Mode: its runs can be read, and nothing of it runs, connects or deletes. */
import * as fs from "node:fs";
import type { AddressInfo } from "node:net";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODEL, runFiles, runJson, TRAIN, writeFiles } from "../../../src/profile/testing.ts";
import { otherWindow } from "../support/otherWindow.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const ENDED = "20261121-094501-train-3fa9";
const OLDER = "20261101-094501-train-0001";
const GOES_ON = "20261122-094501-train-0002";
const REPORT = `Filename: /home/nano/project/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     3     22.0 MiB     22.0 MiB           1   def main():
     7     42.0 MiB     20.0 MiB           3           history.append(bytearray(4 << 20))
`;
const MASSIF = `desc: --time-unit=ms
cmd: ./train
time_unit: ms
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=1048576
mem_heap_extra_B=8
mem_stacks_B=0
heap_tree=peak
n1: 1048576 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n0: 1048576 0x1: make_rows (train.c:12)
`;
const CONNECTING = [
  "Profile on Jetson",
  "Profile on Jetson with Massif (Exact, Slow)",
  "Profile on Jetson: Model Account",
  "Profile on Jetson with Options…",
  "Profile N Times…",
  "Sweep Parameters…",
  "Reattach to Run",
  "Watch Memory",
  "Check Board",
];

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbu-")));
/** The host that the project names. Whoever connects there was led astray. */
let connections = 0;
const host = net.createServer((socket) => {
  connections += 1;
  socket.destroy();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const settings = {
    "jetsonMemprof.target": target(),
    "jetsonMemprof.python": "./own-python",
    "jetsonMemprof.history.maxRuns": 1,
    "jetsonMemprof.history.deletedDays": 0,
  };
  writeFiles(folder, {
    "train.py": TRAIN,
    "model.py": MODEL,
    "memory_report.txt": REPORT,
    "massif.out.1": MASSIF,
    ".vscode/settings.json": JSON.stringify(settings),
  });
});
afterAll(() => {
  host.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const workbench = story("untrusted", () => ({ folder, restricted: true }));
const target = (): string => `ssh://nano@127.0.0.1:${(host.address() as AddressInfo).port}`;
const runFolder = (id = ""): string => path.join(workbench().workspace, ".jetson-memprof/runs", id);

function addRun(id: string, changes: object = {}): void {
  const origin = { schema: 1, target: target(), board_folder: `/home/nano/runs/${id}`, simulated: false };
  writeFiles(
    runFolder(id),
    runFiles({ "run.json": JSON.stringify(runJson({ id, ...changes })), "origin.json": JSON.stringify(origin) }),
  );
}

test("the runs that came with the project are listed, and their figures stand beside the lines", async () => {
  const { page, server } = workbench();
  addRun(OLDER, { started: "2026-11-01T09:45:01Z" });
  addRun(ENDED);
  addRun(GOES_ON, { started: "2026-11-22T09:45:01Z", state: "running", exit: undefined, ended: undefined });
  // A window that was closed in the middle of the last one.
  const closed = otherWindow(server);
  closed.begin(runFolder(GOES_ON));
  closed.dispose();
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await ui.showView(page, "Jetson Memory");
  await expect.poll(async () => (await ui.treeRowTexts(page)).length, { timeout: 30_000 }).toBe(3);
  await ui.treeRow(page, /train\.py.*not connected/).waitFor();
  await ui.openFile(page, "train.py");
  await ui.runCommand(page, "Jetson: Show This Run in the Editor");
  await ui.pickQuickPick(page, "train.py");
  await ui.waitForDecorations(page, (found) => found.length > 0);
  expect(await ui.hoverText(page, "history.append", "Hits")).toContain("MiB");
  await workbench().screenshot("untrusted-1-figures");
});

test("the timeline, the flame view and reports of other tools open", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Show Memory Timeline");
  await ui.webview(page).locator("svg").first().waitFor();
  await ui.closeAllEditors(page);
  await ui.showExplorer(page);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "massif.out.1" }).dblclick();
  await ui.webview(page).locator("#title", { hasText: "massif.out.1" }).waitFor();
  await ui.closeAllEditors(page);
  const report = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "memory_report.txt" });
  await ui.pickFromContextMenu(page, report, "Import Memory Report…");
  await ui.notificationText(page, /imported from memory_profiler/);
});

test("whatever would run code or connect says why it does not, and leads to the workspace's trust", async () => {
  const { page } = workbench();
  await ui.openFile(page, "train.py");
  // Of the report, which has no figures of functions.
  await ui.waitForDecorations(page, (found) => found.length === 1);
  await expect.poll(() => ui.codeLensTexts(page), { timeout: 30_000 }).toEqual([]);
  for (const title of CONNECTING) {
    await ui.dismissNotifications(page);
    await ui.runCommand(page, `Jetson: ${title}`);
    const said = await ui.notificationText(page, /The workspace is not trusted/);
    expect(said, title).toContain("Manage Workspace Trust");
  }
  await workbench().screenshot("untrusted-2-refused");
  await ui.pressNotificationButton(page, /not trusted/, "Manage Workspace Trust");
  await page.locator(".workspace-trust-editor").waitFor();
});

test("nothing was connected to, run or deleted", () => {
  expect(connections).toBe(0);
  const kept = fs.readdirSync(runFolder());
  expect(kept).toEqual(expect.arrayContaining([OLDER, ENDED, GOES_ON]));
  // And the one that was imported.
  expect(kept).toHaveLength(4);
});
