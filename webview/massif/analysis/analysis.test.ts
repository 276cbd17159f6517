import { describe, expect, test } from "vitest";
import { MAX_NODES } from "../../../src/massif/limits.ts";
import type { WireTree } from "../../../src/protocol/massif/massif.ts";
import { figuresOf } from "../../flame/figures.ts";
import { type Analysis, createAnalysis } from "./analysis.ts";
import type { Graph, GraphRequest, Job, Results } from "./jobs.ts";

const base64 = ({ buffer }: Uint32Array | Float64Array): string => btoa(String.fromCharCode(...new Uint8Array(buffer)));

/** `malloc` below `python` (train.py:33) and below `other`, of these sizes. */
function wire(python: number, other: number): WireTree {
  return {
    labels: [
      "(heap allocation functions) malloc",
      "0x1: grow (in /usr/lib/liba.so)",
      "0x2: py_00001 (in /p.so)",
      "0x3: other (o.c:1)",
    ],
    label: base64(Uint32Array.from([0, 1, 2, 3])),
    parent: base64(Uint32Array.from([0, 0, 1, 1])),
    bytes: base64(Float64Array.from([python + other, python + other, python, other])),
    python: [{ label: 2, place: { path: "train.py", line: 33 }, function: "train", kind: "line" }],
    library: [],
  };
}

const run = <Kind extends Job["kind"]>(analysis: Analysis, job: Extract<Job, { kind: Kind }>): Results[Kind] =>
  analysis.run(job) as Results[Kind];

function stored(): Analysis {
  const analysis = createAnalysis();
  run(analysis, { kind: "store", name: "a", wire: wire(30, 10), keep: [] });
  run(analysis, { kind: "store", name: "b", wire: wire(50, 4), keep: [] });
  return analysis;
}

const REQUEST: GraphRequest = { of: { kind: "snapshot", tree: "a" }, direction: "callers-first", fold: true };
const CHANGE: GraphRequest = { ...REQUEST, of: { kind: "difference", before: "a", after: "b" } };
const show = (analysis: Analysis, request: GraphRequest): Graph => run(analysis, { kind: "graph", request });

describe("the worker's analysis", () => {
  test("makes a graph of one snapshot", () => {
    const { tree, whole, layout, libraries, sides } = show(stored(), REQUEST);
    expect([tree.total[0], whole, sides]).toEqual([40, 40, undefined]);
    expect(tree.frames[tree.frame[1] ?? 0]).toMatchObject({ kind: "python", path: "train.py", line: 33 });
    expect([...layout.x1.slice(0, 3)]).toEqual([1, 0.75, 1]);
    expect(libraries).toEqual(["liba.so"]);
  });

  test("keeps what is in scope, and still knows the whole", () => {
    const { tree, whole } = show(stored(), { ...REQUEST, scope: { path: "train.py", line: 33 } });
    expect([tree.total[0], whole]).toEqual([30, 40]);
  });

  test("of a change, widths are what changed, and both sides are known", () => {
    const { tree, weights, sides, whole } = show(stored(), CHANGE);
    expect([tree.total[0], weights[0], sides?.before[0], sides?.after[0], whole]).toEqual([14, 26, 40, 54, 54]);
  });

  test("tables add up, also those of a change", () => {
    const analysis = stored();
    show(analysis, REQUEST);
    expect(run(analysis, { kind: "tables" })).toMatchObject({
      libraries: [{ name: "liba.so", bytes: 40 }],
      allocators: [{ self: 40, total: 40 }],
      python: [{ place: { path: "train.py", line: 33 }, own: 30, total: 30 }],
    });
    show(analysis, CHANGE);
    expect(run(analysis, { kind: "tables" })).toMatchObject({
      libraries: [{ bytes: 14 }],
      allocators: [{ self: 14 }],
      python: [{ own: 20, total: 20 }],
    });
  });

  test("of what was sampled, has how far each figure may be off", () => {
    const analysis = createAnalysis();
    const sampled = { variance: base64(Float64Array.from([9, 9, 9, 0])), mean: 2 };
    run(analysis, { kind: "store", name: "a", wire: { ...wire(30, 10), sampled }, keep: [] });
    const graph = show(analysis, REQUEST);
    expect(figuresOf(graph, 0)[0]?.value).toBe("40 B ± 10 B");
    expect(graph.variances?.length).toBe(graph.tree.total.length);
    expect(run(analysis, { kind: "tables" })).toMatchObject({
      libraries: [{ bytes: 40, band: 10 }],
      python: [{ own: 30, band: { own: 10, total: 10 } }],
    });
    expect(run(analysis, { kind: "export", format: "svg", title: "t" })).toContain("30 B ± 10 B");
    expect(show(stored(), REQUEST)).not.toHaveProperty("variances");
  });

  test("exports what was shown last", () => {
    const analysis = stored();
    expect(() => run(analysis, { kind: "tables" })).toThrow("No snapshot is shown yet.");
    show(analysis, REQUEST);
    expect(run(analysis, { kind: "export", format: "folded", title: "t" })).toBe(
      "train (train.py:33);grow (liba.so) 30\nother (o.c:1);grow (liba.so) 10\n",
    );
  });

  test("keeps the last four trees, and those it was told to", () => {
    const analysis = stored();
    for (const name of ["c", "d", "e"]) run(analysis, { kind: "store", name, wire: wire(1, 1), keep: [] });
    expect(() => show(analysis, REQUEST)).toThrow("The snapshot is no longer loaded.");
    run(analysis, { kind: "store", name: "f", wire: wire(1, 1), keep: ["b", "f"] });
    expect(show(analysis, { ...REQUEST, of: { kind: "snapshot", tree: "b" } }).whole, "it is needed").toBe(54);
  });

  test("refuses trees that do not fit together", () => {
    const good = wire(1, 1);
    const faulty: Partial<WireTree>[] = [
      { label: "%%%" },
      { label: base64(Uint32Array.from([0, 1, 2, 9])) },
      { label: base64(Uint32Array.from([])) },
      { parent: base64(Uint32Array.from([0, 2, 1, 1])) },
      { parent: base64(Uint32Array.from([0, 0, 1])) },
      { bytes: base64(Float64Array.from([1, 1, Number.NaN, 1])) },
      { bytes: "AAAA" },
      { sampled: { variance: "%%%", mean: 1 } },
      { sampled: { variance: base64(Float64Array.from([1, 1, 1])), mean: 1 } },
      { sampled: { variance: base64(Float64Array.from([1, 1, -1, 1])), mean: 1 } },
    ];
    for (const parts of faulty)
      expect(() => createAnalysis().run({ kind: "store", name: "x", wire: { ...good, ...parts }, keep: [] })).toThrow(
        "arrived damaged",
      );
    const long = "A".repeat(Math.ceil(((MAX_NODES + 100) * 16) / 3));
    expect(() => createAnalysis().run({ kind: "store", name: "x", wire: { ...good, label: long }, keep: [] })).toThrow(
      "too many frames",
    );
  });
});
