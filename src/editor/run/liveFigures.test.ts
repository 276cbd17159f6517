import { expect, it } from "vitest";
import { createLiveFigures } from "./liveFigures.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("shows a run once, as soon as it can be read, and is not asked twice meanwhile", async () => {
  const asked: string[] = [];
  const failed: unknown[] = [];
  let readable = false;
  const live = createLiveFigures(
    async (folder) => {
      asked.push(folder);
      if (!readable) throw new Error("no run.json yet");
    },
    (error) => failed.push(error),
  );
  live.progressed("/runs/a", 200);
  live.progressed("/runs/a", 400);
  expect(asked).toEqual(["/runs/a"]);
  await settled();
  expect(failed).toHaveLength(1);
  readable = true;
  // Not with every sample.
  live.progressed("/runs/a", 600);
  expect(asked).toEqual(["/runs/a"]);
  live.progressed("/runs/a", 1_200);
  await settled();
  live.progressed("/runs/a", 3_000);
  await settled();
  expect(asked).toEqual(["/runs/a", "/runs/a"]);
  expect(failed).toHaveLength(1);
});
