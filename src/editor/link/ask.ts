import type { CancellationToken } from "vscode";
import type { ServerRequests } from "../../protocol/server.ts";

/** Asks the language server, starting it when it is not running yet. Rejects with a UserError where a person can act. */
export type Ask = <Method extends keyof ServerRequests>(
  method: Method,
  params: ServerRequests[Method]["params"],
  token?: CancellationToken,
) => Promise<ServerRequests[Method]["result"]>;
