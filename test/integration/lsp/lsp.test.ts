import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CodeLens, Hover, InlayHint, ShowMessageRequestParams } from "vscode-languageserver/node";
import {
  jsonLines,
  makeProject,
  runFiles,
  runJson,
  TORCH_LINES,
  TRAIN,
  writeFiles,
} from "../../../src/profile/testing.ts";
import { buildPrograms, type Client, type ClientOptions, startClient } from "./client.ts";

let built: string;
beforeAll(async () => {
  built = await buildPrograms();
});
afterAll(() => fs.rmSync(built, { recursive: true, force: true }));

let project: string;
let run: string;
let remove: () => void;
let client: Client | undefined;
beforeEach(() => {
  ({ project, run, remove } = makeProject());
});
afterEach(async () => {
  client?.process.kill("SIGKILL");
  await client?.exit;
  client = undefined;
  remove();
});

async function start(options: ClientOptions = {}): Promise<Client> {
  client = await startClient(built, {
    workspace: { workspaceFolders: [{ uri: uriOf(project), name: "p" }] },
    ...options,
  });
  return client;
}

const uriOf = (file: string) => pathToFileURL(file).href;
const file = (name: string) => path.join(project, name);
const everything = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };

const hover = (uri: string, line: number) =>
  client?.connection.sendRequest<Hover | null>("textDocument/hover", {
    textDocument: { uri },
    position: { line, character: 4 },
  });
const hints = (uri: string) =>
  client?.connection.sendRequest<InlayHint[]>("textDocument/inlayHint", { textDocument: { uri }, range: everything });
const lenses = (uri: string) =>
  client?.connection.sendRequest<CodeLens[]>("textDocument/codeLens", { textDocument: { uri } });
const execute = (command: string, ...given: unknown[]) =>
  client?.connection.sendRequest("workspace/executeCommand", { command: `jetsonMemprof.${command}`, arguments: given });

function addRun(name: string, json: object = {}, lines?: readonly object[]): string {
  const folder = path.join(path.dirname(run), name);
  writeFiles(
    folder,
    runFiles({
      "run.json": JSON.stringify(runJson({ id: name, ...json })),
      ...(lines && { "lines.jsonl": jsonLines(lines) }),
    }),
  );
  return folder;
}

