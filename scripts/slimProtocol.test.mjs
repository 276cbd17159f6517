import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { slimProtocol } from "./slimProtocol.mjs";
import { useBundles } from "./testing/bundling.mjs";

const require = createRequire(import.meta.url);

const VSCODE = `const some = new Proxy(class {}, { get: (target, name) => (name === "prototype" ? target[name] : some) });
module.exports = some;`;

const vscode = {
  name: "vscode",
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, () => ({ path: "vscode", namespace: "vscode" }));
    build.onLoad({ filter: /.*/, namespace: "vscode" }, () => ({ contents: VSCODE }));
  },
};
const bundle = useBundles({ plugins: [slimProtocol, vscode] });

/** A library that is slim. */
const slim = async (contents, name) => require(await bundle(contents, name));

it("has the conversions of what our server answers, and not those of what it never does", async () => {
  const client = "./node_modules/vscode-languageclient/lib/common";
  const { createConverter: toCode } = await slim(`module.exports = require("${client}/protocolConverter");`, "to-code");
  const { createConverter: toProtocol } = await slim(
    `module.exports = require("${client}/codeConverter");`,
    "to-protocol",
  );
  const code = toCode(undefined, false, false, false);
  for (const name of ["asHover", "asCodeLenses", "asCodeActionResult", "asDiagnostics", "asUri", "asWorkspaceEdit"])
    expect(code[name], name).toBeTypeOf("function");
  expect(Object.keys(code)).not.toContain("asCompletionResult");
  const protocol = toProtocol(undefined);
  for (const name of [
    "asTextDocumentIdentifier",
    "asTextDocumentPositionParams",
    "asRange",
    "asCodeActionContextSync",
    "asUri",
  ])
    expect(protocol[name], name).toBeTypeOf("function");
  const at = protocol.asTextDocumentPositionParams({ uri: "file:///a.py" }, { line: 3, character: 4 });
  expect(at).toEqual({ textDocument: { uri: "file:///a.py" }, position: { line: 3, character: 4 } });
});

it("has in the server what ours uses, as the whole library has it", async () => {
  const ours = await slim('module.exports = require("vscode-languageserver/node");', "server");
  const whole = require("vscode-languageserver/node");
  for (const name of ["DiagnosticSeverity", "MarkupKind", "TextDocumentSyncKind", "CodeActionKind"])
    expect(JSON.stringify(ours[name]), name).toBe(JSON.stringify(whole[name]));
  for (const name of ["createConnection", "TextDocuments", "NotebookDocuments", "Range", "InlayHintRequest"])
    expect(ours[name], name).toBeDefined();
  expect(ours.HoverRequest.type.method).toBe(whole.HoverRequest.type.method);
  expect(ours.CallHierarchyPrepareRequest).toBeUndefined();
});
