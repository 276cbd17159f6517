import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createProtocolConnection,
  type Diagnostic,
  IPCMessageReader,
  IPCMessageWriter,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { jsonLines, LINES, makeProject, runJson, TRAIN, writeFiles } from "../../../src/profile/testing.ts";
import { RUN_CHANGED } from "../../../src/protocol/server.ts";
import { massifFiles, PID } from "../../../src/server/massif/testing.ts";
import { putPrograms } from "../../support/builtPrograms.ts";

let built: string;

beforeAll(async () => {
  built = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-server-"));
  await putPrograms(["server"], built);
});
afterAll(() => fs.rmSync(built, { recursive: true, force: true }));

let project: string;
let run: string;
let remove: () => void;
let server: childProcess.ChildProcess;
let connection: ProtocolConnection;

beforeEach(() => {
  ({ project, run, remove } = makeProject());
});
afterEach(async () => {
  await connection.sendRequest("shutdown");
  const gone = new Promise((resolve) => server.once("exit", resolve));
  await connection.sendNotification("exit");
  expect(await gone).toBe(0);
  connection.dispose();
  remove();
});

async function start(transport: "ipc" | "stdio"): Promise<object> {
  if (transport === "ipc") {
    server = childProcess.fork(path.join(built, "server.cjs"), ["--node-ipc"], { stdio: ["ignore", 2, 2, "ipc"] });
    connection = createProtocolConnection(new IPCMessageReader(server), new IPCMessageWriter(server));
  } else {
    const child = childProcess.spawn(process.execPath, [path.join(built, "server.cjs"), "--stdio"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    server = child;
    connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  }
  connection.onRequest("workspace/codeLens/refresh", () => null);
  connection.listen();
  const result = await connection.sendRequest<{ capabilities: object }>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { codeLens: { refreshSupport: true } } },
  });
  await connection.sendNotification("initialized", {});
  return result.capabilities;
}

async function openTrain(): Promise<string> {
  const uri = pathToFileURL(path.join(project, "train.py")).href;
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "python", version: 1, text: TRAIN },
  });
  return uri;
}

