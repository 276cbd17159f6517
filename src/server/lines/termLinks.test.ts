import { afterEach, describe, expect, it } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { TERMS } from "../../profile/text/glossary.ts";
import { speakChinese } from "../../words/testing.ts";
import { table } from "./markdown.ts";
import { withTermLinks } from "./termLinks.ts";

const link = (text: string, id: string): string =>
  `[${text}](command:jetsonMemprof.explainTerm?%5B%22${id}%22%5D "${TERMS.get(id)?.sentence}")`;

describe("links of a hover to the glossary", () => {
  let speakEnglish = (): void => undefined;
  afterEach(() => speakEnglish());

  it("lead from the heads of its tables, with the sentence as their title", () => {
    expect(withTermLinks(table(["Process", "&emsp;Net"], [["train.py", "+1.0 MiB"]]))).toBe(
      table(["Process", `&emsp;${link("Net", "net")}`], [["train.py", "+1.0 MiB"]]),
    );
  });

  it("lead from the names of a line's figures too, not from the figures", () => {
    const figures = table(
      ["Memory (RSS)", "this line"],
      [
        ["Largest increment of one hit", "+1.0 MiB"],
        ["Peak above entry, at least", "Peak"],
      ],
    );
    expect(withTermLinks(figures)).toBe(
      table(
        [`Memory (${link("RSS", "rss")})`, "this line"],
        [
          [`${link("Largest increment", "increment")} of one hit`, "+1.0 MiB"],
          [`${link("Peak above entry", "peakAboveEntry")}, at least`, "Peak"],
        ],
      ),
    );
  });

  it("leave names that come from a board, and text that is no table, as they are", () => {
    const stacks = `RSS is the process's own.\n\n${table(["Heaviest stacks", "bytes"], [["heap\\_alloc", "1 MiB"]])}`;
    expect(withTermLinks(stacks)).toBe(stacks);
  });

  it("have titles that end neither the link nor the cell", () => {
    for (const { sentence } of TERMS.values()) expect(sentence).not.toMatch(/["|\\\n]/);
  });

  it("lead from Chinese words too", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    const figures = withTermLinks(table(["内存 (RSS)", "仅此行"], [["进入后峰值", "+1.0 MiB"]]));
    expect(figures).toContain(
      `[进入后峰值](command:jetsonMemprof.explainTerm?%5B%22peakAboveEntry%22%5D "一次执行期间`,
    );
    expect(withTermLinks(table(["内存块", "大小"], [["峰值", "1 MiB"]]))).toContain("| 峰值 |");
  });
});
