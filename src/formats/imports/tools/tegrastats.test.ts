import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bytesOf, contextOf, MIB, readLog } from "../testing.ts";
import { tegrastatsLog } from "./tegrastats.ts";

const line = (used: number) => `RAM ${used}/3964MB (lfb 634x4MB) SWAP 12/1982MB (cached 0MB) CPU [2%@102,off]`;
const read = (text: string, intervalMs?: number) =>
  readLog(tegrastatsLog(intervalMs), bytesOf(text), contextOf("log.txt"));

describe("tegrastatsLog", () => {
  it("makes a timeline of the board's RAM, and claims no RSS", () => {
    const { profile, samples, notes } = read(`Tue Jan 26 18:22:31 UTC 2021\n${line(613)}\r\n\r\n${line(900)}\nhello\n`);
    expect(profile.run).toMatchObject({
      started: "2021-01-26T18:22:31.000Z",
      board: { memTotal: 3964 * MIB },
      imported: { format: "tegrastats", timeline: "RAM in use on the board (tegrastats)" },
    });
    expect(samples).toEqual([
      { t: 0, rss: 613 * MIB, rssPeak: 613 * MIB },
      { t: 1000, rss: 900 * MIB, rssPeak: 900 * MIB },
    ]);
    expect(notes).toEqual([
      expect.stringMatching(/neither lines nor processes/),
      expect.stringMatching(/taken to be 1 s apart/),
      "1 line that is not tegrastats' was passed over.",
      expect.stringMatching(/Swap .* 12\.0 MiB/),
      expect.stringMatching(/left out/),
    ]);
  });

  it("takes the interval that the user gives", () => {
    expect(read(`${line(1)}\n${line(2)}\n${line(3)}\n`, 250).samples.map(({ t }) => t)).toEqual([0, 250, 500]);
  });

  it("takes the times that newer releases print, and shares a second among its lines", () => {
    const at = (second: string) => `05-15-2023 14:21:${second} ${line(600)}\n`;
    const { samples, notes } = read(at("30") + at("30") + at("31") + at("35"));
    expect(samples.map(({ t }) => t)).toEqual([0, 500, 1000, 5000]);
    expect(notes.join()).not.toMatch(/taken to be/);
    const backwards = read(at("30") + at("20") + at("21"));
    expect(backwards.samples.map(({ t }) => t)).toEqual([0, 0, 1000]);
    expect(backwards.notes.join()).toMatch(/clock was set back/);
  });

  it("says what it looked for where there is no such line", () => {
    expect(() => read("hello\n")).toThrow(/RAM 613\/3964MB/);
  });
});

const fixtures = fileURLToPath(new URL("../../../../../shared/fixtures/tegrastats/", import.meta.url));
describe.skipIf(!fs.existsSync(fixtures))("logs of real boards", () => {
  it("reads the lines of every board and release", () => {
    const lines = fs
      .readFileSync(`${fixtures}samples.jsonl`, "utf8")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as { line: string });
    for (const sample of lines) expect(read(`${sample.line}\n`).samples).toHaveLength(1);
  });

  it("reads a whole log whose first line is a date", () => {
    const { profile, samples } = read(fs.readFileSync(`${fixtures}tx2_jp4_sample_log.txt`, "utf8"));
    expect(samples).toHaveLength(432);
    expect(profile.run.started).toBe("2021-01-26T18:22:31.000Z");
    expect(samples[0]?.rss).toBe(896 * MIB);
  });
});
