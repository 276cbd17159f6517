import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { jsonLines, makeProject, runFiles, runJson, TORCH_LINES, writeFiles } from "../../../src/profile/testing.ts";
import { GLOSSARY } from "../../../src/profile/text/glossary.ts";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";
import { projectRoot } from "../support/workbench.ts";

/** Sources and a run as the board sends it home, with figures of PyTorch's CUDA memory and of the board's. */
const recorded = makeProject(
  runFiles({
    "lines.jsonl": jsonLines(TORCH_LINES),
    "run.json": JSON.stringify(runJson({ metrics: ["rss", "cuda", "system"] })),
  }),
);
/** Its memory is a stand-in's: no machine of the tests has CUDA. */
const STANDIN_SCRIPT = `import torch
from torch import standin


def build():
    return standin.alloc(100 << 20)


def step():
    standin.brief(40 << 20)


standin.start()
turn = 0
while standin.warm_up(turn):
    turn += 1
build()
for _ in range(3):
    step()
print("memory of a stand-in for torch")
`;
/** As torchrun: what follows is started so often, each time with its rank. */
const LAUNCHER = `count=$1; shift
for rank in $(seq 0 $((count - 1))); do
    RANK=$rank WORLD_SIZE=$count "$@" &
done
wait
`;
const LAUNCHED_SCRIPT = `import os


def hold(rank):
    return bytearray((24 << 20) * (1 + rank))


held = hold(int(os.environ["RANK"]))
`;
const TOOK = 5;
/** Keeps 24 MiB at its start and 9 MiB at each request, which is a file in its project; another file ends it. */
const SERVER_SCRIPT = `import os
import time

project = os.environ["PROJECT"]
kept = []


def request(mib):
    kept.append(bytearray(mib << 20))


request(24)
while not os.path.exists(project + "/end"):
    if os.path.exists(project + "/more"):
        os.remove(project + "/more")
        request(9)
    time.sleep(0.05)
`;
const KEEPS = 9;
writeFiles(recorded.project, {
  "gpu.py": STANDIN_SCRIPT,
  "ranks.py": LAUNCHED_SCRIPT,
  "launch.sh": LAUNCHER,
  "server.py": SERVER_SCRIPT,
});
afterAll(recorded.remove);
const workbench = story("metric", () => ({ folder: recorded.project }));
const RUN_MS = 60_000;
const RUNS = ".jetson-memprof/runs";
/** Of model.py: takes the weights; gives some back. */
const WEIGHTS = 2;
const COPY = 3;

const status = (page: Page): Promise<string> => ui.statusText(page, /^Lines: /);

async function labelsAre(page: Page, expected: Readonly<Record<number, string>>): Promise<void> {
  await ui.waitForDecorations(page, (found) =>
    Object.entries(expected).every(([line, text]) =>
      found.some((one) => one.line === Number(line) && one.text === text),
    ),
  );
}

test("a run with several measures shows RSS first, and says so in the status bar", async () => {
  const { page, workspace } = workbench();
  // The copy of a project is made without its runs.
  fs.cpSync(path.join(recorded.project, RUNS), path.join(workspace, RUNS), { recursive: true });
  await ui.openFile(page, "model.py");
  await ui.showView(page, "Jetson Memory");
  await ui.runCommand(page, "Jetson: Refresh Memory Runs");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /^train\.py/), "Show This Run in the Editor");
  await labelsAre(page, { [WEIGHTS]: "+64.0 MiB", [COPY]: "peak +64.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: RSS");
});

