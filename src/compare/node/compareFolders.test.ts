import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boardLines } from "../../board/testing.ts";
import {
  jsonLines,
  LINES,
  MIB,
  makeProject,
  runFiles,
  runJson,
  SAMPLES,
  TORCH_LINES,
  writeFiles,
} from "../../profile/testing.ts";
import { writeGroup } from "../../runs/keeping.ts";
import { lineChanges } from "../changes.ts";
import { changeOf } from "../noise.ts";
import { compareFolders } from "./compareFolders.ts";
import { loadRun } from "./loadRun.ts";
import { MOST_REPEATS } from "./loadSide.ts";

let run: string;
let remove: () => void;
beforeEach(() => {
  ({ run, remove } = makeProject());
});
afterEach(() => remove());

/** Another run of the project. */
function another(name: string, files: Readonly<Record<string, string>>): string {
  const folder = path.join(path.dirname(run), name);
  writeFiles(folder, { ...runFiles(), ...files });
  return folder;
}

/** The rows of the test run with 32 MiB more on model.py:2 (line 3 there), its callers with it. */
function moreLines(): string {
  const text = jsonLines(LINES).replaceAll('"sha256":"bb"', '"sha256":"cc"');
  return text
    .replace(`[1,2,1,${64 * MIB}`, `[1,3,1,${96 * MIB}`)
    .replace("[1,3,1,0,", "[1,4,1,0,")
    .replaceAll("[0,4,1,67108864,", `[0,4,1,${96 * MIB},`);
}

const MORE = {
  "run.json": JSON.stringify(
    runJson({
      files: [
        { path: "train.py", sha256: "aa", source: "sources/train.py" },
        { path: "model.py", sha256: "cc", source: "sources/model.py" },
      ],
    }),
  ),
  "lines.jsonl": moreLines(),
  "sources/model.py":
    "def build():\n    # more of it\n    weights = bytearray(96 << 20)\n    copy = bytes(weights)\n    return weights\n",
};

