import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { exportJson } from "../formats/exportJson.ts";
import { annotate, legendOf, plain } from "../lines/annotate.ts";
import { columnsOf } from "../lines/columns.ts";
import { byMetric, metricOf } from "../lines/metric.ts";
import { wholeOf } from "../lines/totals.ts";
import type { Profile } from "../model.ts";
import { readRunFolder } from "../run/runFolder.ts";
import { readRunHead } from "../run/runHead.ts";
import { jsonLines, LINES, MIB, MODEL, makeProject, runFiles, runJson, TORCH_LINES } from "../testing.ts";
import { sourceLines } from "../text/text.ts";
import { phaseCosts } from "./phases.ts";

const removals: (() => void)[] = [];
afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

function folderWith(records: readonly object[], changes: Readonly<Record<string, string>> = {}): string {
  const { run, remove } = makeProject(runFiles({ "lines.jsonl": jsonLines(records), ...changes }));
  removals.push(remove);
  return run;
}

const read = (records: readonly object[] = TORCH_LINES): Promise<Profile> => readRunFolder(folderWith(records));

function rowOf(profile: Pick<Profile, "files">, name: string, line: number) {
  return profile.files.find((file) => file.path === name)?.lines.find((row) => row.line === line);
}

describe("CUDA and board figures of a run folder", () => {
  it("are read beside those of RSS, unknown ones left out", async () => {
    const profile = await read();
    expect([...profile.metrics]).toEqual(["rss", "cuda", "system"]);
    expect(profile.cuda.get(10)).toEqual({ noticedBy: "counter", peaks: "bounds" });
    expect(rowOf(profile, "model.py", 2)).toMatchObject({
      net: 64 * MIB,
      cuda: { net: 100 * MIB, reservedNet: 120 * MIB, deviceNet: 122 * MIB },
      system: { net: 190 * MIB, self: 190 * MIB, uncertain: 8192 },
    });
    expect(rowOf(profile, "model.py", 2)?.system).not.toHaveProperty("nvmapNet");
    expect(rowOf(profile, "model.py", 3)?.cuda).toMatchObject({ peak: 30 * MIB, peakMost: 44 * MIB });
  });

  it("are 0 where nothing moved in a process that was measured so, and unknown in one that was not", async () => {
    const profile = await read();
    expect(rowOf(profile, "train.py", 10)?.cuda?.net).toBe(0);
    const worker = profile.byProcess.get(11) ?? [];
    expect(rowOf({ files: worker }, "train.py", 7)).not.toHaveProperty("cuda");
    expect(rowOf({ files: worker }, "train.py", 7)).not.toHaveProperty("system");
  });

  it("are not there at all in a run that has none", async () => {
    const profile = await read(LINES);
    expect([...profile.metrics]).toEqual(["rss"]);
    expect(profile.phases).toEqual([]);
    expect(rowOf(profile, "model.py", 2)).not.toHaveProperty("cuda");
  });

  it("add up over processes, and the highest stays the highest", async () => {
    const profile = await read([
      ...TORCH_LINES,
      { record: "cuda-on", t: 600, pid: 11, noticed_by: "asking", peaks: "exact" },
      { record: "cuda", t: 600, pid: 11, rows: [[1, 2, MIB, MIB, MIB, 200 * MIB, 200 * MIB, MIB, MIB, MIB, null, 1]] },
    ]);
    expect(rowOf(profile, "model.py", 2)?.cuda).toMatchObject({
      net: 101 * MIB,
      peak: 200 * MIB,
      deviceNet: 122 * MIB,
      uncertain: 1,
    });
  });

  it("a damaged row or record is passed over, and what is good of it is kept", async () => {
    const profile = await read([
      ...TORCH_LINES,
      { record: "cuda", t: 600, pid: 10, rows: [[1, 2, "many"], null, [0, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] },
      { record: "system", t: 600, pid: 10, rows: [[1, 2, 1, 1, -1, -1]] },
      { record: "cuda-on", t: 600, pid: 10, noticed_by: "magic", peaks: "exact" },
      { record: "phase", t: 600, pid: 10, phase: "lunch" },
    ]);
    expect(rowOf(profile, "model.py", 2)?.cuda?.net).toBe(100 * MIB);
    expect(rowOf(profile, "model.py", 2)?.system?.net).toBe(190 * MIB);
    expect(rowOf(profile, "train.py", 7)?.cuda?.net).toBe(1);
    expect(profile.cuda.get(10)?.noticedBy).toBe("counter");
    expect(profile.phases).toHaveLength(2);
  });

  it("a list of runs knows of them by run.json, and of other recordings by the names of their files", async () => {
    const snapshots = ["allocator.10.10.pickle", "allocator.10.9.pickle"];
    const folder = folderWith(TORCH_LINES, {
      "run.json": JSON.stringify(runJson({ metrics: ["rss", "cuda", "odour"] })),
    });
    for (const name of [...snapshots, "model.10.jsonl", "allocator.jsonl"])
      fs.writeFileSync(path.join(folder, name), "");
    expect(await readRunHead(folder)).toMatchObject({
      metrics: ["rss", "cuda"],
      recordings: { model: true, snapshots: ["allocator.10.9.pickle", "allocator.10.10.pickle"] },
    });
    expect((await readRunHead(folderWith(LINES))).metrics).toEqual(["rss"]);
  });
});

describe("a profile by another metric", () => {
  it("has that metric's figures in the same places, functions by what their lines took", async () => {
    const shown = byMetric(await read(), "cuda");
    expect(rowOf(shown, "model.py", 2)).toEqual({
      line: 2,
      hits: 1,
      net: 100 * MIB,
      self: 100 * MIB,
      maxIncrement: 100 * MIB,
      peak: 100 * MIB,
      uncertain: 0,
    });
    const build = shown.files.find((file) => file.path === "model.py")?.functions[0];
    expect(build).toMatchObject({ name: "build", calls: 1, net: 80 * MIB });
    expect(build).not.toHaveProperty("peak");
    expect(wholeOf(shown, "cuda", 148 * MIB)).toBe(100 * MIB);
  });

  it("leaves out what the metric does not know", async () => {
    expect(rowOf(byMetric(await read(), "system"), "model.py", 2)).toEqual({
      line: 2,
      hits: 1,
      net: 190 * MIB,
      self: 190 * MIB,
      uncertain: 8192,
    });
  });

  it("is RSS's own where the run has nothing else", async () => {
    const profile = await read(LINES);
    expect(metricOf(profile.metrics, "cuda")).toBe("rss");
    expect(byMetric(profile, "rss")).toBe(profile);
  });

  it.each([
    ["cuda", "model.py  CUDA +80.0 MiB", "+120.0 MiB"],
    ["system", "model.py  board +190.0 MiB", "+190.0 MiB"],
    ["all", "model.py  +64.0 MiB", "+64.0 MiB"],
  ] as const)("is printed beside the source: %s", async (choice, title, figure) => {
    const profile = await read();
    const file = profile.files.find(({ path: name }) => name === "model.py");
    if (file === undefined) throw new Error("model.py is missing");
    const columns = columnsOf(choice);
    const lines = annotate(file, sourceLines(MODEL), { choice, columns, whole: 100 * MIB }, plain).split("\n");
    expect(lines[0]).toBe(title);
    expect(lines[3]).toContain(figure);
    expect(legendOf([file], columns)).toContain("Hits: times the line ran.");
  });
});

describe("phases", () => {
  it("took what changed until the next began; what lies outside the allocator is the board's less what was reserved", async () => {
    expect(phaseCosts(await read())).toEqual([
      {
        phase: "import-torch",
        t: 90,
        at: { path: "train.py", line: 4 },
        rss: 64 * MIB,
        inUse: 300 * MIB,
        allocated: 0,
        reserved: 20 * MIB,
        outside: 280 * MIB,
      },
      { phase: "to-device", t: 300, at: { path: "model.py", line: 2 } },
    ]);
  });

  it("say whose they are where several processes have some, and leave out what is not known", async () => {
    const profile = await read([
      ...TORCH_LINES,
      { record: "phase", t: 400, pid: 11, phase: "import-torch", rss: 5 },
      { record: "phase", t: 450, pid: 11, phase: "cuda", rss: 9, mem_available: 7 },
    ]);
    expect(phaseCosts(profile).slice(2)).toEqual([
      { phase: "import-torch", process: "worker 1", t: 400, rss: 4 },
      { phase: "cuda", process: "worker 1", t: 450 },
    ]);
  });
});

it("are exported in bytes, unknown ones left out", async () => {
  const result = JSON.parse(JSON.stringify(exportJson(await read())));
  expect(result).toMatchObject({
    metrics: ["rss", "cuda", "system"],
    cuda: [{ pid: 10, noticed_by: "counter", peaks: "bounds" }],
    phases: [{ pid: 10, phase: "import-torch", at_ms: 90, path: "train.py", line: 4 }, { phase: "to-device" }],
  });
  expect(result.phases[0]).not.toHaveProperty("nvmap_bytes");
  const line = result.files[1].lines[1];
  expect(line.cuda).toMatchObject({ peak_bytes: 30 * MIB, peak_at_most_bytes: 44 * MIB, net_bytes: -20 * MIB });
  expect(line.cuda).not.toHaveProperty("device_net_bytes");
  expect(line).not.toHaveProperty("system");
});
