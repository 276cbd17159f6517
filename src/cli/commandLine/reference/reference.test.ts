import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { catalogue } from "../../../../scripts/words.mjs";
import { displayWidth } from "../../../profile/text/table.ts";
import { say } from "../../../words/t.ts";
import { speakChinese } from "../../../words/testing.ts";
import { parseCommandLine } from "../commandLine.ts";
import { COMMANDS, optionsOf } from "./commands.ts";
import { helpText } from "./helpText.ts";
import { withReference } from "./markdown.ts";
import { nearest } from "./nearest.ts";
import { PROFILE } from "./profile.ts";

let speakEnglish = (): void => undefined;

const DOCUMENT = fileURLToPath(new URL("../../../../docs/command-line.md", import.meta.url));

it("is what docs/command-line.md says: `npm run docs` writes it", async () => {
  await expect(withReference(fs.readFileSync(DOCUMENT, "utf8"))).toMatchFileSnapshot(DOCUMENT);
});

describe.each(COMMANDS.map((command) => [command.name, command] as const))("%s", (name, command) => {
  it("has examples that are commands", () => {
    for (const [line] of command.examples) expect(() => parseCommandLine(line.split(" ")), line).not.toThrow();
  });

  it("names no option that it does not have", () => {
    const { synopses, about = [], words = [], environment = [], exit = [] } = command;
    const texts = [
      ...synopses,
      ...[...environment, ...exit].map(([variable]) => variable),
      ...[...about, ...[...environment, ...exit].map(([, says]) => says), ...words.map(({ says }) => says)].map(say),
      ...Object.values(command.options).map(({ says }) => say(says)),
    ];
    const known = [...optionsOf(command), ...Object.entries(PROFILE.options)].map(([option]) => option);
    // Options of the script and of other tools that the texts speak of.
    const others = ["NAME", "stats"];
    const named = [...texts.join(" ").matchAll(/(?<!\w)--([A-Za-z][A-Za-z-]*)/g)].map(([, option = ""]) => option);
    expect(named.filter((option) => ![...known, ...others].includes(option))).toEqual([]);
  });

  it("leads to what its --json prints, if it has that", () => {
    const { json } = command;
    expect(json !== undefined, name).toBe(optionsOf(command).some(([option]) => option === "json"));
    if (json === undefined) return;
    const [file = "", anchor] = json.split("#");
    const text = fs.readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), "utf8");
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(" ", "-")
        .replace(/[^\w-]/g, ""),
    );
    if (anchor !== undefined) expect(anchors).toContain(anchor);
  });

  it.each([80, 40, 24])("has help for a terminal of %d columns", (columns) => {
    const lines = helpText(name, columns).split("\n");
    for (const [option] of optionsOf({ ...command, options: command.options })) {
      if (option in command.options) expect(lines.join("\n")).toContain(`--${option}`);
    }
    // A word that is longer than the line stands alone.
    for (const line of lines) if (line.length > columns) expect(line.trim()).not.toContain(" ");
  });
});

describe("help", () => {
  it("lists all commands within a screen's width, each with what it is for", () => {
    const text = helpText(undefined, 200);
    for (const { name, summary } of COMMANDS) {
      expect(text.replace(/\s+/g, " ")).toContain(`${name} ${say(summary)}`);
    }
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("puts explanations beside the options, and below them in a narrow terminal", () => {
    expect(helpText("trace", 80)).toContain("  --json                print one JSON object and nothing else\n");
    expect(helpText("trace", 40)).toContain("  --json\n      print one JSON object and nothing\n      else\n");
  });
});

describe("help in Chinese", () => {
  afterEach(() => speakEnglish());

  it("keeps within the width, though a character takes two columns and a line has no blanks", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    const lines = COMMANDS.flatMap(({ name }) => helpText(name, 60).split("\n"));
    expect(lines.join("")).toContain("选项");
    // What is typed is not torn apart.
    const words = lines.filter((line) => /\p{Script=Han}/u.test(line));
    expect(words.filter((line) => displayWidth(line) > 60)).toEqual([]);
  });
});

describe("the word that was meant", () => {
  it.each([
    ["enigne", "engine"],
    ["exprot", "export"],
    ["targt", "target"],
    ["JSON", undefined],
    ["frobnicate", undefined],
    ["x".repeat(100), undefined],
  ])("for %s is %s", (typed, meant) => {
    expect(nearest(typed, ["engine", "export", "target", "json"])).toBe(meant);
  });
});
