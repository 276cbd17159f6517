import { describe, expect, test } from "vitest";
import { boardMoment, MIB } from "../../src/board/testing.ts";
import { figuresOf, spokenFigures } from "./reading.ts";

const run = { anon: 900, file: 400, shmem: 24 };
const figureOf = (figures: ReturnType<typeof figuresOf>, name: string) =>
  figures.find((figure) => figure.name === name);

describe("a moment's figures in words", () => {
  test("used and available make up the whole, and what they are of is told", () => {
    const moment = boardMoment("nano", { run });
    const available = moment.meminfo["MemAvailable"] ?? 0;
    const figures = figuresOf(moment);
    expect(figureOf(figures, "RAM used")?.value).toBe(`${(3964 - available / MIB).toFixed(1)} MiB`);
    expect(figureOf(figures, "RAM used")?.note).toMatch(/^of 3964\.0 MiB, \d+ %$/);
    expect(figureOf(figures, "This run (RSS)")?.value).toBe("1324.0 MiB");
    expect(spokenFigures(moment)).toMatch(/^RAM used .* MiB, Available .* MiB$/);
  });

  test("a board that is watched has no run", () => {
    expect(figureOf(figuresOf(boardMoment("orin")), "This run (RSS)")).toBeUndefined();
  });

  test("what was not read is said to be so, never 0", () => {
    const moment = { ...boardMoment("orin"), meminfo: { MemTotal: 8 * MIB } };
    expect(figuresOf(moment).map(({ value }) => value)).toEqual(["not read", "not read", "not read", "not read"]);
    const unseen = { ...boardMoment("nano", { run }), processes: [] };
    expect(figureOf(figuresOf(unseen), "This run (RSS)")?.value).toBe("not read");
  });

  test("a board without swap has none, which is not the same as none in use", () => {
    const moment = boardMoment("nano");
    expect(figureOf(figuresOf(moment), "Swap used")?.value).toBe("0 B");
    const without = { ...moment, meminfo: { ...moment.meminfo, SwapTotal: 0, SwapFree: 0 } };
    expect(figureOf(figuresOf(without), "Swap used")).toEqual({ name: "Swap used", value: "no swap" });
  });
});
