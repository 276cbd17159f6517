import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import { createAccountTable } from "./accountTable.ts";
import { allBytes, childrenOf, mainRoot, shareOf } from "./bytes.ts";
import type { RootAccount } from "./model.ts";
import { shownSize } from "./peaks.ts";
import { accountOf, HEADER, module, SMALL, step } from "./testing.ts";

function rootOf(records: readonly (object | string)[]): RootAccount {
  const [root] = accountOf(records).roots;
  if (root === undefined) throw new Error("no root");
  return root;
}

describe("a model account", () => {
  it("counts each storage once, with the layer that names it first", () => {
    const { layers, total, at } = rootOf(SMALL);
    expect(at).toEqual({ path: "train.py", line: 33 });
    expect(layers.map(({ own }) => own)).toEqual([
      { parameters: 0, buffers: 0, gradients: 0, optimizer: 0, activations: 16 },
      { parameters: 400, buffers: 0, gradients: 400, optimizer: 800, activations: 0 },
      { parameters: 40, buffers: 80, gradients: 0, optimizer: 0, activations: 1624 },
    ]);
    expect(total).toEqual({ parameters: 440, buffers: 80, gradients: 400, optimizer: 800, activations: 1640 });
    expect(accountOf(SMALL).optimizers).toEqual([{ type: "torch.optim.adam.Adam", bytes: 800, other: 8 }]);
  });

  it("leaves the root's own input out of the activations, and tells what grows with the batch", () => {
    const size = shownSize(rootOf(SMALL));
    expect(size).toMatchObject({ batch: 4, activations: 1640, activationsScaling: 1616, inputs: 160 });
  });

  it("has shares that add up to the whole over the layers of one level", () => {
    const root = rootOf(SMALL);
    const below = (childrenOf(root).get(0) ?? []).reduce((sum, layer) => sum + shareOf(layer.total, root), 0);
    const [top] = root.layers;
    expect(top && shareOf(top.total, root)).toBe(1);
    expect(below + 16 / allBytes(root.total)).toBeCloseTo(1, 12);
  });

  it("shows what was not seen as absent, not as nothing", () => {
    const { total, shownStep, chain } = rootOf(SMALL.slice(0, 5));
    expect(total).toEqual({ parameters: 440, buffers: 80 });
    expect([shownStep, chain]).toEqual([undefined, undefined]);
  });

  it("takes a step's later record for its peak, and not the first step's where another has its size", () => {
    const records = [
      ...SMALL.slice(0, 5),
      step(1, 4, { measure: "cuda-allocated", memory_before: 100 }),
      step(1, 4, { measure: "cuda-allocated", memory_before: 100, memory_peak: 900 }),
      step(2, 4, { measure: "cuda-allocated", memory_before: 100, memory_peak: 600 }),
      { record: "activations", root: 0, step: 1, rows: [[1, 5, 10, [4], "float32", true, "layer"]] },
    ];
    expect(shownSize(rootOf(records))).toMatchObject({ peak: 500, measure: "cuda-allocated" });
    expect(shownSize(rootOf(records.filter((_, i) => i !== 7)))).toMatchObject({ peak: 800 });
  });

  it("takes no RSS of the first step, and none below the saved activations, for a measured peak", () => {
    const rss = (number: number, peak: number) =>
      step(number, 4, { measure: "rss", memory_before: 100, memory_peak: 100 + peak });
    const saved = { record: "activations", root: 0, step: 2, rows: [[1, 5, 400, [4], "float32", true, "layer"]] };
    const of = (...steps: object[]) => shownSize(rootOf([...SMALL.slice(0, 5), ...steps, saved]))?.peak;
    expect(of(rss(1, 900), rss(2, 10))).toBeUndefined();
    expect(of(rss(1, 900), rss(2, 10), rss(3, 500))).toBe(500);
    expect(of(rss(1, 900), rss(2, 395))).toBe(395);
  });

  it("puts layers in preorder, whatever order they came in", () => {
    const none = { parameters: [], buffers: [] };
    const { layers } = rootOf([
      HEADER,
      { record: "root", root: 0, type: "Net", device: "cpu" },
      module(0, 0, "", none),
      module(1, 0, "a", none),
      module(2, 0, "b", none),
      module(3, 1, "a.x", none),
    ]);
    expect(layers.map(({ name, parent }) => [name, parent])).toEqual([
      ["", undefined],
      ["a", 0],
      ["a.x", 1],
      ["b", 0],
    ]);
  });

  it("takes the root with the most parameters for the model", () => {
    const loss = { record: "root", root: 1, type: "MSELoss", device: "cpu" };
    const { roots } = accountOf([...SMALL, loss, { ...module(0, 0, "", {}), root: 1, parameters: [], buffers: [] }]);
    expect(roots).toHaveLength(2);
    expect(mainRoot(roots)).toBe(0);
    expect(mainRoot([])).toBeUndefined();
  });
});

