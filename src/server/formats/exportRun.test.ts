import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTraining } from "../../formats/exports/testing.ts";
import { createRunStore } from "../runs/runStore.ts";
import { exportRunTo } from "./exportRun.ts";

let scene: ReturnType<typeof makeTraining>;
const store = createRunStore({ onChange: () => {} });
beforeEach(() => {
  scene = makeTraining();
});
afterEach(() => scene.remove());

it("writes the run in the format that was asked for, and tells what is not in it", async () => {
  const file = path.join(scene.project, "run.speedscope.json");
  const { notes } = await exportRunTo(store, { folder: scene.run, format: "speedscope", metric: "cuda", file });
  const { profiles } = JSON.parse(fs.readFileSync(file, "utf8"));
  expect(profiles[0]).toMatchObject({ unit: "bytes" });
  expect(notes).toEqual([]);
});

it("writes nothing into the run's own folder", async () => {
  const file = path.join(scene.run, "lines.jsonl");
  const before = fs.readFileSync(file, "utf8");
  await expect(exportRunTo(store, { folder: scene.run, format: "html", file })).rejects.toThrow("run's own folder");
  expect(fs.readFileSync(file, "utf8")).toBe(before);
});
