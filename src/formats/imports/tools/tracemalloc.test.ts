import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import { contextOf } from "../testing.ts";
import { importTracemalloc } from "./tracemalloc.ts";

const text = (value: string) => [0x8c, Buffer.byteLength(value), ...Buffer.from(value)];
const integer = (value: number) => [0x4a, ...new Uint8Array(Int32Array.of(value).buffer)];
const MARK = 0x28;
const made = (name: string) => [...text("tracemalloc"), ...text(name), 0x93, 0x29, 0x81];
const frame = (file: string, line: number) => [...text(file), ...integer(line), 0x86];
const trace = (size: number, ...frames: number[][]) => [
  MARK,
  ...integer(0),
  ...integer(size),
  MARK,
  ...frames.flat(),
  0x74,
  ...integer(1),
  0x74,
];

/** As Snapshot.dump writes it. */
function snapshot(limit: number, ...traces: number[][]): Uint8Array {
  return Uint8Array.from([
    0x80,
    4,
    ...made("Snapshot"),
    0x7d,
    MARK,
    ...[
      ...text("traces"),
      ...made("_Traces"),
      0x7d,
      ...text("_traces"),
      0x5d,
      MARK,
      ...traces.flat(),
      0x65,
      0x73,
      0x62,
    ],
    ...[...text("traceback_limit"), ...integer(limit)],
    0x75,
    0x62,
    0x2e,
  ]);
}

const read = (bytes: Uint8Array) => importTracemalloc(bytes, contextOf("heap.snap", { "train.py": "a\nb\nc\n" }));
const A = "/home/nano/train.py";

describe("importTracemalloc", () => {
  it("adds live blocks up by the project's innermost line, and by all lines of their stacks", () => {
    const { profile } = read(
      snapshot(
        5,
        trace(100, frame("/usr/lib/python3.8/json/x.py", 1), frame(A, 3), frame(A, 1)),
        trace(20, frame(A, 1)),
        trace(7, frame("<frozen importlib._bootstrap>", 1)),
      ),
    );
    expect(profile.files[0]).toMatchObject({
      path: "train.py",
      lines: [
        { line: 1, net: 120, self: 20 },
        { line: 3, net: 100, self: 100 },
      ],
    });
    expect(profile.run.imported?.measures).toMatch(/live when the snapshot was taken/);
  });

  it("claims nothing for the callers where the snapshot has one frame for each block", () => {
    const { profile, notes } = read(snapshot(1, trace(100, frame(A, 3))));
    expect(profile.files[0]?.lines).toEqual([{ line: 3, self: 100 }]);
    expect(notes.join()).toMatch(/one frame for each block/);
  });

  it("never makes an object of another class, nor calls anything", () => {
    const evil = Uint8Array.from([0x80, 4, ...text("posix"), ...text("system"), 0x93, ...text("id"), 0x85, 0x52, 0x2e]);
    expect(() => read(evil)).toThrow(/STACK_GLOBAL, which could run a program/);
    const called = Uint8Array.from([0x80, 4, ...text("tracemalloc"), ...text("Snapshot"), 0x93, 0x29, 0x52, 0x2e]);
    expect(() => read(called)).toThrow(/REDUCE, which could run a program/);
  });

  it.each([
    ["not a pickle", Uint8Array.of(1, 2, 3)],
    ["before its data does", snapshot(1, trace(1, frame(A, 1))).subarray(0, 90)],
    ["no tracemalloc.Snapshot", Uint8Array.of(0x80, 4, 0x4e, 0x2e)],
    ["no traces", snapshot(1)],
  ])("refuses a file in words: %s", (words, bytes) => {
    expect(() => read(bytes)).toThrow(words);
    expect(() => read(bytes)).toThrow(UserError);
  });

  const PYTHON = `
import sys, tracemalloc
tracemalloc.start(3)
kept = []
for n in range(50):
    kept.append(bytes(1000 + n))
def held(n):
    return list(range(100 + n))
for n in range(20):
    kept.append(held(n))
snapshot = tracemalloc.take_snapshot()
snapshot.dump(sys.argv[1])
for cumulative in (False, True):
    print(*sorted("%d:%d" % (s.traceback[0].lineno, s.size) for s in snapshot.statistics("lineno", cumulative)
                  if s.traceback[0].filename == sys.argv[0]))
`;
  const hasPython = spawnSync("python3", ["--version"]).status === 0;

  // Python counts a line twice whose comprehension is a frame of its own; here is none.
  it.skipIf(!hasPython)("adds up what Python's own statistics do", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tracemalloc-"));
    try {
      const script = path.join(folder, "held.py");
      fs.writeFileSync(script, PYTHON);
      const { stdout } = spawnSync("python3", [script, path.join(folder, "s")], { encoding: "utf8" });
      const [alone, all] = stdout.trim().split("\n");
      const { profile } = importTracemalloc(fs.readFileSync(path.join(folder, "s")), contextOf("s"));
      const [file] = profile.files;
      const sums = (key: "self" | "net") =>
        file?.lines
          .flatMap((row) => (row[key] ? [`${row.line}:${row[key]}`] : []))
          .sort()
          .join(" ");
      expect(sums("self")).toBe(alone?.split(" ").sort().join(" "));
      expect(sums("net")).toBe(all?.split(" ").sort().join(" "));
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
