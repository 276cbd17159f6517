/** `jetson-memprof lsp` as an editor starts it, with a real client of the protocol at the other end. */
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { putPrograms } from "../../support/builtPrograms.ts";

/** @returns the folder with cli.cjs and server.cjs, as they are shipped */
export async function buildPrograms(): Promise<string> {
  const built = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-lsp-"));
  await putPrograms(["cli", "server"], built);
  return built;
}

export interface Client {
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
  readonly process: childProcess.ChildProcessWithoutNullStreams;
  readonly exit: Promise<number | null>;
  /** What the server told its user. */
  readonly messages: string[];
  /** The latest of each document. */
  readonly diagnostics: Map<string, readonly Diagnostic[]>;
  /** Resolves when `holds` does, asked after each message of the server. */
  until(holds: () => boolean | Promise<boolean>): Promise<void>;
  open(file: string, text?: string): Promise<string>;
  /** `shutdown` and `exit`. */
  stop(): Promise<number | null>;
}

export interface ClientOptions {
  readonly workspace?: object;
  readonly options?: unknown;
  readonly capabilities?: object;
  readonly args?: readonly string[];
}

export async function startClient(built: string, { workspace = {}, options, ...rest }: ClientOptions): Promise<Client> {
  const { capabilities = {}, args = [] } = rest;
  const child = childProcess.spawn(process.execPath, [path.join(built, "cli.cjs"), "lsp", ...args], { stdio: "pipe" });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const messages: string[] = [];
  const diagnostics = new Map<string, readonly Diagnostic[]>();
  const waiting = new Set<() => void>();
  const news = () => {
    for (const look of waiting) look();
  };
  connection.onNotification("window/showMessage", ({ message }: { message: string }) => {
    messages.push(message);
    news();
  });
  connection.onNotification("textDocument/publishDiagnostics", (params: { uri: string; diagnostics: Diagnostic[] }) => {
    diagnostics.set(params.uri, params.diagnostics);
    news();
  });
  for (const method of ["workspace/codeLens/refresh", "workspace/inlayHint/refresh"]) {
    connection.onRequest(method, () => {
      news();
      return null;
    });
  }
  connection.listen();
  const initialized = await connection.sendRequest<InitializeResult>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      workspace: { codeLens: { refreshSupport: true }, inlayHint: { refreshSupport: true }, workspaceFolders: true },
      textDocument: { hover: { contentFormat: ["markdown", "plaintext"] } },
      ...capabilities,
    },
    ...workspace,
    initializationOptions: options,
  });
  await connection.sendNotification("initialized", {});

  return {
    connection,
    initialized,
    process: child,
    exit,
    messages,
    diagnostics,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          Promise.resolve(holds()).then((over) => {
            if (!over) return;
            waiting.delete(look);
            resolve();
          }, reject);
        };
        waiting.add(look);
        look();
      }),
    async open(file, text = fs.readFileSync(file, "utf8")) {
      const uri = pathToFileURL(file).href;
      const textDocument = { uri, languageId: "python", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
      return uri;
    },
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const status = await exit;
      connection.dispose();
      return status;
    },
  };
}
