import { describe, expect, it } from "vitest";
import { exportJson } from "../../profile/formats/exportJson.ts";
import type { Profile } from "../../profile/model.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { importOwnJson } from "../imports/own/ownJson.ts";
import { exportRun } from "./exportRun.ts";
import { schemaFaults } from "./schemaTesting.ts";
import { makeTraining, randomProfile } from "./testing.ts";

async function exported(run: string): Promise<unknown> {
  const reader = openRunFolder(run);
  await reader.refresh();
  const { content } = await exportRun(reader, "json", {});
  return JSON.parse([...content].join(""));
}

const asJson = (profile: Profile): unknown => JSON.parse(JSON.stringify(exportJson(profile)));

describe("the published schema", () => {
  it("knows every key of a whole export and of random runs, and their types", async () => {
    const { run, remove } = makeTraining();
    const json = await exported(run);
    remove();
    expect(schemaFaults(json)).toEqual([]);
    expect(json).toMatchObject({ schema: 1, kept: { git: { branch: "main" } }, run: { simulated: true } });
    for (let seed = 1; seed <= 60; seed++) expect(schemaFaults(asJson(randomProfile(seed)))).toEqual([]);
  });

  it("refuses what is no export: an unknown key, a negative size, a line 0, another schema number", () => {
    const good = asJson(randomProfile(3)) as Record<string, unknown>;
    const lines = (row: object) => ({ ...good, files: [{ path: "a.py", functions: [], lines: [row] }] });
    expect(schemaFaults(lines({ line: 1, peak_bytes: 4 }))).toEqual([]);
    expect(schemaFaults({ ...good, more: 1 })).not.toEqual([]);
    expect(schemaFaults(lines({ line: 1, peak_bytes: -4 }))).not.toEqual([]);
    expect(schemaFaults(lines({ line: 0 }))).not.toEqual([]);
    expect(schemaFaults({ ...good, schema: 2 })).not.toEqual([]);
  });
});

describe("JSON read back", () => {
  it("gives the same profile: figures, processes, phases, functions, how it ended, the board", () => {
    for (let seed = 1; seed <= 120; seed++) {
      const profile = randomProfile(seed);
      const { run, ...rest } = importOwnJson(JSON.stringify(exportJson(profile)), "run.json").profile;
      const { id: _, imported, ...expectedRun } = profile.run;
      const { imported: from, ...foundRun } = run;
      expect(foundRun).toEqual(expectedRun);
      expect(from).toEqual(
        imported ?? { format: "jetson-memprof", file: "run.json", measures: "what Jetson Memory Profiler recorded" },
      );
      const { run: __, ...expected } = profile;
      expect(rest).toEqual(expected);
    }
  });

  it("has the timeline, the board's memory and the sources of a whole export", async () => {
    const { run, remove } = makeTraining();
    const text = JSON.stringify(await exported(run));
    const reader = openRunFolder(run);
    await reader.refresh();
    const back = importOwnJson(text, "/tmp/run.json");
    expect(back.samples).toHaveLength(reader.samples().length);
    expect(back.samples[100]).toMatchObject({ t: 20_000, at: [0, 16] });
    expect(back.moments[0]).toMatchObject({ record: "header", simulated: "Jetson Nano" });
    expect(back.moments).toHaveLength(42);
    expect(back.sources.get("train.py")).toBe(await reader.source("train.py"));
    expect(back.profile.origin).toEqual(reader.profile().origin);
    remove();
  });

  it("tells that a run that went on will not go on", () => {
    const { exit: _, ...run } = randomProfile(2).run;
    const going = { ...randomProfile(2), run: { ...run, state: "running" as const } };
    const { profile, notes } = importOwnJson(JSON.stringify(exportJson(going)), "run.json");
    expect(profile.run).toMatchObject({ state: "finished", exit: { kind: "lost" } });
    expect(notes[0]).toContain("still in progress");
  });

  it("refuses what is cut off, of a newer version, or leads out of the project, with the place", () => {
    const text = JSON.stringify(exportJson(randomProfile(5)));
    expect(() => importOwnJson(text.slice(0, -9), "r.json")).toThrow("r.json is cut off or is not JSON.");
    expect(() => importOwnJson(text.replace('"schema":1', '"schema":7'), "r.json")).toThrow(
      "r.json was written in format 7",
    );
    const outside = JSON.stringify({ ...JSON.parse(text), files: [{ path: "../../x", lines: [] }] });
    expect(() => importOwnJson(outside, "r.json")).toThrow('"files.0.path"');
  });
});
