import { describe, expect, it } from "vitest";
import { bandOf } from "../profile/run/nativeStacks.ts";
import { readMeasuredLines } from "./lineSnapshots.ts";

const HEADER = '{"schema":1,"record":"header","pid":4242,"noise_bytes":210}\n';
const hit = (number: number, before: number, after: number, tree: number | null = null) =>
  `${JSON.stringify({ record: "hit", path: "train.py", line: 33, function: "train", hit: number, thread: "MainThread", before, after, tree })}\n`;
const line = (hits: number, measured: number, net: number, number = 33) =>
  `${JSON.stringify({ record: "line", path: "train.py", line: number, hits, measured, net })}\n`;
const read = (text: string) => readMeasuredLines(text, "massif.lines.4242.jsonl");

describe("readMeasuredLines", () => {
  it("joins each line's executions with its latest sums", () => {
    expect(read(HEADER + hit(1, 100, 300, 7) + hit(2, 300, 250) + line(2, 2, 150) + line(150, 2, 150))).toEqual({
      lines: [
        {
          path: "train.py",
          line: 33,
          function: "train",
          hits: 150,
          measured: 2,
          net: 150,
          noise: 420,
          executions: [
            { hit: 1, thread: "MainThread", before: 100, after: 300, noise: 210, tree: 7 },
            { hit: 2, thread: "MainThread", before: 300, after: 250, noise: 210 },
          ],
        },
      ],
    });
  });

  it("has ± of a sampled heap by its errors and its mean, and adds up their squares where there are no sums", () => {
    // 2 × √(300² + 4 × 200²) and so on.
    const header = '{"schema":1,"record":"header","pid":4242,"mean_bytes":200}\n';
    const sampled = (number: number, error: number) =>
      hit(number, 0, 8000).replace('"tree"', `"error":${error},"tree"`);
    expect(read(header + sampled(1, 300) + sampled(2, 400)).lines).toMatchObject([
      { noise: bandOf(500 ** 2, 200), executions: [{ noise: 1000 }, { noise: bandOf(400 ** 2, 200) }] },
    ]);
    expect(read(header + sampled(1, 300) + line(1, 1, 8000).replace("}", ',"error":0}')).lines).toMatchObject([
      { noise: 0 },
    ]);
    expect(read(header + hit(1, 0, 8000)).lines[0]).not.toHaveProperty("noise");
  });

  it("adds up the executions where the process died before it wrote its sums, or since", () => {
    expect(read(HEADER + hit(1, 100, 300) + hit(5, 300, 250)).lines).toMatchObject([
      { hits: 5, measured: 2, net: 150 },
    ]);
    expect(read(HEADER + hit(1, 100, 300) + line(9, 1, 200) + hit(10, 0, 7)).lines).toMatchObject([
      { hits: 10, measured: 2, net: 207 },
    ]);
  });

  it("keeps a line that was never measured, and ignores what is damaged or unfinished", () => {
    const text = `${HEADER + line(4, 0, 0, 34) + hit(0, 1, 2) + hit(1, -1, 2)}{"record":"x"}\n{\n${hit(1, 100, 300).slice(0, -1)}`;
    expect(read(text).lines).toEqual([
      { path: "train.py", line: 34, function: "", hits: 4, measured: 0, net: 0, noise: 0, executions: [] },
    ]);
    const huge = hit(1, 0, 1e308) + hit(2, 0, 0.5) + line(2, 2, 1e308, 35);
    expect(read(HEADER + huge).lines).toEqual([]);
    expect(read("")).toEqual({ lines: [] });
    expect(() => read('{"schema":2}\n')).toThrow(/format 2/);
  });

  it("keeps a bounded number of executions and the sums of all", () => {
    const [measured] = read(HEADER + Array.from({ length: 10_500 }, (_, n) => hit(n + 1, 0, 1)).join("")).lines;
    expect(measured).toMatchObject({ hits: 10_500, measured: 10_500, net: 10_500 });
    expect(measured?.executions).toHaveLength(10_000);
  });
});
