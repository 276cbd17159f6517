/** What documents say of the figures of a line is what they are called. */
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CUDA_FIGURES, type FigureName, LINE_FIGURES, namesOf, SYSTEM_FIGURES, unnamed } from "./figureNames.ts";

const document = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));
const KINDS = [
  ["rows", LINE_FIGURES],
  ["cuda", CUDA_FIGURES],
  ["system", SYSTEM_FIGURES],
] as const;

describe("the figures of a line", () => {
  it("are the columns that docs/export.md names (`npm run docs` writes them)", async () => {
    const file = document("export.md");
    const columns = ["file", "line", "function", ...namesOf(LINE_FIGURES)].join(", ");
    const written = fs.readFileSync(file, "utf8").replace(/^`file, line, function, [^`]*`/m, () => `\`${columns}\``);
    expect(written).toContain(columns);
    await expect(written).toMatchFileSnapshot(file);
  });

  it.each(KINDS)("stand in the %s of a run folder as docs/run-folder.md has them", (kind, names) => {
    const list = new RegExp(`^- \\\`${kind}\\\`[^[]*\\[file, line, ([^\\]]*)\\]`, "m").exec(
      fs.readFileSync(document("run-folder.md"), "utf8"),
    );
    const inRows = namesOf(names).map((name) => name.replace(/_bytes$/, "").replace("peak_at_most", "peak_most"));
    expect(list?.[1]?.split(", ")).toEqual(inRows);
  });

  it("are asked for all of them, and are none where one lacks that may not", () => {
    const asked: string[] = [];
    const read = ({ name }: FigureName) => {
      asked.push(name);
      return name === "net_bytes" ? undefined : 1;
    };
    expect(unnamed(SYSTEM_FIGURES, read)).toBeUndefined();
    expect(asked).toEqual(namesOf(SYSTEM_FIGURES));
    expect(unnamed(LINE_FIGURES, read)).toEqual({
      hits: 1,
      self: 1,
      maxIncrement: 1,
      peak: 1,
      usage: 1,
      uncertain: 1,
      peakUncertain: 1,
    });
    expect(unnamed(SYSTEM_FIGURES, ({ name }) => (name.startsWith("nvmap") ? null : 0))).toEqual({
      net: 0,
      self: 0,
      uncertain: 0,
    });
  });
});
