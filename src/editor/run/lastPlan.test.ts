import { describe, expect, it } from "vitest";
import { type LastPlan, lastPlan, type PlanMemory, rememberPlan } from "./lastPlan.ts";

function memory(): PlanMemory {
  const kept = new Map<string, string>();
  return {
    get: (key) => JSON.parse(kept.get(key) ?? "null"),
    update: async (key, value) => void kept.set(key, JSON.stringify(value)),
  };
}

const PLAN: LastPlan = {
  chosen: { projectFolder: "/home/me/project", script: "src/train.py" },
  target: "ssh://nano@10.0.0.2",
  options: {
    args: ["--epochs", "2"],
    engine: "line",
    exact: true,
    python: "~/venv",
    torch: { exactPeaks: true, snapshots: { entries: 1000 } },
  },
};

describe("what was profiled last", () => {
  it("is the same script, board, arguments and options", async () => {
    const kept = memory();
    expect(lastPlan(kept)).toBeUndefined();
    await rememberPlan(kept, PLAN);
    expect(lastPlan(kept)).toEqual(PLAN);
  });

  it("is remembered without what was not chosen", async () => {
    const kept = memory();
    const options = { args: [], engine: "massif", exact: false, python: undefined, torch: undefined } as const;
    await rememberPlan(kept, { ...PLAN, options });
    expect(lastPlan(kept)?.options).toEqual(options);
  });

  it("does not try a change to the model once more", async () => {
    const kept = memory();
    const torch = { exactPeaks: false, model: { steps: 3, trial: { batch: 2 } } };
    await rememberPlan(kept, { ...PLAN, options: { ...PLAN.options, torch: torch as never } });
    expect(lastPlan(kept)?.options.torch).toEqual({ exactPeaks: false, model: { steps: 3 } });
  });

  it("is unknown where what is kept is not ours", async () => {
    const kept = memory();
    await rememberPlan(kept, PLAN);
    await kept.update("jetsonMemprof.lastProfile", { ...PLAN.chosen, target: 5 });
    expect(lastPlan(kept)).toBeUndefined();
  });
});
