/** The manifest's texts are complete in each language, and what VS Code reads in them is alike. */
import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { keysOf, LANGUAGES, manifestIn, textsOf } from "./manifestTexts.mjs";
import { catalogue } from "./words.mjs";

/** What is no word: links to commands and settings, code, the turns of lines. */
const MACHINE = /\]\([^)]*\)|`[^`]*`|\n/g;
const machineParts = (text: string): readonly string[] => [...text.matchAll(MACHINE)].map(([part]) => part).sort();
const english = textsOf("en");

describe("the manifest's texts", () => {
  it("are all that package.json names, and no others, in the same order", () => {
    expect(Object.keys(english)).toEqual([...new Set(Object.keys(english))]);
    expect(new Set(keysOf(manifest))).toEqual(new Set(Object.keys(english)));
    for (const language of LANGUAGES) expect(Object.keys(textsOf(language)), language).toEqual(Object.keys(english));
  });

  it("stand nowhere else", () => {
    const { commands, views, viewsContainers, viewsWelcome, colors, configuration } = manifest.contributes;
    const texts = [
      manifest.description,
      ...commands.flatMap(({ title, category }) => [title, category]),
      ...views.jetsonMemprof.flatMap(({ name, contextualTitle }) => [name, contextualTitle]),
      ...viewsContainers.activitybar.map(({ title }) => title),
      ...viewsWelcome.map(({ contents }) => contents),
      ...colors.map(({ description }) => description),
      ...configuration.flatMap(({ title, properties }) => [
        title,
        ...Object.values<{ readonly markdownDescription: string }>(properties).map((it) => it.markdownDescription),
      ]),
      ...manifest.contributes.walkthroughs.flatMap(({ title, description, steps }) => [
        title,
        description,
        ...steps.flatMap((step) => [step.title, step.description, step.media.altText]),
      ]),
    ];
    expect(texts.filter((text) => keysOf(text).length === 0)).toEqual([]);
  });

  it.each(LANGUAGES.filter((language) => language !== "en"))("have their links and code as they are, in %s", (each) => {
    const texts = textsOf(each);
    for (const [key, text] of Object.entries(english))
      expect(machineParts(texts[key] ?? ""), key).toEqual(machineParts(text));
  });

  it("are Chinese, and call a command by its title", () => {
    const texts = textsOf("zh-cn");
    for (const [key, text] of Object.entries(texts).filter(([key]) => key !== "category" && !key.endsWith(".svg")))
      expect(text, key).toMatch(/\p{Script=Han}/u);
    const called = Object.entries(english)
      .filter(([key]) => key.startsWith("command."))
      .filter(([, title]) => title.includes(" "));
    for (const [key, text] of Object.entries(english).filter(([key]) => !key.startsWith("command."))) {
      for (const [command, title] of called) {
        if (text.includes(`**${title}**`)) expect(texts[key], key).toContain(`**${texts[command]}**`);
      }
    }
  });

  it("are said by messages and pages with the same words", () => {
    const words = new Map(Object.entries(catalogue("zh-cn")));
    const texts = textsOf("zh-cn");
    const alike = Object.entries(english).filter(([, text]) => words.has(text));
    expect(alike.length).toBeGreaterThan(10);
    for (const [key, text] of alike) expect(words.get(text), key).toBe(texts[key]);
  });

  it("have pictures that differ in their words alone", () => {
    const drawn = (file: string): string =>
      fs
        .readFileSync(new URL(`../${file}`, import.meta.url), "utf8")
        .replaceAll(/(?<=>)[^<\n]+(?=<)|aria-label="[^"]*"/g, "");
    for (const [key, file] of Object.entries(english).filter(([key]) => key.endsWith(".svg")))
      expect(drawn(textsOf("zh-cn")[key] ?? ""), key).toBe(drawn(file));
  });

  it("are put where their keys are", () => {
    expect(manifestIn("en").contributes.commands[0]).toMatchObject({ title: "Profile on Jetson", category: "Jetson" });
    expect(manifestIn("zh-cn").contributes.commands[0]?.title).toBe("在 Jetson 上分析内存");
    expect(keysOf(LANGUAGES.map(manifestIn))).toEqual([]);
  });
});
