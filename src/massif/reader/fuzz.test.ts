/** Files that were cut off, and hostile ones; test/faults/fuzz has those that were damaged at random. */
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../profile/testingTime.ts";
import { UserError } from "../../profile/userError.ts";
import type { CallTree, MassifFile, Snapshot } from "../model.ts";
import { readMassif, readTreeOf, SAMPLES, sample } from "./testing.ts";

/** Undefined where the documented error says that nothing can be shown. */
function tryRead(bytes: Uint8Array, chunk?: number): MassifFile | undefined {
  try {
    return readMassif(bytes, chunk);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return undefined;
  }
}

/** What every tree promises, however damaged the file is. */
function checkTree(tree: CallTree, nodes: number): void {
  expect(tree.label.length).toBe(nodes);
  expect(tree.parent.length).toBe(nodes);
  const left = tree.bytes.slice();
  const hasChildren = new Uint8Array(nodes);
  for (let node = 1; node < nodes; node++) {
    const parent = tree.parent[node] ?? nodes;
    if (parent >= node || (tree.label[node] ?? 0) >= tree.labels.length) throw new Error(`Node ${node} is wrong.`);
    left[parent] = (left[parent] ?? 0) - (tree.bytes[node] ?? 0);
    hasChildren[parent] = 1;
  }
  expect(left.findIndex((bytes, node) => (hasChildren[node] === 1 ? bytes !== 0 : !(bytes >= 0)))).toBe(-1);
}

function checkFile(bytes: Uint8Array, file: MassifFile | undefined): void {
  file?.snapshots.forEach(({ tree }, index) => {
    if (tree.kind !== "none") checkTree(readTreeOf(bytes, file, index, 997), tree.nodes);
  });
  for (const { line } of file?.problems ?? []) expect(line).toBeGreaterThan(0);
}

/** Where the snapshot's lines end, for those that have a tree. */
const endOf = ({ tree }: Snapshot) => (tree.kind === "none" ? undefined : tree.end);

function expectSameBefore(damage: number, whole: MassifFile, file: MassifFile | undefined): void {
  const complete = whole.snapshots.map((snapshot) => (endOf(snapshot) ?? Number.POSITIVE_INFINITY) <= damage);
  const count = complete.lastIndexOf(true) + 1;
  if (count > 0) expect(file?.snapshots.slice(0, count)).toEqual(whole.snapshots.slice(0, count));
}

describe("damaged files", () => {
  it("truncated at every byte: what was complete stays, what is cut off is said", () => {
    for (const name of SAMPLES) {
      const bytes = sample(name);
      const whole = readMassif(bytes);
      const step = bytes.length < 8000 ? 1 : 41;
      for (let size = 0; size < bytes.length; size += step) {
        const cut = bytes.subarray(0, size);
        const file = tryRead(cut);
        expectSameBefore(size, whole, file);
        checkFile(cut, file);
        const complete = file?.snapshots.at(-1)?.tree;
        if (complete?.kind === "none" || complete?.end === size) continue;
        if (file !== undefined && !isBetween(cut)) expect(file.problems).toHaveLength(1);
      }
    }
  });
});

/** Nothing has begun there that could be cut off. */
function isBetween(bytes: Uint8Array): boolean {
  return /(^|\n)(heap_tree=empty\s*|#-*\n?)$/.test(Buffer.from(bytes).toString("latin1"));
}

describe("hostile files", () => {
  const head = "desc: x\ncmd: y\ntime_unit: i\n";
  const start = "snapshot=0\ntime=0\nmem_heap_B=9\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\n";
  const read = (text: string) => readMassif(Buffer.from(text, "latin1"), 65_536);

  it("are read in time that grows as the file does", () => {
    // Eight times the size takes about eight times the CPU time; 64 times would be quadratic. In milliseconds.
    const files: ((size: number) => string)[] = [
      (size) => `${head}${start}n1: 9 r\n${" ".repeat(size)}n0: 9 x\n`,
      (size) => `${head}${start}${"n1: 9 0x1: f\n".repeat(size / 12)}`,
      (size) => `${head}${start}n${"9".repeat(size)}: 9 x\n`,
      (size) => `${head}${start}n${size}: 9 r\n${" n0: 0 0x1: f\n".repeat(size / 14)}`,
      (size) => `${head}${"\n".repeat(size)}`,
      (size) => `desc: x\n${"cmd: ".repeat(size / 5)}`,
      (size) => `desc: x\ncmd: y\n${"time_unit: i\n".repeat(size / 13)}`,
      (size) => `${head}${"snapshot=1\n".repeat(size / 11)}`,
      (size) =>
        `${head}${start}n${size}: 9 r\n${Array.from({ length: size / 40 }, (_, n) => ` n0: 0 0x0000000: ${n * 7919}${"a".repeat(18)}aaaa\n`).join("")}`,
    ];
    for (const make of files) {
      const spent = [1, 8].map((factor) => {
        const text = make(factor * 250_000);
        const began = cpuMs();
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
        return cpuMs() - began;
      });
      expect(spent[1]).toBeLessThan(40 * Math.max(spent[0] ?? 0, 25));
    }
  });

  it("nested as deep as a file of this size can be", () => {
    const depth = 4000;
    const tree = Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}n1: 9 0x1: f (a.c:1)\n`).join("");
    const text = `${head}${start}${tree}${" ".repeat(depth)}n0: 9 0x2: main (a.c:2)\n`;
    const file = read(text);
    expect(file.problems).toEqual([]);
    const deep = readTreeOf(Buffer.from(text), file, 0, 4096);
    expect(deep.parent.at(-1)).toBe(depth - 1);
    expect(deep.labels).toEqual(["0x1: f (a.c:1)", "0x2: main (a.c:2)"]);
  });

  it("with a claimed depth of 10^6 are cut off there", () => {
    const file = read(`${head}${start}n1: 9 r\n${" ".repeat(1_000_000)}n0: 9 x\n`);
    expect(file.problems).toMatchObject([{ line: 11, message: expect.stringContaining("depth 1000000 stands") }]);
    expect(file.snapshots[0]?.tree).toMatchObject({ nodes: 2 });
  });

  it("with lines without end are cut off there", () => {
    const file = read(`${head}${start}n1: 9 r\n n0: 9 ${"x".repeat(9_000_000)}\n${start}n0: 9 r\n`);
    expect(file.problems).toMatchObject([{ line: 11, message: expect.stringContaining("too long") }]);
    expect(file.snapshots).toHaveLength(2);
  });
});