test("one key shows the next: decorations, code lens, tree and status bar", async () => {
  const { page } = workbench();
  await ui.goToLine(page, WEIGHTS);
  await page.keyboard.press("Alt+m");
  await labelsAre(page, { [WEIGHTS]: "CUDA +100.0 MiB", [COPY]: "CUDA -20.0 MiB, peak +30.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: CUDA");
  await expect.poll(() => ui.codeLensTexts(page)).toEqual([expect.stringMatching(/^CUDA \+80\.0 MiB net/)]);
  await ui.unfoldRow(page, /^train\.py/);
  await ui.treeRow(page, /^model\.pyCUDA \+80\.0 MiB/).waitFor();
});

test("the hover has a column for each, in every theme", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  for (const [theme, name] of Object.entries(ui.THEMES)) {
    workspaceSettings({ "workbench.colorTheme": name });
    await ui.waitForTheme(page, theme as ui.Theme);
    const text = await ui.hoverText(page, "copy = bytes", "CUDA allocated");
    expect(text).toMatch(/Peak above entry, at least\s+\+64\.0 MiB\s+\+30\.0 MiB/);
    expect(text).toMatch(/Peak above entry, at most\s+\+64\.0 MiB\s+\+44\.0 MiB/);
    expect(text).toContain("Columns overlap; do not add them up");
    await screenshot(`metric-hover-${theme}`);
    await page.keyboard.press("Escape");
  }
});

test("the words of the hover can be asked about, and so can all others by a command", async () => {
  const { page, screenshot } = workbench();
  await ui.hoverText(page, "copy = bytes", "CUDA allocated");
  const { allocated } = GLOSSARY["PyTorch and CUDA"];
  const link = page.locator(".monaco-hover:visible a", { hasText: /^CUDA allocated$/ });
  await expect.poll(() => link.getAttribute("title")).toContain(allocated.sentence);
  await page.keyboard.press("Escape");
  await ui.runCommand(page, "Jetson: Explain a Term");
  await expect.poll(() => ui.quickPickRows(page)).toEqual(expect.arrayContaining([expect.stringMatching(/^RSS/)]));
  await ui.typeInQuickPick(page, "buff/cache");
  await ui.pickQuickPick(page, "Page cache");
  expect(await ui.dialogText(page)).toContain(GLOSSARY["The memory of the board"].pageCache.sentence);
  await screenshot("explain-term");
  await ui.pressDialogButton(page, "Open Glossary");
  await page.locator(".tab.active", { hasText: "Glossary" }).waitFor();
  await ui.closeEditor(page);
});

test("a click on the status bar shows the next", async () => {
  const { page, screenshot } = workbench();
  const item = page.locator(".statusbar-item", { hasText: "Lines: " });
  expect(await item.locator("[aria-label]").first().getAttribute("aria-label")).toContain(
    "What PyTorch's CUDA allocator handed out to tensors.",
  );
  await item.click();
  await labelsAre(page, { [WEIGHTS]: "board +190.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: board");
  await expect.poll(() => ui.codeLensTexts(page)).toEqual([expect.stringMatching(/^board \+190\.0 MiB net/)]);
  await screenshot("metric-board");
});

test("a command offers those that the run has, and the choice outlives the window", async () => {
  const { page } = workbench();
  await ui.runCommand(page, "Jetson: Show Memory of Lines as");
  expect((await ui.quickPickRows(page)).map((row) => row.split(",")[0])).toEqual(["RSS", "CUDA", "board"]);
  await ui.pickQuickPick(page, "handed out to tensors");
  await labelsAre(page, { [WEIGHTS]: "CUDA +100.0 MiB" });
  await ui.reloadWindow(page);
  await labelsAre(page, { [WEIGHTS]: "CUDA +100.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: CUDA");
});

test("what each phase took is in the hover of the line that began it", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "train.py");
  const text = await ui.hoverText(page, "net = model.build()", "Began on this line");
  expect(text).toMatch(/importing PyTorch\s+\+300\.0 MiB\s+\+20\.0 MiB\s+~ \+280\.0 MiB/);
  await screenshot("metric-phase-hover");
});

test("a script that takes CUDA memory carries it beside its lines when it has run", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  const standin = path.join(projectRoot, "python-helper/tests/standin");
  workspaceSettings({ "jetsonMemprof.environment": { PYTHONPATH: standin } });
  await ui.openFile(page, "gpu.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def build"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  expect(await ui.notificationText(page, /gpu\.py: /, RUN_MS)).toContain(
    "gpu.py: Line 6 kept 100.0 MiB of CUDA memory.",
  );
  await labelsAre(page, { 6: "CUDA +100.0 MiB", 10: "CUDA peak +40.0 MiB" });
  const text = await ui.hoverText(page, "standin.alloc", "CUDA allocated");
  expect(text).toMatch(/Net, with everything it called\s+\S+ \S+\s+\+100\.0 MiB/);
  await screenshot("metric-standin");
  expect(await ui.hoverText(page, "import torch", "Began on this line")).toContain("importing PyTorch");
});

