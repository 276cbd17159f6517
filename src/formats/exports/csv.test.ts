import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import { IMPORT_FORMATS, type Profile } from "../../profile/model.ts";
import { importOwnCsv } from "../imports/own/ownCsv.ts";
import { csv } from "./csv.ts";
import { randomProfile } from "./testing.ts";

const text = (profile: Profile, sources = new Map<string, string>()) => [...csv(profile, sources)].join("");

function profileOf(path: string, source: string): { profile: Profile; sources: Map<string, string> } {
  const file = { path, sha256: "", functions: [], lines: [{ line: 1, hits: 2, net: -4096 }] };
  const profile = { ...randomProfile(1), files: [file], metrics: new Set(["rss" as const]) };
  return { profile, sources: new Map([[path, source]]) };
}

describe("CSV of a run", () => {
  it("has a header with units, a row for each measured line, and nothing where a figure is not known", () => {
    const { profile, sources } = profileOf("train.py", "x = 1\n");
    expect(text(profile, sources)).toBe(
      "file,line,function,hits,net_bytes,self_bytes,max_increment_bytes,peak_bytes,usage_bytes,uncertain_bytes,peak_uncertain_bytes,source\r\n" +
        "train.py,1,<module>,2,-4096,,,,,,,x = 1\r\n",
    );
  });

  it("puts separators, quotation marks and line ends into quotation marks", () => {
    const { profile, sources } = profileOf('a,"b".py', 'print("a", "b")');
    expect(text(profile, sources).split("\r\n")[1]).toBe('"a,""b"".py",1,<module>,2,-4096,,,,,,,"print(""a"", ""b"")"');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "  =HYPERLINK()", "\t=1", "'quoted", "\uFF1Dcmd"])(
    "takes care that a spreadsheet does not run %j",
    (source) => {
      const { profile, sources } = profileOf("train.py", source);
      const cell = text(profile, sources).split("\r\n")[1]?.split(",").at(-1);
      expect(cell?.startsWith("'")).toBe(true);
    },
  );

  it("has CUDA, board and heap columns only where the run has such figures", () => {
    const { profile, sources } = profileOf("train.py", "x = 1");
    const header = (changed: Profile) => text(changed, sources).split("\r\n")[0];
    expect(header(profile)).not.toMatch(/cuda|system|heap/);
    expect(header({ ...profile, metrics: new Set(["rss", "cuda", "system"]) })).toMatch(
      /cuda_net_bytes.*system_net_bytes/,
    );
    const heap = [...csv(profile, sources, () => ({ total: 7, own: 3 }))];
    expect(heap[0]).toContain("heap_live_bytes,heap_own_bytes,source");
    expect(heap[1]).toContain(",7,3,x = 1");
  });
});

describe("CSV read back", () => {
  it("has every figure by line and every text again, whatever the names are", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const profile = randomProfile(seed);
      const sources = new Map(profile.files.map(({ path }) => [path, `=first\n'second, "x"\n\t-third\n`]));
      const back = importOwnCsv(text(profile, sources), "run.csv");
      const measured = profile.files.filter(({ lines }) => lines.length > 0);
      expect(back.profile.files.map(({ path, lines }) => ({ path, lines }))).toEqual(
        measured.map(({ path, lines }) => ({ path, lines })),
      );
      for (const { path, lines } of measured) {
        const kept = (back.sources.get(path) ?? "").split("\n");
        for (const { line } of lines) {
          expect(kept[line - 1]).toBe(line <= 3 ? sources.get(path)?.split("\n")[line - 1] : "");
        }
      }
    }
  });

  it("is called what the tool that measured it calls it, in any words, and our own figures are called nothing else", () => {
    const random = seeded(6).next;
    const words = ["live blocks", ",", '"', "=1+1", "'", "é", "\n", " ", "-x", "RSS, unless"];
    for (let seed = 1; seed <= 60; seed++) {
      const profile = randomProfile(seed);
      const format = IMPORT_FORMATS[seed % IMPORT_FORMATS.length] ?? "memray";
      const measures = Array.from({ length: 6 }, () => words[Math.floor(random() * words.length)]).join("");
      const elsewhere = { ...profile, run: { ...profile.run, imported: { format, file: "a.json", measures } } };
      const back = importOwnCsv(text(elsewhere), "some/run.csv").profile;
      const lines = (of: Profile["files"]) => of.filter((file) => file.lines.length > 0).map((file) => file.lines);
      expect(lines(back.files)).toEqual(lines(profile.files));
      if (lines(profile.files).length === 0) continue;
      const own = format === "jetson-memprof";
      expect(back.run.imported).toEqual({
        format,
        file: "run.csv",
        measures: own ? "what Jetson Memory Profiler recorded" : measures,
      });
      expect(text(elsewhere).includes("measured_by")).toBe(!own);
    }
  });

  it.each([
    ["a tool that is not known", "valgrind,blocks", "valgrind,blocks"],
    ["what was measured is left out", "memray,", "memray,"],
    ["only what, not by whom", ",blocks", ",blocks"],
    ["rows that do not agree", "memray,blocks", "scalene,blocks"],
    ["rows of which some are our own", "memray,blocks", ","],
    ["a text without end", `memray,${"x".repeat(201)}`, `memray,${"x".repeat(201)}`],
  ])("is not taken for RSS where it is not said well what was measured: %s", (_, first, second) => {
    const damaged = `file,line,net_bytes,measured_by,measures\na.py,1,5,${first}\na.py,2,5,${second}\n`;
    expect(() => importOwnCsv(damaged, "run.csv")).toThrow(/^run\.csv cannot be imported: .*what was measured/);
  });

  it("reads a file that a spreadsheet has saved again: other line ends, a byte order mark, quoted figures", () => {
    const saved = '\uFEFF"file","line","net_bytes"\n"train.py","3","1024"\n\n"train.py","4",""\n';
    expect(importOwnCsv(saved, "run.csv").profile.files).toEqual([
      { path: "train.py", sha256: "", functions: [], lines: [{ line: 3, net: 1024 }, { line: 4 }] },
    ]);
  });

  it("passes over rows that are no figures or lead out of the project, and says how many", () => {
    const rows = ["train.py,1,5", "../x.py,1,5", "train.py,0,5", "train.py,2,five", "/etc/passwd,1,5"];
    const back = importOwnCsv(`file,line,usage_bytes\n${rows.join("\n")}\n`, "some/run.csv");
    expect(back.profile.files).toEqual([
      { path: "train.py", sha256: "", functions: [], lines: [{ line: 1, usage: 5 }] },
    ]);
    expect(back.notes.at(-1)).toBe("Rows of run.csv that cannot be read: 4.");
    expect(back.profile.complete).toBe(false);
  });

  it("keeps what is above a damaged row, and says where that is", () => {
    const back = importOwnCsv('file,line,hits\na.py,1,2\n"b.py,1,2\nc.py,1,2\n', "run.csv");
    expect(back.profile.files.map(({ path }) => path)).toEqual(["a.py"]);
    expect(back.notes.at(-1)).toBe("run.csv is damaged after row 2; the rows up to there are here.");
  });

  it("takes no size below 0 for anything but a change", () => {
    const back = importOwnCsv("file,line,net_bytes,peak_bytes\na.py,1,-5,1\na.py,2,1,-5\n", "run.csv");
    expect(back.profile.files[0]?.lines).toEqual([{ line: 1, net: -5, peak: 1 }]);
  });

  it("refuses a file without the columns that tell the line", () => {
    expect(() => importOwnCsv("a,b\n1,2\n", "other.csv")).toThrow('other.csv has no columns "file" and "line"');
  });
});
