import { describe, expect, it } from "vitest";
import { libraries, libraryOf, NO_NAMES, pythonPlaces, readFrameNames } from "./frames.ts";

const HEADER = '{"schema":1,"record":"header","pid":4242,"frames":"lines"}\n';
const frame = (name: string, path: string, line: number, kind = "line") =>
  `${JSON.stringify({ record: "frame", name, path, line, function: "train", kind })}\n`;
const mapped = (start: string, end: string, path: string) =>
  `${JSON.stringify({ record: "mapped", start, end, path })}\n`;
const read = (text: string) => readFrameNames(text, "massif.frames.4242.jsonl");

describe("readFrameNames", () => {
  it("reads names and mapped files; ignores what is damaged, unknown or not finished", () => {
    const names = read(
      HEADER +
        frame("py_00042", "train.py", 33) +
        frame("py_00043", "/usr/lib/python3.6/random.py", 7, "function") +
        frame("py_00044", "../outside.py", 1) +
        frame("py_00045", "a.py", 0) +
        frame("malloc", "a.py", 1) +
        '{"record":"later","x":1}\nnot json\n' +
        mapped("0x48c3000", "0x4a11000", "/usr/lib/libpython3.6m.so.1.0") +
        mapped("0x1000", "0x1000", "/empty.so") +
        mapped("0xzz", "0x4a11000", "/bad.so") +
        frame("py_00046", "train.py", 34).slice(0, -1),
    );
    expect(names.level).toBe("lines");
    expect([...names.python]).toEqual([
      ["py_00042", { path: "train.py", line: 33, function: "train", kind: "line" }],
      ["py_00043", { path: "/usr/lib/python3.6/random.py", line: 7, function: "train", kind: "function" }],
    ]);
    expect(names.mapped).toEqual([{ start: 0x48c3000n, end: 0x4a11000n, path: "/usr/lib/libpython3.6m.so.1.0" }]);
  });

  it("of an empty or just begun file are none; of a newer format are refused", () => {
    expect(read("")).toBe(NO_NAMES);
    expect(read(HEADER.slice(0, -1))).toBe(NO_NAMES);
    expect(() => read(HEADER.replace('"schema":1', '"schema":2'))).toThrow(/format 2/);
    expect(() => read(HEADER.replace("lines", "words"))).toThrow(/massif.frames.4242.jsonl cannot be read at "frames"/);
  });
});

describe("places and libraries of labels", () => {
  const names = read(
    HEADER +
      frame("py_00042", "train.py", 33) +
      mapped("0x3000", "0x4000", "/b.so") +
      mapped("0x1000", "0x2000", "/a.so") +
      mapped("0x1800", "0x2800", "/a.so") +
      mapped("0x7000", "0x8000", "/one.so") +
      mapped("0x7800", "0x9000", "/other.so"),
  );

  it("names Python code by the run's names only", () => {
    const labels = [
      "0x1: malloc (m.c:1)",
      "0x2: py_00042 (in /tmp/pads.so)",
      "0x3: py_00042",
      "0x4: py_00099",
      "0x5: py_000421",
    ];
    expect([...pythonPlaces(labels, names)].map(([label, { path, line }]) => [label, path, line])).toEqual([
      [1, "train.py", 33],
      [2, "train.py", 33],
    ]);
  });

  it("finds the file that was mapped at an address; none where two were", () => {
    const at = (address: bigint) => libraryOf(address, names);
    expect([0xfffn, 0x1000n, 0x27ffn, 0x2800n, 0x3000n, 0x3fffn, 0x4000n].map(at)).toEqual([
      undefined,
      "/a.so",
      "/a.so",
      undefined,
      "/b.so",
      "/b.so",
      undefined,
    ]);
    expect([0x7100n, 0x7900n, 0x8900n].map(at)).toEqual([undefined, undefined, undefined]);
    expect(libraryOf(0x1000n, NO_NAMES)).toBeUndefined();
  });

  it("gives only labels a library that do not name theirs", () => {
    const labels = [
      "(heap allocation functions) malloc",
      "0x1004: f (f.c:1)",
      "0x1008: ??? (in /a.so)",
      "0x3004: ???",
      "0x5000: g",
    ];
    expect([...libraries(labels, names)]).toEqual([
      [1, "/a.so"],
      [3, "/b.so"],
    ]);
  });
});
