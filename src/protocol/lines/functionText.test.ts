import { expect, it } from "vitest";
import { MIB } from "../../profile/testing.ts";
import { lensTitle, rowFigures } from "./functionText.ts";

const several = { net: 141.6 * MIB, peak: 13 * MIB, timeNs: 1.2e9, calls: 64 };
const none = { calls: 1, unfinished: { calls: 1, atLeast: 96 * MIB } };

it("says that a peak is of one call where the net is of several", () => {
  expect(lensTitle(several, "rss")).toBe("+141.6 MiB net · +13.0 MiB peak of one call · 1.2 s · 64 calls");
  expect(rowFigures(several, "rss").join(" · ")).toBe("+141.6 MiB · peak +13.0 MiB of one call · 1.2 s · 64 calls");
  expect(lensTitle({ ...several, calls: 1 }, "cuda")).toBe("CUDA +141.6 MiB net · +13.0 MiB peak · 1.2 s · 1 call");
});

it("has no figures of a function none of whose calls ended, but what it held at least", () => {
  for (const text of [lensTitle(none, "rss"), rowFigures(none, "rss").join(" · ")]) {
    expect(text).toBe("unfinished · at least +96.0 MiB · 1 call");
  }
  expect(lensTitle({ calls: 3, unfinished: { calls: 3, atLeast: 0 } }, "rss")).toBe("unfinished · 3 calls");
  expect(lensTitle(none, "system")).toBe("unfinished · board at least +96.0 MiB · 1 call");
});

it("says how many calls the figures leave out", () => {
  expect(lensTitle({ ...several, unfinished: { calls: 1 } }, "rss")).toMatch(/ · 64 calls, 1 unfinished$/);
});

it("counts no calls of the module level", () => {
  const module = { net: MIB, calls: 0, unfinished: { calls: 1, atLeast: 96 * MIB } };
  expect(rowFigures(module, "rss").join(" · ")).toBe("unfinished · at least +96.0 MiB");
});
