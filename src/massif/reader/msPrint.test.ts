/** Every figure and every node is what ms_print prints of the same file; files of other people, where they are there. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import type { CallTree, MassifFile } from "../model.ts";
import { readMassif, readTreeOf, SAMPLES, sampleFile } from "./testing.ts";

interface Printed {
  /** time, total, heap, extra, stacks */
  readonly figures: readonly number[];
  /** depth, percent, bytes, label */
  readonly nodes: readonly (readonly [number, string, number, string])[];
}

const ROW = /^ *(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$/;
const NODE = /^([| ]*(?:->)?)(\d+\.\d\d)% \(([\d,]+)B\) ?(.*)$/;
const number = (text = "") => Number(text.replaceAll(",", ""));

/** @returns undefined where ms_print refuses the file */
function msPrint(file: string): Printed[] | undefined {
  const { status, stdout } = spawnSync("ms_print", ["--threshold=0", file], { maxBuffer: 2 ** 28 });
  if (status !== 0) return undefined;
  const snapshots: { figures: number[]; nodes: (readonly [number, string, number, string])[] }[] = [];
  for (const line of stdout.toString("utf8").split("\n")) {
    const row = ROW.exec(line);
    if (row !== null) snapshots.push({ figures: row.slice(2).map(number), nodes: [] });
    const node = NODE.exec(line);
    if (node === null) continue;
    const [, prefix = "", percent = "", bytes, label = ""] = node;
    snapshots.at(-1)?.nodes.push([prefix.length / 2, percent, number(bytes), label]);
  }
  return snapshots;
}

function printed(bytes: Uint8Array, file: MassifFile): Printed[] {
  return file.snapshots.map(({ time, heap, extra, stacks, tree }, index) => {
    const total = heap + extra + stacks;
    const nodes = tree.kind === "none" ? [] : nodesOf(readTreeOf(bytes, file, index), total);
    return { figures: [time, total, heap, extra, stacks], nodes };
  });
}

function nodesOf(tree: CallTree, total: number): Printed["nodes"] {
  const depths: number[] = [];
  return Array.from(tree.label, (label, node) => {
    const depth = node === 0 ? 0 : (depths[tree.parent[node] ?? 0] ?? 0) + 1;
    depths.push(depth);
    const bytes = tree.bytes[node] ?? 0;
    const percent = (total === 0 ? 0 : (100 * bytes) / total).toFixed(2).padStart(5, "0");
    // It takes what follows a # for a comment, also in a C++ name.
    return [depth, percent, bytes, (tree.labels[label] ?? "").replace(/#.*/, "")] as const;
  });
}

const hasMsPrint = spawnSync("ms_print", ["--version"]).error === undefined;

describe.skipIf(!hasMsPrint)("ms_print prints the same of our samples", () => {
  it.each(SAMPLES)("%s", (name) => {
    const bytes = new Uint8Array(fs.readFileSync(sampleFile(name)));
    const file = readMassif(bytes);
    // A line end in the command stops ms_print, not massif.
    const expected = msPrint(sampleFile(name));
    if (file.command.includes("\n")) expect(expected).toBeUndefined();
    else expect(printed(bytes, file)).toEqual(expected);
  });
});

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/massif/", import.meta.url));
/** Snapshots, trees and nodes, as `grep -c` counts their lines. */
const COUNTS: Record<string, readonly [snapshots: number, trees: number, nodes: number]> = {
  "collatzgc.massif.out.ideal": [532, 70, 1826],
  "kde.massif.out.32406": [2, 0, 0],
  "kde.massif.out.huge": [1, 0, 0],
  "kde.massif.out.kate": [74, 36, 14134],
  "kde.massif.out.ktorrent": [88, 28, 4336],
  "kde.massif.out.stack": [72, 72, 72],
  "massifg.massif-output-2snapshots.txt": [2, 2, 10],
  "matf.massif.out.119460": [82, 9, 215],
  "matf.massif.out.13026": [32, 3, 6],
  "matf.massif.out.6187pagesAsHeap": [31, 16, 252],
  "maze.massif.out": [8, 1, 11],
  "msparser.massif.out.0": [17, 2, 15],
  "msparser.massif.out.1": [15, 1, 377],
  "msparser.massif.out.2": [24, 1, 49],
  "msparser.massif.out.3": [50, 7, 92],
  "own.checkpoint-all_snapshots.out": [70, 66, 1337],
  "own.numpy-pages-as-heap.out": [59, 6, 3751],
  "own.pymalloc-no-peak.out": [61, 9, 1024],
  "own.valgrind313-py36.out": [76, 20, 13335],
  "rtsp-player.massif.out": [95, 12, 2311],
};

describe.skipIf(!fs.existsSync(fixtures))("files that others recorded", () => {
  const read = (name: string) => new Uint8Array(fs.readFileSync(fixtures + name));

  it.each(Object.keys(COUNTS))("%s", (name) => {
    const bytes = read(name);
    const file = readMassif(bytes);
    expect(file.problems).toEqual([]);
    const nodes = file.snapshots.map(({ tree }) => (tree.kind === "none" ? 0 : tree.nodes));
    const trees = nodes.filter((count) => count > 0).length;
    expect([nodes.length, trees, nodes.reduce((sum, count) => sum + count, 0)]).toEqual(COUNTS[name]);
    if (hasMsPrint) expect(printed(bytes, file)).toEqual(msPrint(fixtures + name));
  });

  it("figures above 2^32", () => {
    expect(readMassif(read("kde.massif.out.huge")).snapshots).toMatchObject([
      { time: 123667, heap: 5021305210, extra: 5021305211, stacks: 5021305212 },
    ]);
  });

  it("lines after the last tree that do not belong there", () => {
    const file = readMassif(read("matf.massif.out.1checking"));
    expect(file).toMatchObject({ timeUnit: "ms", snapshots: [{ extra: 324 }, { heap: 9000, tree: { nodes: 2 } }] });
    expect(file.problems).toMatchObject([{ line: 22 }]);
  });

  it.each(["matf.massif.out.empty", "matf.massif.out.junk", "own.torch-pypads.json"])("%s is refused", (name) => {
    expect(() => readMassif(read(name))).toThrow(UserError);
  });
});