describe("a damaged or hostile model account", () => {
  it.each([
    ["cut off", '{"record":"module","root":0,'],
    ["no object", "[1,2]"],
    ["a root that is not there", { ...step(2, 4), root: 99 }],
    ["a parent that comes later", module(8, 9, "x", { parameters: [], buffers: [] })],
    ["a layer told twice", module(1, 0, "x", { parameters: [], buffers: [] })],
    ["a chain without end", { record: "chain", root: 0, step: 1, rows: Array(5001).fill([1, 1, 8, 2, 8]) }],
    ["a negative batch", { ...step(2, 4), step: -1 }],
    ["an endless number", '{"record":"step","root":0,"step":1e999}'],
  ])("passes over and counts %s", (_, record) => {
    const account = accountOf([...SMALL, record]);
    expect(account.problems).toEqual(["1 records or rows of model.7.jsonl cannot be read; what they say is missing."]);
    expect(account.roots[0]?.total).toEqual(rootOf(SMALL).total);
  });

  it.each([[-1], [1.5], [2 ** 60], ["4"], [null]])("leaves out rows whose size is %o", (bytes) => {
    const account = accountOf([...SMALL, { record: "gradients", root: 0, step: 2, rows: [["b.bias", 2, bytes]] }]);
    expect(account.problems).toHaveLength(1);
    expect(account.roots[0]?.total.gradients).toBe(400);
  });

  it("ignores what a newer helper wrote, and names that are JavaScript's own", () => {
    const account = accountOf([...SMALL, { record: "toString" }, { record: "new", x: 1 }, { record: "__proto__" }]);
    expect(account.problems).toEqual([]);
  });

  it("tells what the recorder could not account, each once", () => {
    const told = { record: "problem", message: "Net was compiled by TorchScript." };
    expect(accountOf([...SMALL, told, told]).problems).toEqual([told.message]);
  });

  it("adds up many records of one step in a time that grows with their number alone", () => {
    const count = 50_000;
    const rows = (place: number) => [[1, 100 + place, 4, [1], "float32", true, "layer"]];
    const records = Array.from({ length: count }, (_, place) => {
      return JSON.stringify({ record: "activations", root: 0, step: 1, rows: rows(place) });
    });
    const saved = rootOf(SMALL).total.activations ?? 0;
    expect(rootOf([...SMALL, ...records]).total.activations).toBe(saved + 4 * count);
  });

  it("has no account without a header, and refuses a newer format", () => {
    const table = createAccountTable("model.7.jsonl");
    table.add(JSON.stringify(SMALL[1]));
    expect(table.account()).toBeUndefined();
    expect(() => table.add(JSON.stringify({ ...HEADER, schema: 2 }))).toThrow("format 2");
  });

  it("reads a tree of 20,000 layers in a row without recursion", () => {
    const layers = Array.from({ length: 20_000 }, (_, i) =>
      module(i, Math.max(0, i - 1), `m${i}`, {
        parameters: [[`m${i}.w`, i, 4, [1], "float32", true]],
        buffers: [],
      }),
    );
    const root = rootOf([HEADER, { record: "root", root: 0, type: "Deep", device: "cpu" }, ...layers]);
    expect(root.total.parameters).toBe(80_000);
    expect(root.layers.at(-1)?.total.parameters).toBe(4);
  });

  it("keeps totals equal to the sums of what layers hold, and nothing negative, whatever the rows say", () => {
    const random = seeded(1).below;
    for (let round = 0; round < 30; round++) {
      const count = 1 + random(20);
      const modules = Array.from({ length: count }, (_, i) =>
        module(i, random(Math.max(1, i)), `m${i}`, {
          parameters: [[`m${i}.w`, random(10), random(1000), [1], "float32", random(2) === 1]],
          buffers: [[`m${i}.b`, random(30), random(1000), [1], "float32"]],
        }),
      );
      const rows = Array.from({ length: 30 }, () => [
        random(25),
        random(40),
        random(5000) - 10,
        [2],
        "float32",
        random(2) === 1,
        ["layer", "input", "after"][random(3)],
      ]);
      const root = rootOf([
        HEADER,
        { record: "root", root: 0, type: "R", device: "cpu" },
        ...modules,
        step(1, 2),
        { record: "activations", root: 0, step: 1, rows },
      ]);
      for (const kind of ["parameters", "buffers", "activations"] as const) {
        expect(root.layers.reduce((sum, { own }) => sum + (own[kind] ?? 0), 0)).toBe(root.total[kind]);
        for (const { own, total } of root.layers) {
          expect(own[kind]).toBeGreaterThanOrEqual(0);
          expect(total[kind]).toBeGreaterThanOrEqual(own[kind] ?? 0);
        }
      }
      expect(root.steps[0]?.activations).toBe(root.total.activations);
    }
  });
});
