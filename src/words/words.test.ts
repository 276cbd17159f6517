import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { wordsKey } from "./key.ts";
import { languageOf, wordsFile } from "./language.ts";
import { wordsFrom, wordsScript } from "./storedWords.ts";
import { language, listed, phrase, say, sentences, t } from "./t.ts";
import { speakChinese } from "./testing.ts";

let speakEnglish = (): void => undefined;
afterEach(() => speakEnglish());

describe("t", () => {
  it("is English where no language is chosen", () => {
    expect(t("The run in {0} is no longer there.", "/runs/a")).toBe("The run in /runs/a is no longer there.");
    expect(language()).toBe("en");
  });

  it("is the translation, its values in its own order", () => {
    speakEnglish = speakChinese({ "{0} of {1}": "{1} 中的 {0}" });
    expect(t("{0} of {1}", 3, 5)).toBe("5 中的 3");
    expect(language()).toBe("zh-CN");
  });

  it("is English for what has no translation", () => {
    speakEnglish = speakChinese({});
    expect(t("constructor")).toBe("constructor");
  });

  it("puts values in once: what stands in a value stays as it is", () => {
    expect(t("{0} and {1}", "{1}", "$&")).toBe("{1} and $&");
  });

  it("leaves braces alone where nothing is to be put in", () => {
    expect(t("Keep {0}")).toBe("Keep {0}");
  });
});

describe("a phrase", () => {
  it("is put into words when it is said", () => {
    const peak = phrase("peak");
    expect(say(peak)).toBe("peak");
    speakEnglish = speakChinese({ peak: "峰值" });
    expect(say(peak)).toBe("峰值");
  });
});

describe("listed", () => {
  it("says none, one, two and more", () => {
    expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listed)).toEqual(["", "a", "a and b", "a, b and c"]);
  });
});

describe("sentences", () => {
  it("follow each other, in Chinese without a space", () => {
    expect(sentences("It failed.", undefined, "Try again.")).toBe("It failed. Try again.");
    speakEnglish = speakChinese({});
    expect(sentences("失败。", "请重试。")).toBe("失败。请重试。");
    expect(sentences("It failed.", "请重试。")).toBe("It failed. 请重试。");
  });
});

describe("languageOf", () => {
  it.each([
    ["en", "en"],
    ["de", "en"],
    ["C.UTF-8", "en"],
    ["zh-cn", "zh-CN"],
    ["zh_CN.UTF-8", "zh-CN"],
    ["zh-Hans-SG", "zh-CN"],
    ["zh", "zh-CN"],
    ["zh-tw", "en"],
    ["zh-Hant-HK", "en"],
  ] as const)("%s is %s", (tag, expected) => expect(languageOf(tag)).toBe(expected));

  it("has a file of words for all but English", () => {
    expect([wordsFile("en"), wordsFile("zh-CN")]).toEqual([undefined, "zh-cn.json.br"]);
  });
});

describe("stored words", () => {
  const stored = { language: "zh-CN", gaps: "a 1 zzzz", words: ["一", "</script>", "三"], sentences: [] } as const;

  it("have the keys that lie so far apart", () => {
    const keys = [10, 11, 11 + 36 ** 4 - 1].map((key) => key.toString(36));
    expect(Object.keys(wordsFrom(stored).words).sort()).toEqual(keys.sort());
    expect(wordsFrom(stored).words).toMatchObject({ a: "一", b: "</script>" });
  });

  it("are a script that ends where its element does", () => {
    const page: { jetsonMemprofWords?: unknown } = {};
    const script = wordsScript(wordsFrom(stored));
    runInNewContext(script, { globalThis: page });
    expect(page.jetsonMemprofWords).toEqual(wordsFrom(stored));
    expect(script).not.toContain("</script");
  });

  it("have keys of 24 bits at most", () => {
    const keys = ["", "a", "The run in {0} is no longer there."].map((text) => Number.parseInt(wordsKey(text), 36));
    expect(Math.max(...keys)).toBeLessThan(2 ** 24);
  });
});
