/** A run exported, imported into a run folder of its own, and exported again. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ExportFormat } from "../../profile/formats/exportFormats.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { writeImportedRun } from "../importedRunFolder.ts";
import { importContent } from "../imports/importers.ts";
import { exportRun } from "./exportRun.ts";
import { makeTraining } from "./testing.ts";

let runs = "";
let scene: ReturnType<typeof makeTraining>;
beforeEach(() => {
  runs = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-round-"));
  scene = makeTraining({}, { warnings: [{ code: "x", message: "said" }] });
});
afterEach(() => {
  fs.rmSync(runs, { recursive: true, force: true });
  scene.remove();
});

async function exported(folder: string, format: ExportFormat): Promise<string> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  return [...(await exportRun(reader, format, {})).content].join("");
}

async function imported(text: string, file: string): Promise<string> {
  const project = { root: scene.project, source: () => undefined };
  return await writeImportedRun(importContent(Buffer.from(text), {}, { file, modified: new Date(0), project }), runs);
}

it("gives the same JSON again, but for the run's id, where it is from, its pin and its group", async () => {
  const name = "init on the GPU, über alles";
  fs.writeFileSync(
    path.join(scene.run, "label.json"),
    JSON.stringify({ schema: 1, name, note: "fits with batch 8", tags: ["fp16", "nano"], pinned: true }),
  );
  fs.writeFileSync(
    path.join(scene.run, "group.json"),
    JSON.stringify({ schema: 1, kind: "repeat", id: "20261121-094501-train-aaaa", index: 2, of: 5 }),
  );
  const first = await exported(scene.run, "json");
  const again = JSON.parse(await exported(await imported(first, "run.json"), "json"));
  const expected = JSON.parse(first);
  const { group, git, label } = expected.kept;
  expect(group.of).toBe(5);
  expect(git.changed).toEqual(["train.py"]);
  const from = { format: "jetson-memprof", file: "run.json", measures: "what Jetson Memory Profiler recorded" };
  expect(again).toEqual({
    ...expected,
    run: { ...expected.run, id: again.run.id, imported: from },
    kept: { git, label: { ...label, pinned: false } },
  });
  expect(again.moments).toHaveLength(42);
  expect(again.run.id).toMatch(/^20261121-094501-train-[0-9a-f]{6}$/);
});

it("takes over no name, tags or commit that no run could have, and says so", async () => {
  const expected = JSON.parse(await exported(scene.run, "json"));
  const notesOf = (kept: unknown) => {
    const text = JSON.stringify({ ...expected, kept });
    const project = { root: scene.project, source: () => undefined };
    const { kept: taken, notes } = importContent(
      Buffer.from(text),
      {},
      { file: "run.json", modified: new Date(0), project },
    );
    return { taken, notes: notes.length };
  };
  const label = { tags: [], pinned: false };
  const git = expected.kept.git;
  expect(notesOf({ label, git })).toEqual({ taken: { git }, notes: 0 });
  expect(notesOf(undefined)).toEqual({ taken: {}, notes: 0 });
  expect(notesOf({ label: { ...label, name: "a\u202eb" } })).toEqual({ taken: {}, notes: 1 });
  expect(notesOf({ label: { ...label, note: "a\u202eb" } })).toEqual({ taken: {}, notes: 1 });
  expect(notesOf({ label: { ...label, tags: ["a b"] }, git: { ...git, commit: "main" } })).toEqual({
    taken: {},
    notes: 2,
  });
  expect(notesOf({ label, git: { ...git, changed: ["x".repeat(600_000)] } })).toEqual({ taken: {}, notes: 1 });
  expect(notesOf({ label: { ...label, pinned: true }, group: {} })).toEqual({ taken: {}, notes: 2 });
});

it("gives the same CSV again, but for the functions' names, which it has no places of", async () => {
  const withoutFunctions = (text: string) =>
    text
      .split("\r\n")
      .slice(1)
      .map((row) => row.split(",").filter((_, column) => column !== 2));
  const first = await exported(scene.run, "csv");
  const again = await exported(await imported(first, "run.csv"), "csv");
  expect(again.split("\r\n")[0]).toBe(first.split("\r\n")[0]);
  expect(withoutFunctions(again)).toEqual(withoutFunctions(first));
});
