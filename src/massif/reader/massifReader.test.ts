import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import { say } from "../../words/t.ts";
import { readMassif, readTreeOf, SAMPLES, sample } from "./testing.ts";
import { MISSING_LABEL } from "./treeReader.ts";

const HEADER = "desc: (none)\ncmd: ./a.out\ntime_unit: i\n";
const ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.";

function snapshot(number: number, tree: string, heap = 1000): string {
  const separator = "#-----------";
  const figures = `time=${number * 10}\nmem_heap_B=${heap}\nmem_heap_extra_B=24\nmem_stacks_B=8`;
  return `${separator}\nsnapshot=${number}\n${separator}\n${figures}\nheap_tree=${tree}\n`;
}

const TREE = [
  `n2: 1000 ${ROOT}`,
  " n1: 900 0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)",
  "  n0: 900 0x48C3C00: main (a.c:1)",
  " n0: 100 in 12 places, all below massif's threshold (1.00%)",
];
const lines = (...parts: string[]) => parts.map((line) => `${line}\n`).join("");

function errorOf(bytes: string): UserError {
  try {
    readMassif(bytes);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("It was read.");
}

describe("createMassifReader", () => {
  it("reads header, figures and where the trees lie", () => {
    const text = `${HEADER}${snapshot(0, "empty", 0)}${snapshot(1, "detailed")}${lines(...TREE)}${snapshot(2, "peak")}${lines(...TREE)}`;
    const file = readMassif(text);
    expect(file).toMatchObject({ description: "(none)", command: "./a.out", timeUnit: "i", problems: [] });
    const start = text.indexOf(TREE[0] ?? "");
    const end = start + lines(...TREE).length;
    expect(file.snapshots.slice(0, 2)).toEqual([
      { number: 0, time: 0, heap: 0, extra: 24, stacks: 8, tree: { kind: "none" } },
      { number: 1, time: 10, heap: 1000, extra: 24, stacks: 8, tree: { kind: "detailed", nodes: 4, start, end } },
    ]);
    expect(file.snapshots[2]?.tree).toMatchObject({ kind: "peak", nodes: 4 });
    expect(readTreeOf(text, file, 2)).toEqual({
      labels: [
        ROOT,
        "0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)",
        "0x48C3C00: main (a.c:1)",
        "in 12 places, all below massif's threshold (1.00%)",
      ],
      label: Uint32Array.of(0, 1, 2, 3),
      parent: Uint32Array.of(0, 0, 1, 0),
      bytes: Float64Array.of(1000, 900, 900, 100),
    });
  });

  it("reads a command that holds line ends and looks like other lines", () => {
    const file = readMassif(sample("newline.massif.out"));
    expect(file.command).toBe("printf %s\\n first\nsnapshot=7\ntime_unit: later");
    expect(file.timeUnit).toBe("ms");
    expect(file.problems).toEqual([]);

    const sly = `desc: (none)\ncmd: ./a.out x\ntime_unit: ms\ny\ntime_unit: i\n${snapshot(0, "empty")}`;
    expect(readMassif(sly)).toMatchObject({ command: "./a.out x\ntime_unit: ms\ny", timeUnit: "i", problems: [] });
  });

  it("takes blanks around numbers, empty lines, comments and \\r\\n", () => {
    const text = `${HEADER}\n# made by hand\n${snapshot(3, "peak")}${lines(...TREE.slice(0, 2), "", "# here", ...TREE.slice(2))}\n\n`;
    const spaced = text.replace("mem_heap_extra_B=24", "mem_heap_extra_B=    0324").replace(": i\n", ":  i   \n");
    for (const form of [spaced, spaced.replaceAll("\n", "\r\n")]) {
      const file = readMassif(form);
      expect(file.problems).toEqual([]);
      expect(file.snapshots).toHaveLength(1);
      expect(file.snapshots[0]?.extra).toBe(324);
      expect(readTreeOf(form, file, 0).labels[2]).toBe("0x48C3C00: main (a.c:1)");
    }
  });

  it("reads the same whatever the chunks", () => {
    for (const name of SAMPLES) {
      const bytes = sample(name);
      const whole = readMassif(bytes);
      expect(whole.problems).toEqual([]);
      for (const size of [1, 2, 3, 7, 64, 1000]) expect(readMassif(bytes, size)).toEqual(whole);
      whole.snapshots.forEach(({ tree }, index) => {
        if (tree.kind !== "none") expect(readTreeOf(bytes, whole, index, 5)).toEqual(readTreeOf(bytes, whole, index));
      });
    }
  });

  it("keeps labels of any length and any bytes", () => {
    const long = `0x1: ${"f<int>(".repeat(1000)}) (x.cpp:3)`;
    const endless = `0x2: ${"g".repeat(200_000)} (y.cpp:4)`;
    const text = `${HEADER}${snapshot(0, "detailed")}${lines(`n3: 1000 ${ROOT}`, ` n0: 500 ${long}`, ` n0: 400 ${endless}`, " n0: 100 0x3: Ä\u{1f600} (in /ü.so)")}`;
    const file = readMassif(text);
    const { labels } = readTreeOf(text, file, 0);
    expect(labels[1]).toBe(long);
    expect(labels[2]).toMatch(/^0x2: g+…g+ \(y\.cpp:4\)$/);
    expect(labels[2]?.length).toBeLessThan(70_000);
    expect(labels[3]).toBe("0x3: Ä\u{1f600} (in /ü.so)");

    const bytes = new TextEncoder().encode(text);
    bytes.set([0xff, 0xfe], bytes.indexOf(0xc3));
    expect(readTreeOf(bytes, readMassif(bytes), 0).labels[3]).toBe("0x3: ��\u{1f600} (in /ü.so)");
  });

  it("shows a damaged tree up to the damage, names the line and goes on at the next snapshot", () => {
    const damaged = (...tree: string[]) => {
      const text = `${HEADER}${snapshot(0, "detailed")}${lines(...tree)}${snapshot(1, "peak")}${lines(...TREE)}`;
      const file = readMassif(text);
      expect(file.snapshots.map(({ number }) => number)).toEqual([0, 1]);
      expect(readTreeOf(text, file, 1).bytes).toEqual(Float64Array.of(1000, 900, 900, 100));
      return { text, file };
    };
    const first = TREE.slice(0, 2);

    const deep = damaged(...first, "   n0: 900 0x48C3C00: main (a.c:1)", TREE[3] ?? "");
    expect(deep.file.problems).toEqual([
      {
        line: 14,
        message: "a node of depth 3 stands where depth 2 was expected; the tree of snapshot 0 is shown up to there",
      },
    ]);
    const tree = readTreeOf(deep.text, deep.file, 0);
    expect(tree.labels).toEqual([ROOT, "0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)", say(MISSING_LABEL)]);
    expect([...tree.parent]).toEqual([0, 0, 1, 0]);
    expect([...tree.bytes]).toEqual([1000, 900, 900, 100]);

    const greedy = damaged(...first, "  n0: 901 0x48C3C00: main (a.c:1)", TREE[3] ?? "");
    expect(greedy.file.problems[0]).toMatchObject({ line: 14, message: expect.stringContaining("more bytes") });
    const huge = damaged(...first, "  n0: 99999999999999999999 0x48C3C00: main (a.c:1)", TREE[3] ?? "");
    expect(huge.file.problems[0]).toMatchObject({ line: 14, message: expect.stringContaining("was expected here") });
    const short = damaged(...first);
    expect(short.file.problems).toMatchObject([{ line: 15, message: expect.stringContaining("was expected here") }]);
    const many = damaged(`n9007199254740991: 1000 ${ROOT}`, ...TREE.slice(1));
    expect(many.file.problems).toHaveLength(1);
    expect([...readTreeOf(many.text, many.file, 0).bytes]).toEqual([1000, 900, 900, 100]);

    const rootless = damaged("n2: x");
    expect(rootless.file.snapshots[0]).toMatchObject({ heap: 1000, tree: { kind: "none" } });
    expect(rootless.file.problems).toMatchObject([{ line: 12, message: expect.stringContaining("cannot be shown") }]);

    const extra = damaged(...TREE, " n0: 5 0x9: more (b.c:1)", "njgdf");
    expect(extra.file.problems).toMatchObject([{ line: 16, message: expect.stringContaining("does not belong") }]);
    expect(extra.file.snapshots[0]?.tree).toMatchObject({ nodes: 4 });
  });

  it("keeps bytes that a complete tree does not explain visible as a node of their own", () => {
    const text = `${HEADER}${snapshot(0, "peak")}${lines(TREE[0] ?? "", TREE[1] ?? "", "  n0: 800 0x48C3C00: main (a.c:1)", TREE[3] ?? "")}`;
    const file = readMassif(text);
    expect(file.problems).toMatchObject([{ line: 15, message: expect.stringContaining("where all of its bytes") }]);
    const tree = readTreeOf(text, file, 0);
    expect([...tree.bytes]).toEqual([1000, 900, 800, 100, 100]);
    expect([...tree.parent]).toEqual([0, 0, 1, 1, 0]);
    expect(tree.labels[tree.label[3] ?? 0]).toBe(say(MISSING_LABEL));
  });

  it("leaves out a snapshot whose figures are damaged", () => {
    const text = `${HEADER}${snapshot(0, "empty").replace("mem_heap_B=1000", "mem_heap_B=12x")}${snapshot(1, "empty")}`;
    expect(readMassif(text)).toMatchObject({
      snapshots: [{ number: 1 }],
      problems: [{ line: 8, message: '"mem_heap_B=" with its value was expected here; snapshot 0 is left out' }],
    });
    const giant = `${HEADER}${snapshot(0, "empty", 2 ** 60)}${snapshot(1, "sapling")}${snapshot(2, "empty")}`;
    expect(readMassif(giant)).toMatchObject({ snapshots: [{ number: 2 }], problems: [{ line: 8 }, { line: 19 }] });
  });

  it("reads joined files, and only those of one unit of time", () => {
    const one = `${HEADER}${snapshot(0, "empty")}${snapshot(1, "peak")}${lines(...TREE)}`;
    const both = readMassif(one + one);
    expect(both.snapshots.map(({ number }) => number)).toEqual([0, 1, 0, 1]);
    expect(both.problems).toMatchObject([{ line: 27, message: expect.stringContaining("joined") }]);
    expect(readTreeOf(one + one, both, 3)).toEqual(readTreeOf(one, readMassif(one), 1));

    const other = readMassif(one + one.replace("time_unit: i", "time_unit: B"));
    expect(other.snapshots).toHaveLength(2);
    expect(other.problems).toMatchObject([{ message: expect.stringContaining("another unit of time") }]);
  });

  it("reads thousands of snapshots, and none", () => {
    const many = readMassif(HEADER + Array.from({ length: 3000 }, (_, number) => snapshot(number, "empty")).join(""));
    expect(many.snapshots).toHaveLength(3000);
    expect(many.problems).toEqual([]);
    expect(readMassif(HEADER)).toMatchObject({
      snapshots: [],
      problems: [{ line: 3, message: "the file ends before its first snapshot" }],
    });
  });

  it("says what a file is that holds nothing to show", () => {
    expect(errorOf("").code).toBe("massif-empty");
    expect(errorOf("hello\n\nsnapshot=1\n").code).toBe("massif-foreign");
    expect(errorOf("desc: x\ncmd: ./a.out\ntime_un").code).toBe("massif-cut-header");
    const endless = `desc: x\ncmd: ./a.out\n${`${"y".repeat(1023)}\n`.repeat(8 * 1024)}`;
    const { code, message } = errorOf(`${endless}time_unit: i\n${snapshot(0, "empty")}`);
    expect(code).toBe("massif-cut-header");
    expect(message).toContain("does not end up to line 8194.");
    const dashes = "-".repeat(80);
    const printed = `${dashes}\nCommand:            ./a.out\nMassif arguments:   (none)\nms_print arguments: massif.out.1\n${dashes}\n\n`;
    expect(errorOf(printed).code).toBe("massif-printed");
    for (const code of ["", "hello", printed]) expect(errorOf(code).hint).toMatch(/massif\.out/);
  });

  it("lists a bounded number of problems", () => {
    const file = readMassif(HEADER + "snapshot=x\n".repeat(100_000));
    expect(file.problems).toHaveLength(101);
    expect(file.problems.at(-1)?.message).toContain("not listed");
  });
});
