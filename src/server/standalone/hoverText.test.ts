import { describe, expect, it } from "vitest";
import { escapeMarkdown, table } from "../lines/markdown.ts";
import { hoverContent } from "./hoverText.ts";

const MARKDOWN = [
  table(
    ["Memory", "&emsp;RSS", "&emsp;CUDA"],
    [
      ["Net", "+64.0\u00a0MiB", "–"],
      [escapeMarkdown("a | b_c"), "0\u00a0B", "+1.0\u00a0MiB"],
    ],
  ),
  "[Show Native Stacks of This Line](command:jetsonMemprof.showNativeStacks?%5B%5D)",
  "**Changed since the run.** The figures belong to: x \\= f\\(\\*\\*kw\\)",
].join("\n\n");

describe("the hover outside of VS Code", () => {
  it("has tables as aligned text, and no links to commands", () => {
    expect(hoverContent(MARKDOWN, ["markdown", "plaintext"])).toEqual({
      kind: "markdown",
      value: `\`\`\`text
Memory         RSS      CUDA
Net      +64.0 MiB         –
a | b_c        0 B  +1.0 MiB
\`\`\`

**Changed since the run.** The figures belong to: x \\= f\\(\\*\\*kw\\)`,
    });
  });

  it.each([[["plaintext", "markdown"]], [["plaintext"]], [["asciidoc"]], [undefined]])(
    "is plain text where the client shows %j: escapes and emphasis are gone, the source's own signs are not",
    (formats) => {
      expect(hoverContent(MARKDOWN, formats)).toEqual({
        kind: "plaintext",
        value: `Memory         RSS      CUDA
Net      +64.0 MiB         –
a | b_c        0 B  +1.0 MiB

Changed since the run. The figures belong to: x = f(**kw)`,
      });
    },
  );

  it("cannot be led out of its block by a source line", () => {
    const { value } = hoverContent(table(["a"], [[escapeMarkdown("```")]]), ["markdown"]);
    expect(value).toBe("````text\na\n```\n````");
  });
});
