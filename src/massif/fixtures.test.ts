/** Real massif.out files: what the trees and their exports hold, against a second, slow reading of the same text. */
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folded } from "./exports/folded.ts";
import { heapProfile } from "./exports/heapprofile.ts";
import { speedscope } from "./exports/speedscope.ts";
import { linesAtPeak } from "./lines.ts";
import type { PythonPlace } from "./model.ts";
import { openMassif } from "./node/massifSource.ts";
import { byLibrary } from "./summary.ts";
import { frameTreeOf, type LabelFacts, viewOf } from "./tree/frameTree.ts";

const folder = fileURLToPath(new URL("../../../shared/fixtures/massif/", import.meta.url));

const FILES = [
  "collatzgc.massif.out.ideal",
  "kde.massif.out.kate",
  "kde.massif.out.ktorrent",
  "matf.massif.out.119460",
  "matf.massif.out.6187pagesAsHeap",
  "maze.massif.out",
  "msparser.massif.out.3",
  "own.checkpoint-all_snapshots.out",
  "own.numpy-pages-as-heap.out",
  "own.pymalloc-no-peak.out",
  "own.valgrind313-py36.out",
  "rtsp-player.massif.out",
];

interface TextSnapshot {
  readonly heap: number;
  readonly nodes: readonly { readonly depth: number; readonly bytes: number; readonly label: string }[];
}

/** Line by line, by regular expressions. */
function readText(file: string): TextSnapshot[] {
  const text = fs.readFileSync(folder + file, "latin1");
  return text
    .split(/^snapshot=.*$/m)
    .slice(1)
    .map((part) => ({
      heap: Number(/^mem_heap_B=(\d+)$/m.exec(part)?.[1]),
      nodes: [...part.matchAll(/^( *)n\d+: (\d+) (.*)$/gm)].map(([, indent = "", bytes, label = ""]) => {
        return { depth: indent.length, bytes: Number(bytes), label };
      }),
    }));
}

/** The text that stands for a label in folded stacks, and how often it stands there for unknown places. */
function nameOf(label: string): string {
  if (/^in \d+ places?, /.test(label)) return "below threshold";
  const [, name = "", location = ""] = /^0x[\dA-F]+: (.*?)(?: \((in [^()]*|[^()]*:\d+)\))?$/.exec(label) ?? [];
  const library = location.startsWith("in ") ? location.slice(location.lastIndexOf("/") + 1).replace(/^in /, "") : "";
  if (name === "???") return `[${library || "unknown"}]`;
  const place = library || location;
  return `${name}${place === "" ? "" : ` (${place})`}`.replaceAll(";", ",");
}

/** Bytes by stack, callers first. */
function foldText({ nodes }: TextSnapshot): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [index, { depth, bytes }] of nodes.entries()) {
    let own = bytes;
    for (let next = index + 1; next < nodes.length && (nodes[next]?.depth ?? 0) > depth; next++) {
      if (nodes[next]?.depth === depth + 1) own -= nodes[next]?.bytes ?? 0;
    }
    if (own === 0) continue;
    const stack: string[] = [];
    let wanted = depth;
    for (let above = index; above > 0; above--) {
      const node = nodes[above];
      if (node?.depth !== wanted) continue;
      stack.push(nameOf(node.label));
      wanted--;
    }
    const key = stack.join(";");
    sums.set(key, (sums.get(key) ?? 0) + own);
  }
  return sums;
}

const NONE: LabelFacts = { python: new Map(), library: new Map() };

describe.skipIf(!fs.existsSync(folder))("real files", () => {
  it.each(FILES)("%s: the folded stacks of every snapshot, and the total of every export", async (file) => {
    const source = await openMassif(folder + file);
    const texts = readText(file);
    expect(source.file.snapshots.length).toBe(texts.length);
    for (const [place, snapshot] of source.file.snapshots.entries()) {
      if (snapshot.tree.kind === "none") continue;
      const stacks = frameTreeOf(await source.tree(place), NONE);
      const expected = texts[place];
      if (expected === undefined) throw new Error(`No snapshot ${place}.`);
      const view = viewOf(stacks, { direction: "callers-first", allFrames: true });
      const lines = [...folded(view)].join("").split("\n").slice(0, -1);
      const found = lines.map((line) => {
        const [, stack = "", bytes] = /^(.*) (\d+)$/.exec(line) ?? [];
        return [stack.replace(/^below threshold \([\d,]+ places?\)/, "below threshold"), Number(bytes)] as const;
      });
      expect(new Map(found)).toEqual(foldText(expected));
      expect(view.total[0]).toBe(expected.heap);
      expect(byLibrary(stacks).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(expected.heap);
      if (snapshot.tree.kind === "peak") {
        const { profiles } = JSON.parse([...speedscope(view, { name: file })].join(""));
        expect(profiles[0].endValue).toBe(expected.heap);
        const sizes = [...heapProfile(view)].join("").matchAll(/"selfSize":(\d+)/g);
        expect([...sizes].reduce((sum, [, bytes]) => sum + Number(bytes), 0)).toBe(expected.heap);
      }
    }
  });

  it("leaves nothing of the interpreter's call mechanism between the Python frames of Python 3.6", async () => {
    const source = await openMassif(`${folder}own.valgrind313-py36.out`);
    const place = source.file.snapshots.findIndex(({ tree }) => tree.kind === "peak");
    const calls = await source.tree(place);
    const pads = calls.labels.flatMap((label, index): [number, PythonPlace][] => {
      const number = /: py_(\d+) /.exec(label)?.[1];
      return number === undefined
        ? []
        : [[index, { path: "w_deep.py", line: Number(number) + 1, function: `f${number}`, kind: "line" }]];
    });
    const stacks = frameTreeOf(calls, { python: new Map(pads), library: new Map() });
    const view = viewOf(stacks, { direction: "callers-first", allFrames: false });
    const lines = [...folded(view)].join("").split("\n");
    const names = new Set(lines.flatMap((line) => line.replace(/ \d+$/, "").split(";")));
    expect(lines.some((line) => line.startsWith("f00024 (w_deep.py:25);"))).toBe(true);
    const inPython = lines.filter((line) => line.includes("w_deep.py"));
    expect(inPython.every((line) => !/_PyEval|_PyFunction|_PyObject_(?:Fast)?Call|\[python/.test(line))).toBe(true);
    expect(names.has("PyByteArray_Resize (python3.6)")).toBe(true);
    expect(view.total[0]).toBe(stacks.total[0]);
    const owned = linesAtPeak(stacks).reduce((sum, { own }) => sum + own, 0);
    const below = inPython.reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)?.[1]), 0);
    expect(owned).toBe(below);
  });
});
