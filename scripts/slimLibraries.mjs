// Of libraries, what the bundles leave out because nothing of ours comes there. A new version of a library that is not
// as expected here stops the build or a test (slimLibraries.test.mjs).
import * as fs from "node:fs";
import * as path from "node:path";

/**
 * @param {string} name
 * @param {[filter: RegExp, contents: string | ((text: string) => string)][]} modules by the ends of their paths, and
 *   what they are instead
 * @param {[filter: RegExp, contents: string][]} [packages] by what they are imported as: nothing of them is left
 * @returns {import("esbuild").Plugin}
 */
export function slim(name, modules, packages = []) {
  return {
    name,
    setup(build) {
      for (const [filter, contents] of packages) {
        const namespace = `${name}: ${filter.source}`;
        build.onResolve({ filter }, (args) => ({ path: args.path, namespace }));
        build.onLoad({ filter: /.*/, namespace }, () => ({ contents }));
      }
      for (const [filter, contents] of modules) {
        build.onLoad({ filter }, ({ path: file }) => ({
          contents: typeof contents === "string" ? contents : contents(fs.readFileSync(file, "utf8")),
          resolveDir: path.dirname(file),
        }));
      }
    },
  };
}

// ssh2 tries two native add-ons and falls back to JavaScript when they are missing; we ship the JavaScript. Of its
// JavaScript a sixth is SFTP: files go to the board and back through commands. Nobody asks for HTTP through a board.
// bcrypt-pbkdf, for keys with a passphrase, brings all of tweetnacl for one function, SHA-512, which Node has.
export const slimSsh2 = slim(
  "slim-ssh2",
  [[/ssh2[/\\]lib[/\\](protocol[/\\]SFTP|http-agents)\.js$/, ""]],
  [
    [/\.node$|^cpu-features$/, "throw new Error('native add-on left out of the bundle');"],
    [
      /^tweetnacl$/,
      `const { createHash } = require("node:crypto");
      exports.lowlevel = {
        crypto_hash: (out, data, length) =>
          out.set(createHash("sha512").update(data.subarray(0, length)).digest()),
      };`,
    ],
  ],
);

/** Modules of the language client for features that our server has; all others of `registerBuiltinFeatures()` go. */
const CLIENT_FEATURES = ["textSynchronization", "notebook", "hover", "codeAction", "codeLens"];

/** The client registers each feature in a line of its own. */
export function withoutFeatures(client) {
  const gone = new Set();
  const registered = /^ *this\.registerFeature\(new (\w+)_1\.\w+\(.*\)\);\n/gm;
  const text = client.replace(registered, (line, module) => {
    if (CLIENT_FEATURES.includes(module)) return line;
    gone.add(module);
    return "";
  });
  const imported = /^const (\w+)_1 = require\("\.\/\w+"\);\n/gm;
  const left = text.replace(imported, (line, module) => (gone.has(module) ? "" : line));
  const used = [...gone].filter((module) => left.includes(`${module}_1.`));
  if (gone.size < 20 || used.length > 0)
    throw new Error(`vscode-languageclient has its features in another way (${gone.size} found; ${used.join()} used).`);
  return left;
}

// Of the language client's 50 features our server has ten; of the others the client says no more that it has them. Its
// look at VS Code's version is the manifest's, which VS Code takes first. What our server selects notebooks by has no
// pattern, for which minimatch would be needed.
export const slimLanguageClient = slim(
  "slim-language-client",
  [
    [/vscode-languageclient[/\\]lib[/\\]common[/\\]client\.js$/, withoutFeatures],
    [/vscode-languageclient[/\\]lib[/\\]common[/\\]diagnostic\.js$/, ""],
    [
      /vscode-languageclient[/\\]lib[/\\]common[/\\]utils[/\\]globPattern\.js$/,
      `exports.matchGlobPattern = () => { throw new Error("Patterns are left out of the bundle."); };`,
    ],
  ],
  [
    [/^semver\/functions\/parse$/, "module.exports = (version) => ({ version });"],
    [/^semver\/functions\/satisfies$/, "module.exports = () => true;"],
  ],
);

