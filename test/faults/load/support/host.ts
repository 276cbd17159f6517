/**
 * The extension host's stand-in: a Node that runs what the extension runs there, without VS Code's own. It follows runs
 * over SSH and shows their output as the run's terminal does, and asks the language server, over the same IPC, for what
 * the editor asks. Its parent says what to do.
 */
import { fork } from "node:child_process";
import { createProtocolConnection, IPCMessageReader, IPCMessageWriter } from "vscode-languageserver/node";
import { askLineDeltas } from "../../../../src/editor/lines/askLineDeltas.ts";
import { around, marksIn, showLines } from "../../../../src/editor/lines/plan.ts";
import type { Ask } from "../../../../src/editor/link/ask.ts";
import { findings } from "../../../../src/editor/run/end/headline.ts";
import { codeNodes } from "../../../../src/editor/runs/tree/codeNodes.ts";
import { createOutputThrottle } from "../../../../src/editor/terminal/outputThrottle.ts";
import { progressText, statusText } from "../../../../src/protocol/run/progressText.ts";
import type { ProfileRequest, RunDependencies, RunOutcome } from "../../../../src/protocol/run/run.ts";
import type { LineDeltasResult, RunListEntry, RunTree } from "../../../../src/protocol/server.ts";
import { profileRun } from "../../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../../src/remote/run/resumeRun.ts";
import { grouped, sorted } from "../../../../src/runs/list/arrange.ts";

export type Task =
  | { readonly kind: "profile"; readonly request: ProfileRequest; readonly helperFolder: string }
  | { readonly kind: "resume"; readonly folder: string; readonly boardFolder: string; readonly helperFolder: string }
  | { readonly kind: "server"; readonly program: string; readonly execArgv: readonly string[]; readonly meter: string }
  | { readonly kind: "ask"; readonly method: string; readonly params: unknown };

export type Answer =
  | {
      readonly kind: "run";
      readonly outcome: RunOutcome["kind"];
      readonly folder?: string;
      readonly why?: string;
      /** Bytes that came, and characters that the terminal was given. */
      readonly came: number;
      readonly shown: number;
      readonly warnings: readonly string[];
      readonly ms: number;
    }
  /** What the editor makes of an answer of the server: how many marks, rows or entries. */
  | { readonly kind: "asked"; readonly count: number; readonly ms: number }
  | { readonly kind: "failed"; readonly why: string };

/** As src/editor/run/runTerminal.ts has it. */
const SHOWN_PER_SECOND = 1024 * 1024;
let ask: ((method: string, params: unknown) => Promise<unknown>) | undefined;

process.on("message", (task: Task) => {
  perform(task).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ kind: "failed", why: String(error) } satisfies Answer),
  );
});

async function perform(task: Task): Promise<Answer> {
  switch (task.kind) {
    case "profile":
      return await follow((deps) => profileRun(task.request, deps), task.helperFolder);
    case "resume":
      return await follow((deps) => resumeRun(task.folder, { boardFolder: task.boardFolder }, deps), task.helperFolder);
    case "server":
      await startServer(task);
      return { kind: "asked", count: 0, ms: 0 };
    case "ask": {
      const began = performance.now();
      const result = await answerTo(task);
      return { kind: "asked", count: await used(task, result), ms: performance.now() - began };
    }
  }
}

async function follow(
  start: (deps: RunDependencies) => ReturnType<typeof profileRun>,
  helperFolder: string,
): Promise<Answer> {
  const began = performance.now();
  const warnings: string[] = [];
  let came = 0;
  let shown = 0;
  const terminal = createOutputThrottle(SHOWN_PER_SECOND, (text) => {
    shown += text.length;
  });
  const handle = start({
    prompter: {
      confirmHostKey: async () => false,
      secret: async () => undefined,
      keyboardInteractive: async () => undefined,
    },
    acceptRisk: async () => true,
    maySend: async () => true,
    mayReach: async () => true,
    helperFolder,
    onEvent(event) {
      progressText(event);
      statusText("script", event);
      if (event.kind === "warning") warnings.push(event.code);
      if (event.kind !== "output") return;
      came += event.data.length;
      terminal.push(event.stream, event.data);
    },
  });
  const outcome = await handle.done;
  terminal.end();
  return {
    kind: "run",
    outcome: outcome.kind,
    ...(outcome.folder === undefined ? {} : { folder: outcome.folder }),
    ...(outcome.kind === "failed" ? { why: outcome.error.message } : {}),
    came,
    shown,
    warnings,
    ms: performance.now() - began,
  };
}

async function startServer({ program, execArgv, meter }: Extract<Task, { kind: "server" }>): Promise<void> {
  const server = fork(program, ["--node-ipc"], {
    execArgv: [...execArgv],
    env: { ...process.env, METER: meter },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const connection = createProtocolConnection(new IPCMessageReader(server), new IPCMessageWriter(server));
  connection.onRequest("workspace/codeLens/refresh", () => null);
  connection.listen();
  const capabilities = { workspace: { codeLens: { refreshSupport: true } } };
  await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities });
  await connection.sendNotification("initialized", {});
  ask = (method, params) => connection.sendRequest(method, params);
}

/** As the editor asks for it. */
async function answerTo({ method, params }: Extract<Task, { kind: "ask" }>): Promise<unknown> {
  const asking = ask;
  if (asking === undefined) throw new Error("The server was not started.");
  return method === "jetsonMemprof/lineDeltas"
    ? await askLineDeltas(asking as Ask, (params as { uri: string }).uri)
    : await asking(method, params);
}

/** What the editor does with an answer before VS Code gets it. */
async function used({ method, params }: Extract<Task, { kind: "ask" }>, result: unknown): Promise<number> {
  switch (method) {
    case "jetsonMemprof/lineDeltas": {
      const found = result as LineDeltasResult;
      marksIn(
        showLines(found, { count: 200_000, length: () => 40 }, 0, "automatic"),
        around([{ first: 1_000, last: 1_060 }]),
      );
      return found.lines.length;
    }
    case "jetsonMemprof/runTree":
      findings("large.py", result as RunTree);
      return (await codeNodes((params as { folder: string }).folder, result as RunTree)).reduce(
        (sum, file) => sum + file.children.reduce((lines, fn) => lines + fn.children.length, 0),
        0,
      );
    case "jetsonMemprof/runs": {
      const entries = result as readonly RunListEntry[];
      return grouped(sorted(entries, "newest")).length > 0 ? entries.length : 0;
    }
    case "jetsonMemprof/timeline":
      return (result as { samples: readonly unknown[] }).samples.length;
    default:
      return Array.isArray(result) ? result.length : result === null ? 0 : 1;
  }
}
