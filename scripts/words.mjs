// The catalogue of words: English stands in the code, as the first argument of `t` or `phrase` (src/words/t.ts); its translations
// lie in l10n/<language>/*.json, a file for each part of the product, sorted. helper.json has what the board's helper says in
// the warnings and notes of a run (scripts/helperTexts.py finds it in its sources); src/words/fromHelper.ts puts it into words.
//
//   node scripts/words.mjs                     what is wrong: not translated, not used any more, places that differ
//   node scripts/words.mjs --missing PATH…     what of these folders is not translated yet, as JSON to fill in; python-helper: of
//                                              the helper's
//   node scripts/words.mjs --unwrapped PATH…   texts that look as if people read them and are no words of the catalogue
//   node scripts/words.mjs --write             sorts the files; what several of them hold alike goes to common.json
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { brotliCompressSync } from "node:zlib";
import { parse } from "@babel/parser";
import { transformSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = ["src", "webview"];
const MODULE = /(^|\/)words\/t\.ts$|^\.\/t\.ts$/;
const WORDS = /^(t|phrase)$/;
const COMMON = "common.json";
const HELPER = "helper.json";

/**
 * @typedef {{key: string, place: string}} Use
 * @typedef {{uses: Use[], problems: string[], unwrapped: string[]}} Found
 */

/** @param {readonly string[]} places relative to the root */
function* sourceFiles(places) {
  for (const place of places) {
    const absolute = path.join(root, place);
    if (fs.statSync(absolute).isFile()) {
      yield place;
      continue;
    }
    for (const entry of fs.readdirSync(absolute, { withFileTypes: true })) {
      const below = path.posix.join(place, entry.name);
      if (entry.isDirectory()) yield* sourceFiles([below]);
      else if (/\.ts$/.test(entry.name) && !/\.test\.ts$|\.d\.ts$|(^|\/)testing[^/]*\.ts$/.test(below)) yield below;
    }
  }
}

/** The text that a node is, where it is nothing but text. */
function textOf(node) {
  if (node?.type === "StringLiteral") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0].value.cooked;
  if (node?.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

const isFunction = ({ type }) => /Function|Method/.test(type);
/** Words in a row, as in a sentence: not a name, a path, a class or a key. */
const looksRead = (text) => /\p{L}{2,}[,.:;]? \p{L}{2,}|^\p{Lu}\p{Ll}{2,}$/u.test(text.replaceAll(/\{\d\}/g, ""));
/** Whose texts nobody reads: they are a programmer's. */
const NOT_READ = /^(Error|TypeError|RangeError|debug|trace|info|warn|error|querySelector|querySelectorAll|RegExp)$/;

/**
 * @param {string} source
 * @param {string} file how it is called
 * @returns {Found}
 */
export function wordsIn(source, file) {
  const tree = parse(source, { sourceType: "module", plugins: ["typescript"] });
  /** @type {Found} */
  const found = { uses: [], problems: [], unwrapped: [] };
  let names = new Set();
  const at = (node) => `${file}:${node.loc.start.line}`;
  const takeCall = (node, inFunction) => {
    const key = textOf(node.arguments[0]);
    const places = key?.match(/\{\d\}/g)?.length ?? 0;
    const { name } = node.callee;
    if (key === undefined) found.problems.push(`${at(node)}: what ${name} is given is no plain text`);
    else {
      found.uses.push({ key, place: at(node) });
      const spread = node.arguments.some(({ type }) => type === "SpreadElement");
      const given = new Set(key.match(/\{\d\}/g)).size;
      if (!spread && places > 0 && given !== node.arguments.length - 1) {
        found.problems.push(`${at(node)}: ${given} places, ${node.arguments.length - 1} values`);
      }
    }
    if (!inFunction && name === "t") found.problems.push(`${at(node)}: t is called while the module loads`);
  };
  const visit = (node, inFunction, isRead) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each, inFunction, isRead);
      return;
    }
    if (typeof node.type !== "string") return;
    if (node.type === "ImportDeclaration") {
      if (MODULE.test(node.source.value)) {
        names = new Set([
          ...names,
          ...node.specifiers.filter(({ imported }) => WORDS.test(imported?.name)).map(({ local }) => local.name),
        ]);
      }
      return;
    }
    if (
      /^TS(?!AsExpression|SatisfiesExpression|NonNull)|^Export(All|Named)Declaration$/.test(node.type) &&
      !node.declaration
    ) {
      if (node.type.startsWith("TS") || node.source) return;
    }
    const callee = node.callee?.name ?? node.callee?.property?.name ?? "";
    const isCall = node.type === "CallExpression" || node.type === "NewExpression";
    const isWords = isCall && names.has(node.callee.name);
    if (isWords) takeCall(node, inFunction);
    const text = isRead
      ? node.type === "TemplateLiteral"
        ? node.quasis.map((q) => q.value.cooked).join("{0}")
        : textOf(node)
      : undefined;
    if (text !== undefined && looksRead(text)) found.unwrapped.push(`${at(node)}: ${JSON.stringify(text)}`);
    const readBelow = isRead && text === undefined && !(isCall && NOT_READ.test(callee));
    for (const [name, value] of Object.entries(node)) {
      if (["loc", "leadingComments", "trailingComments", "innerComments", "extra"].includes(name)) continue;
      const ofValues = node.type === "TemplateLiteral" && name === "expressions";
      const children = isWords && name === "arguments" ? value.slice(1) : value;
      visit(children, inFunction || isFunction(node), ofValues ? isRead : readBelow);
    }
  };
  visit(tree.program, false, true);
  return found;
}