describe("jetson-memprof lsp", () => {
  it("shows the newest finished run by itself: hover, code lens and inlay hints at the lines' ends", async () => {
    addRun("20261122-000000-train-aaaa", { state: "running", exit: null });
    const { initialized, open, stop } = await start();
    expect(initialized).toMatchObject({
      serverInfo: { name: "Jetson Memory Profiler", version: expect.any(String) },
      capabilities: { hoverProvider: true, codeLensProvider: {}, inlayHintProvider: {}, positionEncoding: "utf-16" },
    });
    const uri = await open(file("train.py"));
    expect((await hints(uri))?.map(({ position, label }) => [position, label])).toEqual([
      [{ line: 3, character: "    net = model.build()".length }, "+64.0 MiB"],
      [{ line: 6, character: "        history.append(bytearray(4 << 20))".length }, "+20.0 MiB"],
      [{ line: 9, character: 6 }, "+76.0 MiB"],
    ]);
    const shown = await hover(uri, 3);
    expect(shown?.contents).toMatchObject({ kind: "markdown" });
    const value = JSON.stringify(shown?.contents);
    expect(value).toMatch(
      /"```text\\nMemory \(RSS\) +this line\\nHits +1\\nNet, with everything it called +\+64\.0 MiB\\n/,
    );
    expect(value).not.toMatch(/&emsp;|command:/);
    const [lens] = (await lenses(uri)) ?? [];
    expect(lens).toMatchObject({ range: { start: { line: 2 } }, command: { command: "jetsonMemprof.describeRun" } });
    await execute("describeRun", ...(lens?.command?.arguments ?? []));
    await client?.until(() => client?.messages.length === 1);
    expect(client?.messages[0]).toMatch(
      /^train\.py --name "a b" \(20261121-094501-train-3fa9\), .*peak RSS 148\.0 MiB, the figures are of RSS$/,
    );
    expect(await stop()).toBe(0);
  });

  it("follows: a new run, one that ends, one that is removed; the client is asked to refresh", async () => {
    const { open, until } = await start();
    const uri = await open(file("train.py"));
    expect(await hints(uri)).toHaveLength(3);
    const only = [
      { schema: 1, record: "header", run: "20261123-000000-train-bbbb" },
      { record: "file", file: 0, path: "train.py", sha256: "aa", lines: 10, functions: [] },
      { record: "rows", t: 1, pid: 10, rows: [[0, 4, 1, 99 << 20, 99 << 20, 0, 0, 0, 0]] },
    ];
    const newer = addRun("20261123-000000-train-bbbb", { state: "running" }, only);
    expect(await hints(uri)).toHaveLength(3);
    writeFiles(newer, { "run.json": JSON.stringify(runJson({ id: path.basename(newer) })) });
    await until(async () => (await hints(uri))?.length === 1);
    fs.rmSync(newer, { recursive: true });
    await until(async () => (await hints(uri))?.length === 3);
  });

  it("marks what was edited since the run, and counts columns in UTF-16 units", async () => {
    const { connection, open, initialized } = await start({
      capabilities: { general: { positionEncodings: ["utf-8", "utf-16"] } },
    });
    expect(initialized.capabilities.positionEncoding).toBe("utf-16");
    const uri = await open(file("train.py"), TRAIN.replace("model.build()", 'model.build("\u{1f600}é")'));
    const before = "    net = model.build(".length;
    expect((await hints(uri))?.[0]).toMatchObject({
      position: { line: 3, character: before + 2 + 3 + 1 },
      label: "+64.0 MiB (line changed since the run)",
    });
    const at = { line: 3, character: before };
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range: { start: at, end: { line: 3, character: before + 5 } }, text: "" }],
    });
    expect((await hints(uri))?.[0]).toMatchObject({ position: { line: 3, character: before + 1 }, label: "+64.0 MiB" });
  });

  it("gives plain text to a client that shows nothing else", async () => {
    const { open } = await start({ capabilities: { textDocument: { hover: { contentFormat: ["plaintext"] } } } });
    const uri = await open(file("model.py"));
    const shown = (await hover(uri, 1))?.contents as { kind: string; value: string };
    expect(shown.kind).toBe("plaintext");
    expect(shown.value).toMatch(/^Memory \(RSS\) +this line\nHits +1\n/);
    expect(shown.value).toContain('Run: train.py --name "a b" on ssh://nano@192.168.1.20, 2026-11-21 09:45 UTC.');
  });

  it("has commands for another run, another measure, nothing and the newest again", async () => {
    addRun("20261120-000000-old-cccc", {}, TORCH_LINES);
    const { open } = await start();
    const uri = await open(file("model.py"));
    expect(await hints(uri)).toMatchObject([{ label: "+64.0 MiB" }, { label: "peak +64.0 MiB" }]);
    await execute("showRun", "20261120");
    await execute("chooseMetric", "cuda");
    expect(await hints(uri)).toMatchObject([{ label: "CUDA +100.0 MiB" }, { label: "CUDA -20.0 MiB, peak +30.0 MiB" }]);
    await execute("hideFigures");
    expect([await hints(uri), await lenses(uri), await hover(uri, 1)]).toEqual([[], [], null]);
    await execute("showLatest");
    expect(await hints(uri)).toMatchObject([{ label: "+64.0 MiB" }, { label: "peak +64.0 MiB" }]);
    await expect(execute("showRun", "nope")).rejects.toThrow('There is no run "nope" in the folders that are open.');
    await expect(execute("showRun", "2026")).rejects.toThrow('"2026" is the beginning of 2 runs: ');
    await expect(execute("chooseMetric", "vram")).rejects.toThrow('takes rss, cuda, system, not "vram"');
    await expect(execute("showRun", { run: 1 })).rejects.toThrow("takes the name of a run");
    await expect(execute("formatDisk")).rejects.toThrow("There is no command");
  });

  it("asks which run where none is named", async () => {
    addRun("20261120-000000-old-cccc", {}, TORCH_LINES);
    const { open, connection } = await start();
    const uri = await open(file("model.py"));
    await hints(uri);
    connection.onRequest("window/showMessageRequest", ({ actions }: ShowMessageRequestParams) => ({
      title: actions?.[1]?.title ?? "",
    }));
    await execute("showRun");
    await execute("chooseMetric");
    expect(await hints(uri)).toMatchObject([{ label: "CUDA +100.0 MiB" }, {}]);
    connection.onRequest("window/showMessageRequest", () => null);
    await execute("chooseMetric");
    expect(await hints(uri)).toMatchObject([{ label: "CUDA +100.0 MiB" }, {}]);
  });

  it("starts with the run, measure and threshold of its options", async () => {
    addRun("20261120-000000-old-cccc", {}, TORCH_LINES);
    const { open } = await start({ options: { run: "20261120", metric: "cuda", threshold: 50, codeLenses: false } });
    const uri = await open(file("model.py"));
    expect(await hints(uri)).toMatchObject([{ label: "CUDA +100.0 MiB" }]);
    expect(client?.initialized.capabilities.codeLensProvider).toBeUndefined();
  });

  it.each([
    [{ metrics: "cuda" }, "metrics"],
    [{ threshold: "lots" }, "threshold"],
    [{ heavyLines: "error" }, "heavyLines"],
    ["nonsense", "as a whole"],
  ])("says what is wrong with options such as %j, and goes on with the defaults", async (options, named) => {
    const { open, until } = await start({ options });
    const uri = await open(file("train.py"));
    expect(await hints(uri)).toHaveLength(3);
    await until(() => client?.messages.some((message) => message.includes(`${named}:`)) === true);
  });

  it("says that the run its options name is not there, and shows the newest", async () => {
    const { open, until } = await start({ options: { run: "gone" } });
    const uri = await open(file("train.py"));
    await until(() => client?.messages.some((message) => message.includes('no run "gone"')) === true);
    expect(await hints(uri)).toHaveLength(3);
  });

  it("has the line where a run was killed as an error, though no file is open, and heavy lines where that is wanted", async () => {
    const exit = { kind: "out-of-memory", signal: "SIGKILL", evidence: "the kernel's log says: Killed process 10" };
    const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 7 }];
    writeFiles(run, { "run.json": JSON.stringify(runJson({ exit, last_lines })) });
    const { open, until, diagnostics } = await start({ options: { heavyLines: "information" } });
    const uri = uriOf(file("train.py"));
    await until(() => diagnostics.get(uri)?.some(({ severity }) => severity === 1) === true);
    await open(file("train.py"));
    await until(() => {
      const found = diagnostics.get(uri) ?? [];
      return found.some(({ severity }) => severity === 1) && found.some(({ severity }) => severity === 3);
    });
    expect(diagnostics.get(uri)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          severity: 1,
          range: { start: { line: 6, character: 8 }, end: { line: 6, character: 42 } },
        }),
        expect.objectContaining({ severity: 3, message: "This line's memory: +64.0 MiB." }),
      ]),
    );
    const actions = await client?.connection.sendRequest<{ command?: unknown }[]>("textDocument/codeAction", {
      textDocument: { uri },
      range: { start: { line: 6, character: 8 }, end: { line: 6, character: 9 } },
      context: { diagnostics: [] },
    });
    expect(actions?.filter(({ command }) => command !== undefined)).toEqual([]);
    await execute("hideFigures");
    await until(() => diagnostics.get(uri)?.length === 0);
  });
});