// d3-scale asks d3-interpolate for colours, dates, texts and transformations; the scales of our charts have numbers.
export const slimScales = slim(
  "slim-scales",
  [],
  [
    [
      /^d3-interpolate$/,
      `const between = (round) => (a, b) => (t) => round(+a * (1 - t) + +b * t);
      export const interpolateNumber = between(Number);
      export const interpolateRound = between(Math.round);
      export { interpolateNumber as interpolate };
      export const piecewise = () => { throw new Error("Left out of the bundle."); };`,
    ],
  ],
);

/**
 * Which characters are of a class (`\p{L}`, `\p{Greek}`), as re2js asks its tables. The engine that runs the page knows the
 * same classes, so each is made of what that says, once a search names it.
 */
const TABLES_OF_ENGINE = `
const expressionOf = (property) => new RegExp("^" + property + "$", "u");
const tableOf = (property) => {
  const expression = expressionOf(property);
  const ranges = [];
  let first = -1;
  for (let code = 0; code <= Unicode.MAX_RUNE + 1; code++) {
    const isOne = code <= Unicode.MAX_RUNE && expression.test(String.fromCodePoint(code));
    if (isOne && first < 0) first = code;
    if (isOne || first < 0) continue;
    ranges.push(first, code - 1);
    first = -1;
  }
  return new UnicodeRangeTable(ranges, true);
};
/** What is no character of the class, but is one in the other case. */
const foldsOf = (property) => {
  const expression = expressionOf(property);
  const isOne = (code) => expression.test(String.fromCodePoint(code));
  const found = new Set();
  for (const code of [...Array(ASCII_SIZE).keys(), ...UnicodeTables.CASE_ORBIT.keys()]) {
    if (!isOne(code)) continue;
    for (let other = Unicode.simpleFold(code); other !== code; other = Unicode.simpleFold(other))
      if (!isOne(other)) found.add(other);
  }
  if (found.size === 0) return null;
  return new UnicodeRangeTable([...found].sort((a, b) => a - b).flatMap((code) => [code, code]), true);
};
class Classes {
  made = new Map();
  constructor(kind, make) {
    this.property = (name) => "\\\\p{" + kind + name + "}";
    this.make = make;
  }
  has(name) {
    try {
      return /^\\w+$/.test(name) && expressionOf(this.property(name)) instanceof RegExp;
    } catch {
      return false;
    }
  }
  get(name) {
    if (!this.made.has(name)) this.made.set(name, this.make(this.property(name)));
    return this.made.get(name);
  }
}
class UnicodeTables {
  static CASE_ORBIT = ORBIT;
  static CATEGORIES = new Classes("", tableOf);
  static SCRIPTS = new Classes("Script=", tableOf);
  static FOLD_CATEGORIES = new Classes("", foldsOf);
  static FOLD_SCRIPT = new Classes("Script=", foldsOf);
  static get Print() {
    return (this.print ??= tableOf("[\\\\p{L}\\\\p{M}\\\\p{N}\\\\p{P}\\\\p{S}]"));
  }
}
`;

function withTablesOfEngine(text) {
  const tables = /^const decodeRanges = [\s\S]*?(?=^\/\/ src\/Unicode\.js$)/m.exec(text)?.[0];
  const decoder = tables === undefined ? undefined : /^const decodeOrbit = [\s\S]*?^};$/m.exec(tables)?.[0];
  const orbit = tables === undefined ? undefined : /= (decodeOrbit\("[^"]+"\));$/m.exec(tables)?.[1];
  const used = new Set([...text.matchAll(/\bUnicodeTables\.(?!js)(\w+)/g)].map(([, name]) => name));
  const expected = "CASE_ORBIT,CATEGORIES,FOLD_CATEGORIES,FOLD_SCRIPT,Print,SCRIPTS";
  if (decoder === undefined || orbit === undefined || [...used].sort().join() !== expected)
    throw new Error(`re2js has its tables in another way (${[...used].join()} used).`);
  return text.replace(tables, () => `${decoder}\n${TABLES_OF_ENGINE.replace("ORBIT;", () => `${orbit};`)}`);
}

// The tables of re2js's classes of characters are a third of it. What is equal but for its case stays one: every search
// that does not mind capital letters needs it.
export const slimSearch = slim("slim-search", [[/re2js[/\\]build[/\\]index\.js$/, withTablesOfEngine]]);
