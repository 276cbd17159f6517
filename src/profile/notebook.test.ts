import { describe, expect, it } from "vitest";
import { cellOf, fileName } from "./notebook.ts";

describe("the path of a notebook's cell", () => {
  it("tells the notebook and the cell's number", () => {
    expect(cellOf("nets/train.ipynb#cell12.py")).toEqual({ notebook: "nets/train.ipynb", number: 12 });
  });
  it.each(["train.py", "train.ipynb", "train.ipynb#cell0.py", "train#cell1.py", "train.ipynb#cell1.py/x"])(
    "is not %s",
    (path) => {
      expect(cellOf(path)).toBeUndefined();
    },
  );
  it("is shown as people say it", () => {
    expect(fileName("train.ipynb#cell3.py")).toBe("cell 3 of train.ipynb");
    expect(fileName("nets/train.py")).toBe("nets/train.py");
  });
});
