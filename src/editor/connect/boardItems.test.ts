import { expect, it } from "vitest";
import { boardItems } from "./boardItems.ts";

const sources = { configured: ["nano-1", "orin"], runsHere: true };
const shown = (set: readonly string[], from = sources) =>
  boardItems(set, from).map(({ board, picked, label }) => [board, picked, label]);

it("has the setting's boards first and chosen, then the others, each once", () => {
  expect(shown(["orin", "ssh://nano@10.0.0.1:2222"])).toEqual([
    ["orin", true, "orin"],
    ["nano@10.0.0.1:2222", true, "nano@10.0.0.1:2222"],
    ["nano-1", false, "nano-1"],
    ["local", false, "This computer"],
    ["loopback", false, "Simulated board (this computer, over SSH)"],
  ]);
});

it("has nothing chosen where the setting is empty", () => {
  expect(shown([], { configured: [], runsHere: false })).toEqual([]);
  expect(shown([]).some(([, picked]) => picked)).toBe(false);
});
