import { describe, expect, it } from "vitest";
import { compareRuns } from "../../compare/compareRuns.ts";
import { MIB, train } from "../../compare/testing.ts";
import { plain } from "../../profile/lines/annotate.ts";
import { parseCommandLine } from "../commandLine/commandLine.ts";
import { seriesJson, seriesText } from "./repeatText.ts";

const RUN = ["profile", "train.py", "--target", "local"];

describe("profile --repeat", () => {
  it("makes a series of the same run", () => {
    const once = parseCommandLine(RUN);
    expect(parseCommandLine([...RUN, "--repeat", "5"])).toEqual({ kind: "repeat", times: 5, profile: once });
    expect(parseCommandLine(["profile", "--repeat=2", ...RUN.slice(1)])).toEqual({
      kind: "repeat",
      times: 2,
      profile: once,
    });
  });
  it("is the script's own after --", () => {
    expect(parseCommandLine([...RUN, "--", "--repeat", "5"])).toMatchObject({
      kind: "profile",
      args: ["--repeat", "5"],
    });
  });
  it.each([["0"], ["-1"], ["101"], ["two"], ["1.5"]])("refuses %o runs", (times) => {
    expect(() => parseCommandLine([...RUN, "--repeat", times])).toThrow(`not "${times}"`);
  });
  it("needs a number, and one metric", () => {
    expect(() => parseCommandLine([...RUN, "--repeat"])).toThrow("needs a value");
    expect(() => parseCommandLine([...RUN, "--repeat", "2", "--metric", "all"])).toThrow("one kind of memory");
    expect(parseCommandLine(["profile", "--repeat", "2", "--help"])).toEqual({ kind: "help", topic: "profile" });
  });
});

describe("a series", () => {
  const side = train("a = load()|b = 1", { 1: 64 * MIB, 2: 0 }, { 1: 66 * MIB, 2: 0 }, { 1: 65 * MIB, 2: 0 });
  const figures = compareRuns(side, side, "rss");
  const series = { id: "20261121-110000-train-aaaa", planned: 5, folders: ["/runs/a", "/runs/b", "/runs/c"] };

  it("is told by the middle and the spread of each figure, heaviest line first", () => {
    const text = seriesText(series, figures, plain);
    expect(text).toContain("3 of 5 runs of train.py");
    expect(text).toMatch(/^\+65\.0 MiB +2\.0 MiB +\+65\.0 MiB +2\.0 MiB +train\.py:1 +a = load\(\)$/m);
    expect(text).not.toContain("train.py:2");
    expect(text).toContain("jetson-memprof diff 20261121-110000-train-aaaa RUN");
  });

  it("is told in JSON", () => {
    expect(seriesJson(series, figures)).toMatchObject({
      schema: 1,
      series: { id: "20261121-110000-train-aaaa", planned: 5, runs: [{ id: "a" }, { id: "b" }, { id: "c" }] },
      elapsed: { median_ms: 2000, spread_ms: 0, runs: 3 },
      lines: [{ path: "train.py", line: 1, net: { median_bytes: 65 * MIB, spread_bytes: 2 * MIB, runs: 3 } }],
    });
  });
});
