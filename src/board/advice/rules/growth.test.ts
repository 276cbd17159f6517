import { describe, expect, it } from "vitest";
import type { Load } from "../../testing.ts";
import { ALL, advised, advisedBy, FULL, type TestRun } from "../testing.ts";

/** A run of 40 moments whose process holds what `anon` says, and whose tensors hold what `tensors` says, in MiB. */
function over(anon: (second: number) => number, tensors?: (second: number) => number): Load[] {
  return Array.from({ length: 40 }, (_, second) => {
    const allocated = tensors?.(second) ?? 0;
    return {
      t: second * 1000,
      run: { anon: anon(second), file: 50, shmem: 0 },
      ...(tensors === undefined ? {} : { cuda: { allocated, reserved: allocated + 20, context: 90 } }),
    };
  });
}
/** Steadily, with what each batch takes and gives back on top. */
const growing = (second: number) => 100 + 10 * second + 60 * (second % 3);
const flat = (second: number) => 300 + 60 * (second % 3);
const loading = (second: number) => Math.min(300, 30 * second);

const SOURCE = "for x in data:\n    seen.append(f(x))\n";
const ROWS = { 2: { hits: 4000, net: 390, max: 2 } };

describe("a process that grows", () => {
  it.each(ALL)("is told with the line that keeps a little each time, on %s", (release) => {
    expect(advisedBy("growth", { release, source: SOURCE, rows: ROWS, loads: over(growing) })).toMatchObject({
      place: { path: "train.py", line: 2 },
      evidence: [
        "train.py:2 kept 390.0 MiB over 4,000 executions, 100 KiB each on average",
        expect.stringMatching(/grew by \d+\.\d MiB, steadily$/),
      ],
      saves: { bytes: (390 - 390 / 4000) * 2 ** 20 },
      strength: "certain",
    });
  });

  it.each<[string, TestRun]>([
    ["it stays at its size", { rows: ROWS, loads: over(flat) }],
    ["it only grew at first", { rows: ROWS, loads: over(loading) }],
    ["it was looked at too seldom", { rows: ROWS, loads: over(growing).slice(0, 8) }],
    ["nothing was recorded", { rows: ROWS, loads: [] }],
    ["one execution took most", { rows: { 2: { hits: 30, net: 390, max: 380 } }, loads: over(growing) }],
    ["the line ran a few times", { rows: { 2: { hits: 3, net: 390, max: 30 } }, loads: over(growing) }],
    ["the line has little of it", { rows: { 2: { hits: 4000, net: 40, max: 1 } }, loads: over(growing) }],
  ])("is not told where %s", (_, run) => {
    expect(advised({ source: SOURCE, ...run })).toEqual([]);
  });
});

describe("a loss that is kept with its history", () => {
  const LOOP = "for x in data:\n    loss = f(x)\n    loss.backward()\n    total += loss\n";
  const hits = { 4: { hits: 500, net: 1 } };
  const kept = (run: TestRun) => advisedBy("kept-history", { source: LOOP, rows: hits, ...run });

  it("is told with an edit, where tensors on the GPU grow", () => {
    expect(kept({ loads: over(flat, growing) })).toMatchObject({
      evidence: [
        "train.py:4 keeps loss, on which backward() is called, 500 times",
        expect.stringMatching(/^The memory of tensors on the GPU grew by/),
      ],
      steps: [{ kind: "edit", place: { path: "train.py", line: 4 }, find: "+= loss", replace: "+= loss.item()" }],
      strength: "certain",
    });
  });

  it("is told where the process grows, and where the run ran out of memory", () => {
    expect(kept({ loads: over(growing) })?.strength).toBe("certain");
    expect(kept({ loads: FULL, ended: "cuda-out-of-memory" })?.strength).toBe("likely");
    expect(kept({ loads: over(flat, flat) })).toBeUndefined();
  });

  it("is told alone where the process grows by it, and beside a line that grows where it is on the GPU", () => {
    const rows = { ...hits, 3: { hits: 500, net: 390, max: 2 } };
    const rulesOf = (loads: Load[]) => advised({ source: LOOP, rows, loads }).map(({ rule }) => rule);
    expect(rulesOf(over(growing))).toEqual(["kept-history"]);
    expect(rulesOf(over(growing, growing))).toEqual(["kept-history", "growth"]);
  });

  it("is told of a list as well", () => {
    const source = LOOP.replace("total += loss", "losses.append(loss)");
    expect(kept({ source, loads: over(flat, growing) })?.steps).toMatchObject([
      { find: ".append(loss)", replace: ".append(loss.item())" },
    ]);
  });

  it.each([
    "total += loss.item()",
    "total += float(loss)",
    "total += count",
    "total = total + loss",
    "total += loss + x",
  ])("is not told of: %s", (line) => {
    expect(kept({ source: LOOP.replace("total += loss", line), loads: over(flat, growing) })).toBeUndefined();
  });

  it("is not told of what backward() is not called on, nor of a line that hardly ran", () => {
    expect(kept({ source: LOOP.replace("loss.backward()", "pass"), loads: over(flat, growing) })).toBeUndefined();
    expect(kept({ rows: { 4: { hits: 3 } }, loads: over(flat, growing) })).toBeUndefined();
  });
});
