import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, LINES, MIB, makeProject, runFiles, runJson, writeFiles } from "../../profile/testing.ts";
import { changeLabel, writeGroup } from "../../runs/keeping.ts";
import { parseCommandLine } from "../commandLine/commandLine.ts";
import { collected } from "../terminal/testing.ts";
import { diff } from "./diffCommand.ts";
import { type DiffCommand, parseDiff } from "./diffCommandLine.ts";
import { code, plain } from "./diffMarkdown.ts";
import { findSide } from "./diffSides.ts";

let project: string;
let run: string;
let more: string;
let remove: () => void;
beforeEach(() => {
  ({ project, run, remove } = makeProject());
  more = another("20261121-100000-train-0001", {
    "lines.jsonl": jsonLines(LINES).replace(`[1,2,1,${64 * MIB}`, `[1,2,1,${96 * MIB}`),
  });
});
afterEach(() => remove());

function another(name: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(path.dirname(run), name);
  writeFiles(folder, { ...runFiles(), ...files });
  return folder;
}

async function printed(...words: string[]): Promise<string> {
  const command = parseDiff(words);
  if (command === undefined) throw new Error("help");
  const output = collected();
  await diff({ ...command, project }, output, {});
  return output.text();
}

describe("the command line of diff", () => {
  it("takes two sides and how they are printed", () => {
    const command: DiffCommand = {
      kind: "diff",
      before: "a,b",
      after: "last",
      repeats: true,
      metric: "cuda",
      all: true,
      format: "json",
      project: "x",
    };
    const words = ["diff", "a,b", "last", "--repeats", "--metric", "cuda", "--all", "--json", "--project", "x"];
    expect(parseCommandLine(words)).toEqual(command);
    expect(parseCommandLine(["diff", "a", "b"])).toMatchObject({ metric: "rss", format: "table", repeats: false });
    expect(parseCommandLine(["diff", "--help"])).toEqual({ kind: "help", topic: "diff" });
  });
  it.each([[[]], [["a"]], [["a", "b", "c"]]])("refuses %o", (words) => {
    expect(() => parseDiff(words)).toThrow("Name the two runs");
  });
  it("refuses a metric that is not one of lines, and two formats", () => {
    expect(() => parseDiff(["a", "b", "--metric", "all"])).toThrow("--metric is rss or cuda or system");
    expect(() => parseDiff(["a", "b", "--json", "--markdown"])).toThrow("not both");
  });
});

