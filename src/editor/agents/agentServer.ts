/** How VS Code starts `jetson-memprof mcp` for an agent, in words of VS Code's own interface. */

/** Id of the provider, as in package.json. */
export const PROVIDER = "jetsonMemprof.runs";

export interface AgentServer {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * @param folder whose runs are read
 * @param node what runs JavaScript: VS Code's own program, which is Node where it is told so
 * @param target the board that is set; the agent may ask for that one and this computer
 */
export function agentServerOf(
  folder: { readonly name: string; readonly path: string },
  { node, cli }: { readonly node: string; readonly cli: string },
  { target, python }: { readonly target?: string | undefined; readonly python?: string | undefined },
): AgentServer {
  const targets =
    target === undefined ? [] : ["--target", target, ...(target === "local" ? [] : ["--target", "local"])];
  const interpreter = python === undefined ? [] : ["--python", python];
  return {
    label: `Jetson Memory Profiler: ${folder.name}`,
    command: node,
    args: [cli, "mcp", "--project", folder.path, ...targets, ...interpreter],
    env: { ELECTRON_RUN_AS_NODE: "1" },
  };
}
