import { expect, it } from "vitest";
import { exportName } from "./exportName.ts";

it("keeps a plain name", () => {
  expect(exportName("train.py peak.svg")).toBe("train.py peak.svg");
});

it("makes one name of paths, signs and massif's own names", () => {
  expect(exportName("../../etc/passwd")).toBe("etc-passwd");
  expect(exportName('a:b\\c"d\n.svg')).toBe("a-b-c-d-.svg");
  expect(exportName("massif.out.4242.svg")).toBe("massif.4242.svg");
  expect(exportName("..")).toBe("flame-graph");
});
