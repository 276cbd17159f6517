import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { makeRuns } from "../../../bench/history/makeRuns.mjs";
import { runJson } from "../../../src/profile/testing.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

const workbench = story("history", () => ({ settings: { "workbench.colorTheme": ui.THEMES.dark } }));
const MIB = 2 ** 20;
const runsFolder = (): string => path.join(workbench().workspace, ".jetson-memprof", "runs");
const GIT = { commit: "1a2b3c4d".repeat(5), branch: "main", changed: ["train.py"], truncated: false };
const DIFF =
  "diff --git a/train.py b/train.py\n--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-epochs = 1\n+epochs = 2\n";

function addRun(
  id: string,
  peak: number,
  { command = ["train.py"], exit = 0, files = {} }: { command?: string[]; exit?: number; files?: object } = {},
): void {
  const folder = path.join(runsFolder(), id);
  fs.mkdirSync(folder, { recursive: true });
  const [script = "", ...args] = command;
  const [, year, month, day, hour, minute] = /^(....)(..)(..)-(..)(..)/.exec(id) ?? [];
  const run = runJson({
    id,
    command: { python: "python3", script, args },
    started: `${year}-${month}-${day}T${hour}:${minute}:00Z`,
    exit: { kind: "exited", code: exit },
    warnings: [],
    files: [],
  });
  const all = {
    "run.json": run,
    "origin.json": { target: "ssh://nano@192.168.1.20", board_folder: "/r", simulated: false },
    "samples.jsonl": `{"schema":1,"record":"header"}\n{"t":10,"rss":${peak * MIB},"rss_peak":${peak * MIB}}\n`,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    const text = typeof content === "string" ? content : JSON.stringify({ schema: 1, ...content });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

function addHistory(): void {
  addRun("20261101-080000-train-0001", 3686, {
    command: ["train.py", "--device", "cpu"],
    files: {
      "label.json": { name: "init on the CPU", tags: ["nano", "baseline"], pinned: true },
      "git.json": GIT,
      "changes.diff": DIFF,
    },
  });
  addRun("20261102-080000-train-0002", 3277, {
    command: ["train.py", "--device", "cuda"],
    files: { "git.json": GIT, "changes.diff": DIFF },
  });
  addRun("20261103-080000-eval-0003", 900, { command: ["eval.py"], exit: 1 });
  for (const index of [1, 2, 3]) {
    const group = { kind: "repeat", id: "again", index, of: 3 };
    addRun(`20261104-08000${index}-train-000${index}`, 400 + index, { files: { "group.json": group } });
  }
  ["8", "16", "32", "64"].forEach((batch, at) => {
    const group = { kind: "sweep", id: "batches", index: at + 1, of: 4, values: { "batch-size": batch } };
    addRun(`20261105-08000${at}-train-100${at}`, 500 + 300 * at, {
      command: ["train.py", "--batch-size", batch],
      exit: at === 3 ? 1 : 0,
      files: { "group.json": group },
    });
  });
  const newer = path.join(runsFolder(), "20261106-080000-train-0009");
  fs.mkdirSync(newer);
  fs.writeFileSync(path.join(newer, "run.json"), '{"schema":2}');
}

const rows = (page: Page): Promise<readonly string[]> => ui.treeRowTexts(page);
const rowsAre = (page: Page, expected: readonly RegExp[]) =>
  expect.poll(() => rows(page)).toEqual(expected.map((row) => expect.stringMatching(row)));

const PINNED = /^init on the CPU3686\.0 MiB peak · #nano #baseline · train\.py --device cpu · pinned · /;
const NEWER = /^run\.json was written in format 2/;
const SWEEP = /^Sweep of train\.py500\.0 MiB to 1400\.0 MiB peak · 4 runs · 1 ended badly/;
const REPEATS = /^3 repeats of train\.py402\.0 MiB median peak/;
const EVAL = /^eval\.py900\.0 MiB peak · exit code 1/;
const CUDA = /^train\.py --device cuda3277\.0 MiB peak/;

test("the runs are listed with the pinned one first, and those made together in one row", async () => {
  const { page } = workbench();
  addHistory();
  await ui.showView(page, "Jetson Memory");
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await rowsAre(page, [PINNED, NEWER, SWEEP, REPEATS, EVAL, CUDA]);
  await ui.unfoldRow(page, SWEEP);
  await ui.treeRow(page, /^batch-size 641400\.0 MiB peak · exit code 1/).waitFor();
  await workbench().screenshot("history-1-dark");
});

picturesInThemes(workbench, "history-1");

test("a run gets a name, tags and a note", async () => {
  const { page } = workbench();
  await ui.pickFromContextMenu(page, ui.treeRow(page, CUDA), "Rename Run…");
  await ui.answerInputBox(page, "Name of train.py --device cuda", "init on the GPU");
  const named = /^init on the GPU3277\.0 MiB peak · train\.py --device cuda/;
  await ui.treeRow(page, named).waitFor();
  await ui.pickFromContextMenu(page, ui.treeRow(page, named), "Edit Tags of Run…");
  await ui.answerInputBox(page, "Tags of init on the GPU", "nano, #fp16");
  const tagged = /^init on the GPU3277\.0 MiB peak · #nano #fp16 · train\.py/;
  await ui.pickFromContextMenu(page, ui.treeRow(page, tagged), "Edit Note of Run…");
  await ui.answerInputBox(page, "Note on init on the GPU", "fits with batch 8");
  await ui.treeRow(page, /^init on the GPU3277\.0 MiB peak · #nano #fp16 · train\.py.* · fits with batch 8$/).waitFor();
});

test("the list is filtered by a tag, says so, and shows all again", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Filter Memory Runs…");
  expect(await ui.quickPickRows(page)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^#nano, 2 runs/), expect.stringMatching(/^eval\.py, 1 run/)]),
  );
  await workbench().screenshot("history-2-filter");
  await ui.pickQuickPick(page, "#nano");
  await rowsAre(page, [/^init on the CPU/, /^init on the GPU/]);
  await page.locator(".sidebar .message", { hasText: "2 of 11 runs: tag #nano." }).waitFor();
  await workbench().screenshot("history-3-filtered");
  await ui.runCommand(page, "Jetson: Filter Memory Runs…");
  await ui.typeInQuickPick(page, "GPU");
  await ui.pickQuickPick(page, "Runs with “GPU”");
  await rowsAre(page, [/^init on the GPU/]);
  await ui.runCommand(page, "Jetson: Show All Memory Runs");
  await expect.poll(async () => (await rows(page)).length).toBeGreaterThan(5);
});

test("the list is sorted by peak, and stays so when the window is opened again", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Sort Memory Runs…");
  await ui.pickQuickPick(page, "highest peak first");
  await expect
    .poll(async () => (await rows(page)).slice(0, 2))
    .toEqual([expect.stringMatching(/^init on the CPU/), expect.stringMatching(/^init on the GPU/)]);
  await ui.reloadWindow(page);
  await expect
    .poll(async () => (await rows(page)).slice(0, 2), { timeout: 30_000 })
    .toEqual([expect.stringMatching(/^init on the CPU/), expect.stringMatching(/^init on the GPU/)]);
  await page.locator(".sidebar .message", { hasText: "Sorted highest peak first." }).waitFor();
});

test("a run's changes since its commit are shown, and cannot be edited", async () => {
  const { page } = workbench();
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^init on the GPU/), "Show Changes Since Commit");
  await ui.line(page, "+epochs = 2").waitFor();
  await workbench().screenshot("history-4-changes");
  await ui.line(page, "+epochs = 2").click();
  await page.keyboard.type("x");
  await page
    .locator(".monaco-editor-overlaymessage, .monaco-editor .message", { hasText: /read-only/i })
    .first()
    .waitFor();
  await ui.closeAllEditors(page);
});

