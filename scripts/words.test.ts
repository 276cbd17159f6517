/** The catalogue of words, and the program that watches over it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fromHelper } from "../src/words/fromHelper.ts";
import { wordsKey } from "../src/words/key.ts";
import { wordsFrom } from "../src/words/storedWords.ts";
import { wordsHolder } from "../src/words/wordsHolder.ts";
import { textsOf } from "./manifestTexts.mjs";
import { catalogue, helperWords, packedWords, problemsOf, storedWords, unclear, wordsIn } from "./words.mjs";

const HELPER_TEXTS = fileURLToPath(new URL("helperTexts.py", import.meta.url));
const IMPORT = `import { phrase, t } from "../words/t.ts";\n`;

/** What to say, and what nobody says so in English; spelling is American, as in VS Code. */
const AVOIDED = [
  ["no longer", /\bn(o|')t\b[^.]*\bany more\b|\bhas? .* no more\b/i],
  ["keeps running, continues, is in progress", /\bgo(es)? on on\b|\b(run|script|work|output|file) goes on\b/i],
  ["because memory ran out", /\bfor want of\b/i],
  ["how certain, certainty", /\bhow sure\b/i],
  ["again, a new one", /\banew (each|afterwards)|\b(connect|log in|made|set up|written) anew\b/i],
  ["other than", /\b(some|any|no)thing else than\b/i],
  ["could not be determined", /\bcould not be told\b/i],
  ["does not report, does not show", /\bdo(es)? not tell\b/i],
  ["is not a", /\b(it|file|which|what) is no (?!longer\b|larger\b|more\b|cause\b)/i],
  ["Name a …, Give a …", /^Say (what|which|where|as|for)\b/],
  ["must be", /^has to be\b/],
  ["is fetched", /\b(com(e|es|ing)|came) home\b/i],
  ["undo", /\btake it back\b/i],
  ["medium", /\bmiddling\b/i],
  ["your …", /\bof yours\b/i],
  ["about these figures", /\bto know of\b/i],
  ["American spelling", /colour|neighbour|\bgrey\b|recognis|\bper cent\b/i],
] as const;

const found = (source: string) => wordsIn(IMPORT + source, "a.ts");

describe("the catalogue", () => {
  it("has all that the code says in Simplified Chinese, and nothing else", () => {
    expect(problemsOf("zh-cn")).toEqual([]);
  });

  it.each(AVOIDED)("says “%s”, not %s", (_, avoided) => {
    const said = [...Object.keys(catalogue("zh-cn")), ...Object.values(textsOf("en"))];
    expect(said.filter((text) => avoided.test(text))).toEqual([]);
  });

  it("is packed so that the code finds its words", () => {
    const stored = JSON.parse(brotliDecompressSync(packedWords("zh-cn", "zh-CN")).toString());
    expect(stored).toEqual(storedWords("zh-cn", "zh-CN"));
    const { language, words } = wordsFrom(stored);
    expect(language).toBe("zh-CN");
    const helpers = helperWords("zh-cn");
    const said = Object.entries(catalogue("zh-cn")).filter(([text]) => !Object.hasOwn(helpers, text));
    expect(said.filter(([text, chinese]) => words[wordsKey(text)] !== chinese)).toEqual([]);
    expect(words[wordsKey("module level")]).toBe("模块级");
  });

  it("has a Chinese sentence for each that the helper says, and takes none for another one", () => {
    const filled = (text: string) => text.replaceAll(/\{(\d)\}/g, "<$1>");
    const helpers = helperWords("zh-cn");
    wordsHolder.jetsonMemprofWords = wordsFrom(storedWords("zh-cn", "zh-CN"));
    try {
      const said = Object.keys(helpers).map((text) => fromHelper(filled(text)));
      expect(said).toEqual(Object.values(helpers).map(filled));
    } finally {
      wordsHolder.jetsonMemprofWords = undefined;
    }
  });
});

describe("what the helper says", () => {
  const textsOfHelper = (source: string) => {
    const folder = fs.mkdtempSync(path.join(tmpdir(), "jmp-test-"));
    try {
      fs.writeFileSync(path.join(folder, "new.py"), source);
      const found = execFileSync("python3", [HELPER_TEXTS, folder], { encoding: "utf8" });
      return JSON.parse(found);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  };
  const at = (line: number) => `python-helper/jetson_memprof/new.py:${line}`;

  it.each([
    [
      "in a call",
      'warn("code", "Process %d is late: %s; %.1f %%." % (pid, why, share))',
      "Process {0} is late: {1}; {2} %.",
    ],
    ["in a table, in pieces", 'TABLE = ((1, "code", "A sentence "\n          "in pieces."),)', "A sentence in pieces."],
    ["as a reason", 'raise Refused("it is too late")', "it is too late"],
    ["as an answer", 'raise BoardError("no-run", "The board has no run %s." % run)', "The board has no run {0}."],
  ])("is found %s", (_, source, text) => {
    expect(textsOfHelper(source)).toEqual([[text, at(1)]]);
  });

  it("is not what describes the code, is for programmers or is one word", () => {
    const source = '"""About this file."""\nraise ValueError("not a run: %r" % run)\nNAME = "name"\n';
    expect(textsOfHelper(source)).toEqual([]);
  });

  it("must show where its values end", () => {
    expect(unclear(["From {0}{1}.", "From {0} to {1}."])).toEqual([
      '"From {0}{1}.": where its values end cannot be told',
    ]);
  });
});

describe("wordsIn", () => {
  it("finds texts, joined ones too, with their places", () => {
    const { uses, problems } = found(`const say = () => t("One " + "text of {0}", a);\nconst more = () => t(\`Two\`);`);
    expect(uses).toEqual([
      { key: "One text of {0}", place: "a.ts:2" },
      { key: "Two", place: "a.ts:3" },
    ]);
    expect(problems).toEqual([]);
  });

  it("finds phrases of tables, which are made while the module loads", () => {
    const { uses, problems } = found(`const NAMES = { rss: phrase("Memory (RSS)") };`);
    expect(uses).toEqual([{ key: "Memory (RSS)", place: "a.ts:2" }]);
    expect(problems).toEqual([]);
  });

  it("takes only the t of the words", () => {
    expect(wordsIn(`const t = (s: string) => s; const a = () => t("A text");`, "a.ts").uses).toEqual([]);
  });

  it.each([
    ["a text that is worked out", "const say = () => t(name);", "a.ts:2: what t is given is no plain text"],
    ["a call while the module loads", `const NAME = t("Name");`, "a.ts:2: t is called while the module loads"],
    ["a value too many", `const say = () => t("{0} lines", a, b);`, "a.ts:2: 1 places, 2 values"],
    ["a value too few", `const say = () => t("{0} of {1}", a);`, "a.ts:2: 2 places, 1 values"],
  ])("complains of %s", (_, source, problem) => {
    expect(found(source).problems).toEqual([problem]);
  });

  it("lists texts that look as if people read them, also among the values of others", () => {
    const source = `
      import "./not a text.ts";
      const a = \`\${n} lines were read\`;
      const b = () => t("In {0}", ok ? "good order" : x);
      const c = "some-class"; const d = "a/path here"; throw new Error("for a programmer");
    `;
    expect(found(source).unwrapped).toEqual([
      `a.ts:4: "{0} lines were read"`,
      `a.ts:5: "good order"`,
      `a.ts:6: "a/path here"`,
    ]);
  });
});

describe("the program", () => {
  it("ends quietly where nobody reads on, as before `head`", async () => {
    const program = fileURLToPath(new URL("words.mjs", import.meta.url));
    const child = spawn(process.execPath, [program, "--unwrapped"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const said: Buffer[] = [];
    child.stderr.on("data", (data: Buffer) => said.push(data));
    const [code] = await once(child, "close");
    expect([code, Buffer.concat(said).toString()]).toEqual([0, ""]);
  });
});
