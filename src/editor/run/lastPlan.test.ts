import { describe, expect, it } from "vitest";
import { type LastPlan, lastPlan, type PlanMemory, rememberPlan } from "./lastPlan.ts";

function memory(): PlanMemory {
  const kept = new Map<string, string>();
  return {
    get: (key) => JSON.parse(kept.get(key) ?? "null"),
    update: async (key, value) => void kept.set(key, JSON.stringify(value)),
  };
}

const PLACE = {
  chosen: { projectFolder: "/home/me/project", script: "src/train.py" },
  target: "ssh://nano@10.0.0.2",
};
const asked = {
  args: ["--epochs", "2"],
  engine: "line",
  exact: true,
  python: "~/venv",
  torch: { exactPeaks: true, snapshots: { entries: 1000 } },
} as const;

describe("what was profiled last", () => {
  it.each<LastPlan["how"]>([
    { manner: "ask", options: asked },
    { manner: "ask", options: { args: [], engine: "massif", exact: false, python: undefined, torch: undefined } },
    { manner: "ask", options: { ...asked, nativeStacks: true } },
    { manner: "settings" },
    { manner: "native" },
    { manner: "model" },
  ])("is the same script and board, in the same manner: %o", async (how) => {
    const kept = memory();
    expect(lastPlan(kept)).toBeUndefined();
    await rememberPlan(kept, { ...PLACE, how });
    expect(lastPlan(kept)).toEqual({ ...PLACE, how });
  });

  it("is unknown where what is kept is not ours", async () => {
    const kept = memory();
    await rememberPlan(kept, { ...PLACE, how: { manner: "settings" } });
    await kept.update("jetsonMemprof.lastProfile", { ...PLACE.chosen, target: PLACE.target, how: { manner: "any" } });
    expect(lastPlan(kept)).toBeUndefined();
  });
});
