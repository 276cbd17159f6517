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

/** Blowfish's 18 + 4 · 256 words are the fraction of π (Schneier 1993): no archive makes them as small as what works them out. */
const WORDS_OF_PI = `
function wordsOfPi() {
  const count = 18 + 4 * 256;
  const one = 1n << BigInt(32 * count + 64);
  const arctanOfOneTo = (x) => {
    let sum = 0n;
    let sign = 1n;
    for (let power = one / x, n = 1n; power > 0n; power /= x * x, n += 2n, sign = -sign) sum += (sign * power) / n;
    return sum;
  };
  // Machin's formula; what rounding adds up to is far below the 64 bits that are left out.
  const fraction = 16n * arctanOfOneTo(5n) - 4n * arctanOfOneTo(239n) - 3n * one;
  const digits = (fraction >> 64n).toString(16).padStart(8 * count, "0");
  return Uint32Array.from({ length: count }, (_, at) => Number.parseInt(digits.slice(8 * at, 8 * at + 8), 16));
}
let words;
`;

/** @throws {Error} where the tables stand otherwise */
export function withoutTables(blowfish) {
  const table = /new Uint32Array\(\[(?:\s*0x[\da-f]{1,8},?)+\s*\]\)/g;
  let found = 0;
  // The four boxes come first, their words behind those of P.
  const text = blowfish.replace(table, () => {
    const [from, to] = found === 4 ? [0, 18] : [18 + 256 * found, 18 + 256 * (found + 1)];
    found++;
    return `(words ??= wordsOfPi()).slice(${from}, ${to})`;
  });
  if (found !== 5) throw new Error(`bcrypt-pbkdf has its tables in another way (${found} found).`);
  return text.replace(/^'use strict';\n/, (first) => first + WORDS_OF_PI);
}

// ssh2 tries two native add-ons and falls back to JavaScript when they are missing; we ship the JavaScript. Of its
// JavaScript a sixth is SFTP: files go to the board and back through commands. Nobody asks for HTTP through a board, and
// the simulated board's keys are made by Node.
// bcrypt-pbkdf, for keys with a passphrase, brings all of tweetnacl for one function, SHA-512, which Node has, and 4 KB
// of π. Poly1305,
// which Node does not give by itself, is a WebAssembly of 15 KB there that no archive makes smaller; @noble/ciphers has
// it in 2 KB.
export const slimSsh2 = slim(
  "slim-ssh2",
  [
    [/bcrypt-pbkdf[/\\]index\.js$/, withoutTables],
    [/ssh2[/\\]lib[/\\](protocol[/\\]SFTP|http-agents|keygen)\.js$/, ""],
    [
      /ssh2[/\\]lib[/\\]protocol[/\\]crypto[/\\]poly1305\.js$/,
      `const { poly1305 } = require("@noble/ciphers/_poly1305.js");
      module.exports = async () => {
        const HEAPU8 = new Uint8Array(16);
        const auth = (place, head, headLength, rest, restLength, key) => {
          const mac = poly1305.create(key);
          mac.update(head.subarray(0, headLength)).update(rest.subarray(0, restLength));
          HEAPU8.set(mac.digest(), place);
        };
        return { HEAPU8, _malloc: () => 0, cwrap: () => auth };
      };`,
    ],
  ],
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
