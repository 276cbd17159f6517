/** `lsp`: becomes the language server, a bundle of its own. */
import * as fs from "node:fs";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { readOptions, usageError } from "./options.ts";
import { LSP } from "./reference/keeping.ts";

export interface LspCommand {
  readonly kind: "lsp";
}

/** @throws UserError `usage` */
export function parseLsp(argv: readonly string[]): LspCommand | undefined {
  const values = readOptions(argv, LSP.options);
  return values.help ? undefined : { kind: "lsp" };
}

/**
 * Resolves never: the server ends the process as the protocol has it.
 * @param server the server's bundle
 * @throws UserError `usage` at a terminal, `server-missing`
 */
export async function serveLanguage(_: LspCommand, stdin: NodeJS.ReadStream, server: string): Promise<number> {
  if (stdin.isTTY) {
    throw usageError(t("This is a language server: an editor starts it and speaks to it. docs/editors.md says how."));
  }
  if (!fs.existsSync(server)) {
    throw new UserError(
      "server-missing",
      t("The language server {0} is missing.", server),
      t("Install jetson-memprof again."),
    );
  }
  // The server reads from its command line how it is spoken to.
  process.argv.splice(1, 2, server, "--standalone", "--stdio");
  require(server);
  return await new Promise<never>(() => {});
}
