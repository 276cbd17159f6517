/** Offers the server of this project's runs to agents of VS Code, from the version on that knows such servers (1.101). */
import * as vscode from "vscode";
import { lenientSettings } from "../settings/checked.ts";
import { agentServerOf, PROVIDER } from "./agentServer.ts";

/** Newer than the version of VS Code whose interface is compiled against. */
interface WithServers {
  readonly lm?: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: {
        readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
        provideMcpServerDefinitions(): readonly object[];
      },
    ): vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    version: string,
  ) => object;
}

export function registerAgents(context: vscode.ExtensionContext): vscode.Disposable {
  const { lm, McpStdioServerDefinition: Definition } = vscode as unknown as WithServers;
  if (lm?.registerMcpServerDefinitionProvider === undefined || Definition === undefined)
    return new vscode.Disposable(() => {});
  const changed = new vscode.EventEmitter<void>();
  const change = (): void => changed.fire();
  const cli = context.asAbsolutePath("dist/cli.cjs");
  const version = String(context.extension.packageJSON.version);
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(change),
    vscode.workspace.onDidGrantWorkspaceTrust(change),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["target", "python"].some((name) => event.affectsConfiguration(`jetsonMemprof.${name}`))) change();
    }),
    lm.registerMcpServerDefinitionProvider(PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      // Runs that came with a project are looked at by a person before a model reads them.
      provideMcpServerDefinitions: () =>
        (vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [])
          .filter(({ uri }) => uri.scheme === "file")
          .map(({ name, uri }) => {
            const configuration = vscode.workspace.getConfiguration("jetsonMemprof", uri);
            const setting = lenientSettings((key) => configuration.get(key));
            const set = { target: setting("target") || undefined, python: setting("python") || undefined };
            const server = agentServerOf({ name, path: uri.fsPath }, { node: process.execPath, cli }, set);
            return new Definition(server.label, server.command, [...server.args], server.env, version);
          }),
    }),
  );
}
