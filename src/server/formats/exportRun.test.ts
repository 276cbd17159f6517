import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { schemaFaults } from "../../formats/exports/schemaTesting.ts";
import { makeTraining } from "../../formats/exports/testing.ts";
import { MIB, makeProject } from "../../profile/testing.ts";
import { MEAN, sampledFiles } from "../massif/testing.ts";
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

it("has in JSON what was sampled of native stacks, with half of ±", async () => {
  const { project, run, remove } = makeProject(sampledFiles());
  const file = path.join(project, "run.json");
  await exportRunTo(store, { folder: run, format: "json", file });
  const json = JSON.parse(fs.readFileSync(file, "utf8"));
  remove();
  expect(schemaFaults(json)).toEqual([]);
  const error = Math.round(Math.sqrt(MEAN * 64 * MIB + 4 * MEAN ** 2));
  // train.py:4 only called model.py:2, so no sample met what it took itself.
  expect(json.heaps[0].lines[2]).toEqual({
    path: "train.py",
    line: 4,
    function: "main",
    total_bytes: 64 * MIB,
    total_error_bytes: error,
  });
});
