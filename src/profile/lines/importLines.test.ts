import { describe, expect, it } from "vitest";
import { importLines } from "./importLines.ts";

describe("the imports of a script", () => {
  it("are found at the module's own level", () => {
    expect(
      importLines("import os\n\nfrom torch import (\n    nn,\n)\ndef f():\n    import json\nimported = 1\n"),
    ).toEqual([1, 3]);
  });

  it("are not what a text in quotes says", () => {
    expect(importLines("\"\"\"\nimport os\n\"\"\"\nimport sys\n'''from x'''\r\nfrom\ty import z\r\n")).toEqual([4, 6]);
  });
});
