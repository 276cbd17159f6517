import { describe, expect, it } from "vitest";
import { allBytes } from "../../../src/torch/model/bytes.ts";
import { hugePlans, LENET, rootOf } from "../testing.ts";
import { boxByKey, heaviestTypes, icicleOf, segmentsOf } from "./icicle.ts";
import { childrenOf } from "./layers.ts";

const root = rootOf(LENET);
const children = childrenOf(root);
const boxes = icicleOf(root, children, 0, 0);

describe("the icicle", () => {
  it("gives each layer its share of the model's bytes, inside the layer that it is in", () => {
    const whole = allBytes(root.total);
    for (const { layer, from, to } of boxes) {
      expect(to - from).toBeCloseTo(allBytes(layer.total) / whole, 12);
      const above = boxes.find((box) => box.layer.index === layer.parent);
      if (above !== undefined) expect([from >= above.from, to <= above.to + 1e-12]).toEqual([true, true]);
    }
    expect(boxes).toHaveLength(root.layers.length);
  });

  it("leaves out what is too narrow to be seen", () => {
    const huge = rootOf(hugePlans(5_000));
    const shown = icicleOf(huge, childrenOf(huge), 0, 1 / 1_000);
    expect(shown.length).toBeLessThan(1_002);
    expect(shown.every(({ from, to }) => to - from >= 1 / 1_000)).toBe(true);
  });

  it("zoomed to a layer, gives it and those above it the whole width", () => {
    const zoomed = icicleOf(root, children, 5, 0);
    expect(zoomed.map(({ layer, from, to }) => [layer.name, from, to]).slice(0, 2)).toEqual([
      ["", 0, 1],
      ["classifier", 0, 1],
    ]);
    expect(zoomed.map(({ layer }) => layer.name)).not.toContain("features");
  });

  it("of a model that holds nothing is the model alone", () => {
    const empty = rootOf([
      { name: "", type: "Empty" },
      { name: "one", type: "Identity" },
    ]);
    expect(icicleOf(empty, childrenOf(empty), 0, 0).map(({ layer }) => layer.index)).toEqual([0]);
    expect(icicleOf({ ...empty, layers: [] }, new Map(), 0, 0)).toEqual([]);
  });

  it("never draws a layer wider than the one that it is in, whatever a file says", () => {
    const [top, first, ...others] = root.layers;
    if (top === undefined || first === undefined) throw new Error("no layers");
    const lying = { ...first, total: { parameters: 10 * allBytes(root.total), buffers: 0 } };
    const wrong = { ...root, layers: [top, lying, ...others] };
    for (const { from, to } of icicleOf(wrong, childrenOf(wrong), 0, 0))
      expect([from >= 0, to <= 1]).toEqual([true, true]);
  });

  it("divides a layer by the kinds of its bytes, which fill it", () => {
    const parts = segmentsOf(root.layers[2] ?? root.layers[0] ?? ({} as never));
    expect(parts.map(({ kind }) => kind)).toEqual(["parameters", "gradients", "optimizer", "activations"]);
    expect(parts.at(-1)?.to).toBeCloseTo(1, 12);
  });

  it("is walked by arrow keys", () => {
    const to = (key: string, from: number) => boxByKey(key, boxes, from)?.layer.name;
    expect(to("ArrowDown", 0)).toBe("features");
    expect(to("ArrowRight", 1)).toBe("classifier");
    expect(to("ArrowUp", 6)).toBe("classifier");
    expect(to("Home", 5)).toBe("features");
    expect(to("ArrowUp", 0)).toBeUndefined();
    expect(to("x", 0)).toBeUndefined();
    expect(to("ArrowDown", 99)).toBe("");
  });

  it("colors the types that hold most themselves", () => {
    expect(heaviestTypes(root, 2)).toEqual(["torch.nn.modules.linear.Linear", "torch.nn.modules.conv.Conv2d"]);
  });
});
