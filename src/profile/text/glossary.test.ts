import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { explained, GLOSSARY, TERMS, termParts } from "./glossary.ts";
import { glossaryAlone, glossaryMarkdown, plainTermText } from "./glossaryDocument.ts";

describe("glossary", () => {
  it("is docs/glossary.md (`npm run docs` writes it)", async () => {
    await expect(glossaryMarkdown()).toMatchFileSnapshot(
      fileURLToPath(new URL("../../../docs/glossary.md", import.meta.url)),
    );
  });

  it("explains each term in one short sentence of plain text", () => {
    for (const [id, { name, sentence }] of TERMS) {
      expect(sentence, name).toMatch(/^[A-Z].*\.$/s);
      expect(sentence, name).not.toMatch(/[*`[\]]|\.\s/);
      expect(sentence.length, id).toBeLessThanOrEqual(125);
    }
  });

  it("has each name and each alias once", () => {
    const words = [...TERMS.values()].flatMap(({ name, aliases }) => [name, ...aliases]);
    const lower = words.map((word) => word.toLowerCase());
    expect(lower.filter((word, i) => lower.indexOf(word) !== i)).toEqual([]);
  });

  it("finds the names of terms in a heading, the longest first and nothing inside of words", () => {
    expect(termParts("Peak RSS")).toEqual([{ text: "Peak", id: "peak" }, { text: " " }, { text: "RSS", id: "rss" }]);
    expect(termParts("Peak above entry, at least")).toEqual([
      { text: "Peak above entry", id: "peakAboveEntry" },
      { text: ", at least" },
    ]);
    expect(termParts("CUDA allocated")).toEqual([{ text: "CUDA allocated", id: "allocated" }]);
    expect(termParts("Network of myself")).toEqual([{ text: "Network of myself" }]);
  });

  it("reads as plain text where no Markdown is shown", () => {
    const plain = [...TERMS].map(([id, term]) => plainTermText(id, term)).join("\n");
    expect(plain).not.toMatch(/[*`]|\]\(/);
    expect(plain).toContain("in the hover Net, with everything it called.");
    expect(plain).toContain("torch.cuda.memory_reserved()");
  });

  it("alone has no link into another document, but those within itself", () => {
    expect(glossaryAlone()).not.toMatch(/\]\((?!#)/);
    expect(glossaryAlone()).toContain("[fragmentation](#fragmentation)");
  });
});

describe("glossary in Chinese", () => {
  let speakEnglish = (): void => undefined;
  afterEach(() => speakEnglish());

  it("has each term in Chinese, with its English name beside", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    const { net } = GLOSSARY["Figures of a line"];
    expect(explained(net)).toMatch(/^净变化：执行该行之后的内存减去/);
    expect(net.englishName).toBe("Net");
    for (const [id, { name, sentence }] of TERMS) {
      expect(sentence, name).toMatch(/\p{Script=Han}.*。$/su);
      expect(sentence, id).not.toMatch(/["|\\\n]/);
    }
    expect(new Set([...TERMS.values()].map(({ name }) => name)).size).toBe(TERMS.size);
  });

  it("finds the names in a heading, one character only where it is a word by itself", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    expect(termParts("进入后峰值，至少")).toEqual([{ text: "进入后峰值", id: "peakAboveEntry" }, { text: "，至少" }]);
    expect(termParts("CUDA 已分配")).toEqual([{ text: "CUDA " }, { text: "已分配", id: "allocated" }]);
    expect(termParts("堆")).toEqual([{ text: "堆", id: "heap" }]);
    expect(termParts("堆栈、字段")).toEqual([{ text: "堆栈、字段" }]);
    speakEnglish();
    expect(termParts("Net")).toEqual([{ text: "Net", id: "net" }]);
  });

  it("is a document whose links within itself lead somewhere, and whose stars and marks all count", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    const text = glossaryAlone();
    const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading);
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(" ", "-"));
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ""))).toEqual([]);
    // Where punctuation stands before them and a letter after them, Markdown does not take stars for an end.
    expect(text).not.toMatch(/\p{P}\*\*(?=[\p{L}\p{N}])(?<=\*\*[^*\n]+\*\*)/u);
    expect(text).toMatch(/^# 术语表\n/);
  });
});
