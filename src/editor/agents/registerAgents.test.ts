import { beforeEach, expect, it, vi } from "vitest";
import type * as vscode from "vscode";

const scene = vi.hoisted(() => ({
  isTrusted: true,
  settings: {} as Record<string, unknown>,
  provider: undefined as undefined | { provideMcpServerDefinitions(): readonly { args: string[] }[] },
}));
const api = vi.hoisted(() => ({
  Disposable: Object.assign(
    class {
      dispose(): void {}
    },
    { from: () => ({}) },
  ),
  EventEmitter: class {
    event = () => undefined;
    fire() {}
  },
  workspace: {
    get isTrusted() {
      return scene.isTrusted;
    },
    workspaceFolders: [
      { name: "a", uri: { scheme: "file", fsPath: "/work/a" } },
      { name: "b", uri: { scheme: "vscode-vfs", fsPath: "/b" } },
    ],
    getConfiguration: () => ({ get: (key: string) => scene.settings[key] }),
    onDidChangeWorkspaceFolders: () => undefined,
    onDidGrantWorkspaceTrust: () => undefined,
    onDidChangeConfiguration: () => undefined,
  },
  lm: {
    registerMcpServerDefinitionProvider: (_: string, provider: typeof scene.provider) => {
      scene.provider = provider;
    },
  } as object,
  McpStdioServerDefinition: class {
    readonly args: string[];
    constructor(_label: string, _command: string, args: string[]) {
      this.args = args;
    }
  },
}));
vi.mock("vscode", () => api);
vi.resetModules();
const { registerAgents } = await import("./registerAgents.ts");

const context = {
  asAbsolutePath: (name: string) => `/ext/${name}`,
  extension: { packageJSON: { version: "1" } },
} as unknown as vscode.ExtensionContext;
beforeEach(() => {
  Object.assign(scene, { isTrusted: true, settings: {}, provider: undefined });
});

it("offers a server for each folder on this disk, with the board that is set", () => {
  registerAgents(context);
  scene.settings = { target: "nano" };
  const servers = scene.provider?.provideMcpServerDefinitions() ?? [];
  expect(servers.map(({ args }) => args)).toEqual([
    ["/ext/dist/cli.cjs", "mcp", "--project", "/work/a", "--target", "nano", "--target", "local"],
  ]);
});

it("takes a setting that is none for one that is not set", () => {
  registerAgents(context);
  scene.settings = { target: 7, python: ["x"] };
  expect(scene.provider?.provideMcpServerDefinitions()[0]?.args).toEqual([
    "/ext/dist/cli.cjs",
    "mcp",
    "--project",
    "/work/a",
  ]);
});

it("offers none in a workspace that is not trusted", () => {
  registerAgents(context);
  scene.isTrusted = false;
  expect(scene.provider?.provideMcpServerDefinitions()).toEqual([]);
});

it("does nothing in a VS Code that knows no such servers", () => {
  const { lm } = api;
  api.lm = {};
  try {
    expect(() => registerAgents(context)).not.toThrow();
    expect(scene.provider).toBeUndefined();
  } finally {
    api.lm = lm;
  }
});
