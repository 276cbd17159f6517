import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { makeProject, runFiles, runJson, writeFiles } from "../../profile/testing.ts";
import { boardLines, type Load } from "../testing.ts";
import { explainRun } from "./readEnding.ts";
import { readMoments } from "./readMoments.ts";

const NANO = { model: "NVIDIA Jetson Nano", l4t: "32.7.1", compatible: "nvidia,tegra210", machine: "aarch64" };
/** At one moment of the run hardly any memory is left. */
const LOADS: readonly Load[] = [
  { t: -14, baseline: true },
  { t: 1000, run: { anon: 200, file: 20, shmem: 0 } },
  { t: 2000, run: { anon: 3000, file: 20, shmem: 0 }, pageCache: 0 },
  { t: 3000, run: { anon: 900, file: 20, shmem: 0 } },
  { t: 4000 },
];

let run: string;
let remove: () => void;
beforeEach(() => {
  const moments = `${boardLines("nano", LOADS).join("\n")}\n`;
  ({ run, remove } = makeProject({
    ...runFiles(),
    "run.json": JSON.stringify(runJson({ board: NANO })),
    "moments.jsonl": moments,
  }));
});
afterEach(() => remove());

async function explained() {
  const reader = openRunFolder(run);
  await reader.refresh();
  return await explainRun(reader);
}

describe("a run folder", () => {
  it("gives advice by the moment with the least memory available, and by the board before the script", async () => {
    const { board, report, advice } = await explained();
    expect(board).toMatchObject({ tegra: true, jetpack: "4.6.1", cuda: "10.2" });
    expect(report).toBeUndefined();
    expect(advice.map(({ rule }) => rule)).toContain("desktop");
  });

  it("gives none where nothing of the memory was recorded", async () => {
    writeFiles(run, { "moments.jsonl": "" });
    expect(await readMoments(run)).toBeUndefined();
    expect((await explained()).advice).toEqual([]);
  });
});
