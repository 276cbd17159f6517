/** What can be asked of VS Code itself, from inside its extension host, on the folder of examples. */
import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Listener } from "./listener/extension.ts";

const EXTENSION = "jetson-memory-profiler.jetson-memory-profiler";

async function waitFor<Value>(
  what: string,
  probe: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(EXTENSION);
  assert.ok(found, `${EXTENSION} is not installed`);
  return found;
}

function workspaceFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "no folder is open");
  return folder.uri.fsPath;
}

function finishedRun(): string | undefined {
  const runs = path.join(workspaceFolder(), ".jetson-memprof/runs");
  if (!fs.existsSync(runs)) return undefined;
  for (const id of fs.readdirSync(runs)) {
    const file = path.join(runs, id, "run.json");
    if (!fs.existsSync(file)) continue;
    const run = JSON.parse(fs.readFileSync(file, "utf8")) as { state: string; exit?: unknown };
    if (run.state === "finished") return path.join(runs, id);
  }
  return undefined;
}

function lineOf(document: vscode.TextDocument, text: string): number {
  const offset = document.getText().indexOf(text);
  assert.ok(offset >= 0, `no line with ${text}`);
  return document.positionAt(offset).line;
}

describe("the extension in its host", () => {
  let script: vscode.TextDocument;

  before(async () => {
    script = await vscode.workspace.openTextDocument(path.join(workspaceFolder(), "train_tiny.py"));
    await vscode.window.showTextDocument(script);
  });

  it("is not active before anything asks for it, and activates", async () => {
    assert.equal(extension().isActive, false);
    await extension().activate();
    assert.equal(extension().isActive, true);
  });

  it("has a command behind each one the manifest names", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const { contributes } = extension().packageJSON as { contributes: { commands: { command: string }[] } };
    const missing = contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it("profiles a script on the simulated board and keeps the run", async () => {
    const settings = vscode.workspace.getConfiguration("jetsonMemprof");
    await settings.update("target", "loopback", vscode.ConfigurationTarget.Workspace);
    void vscode.commands.executeCommand("jetsonMemprof.profile", script.uri);
    const folder = await waitFor("a finished run", finishedRun);
    const run = JSON.parse(fs.readFileSync(path.join(folder, "run.json"), "utf8")) as { exit: unknown };
    assert.deepEqual(run.exit, { kind: "exited", code: 0 });
    assert.match(fs.readFileSync(path.join(folder, "stdout.log"), "utf8"), /epoch 3 {2}loss/);
  });

  it("answers a hover on a measured line with its figures", async () => {
    const position = new vscode.Position(lineOf(script, "history.append"), 10);
    const text = await waitFor("a hover", async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        "vscode.executeHoverProvider",
        script.uri,
        position,
      );
      const parts = hovers.flatMap((hover) =>
        hover.contents.map((part) => (typeof part === "string" ? part : part.value)),
      );
      return parts.find((part) => part.includes("MiB"));
    });
    assert.match(text, /\+1[1-3]\.\d\sMiB/, `three times 4 MiB in:\n${text}`);
    assert.match(text, /RSS/);
  });

  it("puts a code lens on each function that ran", async () => {
    // The record of the run may be home before its last figures are: until then main() has not ended.
    await waitFor("the code lens of main(), which ended", async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        script.uri,
        50,
      );
      const main = found.find((lens) => lens.range.start.line === lineOf(script, "def main"));
      return main?.command?.title.includes("MiB net") || undefined;
    });
  });

  it("shows the timeline of the run in a tab", async () => {
    await vscode.commands.executeCommand("jetsonMemprof.showTimeline");
    await waitFor("the timeline's tab", () => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      return tabs.find(
        (tab) => tab.input instanceof vscode.TabInputWebview && tab.input.viewType.includes("jetsonMemprof.timeline"),
      );
    });
  });
});

describe("another extension, which knows the published types only", () => {
  let listener: Listener;
  let script: string;

  before(async () => {
    const other = vscode.extensions.getExtension<Listener>("somebody-else.run-listener");
    assert.ok(other, "the other extension is not there");
    listener = await other.activate();
    script = path.join(workspaceFolder(), "train_tiny.py");
  });

  it("lists the runs, reads the lines of one and shows it; what it asks wrongly is refused in words", async () => {
    const { api, exports, heard } = listener;
    const [run, ...others] = await api.listRuns();
    assert.ok(run);
    assert.deepEqual(others, []);
    assert.equal(run.state, "ended");
    assert.deepEqual(run.ending, { kind: "exited", code: 0 });
    assert.equal(run.simulated, true);
    assert.ok((run.peakRssBytes ?? 0) > 12 * 2 ** 20);
    assert.throws(() => (run.tags as string[]).push("mine"), TypeError);

    const { files } = await api.readLines(run.id);
    const document = await vscode.workspace.openTextDocument(script);
    const grown = files
      .find((file) => file.path === "train_tiny.py")
      ?.lines.find(({ line }) => line === lineOf(document, "history.append") + 1);
    assert.ok(grown?.netBytes !== undefined && Math.abs(grown.netBytes - 12 * 2 ** 20) < 2 ** 20);

    await vscode.commands.executeCommand("jetsonMemprof.hideFigures");
    assert.equal((await api.openRun(run.folder)).id, run.id);
    assert.equal(api.shownRun()?.id, run.id);
    // What the test before it showed may be heard of late.
    assert.deepEqual(heard.slice(-2), ["shown none", `shown ${run.id}`]);

    await assert.rejects(exports.getApi(2 as 1), { code: "api-version" });
    await assert.rejects(api.openRun("20990101"), { code: "no-run" });
    await assert.rejects(api.readLines(run.id, "cuda"), { code: "no-metric" });
    await assert.rejects(api.profile("train_tiny.py"), { code: "bad-argument" });
    await assert.rejects(api.profile(script, { target: "ssh://" }), { code: "bad-target" });
  });

  it("profiles a script on the simulated board and hears of the run from its start to its end", async () => {
    const { api, heard } = listener;
    const before = heard.length;
    const result = await api.profile(script, { target: "loopback" });
    assert.equal(result?.outcome, "finished");
    const { run } = result;
    assert.ok(run);
    assert.deepEqual(run.ending, { kind: "exited", code: 0 });
    const ofRun = heard.slice(before).filter((text) => text.endsWith(run.id) && !text.startsWith("shown"));
    assert.deepEqual(ofRun, [`started ${run.id}`, `ended ${run.id}`]);
    assert.deepEqual((await api.listRuns()).map(({ id }) => id)[0], run.id);
  });
});
