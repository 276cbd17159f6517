/** The language client itself; loaded when it is first needed, because it is the largest part to start. */
import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from "vscode-languageclient/node";
import { UserError } from "../../profile/userError.ts";
import { RUN_CHANGED, type ServerRequests } from "../../protocol/server.ts";

/** Commands that a hover links to. */
const LINKED = [
  "showNativeStacks",
  "explainTerm",
  "showTimeline",
  "showBoardMemory",
  "showHeaviestLine",
  "showLineHistory",
  "compareRuns",
] as const;

export interface RunningClient {
  ask<Method extends keyof ServerRequests>(
    method: Method,
    params: ServerRequests[Method]["params"],
    token?: vscode.CancellationToken,
  ): Promise<ServerRequests[Method]["result"]>;
  refreshCodeLenses(): void;
  stop(): Promise<void>;
}

export interface ClientHooks {
  /** The server's file. */
  readonly serverModule: string;
  readonly log: vscode.LogOutputChannel;
  codeLensEnabled(): boolean;
  onRunChanged(): void;
  /** The server started anew after it had stopped: what it was told is forgotten. */
  onRestarted(): void;
}

export async function startLanguageClient(hooks: ClientHooks): Promise<RunningClient> {
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", notebook: "jupyter-notebook" },
    ],
    outputChannel: hooks.log,
    // A hover may link to these commands; whatever else a run's files put into a link stays text.
    markdown: { isTrusted: { enabledCommands: LINKED.map((name) => `jetsonMemprof.${name}`) } },
    // What fails behind a hover or a code lens is in the log; the same failure of the decorations is told to the user.
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: {
      provideCodeLenses: (document, token, next) => (hooks.codeLensEnabled() ? next(document, token) : []),
    },
  };
  const server = {
    module: hooks.serverModule,
    transport: TransportKind.ipc,
    args: [`--language=${vscode.env.language}`],
  };
  // The second where the extension itself is debugged: .vscode/launch.json attaches there.
  const servers = { run: server, debug: { ...server, options: { execArgv: ["--nolazy", "--inspect=6009"] } } };
  const client = new LanguageClient("jetsonMemprof", "Jetson Memory Profiler", servers, options);
  client.onNotification(RUN_CHANGED, hooks.onRunChanged);
  await client.start();
  client.onDidChangeState(({ newState }) => newState === State.Running && hooks.onRestarted());
  return {
    async ask(method, params, token) {
      try {
        // A token that is not there would be sent as one more parameter.
        return await (token === undefined
          ? client.sendRequest(method, params)
          : client.sendRequest(method, params, token));
      } catch (error) {
        throw userErrorOf(error) ?? error;
      }
    },
    refreshCodeLenses() {
      for (const document of vscode.workspace.textDocuments) {
        if (document.languageId !== "python") continue;
        const provider = client.getFeature("textDocument/codeLens").getProvider(document);
        provider?.onDidChangeCodeLensEmitter.fire();
      }
    },
    stop: () => client.stop(),
  };
}

/** The server's errors carry `code` and `hint` of the UserError they were. */
function userErrorOf(error: unknown): UserError | undefined {
  if (!(error instanceof Error) || !("data" in error)) return undefined;
  const data = error.data;
  if (typeof data !== "object" || data === null || !("code" in data) || typeof data.code !== "string") return undefined;
  const hint = "hint" in data && typeof data.hint === "string" ? data.hint : undefined;
  return new UserError(data.code, error.message, hint, { cause: error });
}