test("a deleted run comes back with Undo, and later from the list of deleted runs", async () => {
  const { page } = workbench();
  const folder = path.join(runsFolder(), "20261103-080000-eval-0003");
  await ui.pickFromContextMenu(page, ui.treeRow(page, EVAL), "Delete Run");
  await ui.notificationText(page, "Deleted the run eval.py.");
  await ui.treeRow(page, EVAL).waitFor({ state: "detached" });
  expect(fs.existsSync(folder)).toBe(false);
  await workbench().screenshot("history-5-deleted");
  await ui.pressNotificationButton(page, "Deleted the run eval.py.", "Undo");
  await ui.treeRow(page, EVAL).waitFor();
  await ui.treeRow(page, EVAL).click();
  await page.keyboard.press("Delete");
  await ui.treeRow(page, EVAL).waitFor({ state: "detached" });
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "Jetson: Restore Deleted Run…");
  await ui.pickQuickPick(page, "eval.py");
  await page.keyboard.press("Enter");
  await ui.treeRow(page, EVAL).waitFor();
  expect(fs.readdirSync(folder).sort()).toEqual(["origin.json", "run.json", "samples.jsonl"]);
});

test("after a run the oldest runs above the limit are deleted, told once, and come back with Undo", async () => {
  const { page, workspaceSettings } = workbench();
  workspaceSettings({
    "workbench.colorTheme": ui.THEMES.light,
    "jetsonMemprof.target": "local",
    "jetsonMemprof.history.maxRuns": 10,
  });
  // The theme shows that the settings are taken over.
  await ui.waitForTheme(page, "light");
  const before = fs.readdirSync(runsFolder());
  expect(before).toHaveLength(11);
  await ui.openFile(page, "known.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
  const text = /2 old runs were deleted to keep the history within its limits\. Pinned runs always stay\.$/;
  expect(await ui.notificationText(page, "deleted to keep the history", 60_000)).toMatch(text);
  await workbench().screenshot("history-6-pruned");
  const oldest = ["20261102-080000-train-0002", "20261103-080000-eval-0003"];
  expect(before.filter((name) => !fs.existsSync(path.join(runsFolder(), name)))).toEqual(oldest);
  await ui.pressNotificationButton(page, "deleted to keep the history", "Undo");
  await expect.poll(() => oldest.every((name) => fs.existsSync(path.join(runsFolder(), name)))).toBe(true);
  await ui.showView(page, "Jetson Memory");
});

test("a history of 1,000 runs is shown", async () => {
  const { page, workspace } = workbench();
  makeRuns(workspace, 1000);
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await ui.treeRow(page, /^attempt /).waitFor();
  await workbench().screenshot("history-7-many");
});