describe("workspaces", () => {
  it.each([
    ["rootUri", () => ({ rootUri: uriOf(project) })],
    ["rootPath alone, as old clients have it", () => ({ rootPath: `${project}/`, rootUri: undefined })],
    ["a folder above the project", () => ({ workspaceFolders: [{ uri: uriOf(path.dirname(project)), name: "tmp" }] })],
    ["none", () => ({ workspaceFolders: null, rootUri: null })],
    ["another one", () => ({ workspaceFolders: [{ uri: "file:///nowhere/at/all", name: "x" }] })],
    ["one that is on no disk", () => ({ workspaceFolders: [{ uri: "vscode-vfs://github/x", name: "x" }] })],
  ])("%s", async (_, workspace) => {
    const { open } = await start({ workspace: workspace() });
    expect(await hints(await open(file("train.py")))).toHaveLength(3);
  });

  it("several have a run each, and come and go", async () => {
    const other = makeProject(runFiles({ "lines.jsonl": jsonLines(TORCH_LINES) }));
    try {
      const { open, connection, until, diagnostics } = await start({ options: { metric: "cuda" } });
      const first = await open(file("model.py"));
      const second = await open(path.join(other.project, "model.py"));
      expect([await hints(first), await hints(second)]).toMatchObject([
        [{ label: "+64.0 MiB" }, {}],
        [{ label: "CUDA +100.0 MiB" }, {}],
      ]);
      const exit = { kind: "out-of-memory", signal: "SIGKILL", evidence: "dmesg" };
      const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 7 }];
      const third = makeProject(runFiles({ "run.json": JSON.stringify(runJson({ exit, last_lines })) }));
      const folder = { uri: uriOf(third.project), name: "third" };
      await connection.sendNotification("workspace/didChangeWorkspaceFolders", {
        event: { added: [folder], removed: [] },
      });
      const killed = uriOf(path.join(third.project, "train.py"));
      await until(() => (diagnostics.get(killed)?.length ?? 0) > 0);
      await connection.sendNotification("workspace/didChangeWorkspaceFolders", {
        event: { added: [], removed: [folder] },
      });
      await until(() => diagnostics.get(killed)?.length === 0);
      third.remove();
    } finally {
      other.remove();
    }
  });

  it("has nothing to say of what no run knows", async () => {
    const { open, connection } = await start();
    fs.writeFileSync(file("other.py"), "x = 1\n");
    const unknown = await open(file("other.py"));
    expect([await hints(unknown), await lenses(unknown), await hover(unknown, 0)]).toEqual([[], [], null]);
    const untitled = "untitled:Untitled-1";
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri: untitled, languageId: "python", version: 1, text: "x" },
    });
    expect([await hints(untitled), await hover(untitled, 99)]).toEqual([[], null]);
  });
});

