/** The way to the language server. It is started by the first question, not by activation. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "./ask.ts";
import type { RunningClient } from "./languageClient.ts";

export interface ServerLink extends vscode.Disposable {
  readonly ask: Ask;
  /** A run's data changed on disk. */
  readonly onRunChanged: vscode.Event<void>;
  /** The server was started anew and has to be told which run is shown. */
  readonly onRestarted: vscode.Event<void>;
  /** Asks for the code lenses again, where the server runs. */
  refreshCodeLenses(): void;
  stop(): Promise<void>;
}

export function createServerLink(
  serverModule: string,
  log: vscode.LogOutputChannel,
  codeLensEnabled: () => boolean,
): ServerLink {
  const runChanged = new vscode.EventEmitter<void>();
  const restarted = new vscode.EventEmitter<void>();
  let starting: Promise<RunningClient> | undefined;
  let running: RunningClient | undefined;

  const start = async (): Promise<RunningClient> => {
    const { startLanguageClient } = await import("./languageClient.ts");
    running = await startLanguageClient({
      serverModule,
      log,
      codeLensEnabled,
      onRunChanged: () => runChanged.fire(),
      onRestarted: () => restarted.fire(),
    });
    return running;
  };
  const client = (): Promise<RunningClient> => {
    starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw new UserError(
        "server-start",
        t("The language server could not start: {0}", error instanceof Error ? error.message : String(error)),
        t("Reload the window; if it happens again, the log says more."),
        { cause: error },
      );
    });
    return starting;
  };
  const stop = async (): Promise<void> => {
    const last = await starting?.catch(() => undefined);
    starting = undefined;
    running = undefined;
    await last?.stop();
  };

  return {
    ask: async (method, params, token) => (await client()).ask(method, params, token),
    onRunChanged: runChanged.event,
    onRestarted: restarted.event,
    refreshCodeLenses: () => running?.refreshCodeLenses(),
    stop,
    dispose() {
      runChanged.dispose();
      restarted.dispose();
    },
  };
}
