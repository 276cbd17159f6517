import { describe, expect, it } from "vitest";
import { allBytes } from "../../../src/torch/model/bytes.ts";
import { hugePlans, LENET, rootOf } from "../testing.ts";
import { childrenOf, openAtFirst, pathTo, rowKey, rowsOf, shortName, shortType } from "./layers.ts";

const root = rootOf(LENET);
const children = childrenOf(root);
const all = new Set(root.layers.map(({ index }) => index));
const names = (choice: Parameters<typeof rowsOf>[2]): string[] =>
  rowsOf(root, children, choice).map(({ layer }) => layer.name);

describe("layers as a tree", () => {
  it("come in the order of the model, each at its level, with its place among its siblings", () => {
    const rows = rowsOf(root, children, { arrangement: "tree", open: all });
    expect(rows.map(({ layer, level, position, siblings }) => [layer.name, level, position, siblings])).toEqual([
      ["", 1, 1, 1],
      ["features", 2, 1, 2],
      ["features.0", 3, 1, 3],
      ["features.1", 3, 2, 3],
      ["features.2", 3, 3, 3],
      ["classifier", 2, 2, 2],
      ["classifier.0", 3, 1, 2],
      ["classifier.1", 3, 2, 2],
    ]);
  });

  it("hold all that is in them", () => {
    const [top] = rowsOf(root, children, { arrangement: "tree", open: all });
    expect(top && allBytes(top.bytes)).toBe(allBytes(root.total));
  });

  it("have a row for what a layer holds itself, so that the rows below it add up to it", () => {
    const own = { parameters: 3_000_000, buffers: 0, gradients: 0, optimizer: 0, activations: 0 };
    const [top, ...others] = root.layers;
    if (top === undefined) throw new Error("no layers");
    const total = { ...top.total, parameters: top.total.parameters + own.parameters };
    const held = { ...root, total, layers: [{ ...top, own, total }, ...others] };
    const below = rowsOf(held, children, { arrangement: "tree", open: new Set([0]) }).slice(1);
    expect(below.map(rowKey)).toEqual(["0-itself", "1", "5"]);
    expect(below.map(({ position, siblings }) => [position, siblings])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(below.reduce((sum, { bytes }) => sum + allBytes(bytes), 0)).toBe(allBytes(total));
    const sorted = rowsOf(held, children, { arrangement: "tree", open: new Set([0]), sort: "activations" });
    expect(sorted.map(rowKey).at(-1)).toBe("0-itself");
    expect(rowsOf(held, children, { arrangement: "tree", open: new Set() })).toHaveLength(1);
  });

  it("show nothing below a layer that is folded", () => {
    const rows = rowsOf(root, children, { arrangement: "tree", open: new Set([0]) });
    expect(rows.map(({ layer, fold }) => [layer.name, fold])).toEqual([
      ["", "open"],
      ["features", "closed"],
      ["classifier", "closed"],
    ]);
  });

  it("are sorted among their siblings", () => {
    expect(names({ arrangement: "tree", open: all, sort: "parameters" })).toEqual([
      "",
      "classifier",
      "classifier.0",
      "classifier.1",
      "features",
      "features.0",
      "features.1",
      "features.2",
    ]);
  });

  it("open at first where they are few, and only down to the first fork where they are many", () => {
    expect(openAtFirst(root, children)).toEqual(all);
    const huge = rootOf(hugePlans(300));
    expect(openAtFirst(huge, childrenOf(huge))).toEqual(new Set([0, 1]));
  });
});

describe("layers as a table", () => {
  it("are each counted alone, so that a column adds up to the model", () => {
    const rows = rowsOf(root, children, { arrangement: "table", open: new Set() });
    expect(rows).toHaveLength(root.layers.length);
    expect(rows.reduce((sum, { bytes }) => sum + allBytes(bytes), 0)).toBe(allBytes(root.total));
  });

  it("are sorted largest first, names as people count", () => {
    expect(names({ arrangement: "table", open: new Set(), sort: "total" })[0]).toBe("classifier.0");
    const ten = rootOf(hugePlans(13));
    const sorted = rowsOf(ten, childrenOf(ten), { arrangement: "table", open: new Set(), sort: "name" });
    expect(sorted.map(({ layer }) => layer.name).slice(2, 5)).toEqual(["blocks.0", "blocks.1", "blocks.2"]);
    expect(sorted.at(-1)?.layer.name).toBe("blocks.10");
  });

  it("put what was not seen last", () => {
    const [heaviest, ...others] = [...root.layers].sort((a, b) => b.own.parameters - a.own.parameters);
    if (heaviest === undefined) throw new Error("no layers");
    const { gradients: _, ...own } = heaviest.own;
    const half = { ...root, layers: [{ ...heaviest, own }, ...others] };
    const sorted = rowsOf(half, children, { arrangement: "table", open: new Set(), sort: "gradients" });
    expect(sorted.at(-1)?.layer.name).toBe("classifier.0");
  });
});

describe("the name of a layer", () => {
  it("is short below its parent, and of a type its last part", () => {
    expect(root.layers.map(shortName)).toEqual(["LeNet", "features", "0", "1", "2", "classifier", "0", "1"]);
    expect(shortType("torch.nn.modules.conv.Conv2d")).toBe("Conv2d");
    expect(shortType("")).toBe("");
  });

  it("has the layers above it", () => {
    expect(pathTo(root, 6).map(({ index }) => index)).toEqual([0, 5]);
    expect(pathTo(root, 0)).toEqual([]);
    expect(pathTo(root, 99)).toEqual([]);
  });
});
