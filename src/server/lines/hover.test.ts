import { expect, it } from "vitest";
import { createLineTable } from "../../profile/lines/lineTable.ts";
import type { ImportedFrom, LineRow, Profile } from "../../profile/model.ts";
import { MIB, PLAIN_RUN } from "../../profile/testing.ts";
import { hoverText } from "./hover.ts";

const IMPORTED: ImportedFrom = { format: "tracemalloc", file: "heap_*.snap", measures: "live blocks (tracemalloc)" };

function hover(row: Omit<LineRow, "line">, imported: ImportedFrom): string | undefined {
  const profile: Profile = {
    run: { ...PLAIN_RUN, imported, command: { python: "", script: "a.py", args: [] } },
    files: [{ path: "a.py", sha256: "", lines: [{ line: 3, ...row }], functions: [] }],
    byProcess: new Map(),
    metrics: new Set(["rss"]),
    cuda: new Map(),
    phases: [],
    complete: true,
  };
  return hoverText(profile, { path: "a.py", line: 3 });
}

it("says of another tool's figures what they are, and claims neither RSS nor a line that never ended", () => {
  const text = hover({ self: 2 ** 20 }, IMPORTED);
  expect(text).toContain("This line alone");
  expect(text).toContain("+1.0 MiB");
  expect(text).toContain("The figures are live blocks \\(tracemalloc\\)");
  expect(text).toContain("heap\\_\\*\\.snap");
  expect(text).not.toMatch(/RSS|never ended|Hits/);
});

it("is the usual of a run that this profiler measured and that was imported again", () => {
  const text = hover({ hits: 1, net: 0, self: 0 }, { ...IMPORTED, format: "jetson-memprof" });
  expect(text).toContain("Memory (RSS)");
});

/** @param ranks of each process, a MiB more for each process */
async function profileOf(...ranks: readonly (number | undefined)[]): Promise<Profile> {
  const table = createLineTable("lines.jsonl");
  table.add(JSON.stringify({ schema: 1, record: "header", run: "r" }));
  table.add(JSON.stringify({ record: "file", file: 0, path: "a.py", sha256: "" }));
  for (const [at, rank] of ranks.entries()) {
    const net = (at + 1) * MIB;
    table.add(JSON.stringify({ record: "process", pid: at, kind: "spawn", label: `worker ${at}`, rank, ranks: 8 }));
    table.add(JSON.stringify({ record: "rows", t: 1, pid: at, rows: [[0, 3, 1, net, net, net, 0, 90 * MIB, 0, 0]] }));
  }
  const { files, byProcess, processes, metrics } = await table.state();
  return { run: { ...PLAIN_RUN, processes }, files, byProcess, metrics, cuda: new Map(), phases: [], complete: true };
}

const rowsOf = async (...ranks: readonly (number | undefined)[]): Promise<readonly string[]> =>
  (hoverText(await profileOf(...ranks), { path: "a.py", line: 3 }) ?? "")
    .split("\n")
    .filter((row) => /rank \d|worker \d|more|Rank|Process/.test(row))
    .map((row) => row.replaceAll(/&nbsp;|\u00a0/g, " "));

it("has a row for each rank with what its workers took, and one for each other process", async () => {
  const [heading = "", ...rows] = await rowsOf(undefined, 0, 1, 1);
  expect(heading).toContain("Rank");
  expect(rows.map((row) => /(rank|worker) \d/.exec(row)?.[0])).toEqual(["worker 0", "rank 0", "rank 1"]);
  expect(rows[2]).toContain("+7.0 MiB");
});

it("calls processes without ranks what they are, and does not list very many", async () => {
  expect((await rowsOf(undefined, undefined))[0]).toContain("Process");
  const many = await rowsOf(...Array.from({ length: 40 }, (_, rank) => rank));
  expect(many).toHaveLength(34);
  expect(many.at(-1)).toContain("8 more");
});