describe("run folders", () => {
  it("of which one took more are compared through the edit of a source", async () => {
    const after = another("20261121-100000-train-0001", MORE);
    const comparison = await compareFolders({ before: [run], after: [after] }, "rss");
    const changed = lineChanges(comparison).changed.map(({ file, line, difference }) => [
      `${file.path}:${line.before} > ${line.after} ${line.text}`,
      (changeOf(difference) ?? 0) / MIB,
    ]);
    expect(changed).toEqual([
      ["train.py:4 > 4 net = model.build()", 32],
      ["model.py:2 > 3 weights = bytearray(96 << 20)", 32],
    ]);
    expect(comparison.before).toMatchObject({ folders: [run], title: 'train.py --name "a b" · 2026-11-21 09:45 UTC' });
    expect(comparison.peak).toMatchObject({ verdict: "same", before: { median: 148 * MIB } });
    expect(comparison.ledger).toEqual([]);
    expect(comparison.boardPeak.verdict).toBe("unknown");
  });

  it("given several times, or as repeats, count once each", async () => {
    const repeat = another("20261121-100000-train-0001", {});
    await writeGroup(repeat, { kind: "repeat", id: "g", index: 2, of: 2 });
    const { before } = await compareFolders({ before: [run, repeat, run], after: [run] }, "rss");
    expect(before.folders).toEqual([run, repeat]);
    expect(before.title).toContain("2 runs");
  });

  it("with the board's memory have ledgers, its growth and what other programs moved", async () => {
    const gpu = (allocated: number) => ({ allocated, reserved: allocated + 20, context: 100 });
    const moments = (anon: number, allocated: number) =>
      `${boardLines("nano", [
        { t: -14, baseline: true },
        { t: 1000, run: { anon, file: 20, shmem: 0 }, cuda: gpu(allocated) },
        { t: 2000, run: { anon: 50, file: 20, shmem: 0 }, cuda: gpu(8) },
      ]).join("\n")}\n`;
    // Without readings between the moments.
    const samples = jsonLines(SAMPLES.slice(0, 1));
    writeFiles(run, { "moments.jsonl": moments(900, 0), "samples.jsonl": samples });
    const after = another("20261121-100000-train-0001", {
      "moments.jsonl": moments(400, 300),
      "samples.jsonl": samples,
    });
    const { loaded } = await loadRun(after);
    expect(loaded).toMatchObject({ cudaPeak: 320 * MIB, othersMoved: 0 });
    const comparison = await compareFolders({ before: [run], after: [after] }, "rss");
    expect(comparison.cudaPeak).toMatchObject({ verdict: "more", before: { median: 28 * MIB }, change: 292 * MIB });
    expect(comparison.boardPeak).toMatchObject({ verdict: "less", change: -200 * MIB });
    expect(comparison.baseline.verdict).toBe("same");
    const rows = new Map(comparison.ledger.map(({ id, difference }) => [id, difference]));
    expect(rows.get("run.anon")).toMatchObject({ verdict: "less", change: -500 * MIB });
    expect(rows.get("others.desktop")?.verdict).toBe("same");
    expect(comparison.ledger[0]?.group).toBe("run");
  });

  it("have for PyTorch's peak the highest of all readings: what a line held for a while the moments may miss", async () => {
    const moments = `${boardLines("nano", [
      { t: -14, baseline: true },
      { t: 1000, run: { anon: 100, file: 20, shmem: 0 }, cuda: { allocated: 850, reserved: 900, context: 100 } },
    ]).join("\n")}\n`;
    const gained = jsonLines(TORCH_LINES).replaceAll(String(120 * MIB), String(1900 * MIB));
    writeFiles(run, { "moments.jsonl": moments });
    const after = another("20261121-100000-train-0001", { "moments.jsonl": moments, "lines.jsonl": gained });
    const { cudaPeak } = await compareFolders({ before: [run], after: [after] }, "cuda");
    expect(cudaPeak).toMatchObject({ verdict: "more", before: { median: 900 * MIB }, change: 1000 * MIB });
  });

  it("grew on the board by the most of the moments and of the samples between them", async () => {
    const moments = boardLines("nano", [
      { t: -14, baseline: true },
      { t: 1000, run: { anon: 100, file: 20, shmem: 0 } },
    ]);
    const growth = async (available: number) => {
      const samples = jsonLines([...SAMPLES.slice(0, 1), { t: 600, hits: 3, rss: MIB, mem_available: available }]);
      writeFiles(run, { "moments.jsonl": `${moments.join("\n")}\n`, "samples.jsonl": samples });
      return (await loadRun(run)).loaded.boardPeak ?? Number.NaN;
    };
    expect((await growth(50 * MIB)) - (await growth(200 * MIB))).toBe(150 * MIB);
    expect((await growth(200 * MIB)) - (await growth(100_000 * MIB))).toBeGreaterThan(150 * MIB);
  });

  it("whose record of the board is of a newer format are compared without it", async () => {
    writeFiles(run, { "moments.jsonl": '{"schema":99,"record":"header"}\n' });
    expect((await compareFolders({ before: [run], after: [run] }, "rss")).baseline.verdict).toBe("unknown");
  });

  it("that hold no run, or are too many, are refused with what to do", async () => {
    const refused = (before: readonly string[]) => compareFolders({ before, after: [run] }, "rss");
    await expect(refused([path.join(run, "nothing")])).rejects.toMatchObject({ code: "not-a-run" });
    await expect(refused([])).rejects.toMatchObject({ code: "no-runs" });
    await expect(refused(Array.from({ length: MOST_REPEATS + 1 }, () => run))).rejects.toMatchObject({
      code: "too-many-runs",
    });
  });

  it("without sources are compared by line numbers, or exactly where their digests agree", async () => {
    const bare = another("20261121-100000-train-0001", {});
    fs.rmSync(path.join(bare, "sources"), { recursive: true });
    const { files } = await compareFolders({ before: [run], after: [bare] }, "rss");
    expect(files.map(({ path: name, sourcesMissing }) => [name, sourcesMissing])).toEqual([
      ["train.py", false],
      ["model.py", false],
    ]);
    expect(files[0]?.lines[0]?.text).toBe("");
  });
});
