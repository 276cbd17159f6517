import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import { requirement } from "../../support/requirement.ts";
import { writeRun } from "./support/manyLines.ts";
import { HELPER_BAR } from "./support/measuredHelper.ts";
import { PATIENCE, recordBytes, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const MIB = 2 ** 20;
const LINES = 100_000;
const LOAD = `${LINES.toLocaleString("en")} distinct lines`;
/** Half of them in one file, as generated code has them, the others in files of 1,000. */
const LARGE = LINES / 2;
const SMALL = 1_000;
/**
 * Bytes of the helper's tables for each line: its counters of 64 bytes, mapped; a copy of those, to see what changed;
 * its row as text, with its place in the table, until it is written.
 */
const A_LINES_TABLES = 64 + 64 + 128;

const files: ReadonlyMap<string, number> = new Map([
  ["large.py", LARGE],
  ...Array.from({ length: (LINES - LARGE) / SMALL }, (_, i) => [`module_${i}.py`, SMALL] as const),
]);

const assignments = (count: number): string =>
  Array.from({ length: count }, (_, i) => `value_${i % 50} = ${i}\n`).join("");

describe.skipIf(!requirement("python3", "/usr/bin/python3"))(LOAD, PATIENCE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
    stage.scene.write({
      ...Object.fromEntries([...files].map(([name, lines]) => [name, assignments(lines)])),
      "main.py": [...files.keys()].map((name) => `import ${name.replace(".py", "")}\n`).join(""),
    });
  });
  afterAll(() => stage.close());

  it("are all counted, with little memory on the board and at home", async () => {
    const { host, helper } = stage;
    const { done, missed } = await underLoad(LOAD, host, () => host.profile("main.py"));
    expect(done.outcome).toBe("finished");
    const run = done.folder ?? "";
    const supervised = await helper.supervised(basename(run));
    const own = supervised.highest - supervised.interpreter;
    const bar = HELPER_BAR + LINES * A_LINES_TABLES;
    recordBytes(LOAD, "helper on the board beyond its interpreter; bar with its tables of 256 bytes a line", own, bar);
    recordBytes(LOAD, "lines.jsonl", statSync(join(run, "lines.jsonl")).size, 16 * MIB);
    const profile = await readRunFolder(run);
    expect(profile.files.reduce((sum, { lines }) => sum + lines.length, 0)).toBe(LINES + files.size);
    expect(
      profile.files.flatMap(({ path, lines }) => (path === "main.py" ? [] : lines)).every(({ hits }) => hits === 1),
    ).toBe(true);
    expect(own).toBeLessThan(bar);
    expect(missed).toEqual([]);
  });

  it("are shown and compared where each of them took something", async () => {
    const { host, scene } = stage;
    const runs = [1, 5].map((seed) => writeRun(scene.project, `20260101-00000${seed}-large-0001`, files, seed));
    const [folder = ""] = runs;
    await host.server();
    const uri = pathToFileURL(join(scene.project, "large.py")).href;
    const textDocument = { uri };
    const position = { line: LARGE - 10, character: 0 };
    const { missed: shown } = await underLoad(`${LOAD} that each took something`, host, async () => {
      await host.ask("jetsonMemprof/showRun", { folder, metric: "rss" });
      expect((await host.ask("jetsonMemprof/lineDeltas", { uri })).count).toBeGreaterThan(0.99 * LARGE);
      expect((await host.ask("textDocument/hover", { textDocument, position })).count).toBe(1);
      await host.ask("textDocument/codeLens", { textDocument });
      // Rows of the tree, each with one more that says how many lines are not listed.
      const { count } = await host.ask("jetsonMemprof/runTree", { folder });
      expect(count).toBeGreaterThan(5_000);
      expect(count).toBeLessThan(5_000 + 2 * files.size);
    });
    const { missed: compared } = await underLoad(`${LOAD}, two such runs compared`, host, async () => {
      const folders = { before: [runs[0]], after: [runs[1]] };
      expect((await host.ask("jetsonMemprof/compare", { folders, metric: "rss" })).count).toBe(1);
    });
    expect([shown, compared].flat()).toEqual([]);
  });
});
