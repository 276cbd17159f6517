import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { removeFolder } from "../../support/removeFolder.mjs";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { otherWindow } from "../support/otherWindow.ts";
import { picturesInThemes, story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

/** A script that says what it does and waits until it is told to go on. */
const SCRIPT = `import os, time

held = {}
def wait(name):
    while not os.path.exists(os.path.join(os.environ["GATES"], name)):
        held[name] = held.get(name) or bytearray(2**23); time.sleep(0.02)

def keep():
    return bytearray(24 * 1024 * 1024)

first = keep()
print("kept the first", flush=True)
wait("one")
second = keep()
print("kept the second", flush=True)
wait("two")
print("over", flush=True)
`;
const PRINTED = "kept the first\nkept the second\nover\n";
const KEEP = SCRIPT.split("\n").findIndex((line) => line.includes("return bytearray")) + 1;

/** It waits here most of the time, and took something here first. */
const HELD = SCRIPT.split("\n").findIndex((line) => line.includes("held.get")) + 1;
const WAIT = SCRIPT.split("\n").findIndex((line) => line.includes("while not")) + 1;

const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbr-")));
const at = (...names: string[]): string => path.join(top, ...names);
let server: TestServer;
let settings: Record<string, unknown> = {};

beforeAll(async () => {
  server = await startTestServer();
  for (const name of ["home/.ssh", "home/bin", "project/.vscode", "gates", "board"]) {
    fs.mkdirSync(at(name), { recursive: true });
  }
  fs.writeFileSync(at("home/.ssh/known_hosts"), `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
  // OpenSSH takes the home folder from the user database: point it at this one.
  const config = at("home/.ssh/config");
  fs.writeFileSync(config, `UserKnownHostsFile ${at("home/.ssh/known_hosts")}\nGlobalKnownHostsFile /dev/null\n`);
  fs.writeFileSync(at("home/bin/ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F '${config}' "$@"\n`, { mode: 0o755 });
  fs.writeFileSync(at("project/steps.py"), SCRIPT);
  fs.mkdirSync(at("project/data"));
  fs.writeFileSync(at("project/data/images.bin"), Buffer.alloc(1_000 * 1_000));
  fs.writeFileSync(at("project/.env"), "TOKEN=1\n");
  settings = {
    "jetsonMemprof.target": `nano@127.0.0.1:${server.port}`,
    "jetsonMemprof.boardFolder": at("board"),
    "jetsonMemprof.environment": { GATES: at("gates") },
  };
  fs.writeFileSync(at("project/.vscode/settings.json"), JSON.stringify(settings));
});
afterAll(async () => {
  openGates("one", "two");
  await server.close();
  await removeFolder(top);
});

const workbench = story("reattach", () => ({
  folder: at("project"),
  env: { HOME: at("home"), PATH: `${at("home/bin")}:${process.env["PATH"] ?? ""}` },
}));

function openGates(...names: string[]): void {
  for (const name of names) fs.writeFileSync(at("gates", name), "");
}

/** Those of the runs at home, the first one first. */
function runFolders(): readonly string[] {
  const runs = path.join(workbench().workspace, ".jetson-memprof/runs");
  return (fs.existsSync(runs) ? fs.readdirSync(runs) : [])
    .filter((name) => name.includes("-steps-"))
    .sort()
    .map((name) => path.join(runs, name));
}

const terminal = async (): Promise<string> => ui.terminalText(workbench().page).catch(() => "");
const timesIn = (text: string, part: string): number => text.split(part).length - 1;

/** Profiles the script; resolves with its run folder at home once it waits at its first gate. */
async function profile(answer = async (): Promise<void> => undefined): Promise<string> {
  const { page } = workbench();
  const before = runFolders().length;
  await ui.openFile(page, "steps.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
  await answer();
  const printed = (): string => {
    const log = path.join(runFolders()[before] ?? top, "stdout.log");
    return fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "";
  };
  await expect.poll(printed, { timeout: 60_000 }).toBe("kept the first\n");
  // What a run's row says of its memory is at home too before a test cuts the connection.
  const samples = path.join(runFolders()[before] ?? top, "samples.jsonl");
  await expect.poll(() => fs.readFileSync(samples, "utf8"), { timeout: 60_000 }).toContain("rss_peak");
  return runFolders()[before] ?? "";
}

test("before a project first goes to a board, it is told what goes and what stays, and can be changed", async () => {
  const { page, screenshot } = workbench();
  await ui.openFile(page, "steps.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
  const text = await ui.dialogText(page);
  expect(text).toContain("Send 3 files (977 KiB) of ");
  expect(text).toContain(`to nano@127.0.0.1:${server.port}?`);
  expect(text).toContain("The largest: data/ 977 KiB");
  expect(text).toContain("credentials, by their names: .env");
  await screenshot("reattach-0-send");
  await ui.pressDialogButton(page, "Change What Is Sent");
  await ui.line(page, "#/data/").waitFor();
  await screenshot("reattach-0-rules");
  const there = fs.readdirSync(at("board/projects"), { recursive: true });
  expect(there.filter((name) => /steps|data|json/.test(String(name)))).toEqual([]);
  expect(runFolders()).toEqual([]);
  await ui.runCommand(page, "View: Revert and Close Editor");
});

test("while a script runs its figures stand beside the lines, and where it is", async () => {
  const { page, screenshot } = workbench();
  await profile(() => ui.pressDialogButton(page, "Send"));
  const found = await ui.waitForDecorations(
    page,
    (all) =>
      all.some(({ line, text }) => line === KEEP && text.startsWith("+24.")) &&
      all.some(({ text }) => text.startsWith("here at ")),
  );
  const here = found.filter(({ text }) => text.startsWith("here at "));
  expect(here).toEqual([expect.objectContaining({ text: expect.stringMatching(/^here at \d+ s · RSS \d+\.\d MiB$/) })]);
  expect([WAIT, HELD]).toContain(here[0]?.line);
  await screenshot("reattach-0-live");
});

test("the figure of the line where it is is read first, also where figures stand before the lines", async () => {
  const { page, workspaceSettings, screenshot } = workbench();
  const beside = async (): Promise<readonly string[]> =>
    (await ui.decorations(page)).filter(({ line }) => line === HELD).map(({ text }) => text);
  const here = expect.stringMatching(/^here at \d+ s · RSS/);
  const figure = expect.stringMatching(/^\+8\.\d MiB$/);
  await expect.poll(beside).toEqual([figure, here]);
  await screenshot("reattach-0-beside");
  // A column before the lines moves all code.
  const codeBegins = (page: Page): Promise<number> =>
    ui
      .line(page, "import os")
      .locator("span", { hasText: /^import$/ })
      .last()
      .evaluate((word) => Math.round(word.getBoundingClientRect().left));
  const before = await codeBegins(page);
  workspaceSettings({ ...settings, "jetsonMemprof.decorations.position": "beforeLine" });
  await expect.poll(() => codeBegins(page)).toBeGreaterThan(before + 40);
  await expect.poll(beside).toEqual([figure, here]);
  await screenshot("reattach-0-column");
  workspaceSettings(settings);
  await expect.poll(() => codeBegins(page)).toBe(before);
});

test("a connection that goes is told everywhere, and that the run continues", async () => {
  const { page } = workbench();
  await expect.poll(terminal).toContain("kept the first");
  await ui.showView(page, "Jetson Memory");
  server.accepting(false);
  server.drop();
  const progress = await ui.notificationText(page, /Profiling steps\.py.*Connection lost/);
  expect(progress).toMatch(/Connection lost, the run continues on the board\. Since .+\. Trying (again in|now)/);
  await expect.poll(terminal).toContain("Connection lost, the run continues on the board.");
  await expect.poll(() => ui.statusText(page, /connection lost, the run continues/)).toContain("steps.py");
  await ui.treeRow(page, /steps\.py.*connection lost, the run continues/).waitFor();
  const offer = await ui.notificationText(page, /keeps trying to reconnect/);
  expect(offer).toMatch(/Try Now.*Stop Following/);
});

picturesInThemes(workbench, "reattach-1-lost", () => settings);

test("the run's row connects again without waiting for the next try, and the output goes on where it broke off", async () => {
  const { page } = workbench();
  // It would connect by itself soon after the server answers again, and a connected run has no such item.
  const item = "Reattach to Run";
  await ui.pickFromContextMenu(page, ui.treeRow(page, /steps\.py/), item, () => server.accepting(true));
  await ui.notificationText(page, /Connected again after/);
  openGates("one");
  await expect.poll(terminal).toContain("kept the second");
  expect(timesIn(await terminal(), "kept the first")).toBe(1);
  await expect.poll(() => ui.statusText(page, /connection lost/)).toBe("");
});

test("a window that is opened again follows its run by itself, with all of its output and figures", async () => {
  const { page } = workbench();
  await ui.reloadWindow(page);
  await ui.notificationText(page, "Following steps.py", 60_000);
  await expect.poll(terminal, { timeout: 30_000 }).toContain("What comes from now on:");
  const shown = await terminal();
  expect([timesIn(shown, "kept the first"), timesIn(shown, "kept the second")]).toEqual([1, 1]);
  await workbench().screenshot("reattach-2-followed-again");
  openGates("two");
  expect(await ui.notificationText(page, /steps\.py: /, 60_000)).toContain(`Line ${KEEP} kept`);
  expect(await page.locator(".quick-input-widget:visible, .monaco-dialog-box").count()).toBe(0);
  await ui.openFile(page, "steps.py");
  const decorations = await ui.waitForDecorations(
    page,
    (found) =>
      found.some(({ line, text }) => line === KEEP && !text.startsWith("+24")) &&
      // It is nowhere any more.
      !found.some(({ text }) => text.startsWith("here at ")),
  );
  expect(decorations.find(({ line }) => line === KEEP)?.text).toMatch(/^\+4[78]\.\d MiB/);
  const [folder = ""] = runFolders();
  expect(fs.readFileSync(path.join(folder, "stdout.log"), "utf8")).toBe(PRINTED);
});

test("a window that is opened while the board cannot be reached says so once, asks nothing, and need not look again", async () => {
  const { page, server: host } = workbench();
  for (const name of ["one", "two"]) fs.rmSync(at("gates", name));
  await profile();
  server.accepting(false);
  server.drop();
  await ui.reloadWindow(page);
  const said = await ui.notificationText(page, /could not be reattached to/, 60_000);
  expect(said).toMatch(
    /Reattach to Run.*Other Address….*Stop Looking for It.*steps\.py was running on 127\.0\.0\.1:\d+ when this window was closed/,
  );
  expect(await page.locator(".quick-input-widget:visible, .monaco-dialog-box").count()).toBe(0);
  await workbench().screenshot("reattach-3-not-reached");
  await ui.showView(page, "Jetson Memory");
  await ui.treeRow(page, /steps\.py.*not connected/).waitFor();
  // The next window would try, and tell, again.
  const [folder = ""] = otherWindow(host).left().free;
  expect(path.basename(folder)).toBe(path.basename(runFolders()[1] ?? ""));
  await ui.pressNotificationButton(page, /could not be reattached to/, "Stop Looking for It");
  await expect.poll(() => otherWindow(host).left().free).toEqual([]);
  server.accepting(true);
});

test("Reattach to Run follows it again, and fetches the rest of what ended while nobody followed it", async () => {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await ui.runCommand(page, "Jetson: Reattach to Run");
  const offered = (await ui.quickPickRows(page)).filter((row) => row.includes("steps.py"));
  expect(offered).toEqual([expect.stringMatching(/MiB peak.*not connected.*Last heard/)]);
  await ui.pickQuickPick(page, "steps.py");
  await expect.poll(terminal, { timeout: 30_000 }).toContain("What comes from now on:");
  await ui.runCommand(page, "Jetson: Stop Following Run");
  await ui.notificationText(page, /keeps running on the board/);
  openGates("one", "two");
  const [, folder = ""] = runFolders();
  const onBoard = at("board/runs", path.basename(folder), "run.json");
  await expect.poll(() => JSON.parse(fs.readFileSync(onBoard, "utf8")).state, { timeout: 60_000 }).toBe("finished");
  expect(fs.readFileSync(path.join(folder, "stdout.log"), "utf8")).toBe("kept the first\n");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /steps\.py.*not connected/), "Reattach to Run");
  expect(await ui.notificationText(page, /steps\.py: /, 60_000)).toContain(`Line ${KEEP} kept`);
  expect(fs.readFileSync(path.join(folder, "stdout.log"), "utf8")).toBe(PRINTED);
});

test("the button of a message from before the run's end says that there is nothing left to fetch", async () => {
  const { page } = workbench();
  await ui.pressNotificationButton(page, /keeps running on the board/, "Reattach to Run");
  expect(await ui.notificationText(page, /steps\.py has ended/)).toContain("all of it is here");
});

test("who stops following keeps the figures as last known, without where it is, until the run is followed again", async () => {
  const { page, screenshot } = workbench();
  for (const name of ["one", "two"]) fs.rmSync(at("gates", name));
  await ui.dismissNotifications(page);
  const folder = await profile();
  const isHere = ({ text }: ui.Decoration): boolean => text.startsWith("here at ");
  const kept = (all: readonly ui.Decoration[]): string => all.find(({ line }) => line === KEEP)?.text ?? "";
  await ui.waitForDecorations(page, (all) => all.some(isHere) && /^\+2[34]\./.test(kept(all)));
  await ui.runCommand(page, "Jetson: Stop Following Run");
  await ui.notificationText(page, /keeps running on the board/);
  const left = await ui.waitForDecorations(page, (all) => !all.some(isHere) && kept(all) !== "");
  expect(kept(left)).toMatch(/^\+2[34]\.\d MiB$/);
  const samples = path.join(folder, "samples.jsonl");
  const known = fs.readFileSync(samples, "utf8");
  openGates("one");
  const printed = at("board/runs", path.basename(folder), "stdout.log");
  await expect.poll(() => fs.readFileSync(printed, "utf8"), { timeout: 60_000 }).toContain("kept the second");
  expect(fs.readFileSync(samples, "utf8")).toBe(known);
  const still = await ui.decorations(page);
  expect([kept(still), still.some(isHere)]).toEqual([kept(left), false]);
  await screenshot("reattach-4-left");
  await ui.pressNotificationButton(page, /keeps running on the board/, "Reattach to Run");
  await ui.waitForDecorations(page, (all) => all.some(isHere) && /^\+4[78]\./.test(kept(all)));
  openGates("two");
  await ui.notificationText(page, /steps\.py: /, 60_000);
  await ui.waitForDecorations(page, (all) => !all.some(isHere) && /^\+4[78]\./.test(kept(all)));
});

test("a run that another window follows is not deleted", async () => {
  const { page, server: host } = workbench();
  const other = otherWindow(host);
  for (const folder of runFolders()) other.begin(folder);
  await ui.dismissNotifications(page);
  await ui.showView(page, "Jetson Memory");
  await ui.pickFromContextMenu(page, ui.treeRow(page, /steps\.py/).first(), "Delete Run");
  expect(await ui.notificationText(page, /Another window follows this run/)).toContain("Cancel it there");
  expect(runFolders()).toHaveLength(3);
  for (const folder of runFolders()) other.end(folder);
});
