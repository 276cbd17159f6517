// Loads and activates the extension in a fresh Node, with something in the place of VS Code's API that takes every call
// and does nothing. Prints how long it took, in ms. Usage: node freshHost.cjs EXTENSION_FOLDER
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");

/** Whatever it is taken for. */
const anything = new Proxy(function () {}, {
  get: (_, name) => (name === "then" ? undefined : name === Symbol.toPrimitive ? () => "" : name === Symbol.iterator ? [][name].bind([]) : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});
const declared = fs.readFileSync(require.resolve("@types/vscode/index.d.ts"), "utf8");
const names = [...declared.matchAll(/^\texport (?:abstract )?(?:namespace|class|enum|const|function) (\w+)/gm)];
const vscode = Object.fromEntries(names.map(([, name]) => [name, anything]));
const resolve = Module._load;
Module._load = function (request, ...more) {
  return request === "vscode" ? vscode : resolve.call(this, request, ...more);
};
class Stored {
  get() {}
  async update() {}
}
const folder = path.resolve(process.argv[2]);
const context = {
  asAbsolutePath: (file) => path.join(folder, file),
  extensionUri: anything,
  globalStorageUri: anything,
  secrets: anything,
  subscriptions: [],
  workspaceState: new Stored(),
  globalState: new Stored(),
};
// VS Code's extension host has loaded these of Node's own parts before any extension.
for (const name of ["crypto", "fs/promises", "net", "child_process"]) require(`node:${name}`);
const start = performance.now();
require(path.join(folder, "dist/extension.cjs")).activate(context);
const took = performance.now() - start;
if (context.subscriptions.length === 0) throw new Error("the extension did not activate");
process.stdout.write(`${took}\n`, () => process.exit());