describe("diff", () => {
  it("prints the totals, the lines that changed with their noise, and how many did not", async () => {
    const text = await printed(run, more);
    expect(text).toContain('Before: train.py --name "a b" · 2026-11-21 09:45 UTC');
    expect(text).toMatch(/^Note: One run each: runs may differ by more than the noise shown/m);
    expect(text).toMatch(/^148\.0 MiB +148\.0 MiB +none +≥ 1\.0 MiB +Peak of RSS$/m);
    expect(text).toMatch(/^ *64\.0 MiB +96\.0 MiB +\+32\.0 MiB +≥ 256 KiB +RSS net +model\.py:2 +weights = /m);
    expect(text).toContain("4 lines did not change, or by no more than the noise. --all lists them.");
    expect(text).not.toContain("train.py:7");
    expect(await printed(run, more, "--all")).toContain("train.py:7");
  });

  it("of a run with itself says that nothing changed", async () => {
    const text = await printed(run, run);
    expect(text).toContain("No line changed.\n5 lines did not change");
    expect(text).toContain("Note: The same run is on both sides");
    expect(text).toContain('Before: train.py --name "a b" · 2026-11-21 09:45 UTC · 20261121-094501-train-3fa9');
    expect(await printed(run, more)).not.toContain("on both sides");
  });

  it("prints Markdown that a source cannot break out of", async () => {
    writeFiles(more, { "sources/model.py": "def build():\n    a = `|`; @team <b>\u001b[2J\n    copy\n    return a\n" });
    const text = await printed(run, more, "--markdown");
    expect(text).toContain("| Peak of RSS | 148.0 MiB | 148.0 MiB | none | ≥ 1.0 MiB |");
    expect(text).toContain(
      "| `model.py:2` | 64.0 MiB | 96.0 MiB | +32.0 MiB | ≥ 256 KiB | RSS net | ``a = `\\|`; @team <b>?[2J`` |",
    );
    expect(text).toContain("- One run each");
  });

  it("says of another tool's figures what they are, and of two tools' that none can be compared", async () => {
    const imported = (format: "memray" | "scalene") => ({
      "run.json": JSON.stringify(
        runJson({
          imported: { format, file: "x", measures: `live blocks of ${format}`, timeline: `heap of ${format}` },
        }),
      ),
    });
    const memray = another("20261121-100000-train-0002", imported("memray"));
    const same = await printed(memray, another("20261121-100000-train-0003", imported("memray")), "--all");
    expect(same).toContain("Note: The figures of the lines are live blocks of memray.");
    expect(same).toMatch(/ {2}Peak of heap of memray$/m);
    expect(same).not.toContain("RSS");
    const other = await printed(memray, another("20261121-100000-train-0004", imported("scalene")));
    expect(other).toMatch(/unknown +– {2}Peak$/m);
    expect(other).toContain("No line could be compared.");
  });

  it("escapes text and code for Markdown", () => {
    expect(plain("a|b <i> *x* @team #12 & `c`")).toBe("a\\|b \\<i\\> \\*x\\* @<!-- -->team #<!-- -->12 \\& \\`c\\`");
    expect(code("`x` | y")).toBe("`` `x` \\| y ``");
    expect(code("")).toBe("");
  });

  it("prints JSON with what changed, and counts the rest", async () => {
    const json = JSON.parse(await printed(run, more, "--json"));
    expect(json).toMatchObject({
      schema: 1,
      metric: "rss",
      before: { runs: [{ id: "20261121-094501-train-3fa9", folder: run }] },
      peak: { verdict: "same", change_bytes: 0, noise: { bytes: MIB, known: false } },
      elapsed: { before: { median_ms: 2000, runs: 1 }, change_ms: 0 },
      files: [{ path: "model.py", kind: "both", lines: [{ before: 2, after: 2, net: { change_bytes: 32 * MIB } }] }],
      unchanged_lines: 4,
      unknown_lines: 0,
      ledger: [],
    });
    expect(json.files).toHaveLength(1);
    expect(JSON.parse(await printed(run, more, "--json", "--all")).files).toHaveLength(2);
  });
});

describe("a side", () => {
  const SERIES = "20261121-110000-train-aaaa";
  async function series(kind: "repeat" | "sweep", values: readonly string[]): Promise<string[]> {
    const folders = values.map((_, at) => another(`20261121-11000${at + 1}-train-000${at + 1}`));
    for (const [at, value] of values.entries()) {
      const group = { id: SERIES, index: at + 1, of: values.length };
      const members = kind === "repeat" ? { kind, ...group } : { kind, ...group, values: { batch: value } };
      await writeGroup(folders[at] ?? "", members);
    }
    return folders;
  }

  it("is one run, several joined by commas, or a series by its id", async () => {
    const folders = await series("repeat", ["", "", ""]);
    expect(await findSide("20261121-0945", project, false)).toEqual([run]);
    expect(await findSide("20261121-0945,last,last", project, false)).toEqual([run, folders[2]]);
    expect(await findSide(SERIES, project, false)).toEqual(folders);
  });

  it("is a run with the others of its series, where that is asked for", async () => {
    const folders = await series("repeat", ["", ""]);
    expect(await findSide("last", project, true)).toEqual(folders);
    expect(await findSide(run, project, true)).toEqual([run]);
  });

  it("of a sweep is one of its points", async () => {
    const folders = await series("sweep", ["8", "16", "8"]);
    expect(await findSide(folders[0] ?? "", project, true)).toEqual([folders[0], folders[2]]);
    await expect(findSide(SERIES, project, false)).rejects.toMatchObject({ code: "not-repeats" });
  });

  it("is a folder with a comma in its path too, and a run with one in its name", async () => {
    const folder = another("with,comma");
    expect(await findSide(folder, project, false)).toEqual([folder]);
    expect(await findSide(`${run},${more}`, project, false)).toEqual([run, more]);
    await changeLabel(run, (label) => ({ ...label, name: "fp16, batch 8" }));
    expect(await findSide("fp16, batch 8", project, false)).toEqual([run]);
  });

  it("that names no run is refused", async () => {
    await expect(findSide("nothing", project, false)).rejects.toMatchObject({ code: "no-such-run" });
    await expect(findSide(",", project, false)).rejects.toMatchObject({ code: "no-such-run" });
  });
});
