/** The catalogue of words, and the program that watches over it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { wordsKey } from "../src/words/key.ts";
import { problemsOf, wordsIn, wordsScript } from "./words.mjs";

const IMPORT = `import { phrase, t } from "../words/t.ts";\n`;
const found = (source: string) => wordsIn(IMPORT + source, "a.ts");

describe("the catalogue", () => {
  it("has all that the code says in Simplified Chinese, and nothing else", () => {
    expect(problemsOf("zh-cn")).toEqual([]);
  });

  it("is a script that leaves its words where the code finds them", () => {
    const world: { jetsonMemprofWords?: { language: string } } = {};
    runInNewContext(wordsScript("zh-cn", "zh-CN"), { globalThis: world });
    expect(world.jetsonMemprofWords).toMatchObject({
      language: "zh-CN",
      words: { [wordsKey("module level")]: "模块级" },
    });
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
