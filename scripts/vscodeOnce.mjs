// `import * as vscode from "vscode"` in CommonJS makes a copy of VS Code's whole API, name by name, in every file: some
// 30 times 300 names, at activation. Here the API is asked for once, and each name is a variable that all files share.
import * as fs from "node:fs";
import { createRequire } from "node:module";

/** @returns {string[]} what VS Code's API has, as its types declare it */
function names() {
  const declared = fs.readFileSync(createRequire(import.meta.url).resolve("@types/vscode/index.d.ts"), "utf8");
  const found = declared.matchAll(/^\texport (?:abstract )?(?:namespace|class|enum|const|function) (\w+)/gm);
  return [...new Set([...found].map(([, name]) => name))].sort();
}

/** @type {import("esbuild").Plugin} */
export const vscodeOnce = {
  name: "vscode-once",
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "vscode", namespace: "vscode-once" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "vscode-once" }, () => ({
      contents: `const api = require("vscode");\nexport const { ${names().join(", ")} } = api;\n`,
    }));
  },
};