/** @param {readonly string[]} [places] */
export function wordsOf(places = SOURCES) {
  /** @type {Found} */
  const all = { uses: [], problems: [], unwrapped: [] };
  for (const file of sourceFiles(places)) {
    const { uses, problems, unwrapped } = wordsIn(fs.readFileSync(path.join(root, file), "utf8"), file);
    all.uses.push(...uses);
    all.problems.push(...problems);
    all.unwrapped.push(...unwrapped);
  }
  return all;
}

/** The parts of a language's catalogue. @returns {Map<string, Record<string, string>>} by file name */
function partsOf(language) {
  const folder = path.join(root, "l10n", language);
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(names.sort().map((name) => [name, JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"))]));
}

/** All words of a language, by the English text. */
export function catalogue(language) {
  return { ...ownWords(language), ...helperWords(language) };
}

function ownWords(language) {
  const parts = partsOf(language);
  parts.delete(HELPER);
  return Object.assign({}, ...parts.values());
}

/** What the board's helper says, by the English text. @returns {Record<string, string>} */
export function helperWords(language) {
  return partsOf(language).get(HELPER) ?? {};
}

/**
 * The same as src/words/wordsHolder.ts takes it. What begins with a value fits much else, and so does what has few words of
 * its own: they come last.
 * @returns {[string[], string][]}
 */
export function helperSentences(language) {
  const beginsWithValue = ([first]) => Number(first === "");
  return Object.entries(helperWords(language))
    .map(([text, said]) => [text.split(/\{\d\}/), said])
    .sort(([a], [b]) => beginsWithValue(a) - beginsWithValue(b) || b.join("").length - a.join("").length);
}

/** Where it says it. @returns {Use[]} */
function helperUses() {
  const found = execFileSync("python3", [path.join(root, "scripts/helperTexts.py")], { encoding: "utf8" });
  return JSON.parse(found).map(([key, place]) => ({ key, place }));
}

/** @param {string} text */
const placesIn = (text) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();

/** What is wrong with a language's catalogue. @returns {string[]} nothing: all is well */
export function problemsOf(language) {
  const { uses, problems } = wordsOf();
  const parts = partsOf(language);
  const ofHelper = new Map([[HELPER, helperWords(language)]]);
  parts.delete(HELPER);
  return [
    ...problems,
    ...problemsIn(language, parts, uses),
    ...problemsIn(language, ofHelper, helperUses()),
    ...keysTwice(ownWords(language)),
    ...unclear(Object.keys(helperWords(language))),
  ];
}

/** @param {Map<string, Record<string, string>>} parts @param {readonly Use[]} uses */
function problemsIn(language, parts, uses) {
  const used = new Set(uses.map(({ key }) => key));
  const known = new Map();
  const wrong = [];
  for (const [name, words] of parts) {
    for (const [key, translation] of Object.entries(words)) {
      const quoted = JSON.stringify(key);
      if (known.has(key)) wrong.push(`l10n/${language}/${name}: ${quoted} is in ${known.get(key)} too`);
      known.set(key, name);
      if (!used.has(key)) wrong.push(`l10n/${language}/${name}: ${quoted} is used nowhere`);
      if (placesIn(key) !== placesIn(translation))
        wrong.push(`l10n/${language}/${name}: the places of ${quoted} differ`);
      if (translation.trim() === "") wrong.push(`l10n/${language}/${name}: ${quoted} is empty`);
    }
  }
  for (const { key, place } of uses) {
    if (!known.has(key)) wrong.push(`${place}: ${JSON.stringify(key)} is not in l10n/${language}`);
  }
  return wrong;
}

/** What src/words/fromHelper.ts could not tell where a value ends in. @param {readonly string[]} texts */
export function unclear(texts) {
  return texts
    .filter((text) => /\{\d\}\{\d\}/.test(text) || text.split(/\{\d\}/).length > 10)
    .map((text) => `${JSON.stringify(text)}: where its values end cannot be told`);
}

/** @param {Record<string, string>} words */
function keysTwice(words) {
  const wrong = [];
  const texts = new Map();
  for (const text of Object.keys(words)) {
    const other = texts.get(wordsKey(text));
    if (other !== undefined)
      wrong.push(`${JSON.stringify(text)} and ${JSON.stringify(other)} have one key: reword one`);
    texts.set(wordsKey(text), text);
  }
  return wrong;
}

function writeSorted(language) {
  const parts = partsOf(language);
  const common = parts.get(COMMON) ?? {};
  const holders = new Map();
  for (const [name, words] of parts) {
    if (name === HELPER) continue;
    for (const key of Object.keys(words)) holders.set(key, [...(holders.get(key) ?? []), words]);
  }
  for (const [key, found] of holders) {
    if (found.length < 2 || new Set(found.map((words) => words[key])).size > 1) continue;
    const said = found[0][key];
    for (const words of found) delete words[key];
    common[key] = said;
  }
  parts.set(COMMON, common);
  for (const [name, words] of parts) {
    const sorted = Object.fromEntries(Object.entries(words).sort(([a], [b]) => (a < b ? -1 : 1)));
    fs.writeFileSync(path.join(root, "l10n", language, name), `${JSON.stringify(sorted, undefined, 2)}\n`);
  }
}

/** The program's own function: what a text is found by. @type {(text: string) => string} */
const wordsKey = (() => {
  const source = fs.readFileSync(path.join(root, "src/words/key.ts"), "utf8");
  const { code } = transformSync(source, { loader: "ts", format: "cjs" });
  const program = { exports: {} };
  runInNewContext(code, { module: program });
  return program.exports.wordsKey;
})();

/** A language's words as src/words/storedWords.ts takes them. */
export function storedWords(language, tag) {
  const words = Object.entries(ownWords(language))
    .map(([text, said]) => ({ key: Number.parseInt(wordsKey(text), 36), said }))
    .sort((a, b) => a.key - b.key);
  const gaps = words.map(({ key }, at) => (key - (words[at - 1]?.key ?? 0)).toString(36));
  return {
    language: tag,
    gaps: gaps.join(" "),
    words: words.map(({ said }) => said),
    sentences: helperSentences(language),
  };
}

/** Their file in `dist/`: a quarter less than what a zip archive would make of it. */
export function packedWords(language, tag) {
  return brotliCompressSync(JSON.stringify(storedWords(language, tag)));
}

function main([option, ...places]) {
  // Whoever reads, such as `head`, has read enough.
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  const language = "zh-cn";
  if (option === "--write") writeSorted(language);
  else if (option === "--missing") {
    const ofHelper = places.includes("python-helper");
    const known = ofHelper ? helperWords(language) : ownWords(language);
    const uses = ofHelper ? helperUses() : wordsOf(places.length === 0 ? SOURCES : places).uses;
    const missing = uses.filter(({ key }) => !Object.hasOwn(known, key));
    console.log(JSON.stringify(Object.fromEntries(missing.map(({ key }) => [key, ""])), undefined, 2));
  } else if (option === "--unwrapped") {
    for (const text of wordsOf(places.length === 0 ? SOURCES : places).unwrapped) console.log(text);
  } else {
    const wrong = problemsOf(language);
    for (const line of wrong) console.error(line);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  main(process.argv.slice(2));