describe.each(["ipc", "stdio"] as const)("the language server over %s", (transport) => {
  it("shows a run: hover, code lens, line deltas, and what an edit does to them", async () => {
    expect(await start(transport)).toMatchObject({ hoverProvider: true, codeLensProvider: {} });
    const uri = await openTrain();
    const at = (line: number) => ({ textDocument: { uri }, position: { line, character: 2 } });
    expect(await connection.sendRequest("textDocument/hover", at(3))).toBeNull();

    await connection.sendRequest("jetsonMemprof/showRun", { folder: run, metric: "rss" });
    expect(await connection.sendRequest("textDocument/hover", at(3))).toMatchObject({
      contents: { kind: "markdown", value: expect.stringContaining("+64.0 MiB") },
      range: { start: { line: 3 } },
    });
    expect(await connection.sendRequest("textDocument/codeLens", { textDocument: { uri } })).toEqual([
      {
        range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } },
        command: {
          title: "+76.0 MiB net · +140.0 MiB peak · 1.5 s · 1 call",
          command: "jetsonMemprof.showRunInTree",
          arguments: [run],
        },
      },
    ]);

    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "# first\n" },
      ],
    });
    expect(await connection.sendRequest("jetsonMemprof/lineDeltas", { uri })).toMatchObject({
      stale: true,
      lines: [
        { line: 5, label: "+64.0 MiB", stale: false },
        { line: 8, stale: false },
        { line: 11, stale: false },
      ],
    });
    await connection.sendRequest("jetsonMemprof/showRun", { folder: null, metric: "rss" });
    expect(await connection.sendRequest("jetsonMemprof/lineDeltas", { uri })).toBeNull();
  });

  it("tells the editor when the shown run grows, and answers errors with a code and a hint", async () => {
    await start(transport);
    writeFiles(run, { "lines.jsonl": jsonLines(LINES.slice(0, 6)) });
    await connection.sendRequest("jetsonMemprof/showRun", { folder: run, metric: "rss" });
    const changed = new Promise((resolve) => connection.onNotification(RUN_CHANGED, resolve));
    writeFiles(run, { "lines.jsonl": jsonLines(LINES) });
    expect(await changed).toEqual({ folder: run });
    await expect(
      connection.sendRequest("jetsonMemprof/runTree", { folder: path.join(run, "nowhere") }),
    ).rejects.toMatchObject({ data: { code: "not-a-run", hint: expect.any(String) } });
    expect(await connection.sendRequest("jetsonMemprof/runs", { folders: [path.dirname(run)] })).toMatchObject([
      { kind: "run", run: { id: path.basename(run) } },
    ]);
  });

  it("tells why a run ended: on its line, with quick fixes, and gone with the run", async () => {
    await start(transport);
    const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 7 }];
    const exit = { kind: "out-of-memory", signal: "SIGKILL", evidence: "the kernel's log says: Killed process 10" };
    writeFiles(run, { "run.json": JSON.stringify(runJson({ exit, last_lines })) });
    const uri = await openTrain();
    // The newest: the same may be published more than once, as when the document has been looked at.
    let published: { uri: string; diagnostics: Diagnostic[] } | undefined;
    connection.onNotification("textDocument/publishDiagnostics", (params) => {
      published = params;
    });
    await connection.sendRequest("jetsonMemprof/showRun", { folder: run, metric: "rss" });
    await expect.poll(() => published?.diagnostics).toHaveLength(1);
    const diagnostics = published?.diagnostics ?? [];
    expect(diagnostics).toMatchObject([
      {
        range: { start: { line: 6, character: 8 }, end: { line: 6, character: 42 } },
        severity: 1,
        source: "Jetson Memory",
        message: expect.stringMatching(/^Ran out of memory here: The board ran out of memory and the kernel ended/),
      },
    ]);
    const request = { textDocument: { uri }, range: diagnostics[0]?.range, context: { diagnostics } };
    expect(await connection.sendRequest("textDocument/codeAction", request)).toEqual([
      ...["Add 4 GiB of swap on the board's disk", "Read what the kernel's log says of it"].map((title, step) => ({
        title,
        kind: "quickfix",
        diagnostics,
        command: { title, command: "jetsonMemprof.adviceStep", arguments: [{ folder: run, rule: "killed", step }] },
      })),
      {
        title: "Show why the run ended",
        kind: "quickfix",
        diagnostics,
        command: { title: "Show why the run ended", command: "jetsonMemprof.showEnding", arguments: [run] },
      },
    ]);
    expect(await connection.sendRequest("jetsonMemprof/ending", { folder: run })).toMatchObject({
      report: { kind: "kernel-out-of-memory", place: { path: "train.py", line: 7 } },
    });

    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "# first\n" },
      ],
    });
    await expect.poll(() => published?.diagnostics).toMatchObject([{ range: { start: { line: 7 } } }]);
    await connection.sendRequest("jetsonMemprof/showRun", { folder: null, metric: "rss" });
    await expect.poll(() => published).toEqual({ uri, diagnostics: [] });
  });

  it("gives a massif run's document, its trees and the way from a line to its stacks", async () => {
    await start(transport);
    writeFiles(run, massifFiles());
    const uri = await openTrain();
    await connection.sendRequest("jetsonMemprof/showRun", { folder: run, metric: "rss" });
    expect(
      await connection.sendRequest("textDocument/hover", {
        textDocument: { uri },
        position: { line: 6, character: 2 },
      }),
    ).toMatchObject({ contents: { value: expect.stringContaining("command:jetsonMemprof.showNativeStacks") } });
    expect(await connection.sendRequest("jetsonMemprof/nativeStacks", { uri, line: 7 })).toEqual({
      folder: run,
      path: "train.py",
      line: 7,
      file: 0,
      snapshot: 1,
    });
    const source = { kind: "file", path: path.join(run, `massif.out.${PID}`) };
    expect(await connection.sendRequest("jetsonMemprof/massifDocument", { source })).toMatchObject({
      title: expect.stringContaining("train.py"),
      files: [{ name: "main" }],
    });
    const ref = { kind: "snapshot", file: 0, snapshot: 1 };
    expect(await connection.sendRequest("jetsonMemprof/massifTree", { source, ref })).toMatchObject({
      labels: expect.arrayContaining([expect.stringContaining("py_00001")]),
    });
    await expect(
      connection.sendRequest("jetsonMemprof/massifDocument", { source: { kind: "file", path: `${source.path}9` } }),
    ).rejects.toMatchObject({ data: { code: "massif-unreadable", hint: expect.any(String) } });
  });
});
