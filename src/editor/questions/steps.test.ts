import { describe, expect, it, vi } from "vitest";
import type { Asked } from "./steps.ts";

vi.resetModules();
vi.doMock("vscode", () => ({}));
const steps = await import("./steps.ts");
const { askInSteps, keep } = steps;

/** A question whose answers come one after another; says whether it had a way back. */
function question(log: string[], name: string, answers: readonly unknown[], applies = () => true) {
  const left = [...answers];
  return {
    applies,
    ask: async (hasBack: boolean) => {
      log.push(hasBack ? `${name}<` : name);
      return left.shift();
    },
  };
}

describe("questions in steps", () => {
  it("are asked one after another, each but the first with a way back", async () => {
    const log: string[] = [];
    expect(await askInSteps([question(log, "a", [1]), question(log, "b", [2]), question(log, "c", [3])])).toBe(true);
    expect(log).toEqual(["a", "b<", "c<"]);
  });

  it("lead back over those that do not apply", async () => {
    const log: string[] = [];
    const questions = [
      question(log, "a", [1, 1]),
      question(log, "b", [2], () => false),
      question(log, "c", [steps.BACK, 3]),
    ];
    expect(await askInSteps(questions)).toBe(true);
    expect(log).toEqual(["a", "c<", "a", "c<"]);
  });

  it("end where one is declined", async () => {
    const log: string[] = [];
    expect(await askInSteps([question(log, "a", [1]), question(log, "b", [undefined]), question(log, "c", [3])])).toBe(
      false,
    );
    expect(log).toEqual(["a", "b<"]);
  });

  it("hand on what was answered alone", async () => {
    const taken: string[] = [];
    const take = (answer: string): void => void taken.push(answer);
    expect(await keep(Promise.resolve<Asked<string>>(steps.BACK), take)).toBe(steps.BACK);
    expect(await keep(Promise.resolve<Asked<string>>(undefined), take)).toBeUndefined();
    expect(await keep(Promise.resolve<Asked<string>>("x"), take)).toBe("x");
    expect(taken).toEqual(["x"]);
  });
});