test("of a script that a launcher started several times it shows all ranks, one, or the highest", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  workspaceSettings({ "jetsonMemprof.launcher": ["sh", "launch.sh", "2", "python3"] });
  await ui.openFile(page, "ranks.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def hold"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  // A peak is one process's, and says nothing beside what all took.
  expect(await ui.notificationText(page, /ranks\.py, /, RUN_MS)).toContain(
    "ranks.py, all ranks: Line 5 kept 72.0 MiB.",
  );
  await labelsAre(page, { [TOOK]: "+72.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: RSS, all ranks");
  await page.locator(".statusbar-item", { hasText: "Lines: " }).click();
  const rows = await ui.quickPickRows(page);
  expect(rows.map((row) => row.split(",")[0])).toEqual(
    expect.arrayContaining(["RSS", "all ranks", "highest rank", "middle rank", "rank 0", "rank 1"]),
  );
  await screenshot("metric-ranks-choice");
  await ui.pickQuickPick(page, "that took the most there");
  await labelsAre(page, { [TOOK]: "+48.0 MiB" });
  await expect.poll(() => status(page)).toBe("Lines: RSS, highest rank");
  const text = await ui.hoverText(page, "return bytearray", "Usage after");
  expect(text).toMatch(/rank 0\s+1\s+\+24\.0 MiB/);
  expect(text).toMatch(/rank 1\s+1\s+\+48\.0 MiB/);
  await screenshot("metric-ranks-hover");
  await page.keyboard.press("Escape");
  await ui.runCommand(page, "Jetson: Show Memory of Lines as");
  await ui.pickQuickPick(page, "rank 0");
  await labelsAre(page, { [TOOK]: "+24.0 MiB" });
});

test("of a server that goes on it shows what its lines took from now on, and all of it again", async () => {
  const { page, workspace, workspaceSettings, screenshot } = workbench();
  workspaceSettings({ "jetsonMemprof.launcher": [], "jetsonMemprof.environment": { PROJECT: workspace } });
  await ui.openFile(page, "server.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def request"), "Profile on Jetson");
  await ui.pickQuickPick(page, "Simulated board");
  await labelsAre(page, { [KEEPS]: "+24.0 MiB" });
  await ui.runCommand(page, "Jetson: Show Lines Since");
  expect((await ui.quickPickRows(page)).map((row) => row.split(",")[0])).toEqual([
    "The whole run",
    "From now on",
    "Since another time…",
  ]);
  await screenshot("since-choice");
  await ui.pickQuickPick(page, "From now on");
  await expect.poll(() => status(page)).toMatch(/^Lines: RSS, since [\d.]+ m?s$/);
  fs.writeFileSync(path.join(workspace, "more"), "");
  await labelsAre(page, { [KEEPS]: "+9.0 MiB" });
  const text = await ui.hoverText(page, "kept.append", "Usage after");
  expect(text).toMatch(/Since [\d.]+ m?s of the run\. What came before is not in these figures\./);
  await screenshot("since-hover");
  await page.keyboard.press("Escape");
  await page.locator(".statusbar-item", { hasText: "Lines: " }).click();
  await ui.pickQuickPick(page, "The whole run");
  await labelsAre(page, { [KEEPS]: "+33.0 MiB" });

  await ui.runCommand(page, "Jetson: Show Lines Since");
  await ui.pickQuickPick(page, "Since another time");
  await ui.quickInputText(page, "Since when in the run?");
  await ui.typeInQuickPick(page, "1h");
  await ui.quickInputText(page, /The run is known until .* and 1 h is later\./);
  await screenshot("since-later");
  await page.keyboard.press("Escape");
  fs.writeFileSync(path.join(workspace, "end"), "");
  expect(await ui.notificationText(page, /server\.py: /, RUN_MS)).toContain("kept 33.0 MiB");
});
