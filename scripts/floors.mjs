// Which floor of the code may import which: by where a file lies, as features have the same folder names on each floor.
import * as fs from "node:fs";
import * as path from "node:path";
import { importedBy } from "./importCircles.mjs";

/**
 * `may`: floors, or single files of one. `browser`: also runs in a page, so nothing of Node's, but for tests and the
 * folders `node/`. `vscode`: may use VS Code's interface. The longest name that a file lies below counts.
 *
 * @type {Readonly<Record<string, { readonly may: readonly string[], readonly browser?: true, readonly vscode?: true }>>}
 */
export const FLOORS = {
  "src/words": { may: [] },
  "src/profile": { may: ["src/words"] },
  "src/massif": { may: ["src/words", "src/profile"], browser: true },
  "src/torch": { may: ["src/words", "src/profile"], browser: true },
  "src/board": { may: ["src/words", "src/profile", "src/torch"], browser: true },
  "src/runs": { may: ["src/words", "src/profile"] },
  "src/compare": { may: ["src/words", "src/profile", "src/board", "src/massif"], browser: true },
  "src/compare/node": {
    may: ["src/words", "src/profile", "src/board", "src/massif", "src/runs", "src/compare"],
  },
  "src/sweep": { may: ["src/words", "src/profile", "src/board", "src/runs", "src/compare"], browser: true },
  "src/formats": {
    may: ["src/words", "src/profile", "src/massif", "src/board", "src/torch", "src/runs", "src/compare"],
  },
  "src/gate": { may: ["src/words", "src/profile", "src/board", "src/runs", "src/compare"] },
  "src/protocol": {
    may: [
      "src/words",
      "src/profile",
      "src/massif",
      "src/board",
      "src/torch",
      "src/runs/model.ts",
      "src/sweep/model.ts",
      "src/sweep/command.ts",
    ],
  },
  "src/remote": { may: ["src/words", "src/profile", "src/board", "src/runs", "src/protocol"] },
  "src/server": {
    may: [
      "src/words",
      "src/profile",
      "src/massif",
      "src/board",
      "src/torch",
      "src/runs",
      "src/compare",
      "src/sweep",
      "src/formats",
      "src/protocol",
    ],
  },
  // Data of which scripts and tests write the manifest; of the program only values of settings.
  "src/editor/contributions": {
    may: ["src/profile", "src/protocol/run/run.ts", "src/runs/pruning/prune.ts"],
    browser: true,
  },
  "src/editor": {
    may: [
      "src/words",
      "src/profile",
      "src/board",
      "src/torch",
      "src/runs",
      "src/sweep",
      "src/formats",
      "src/protocol",
      "src/remote",
      "src/editor/contributions",
    ],
    vscode: true,
  },
  "src/cli": {
    may: [
      "src/words",
      "src/profile",
      "src/massif",
      "src/board",
      "src/torch",
      "src/runs",
      "src/compare",
      "src/sweep",
      "src/formats",
      "src/gate",
      "src/protocol",
      "src/remote",
    ],
  },
  "src/extension.ts": { may: ["src/words", "src/editor"], vscode: true },
  webview: {
    may: [
      "src/words",
      "src/profile",
      "src/massif",
      "src/board",
      "src/torch",
      "src/compare",
      "src/sweep",
      "src/protocol",
    ],
    browser: true,
  },
};

const below = (file, folder) => file === folder || file.startsWith(`${folder}/`);

/** @param {string} file relative to the project, with slashes */
function floorOf(file) {
  return Object.keys(FLOORS)
    .filter((name) => below(file, name))
    .sort((a, b) => b.length - a.length)[0];
}

/**
 * @param {string} file relative to the project, with slashes
 * @param {string} source
 * @returns {string[]} a sentence for each import that points the wrong way
 */
export function wrongWays(file, source) {
  const floor = floorOf(file);
  if (floor === undefined) return [`${file} lies on no floor that scripts/floors.mjs knows.`];
  const { may, browser, vscode } = FLOORS[floor];
  const forNode = /\.test\.ts$|\/node\/|esting\w*\.ts$/.test(file);
  return importedBy(source).flatMap((name) => {
    const wrong = (what) => [`${file} imports ${name}: ${floor} may import ${what}.`];
    if (name === "vscode") return vscode ? [] : wrong("nothing of VS Code's");
    if (name.startsWith("node:"))
      return browser && !forNode ? wrong("nothing of Node's, as it runs in a page too") : [];
    if (!name.startsWith(".")) return [];
    const target = path.posix.join(path.posix.dirname(file), name);
    // What lies beside the floors, such as a script that a test tries, or package.json.
    if (floorOf(target) === undefined) return [];
    if (browser && !forNode && target.includes("/node/"))
      return wrong("nothing that reads files, as it runs in a page too");
    if (below(target, floor)) return [];
    return [...may].some((one) => below(target, one))
      ? []
      : wrong(may.length === 0 ? "nothing of ours" : may.join(", "));
  });
}

/** @param {string} root the project @returns {string[]} of all floors, as `wrongWays` */
export function allWrongWays(root) {
  return ["src", "webview"].flatMap((top) =>
    fs
      .readdirSync(path.join(root, top), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
      .map((name) => `${top}/${name.replaceAll(path.sep, "/")}`)
      .flatMap((file) => wrongWays(file, fs.readFileSync(path.join(root, file), "utf8"))),
  );
}