describe("the life of the server", () => {
  it("ends with 0 after shutdown and exit, with 1 after exit alone, and when its client is gone", async () => {
    expect(await (await start({ args: ["--stdio"] })).stop()).toBe(0);
    const rude = await start();
    await rude.connection.sendNotification("exit");
    expect(await rude.exit).toBe(1);
    const gone = await start();
    gone.process.stdin.end();
    expect(await gone.exit).toBe(1);
  });

  it("answers nothing after shutdown", async () => {
    const { connection, open, exit } = await start();
    const uri = await open(file("train.py"));
    await connection.sendRequest("shutdown");
    await expect(hover(uri, 3)).rejects.toMatchObject({ code: -32600 });
    await connection.sendNotification("exit");
    expect(await exit).toBe(0);
  });

  it("ends when the process it was told of is gone, though the pipe stays open", async () => {
    const parent = childProcess.spawn("sleep", ["100"]);
    const orphan = await start({ workspace: { processId: parent.pid } });
    parent.kill("SIGKILL");
    expect(await orphan.exit).toBe(1);
  });

  it("writes nothing but the protocol to standard output, and says where it is no place for it", () => {
    const cli = path.join(built, "cli.cjs");
    const typed = childProcess.spawnSync("script", ["-qec", `${process.execPath} ${cli} lsp`, "/dev/null"], {
      encoding: "utf8",
    });
    expect(typed.stdout).toContain("This is a language server: an editor starts it");
    expect(typed.status).toBe(64);
    const wrong = childProcess.spawnSync(process.execPath, [cli, "lsp", "--sdtio"], { encoding: "utf8" });
    expect(wrong).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringContaining("Unknown option '--sdtio'"),
    });
    const alone = fs.mkdtempSync(path.join(built, "alone-"));
    fs.copyFileSync(cli, path.join(alone, "cli.cjs"));
    const missing = childProcess.spawnSync(process.execPath, [path.join(alone, "cli.cjs"), "lsp"], {
      encoding: "utf8",
      input: "",
    });
    expect(missing).toMatchObject({ status: 70, stdout: "", stderr: expect.stringContaining("server.cjs is missing") });
    const noise = childProcess.spawnSync(process.execPath, [cli, "lsp"], {
      encoding: "utf8",
      input: "hello\r\n\r\nworld",
    });
    expect(noise.stdout.replace(/Content-Length: \d+\r\n\r\n\{"jsonrpc":"2\.0".*?\}(?=Content-Length|$)/gs, "")).toBe(
      "",
    );
  });
});
