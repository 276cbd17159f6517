/** The command `mcp`: of which project, and which boards an agent may ask for. */
import { defined } from "../../profile/defined.ts";
import { readOptions } from "../commandLine/options.ts";
import { MCP } from "../commandLine/reference/agents.ts";

export interface McpCommand {
  readonly kind: "mcp";
  readonly project?: string;
  /** Where scripts may be profiled, after a question; the first one where none is named. */
  readonly targets: readonly string[];
  readonly python?: string;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseMcp(argv: readonly string[]): McpCommand | undefined {
  const values = readOptions(argv, MCP.options);
  if (values.help) return undefined;
  return {
    kind: "mcp",
    targets: values.target ?? ["local"],
    ...defined({ project: values.project, python: values.python }),
  };
}
