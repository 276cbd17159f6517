import { expect, it } from "vitest";
import { createLineTable } from "../lines/lineTable.ts";
import type { Metric, Profile } from "../model.ts";
import { type RankView, ranksOf, rankViewName, readRankView, seenBy, TOGETHER, tablesByRank } from "./ranks.ts";

const MIB = 2 ** 20;

/** Of each process its pid, rank and rows: `[line, net, peak]` in MiB. */
type Given = readonly (readonly [
  pid: number,
  rank: number | undefined,
  rows: readonly (readonly [line: number, net: number, peak?: number])[],
])[];

async function profileOf(given: Given): Promise<Profile> {
  const table = createLineTable("lines.jsonl");
  table.add(JSON.stringify({ schema: 1, record: "header", run: "r1" }));
  table.add(JSON.stringify({ record: "file", file: 0, path: "train.py", sha256: "" }));
  for (const [pid, rank, rows] of given) {
    const label = rank === undefined ? "main" : `rank ${rank}`;
    table.add(JSON.stringify({ record: "process", pid, kind: "spawn", label, rank, ranks: 4 }));
    const row = ([line, net, peak = 0]: readonly [number, number, number?]) => [
      0,
      line,
      1,
      net * MIB,
      net * MIB,
      net * MIB,
      peak * MIB,
      500 * MIB,
      0,
      0,
    ];
    table.add(JSON.stringify({ record: "rows", t: 1, pid, rows: rows.map(row) }));
    table.add(JSON.stringify({ record: "functions", t: 1, pid, rows: [[0, 1, 1, 5, rows[0]?.[1] ?? 0, 0]] }));
  }
  const state = await table.state();
  return { ...state, run: { processes: state.processes } } as unknown as Profile;
}

const LAUNCHED: Given = [
  [10, undefined, [[90, 1]]],
  [
    20,
    0,
    [
      [3, 6],
      [4, 0, 30],
      [5, -8],
    ],
  ],
  [
    21,
    1,
    [
      [3, 12],
      [4, 0, 10],
      [5, -2],
    ],
  ],
  [22, 1, [[3, 5]]],
  [
    23,
    2,
    [
      [3, 9],
      [7, 2],
    ],
  ],
];

const nets = (profile: Profile, view: RankView, metric: Metric = "rss") =>
  seenBy(profile, view, metric).files.flatMap(({ lines }) => lines.map(({ line, net = 0 }) => [line, net / MIB]));

it("has the ranks in order, and none where nothing was started several times", async () => {
  expect(ranksOf((await profileOf(LAUNCHED)).run)).toEqual([0, 1, 2]);
  expect(ranksOf((await profileOf(LAUNCHED.slice(0, 2))).run)).toEqual([]);
});

it("a rank is its own process and what that started", async () => {
  const profile = await profileOf(LAUNCHED);
  expect(nets(profile, { kind: "rank", rank: 1 })).toEqual([
    [3, 17],
    [4, 0],
    [5, -2],
  ]);
  expect([...tablesByRank(profile).keys()]).toEqual([0, 1, 2]);
  expect(nets(profile, { kind: "rank", rank: 7 })).toEqual([]);
});

it("all together is what all took, the launcher too", async () => {
  const profile = await profileOf(LAUNCHED);
  expect(nets(profile, TOGETHER)).toEqual([
    [3, 32],
    [4, 0],
    [5, -10],
    [7, 2],
    [90, 1],
  ]);
  expect(seenBy(profile, TOGETHER, "rss")).toBe(profile);
});

it("the highest of a line is one rank's whole row, by what it left or held", async () => {
  const profile = await profileOf(LAUNCHED);
  const { files } = seenBy(profile, { kind: "highest" }, "rss");
  expect(nets(profile, { kind: "highest" })).toEqual([
    [3, 17],
    [4, 0],
    [5, -2],
    [7, 2],
  ]);
  expect(files[0]?.lines.find(({ line }) => line === 4)?.peak).toBe(30 * MIB);
});

it("the median counts a rank without the line as one that took nothing there", async () => {
  const profile = await profileOf(LAUNCHED);
  const { files } = seenBy(profile, { kind: "median" }, "rss");
  expect(nets(profile, { kind: "median" })).toEqual([
    [3, 9],
    [4, 0],
    [5, -8],
  ]);
  expect(files[0]?.lines.find(({ line }) => line === 4)?.peak).toBe(10 * MIB);
});

it("goes by the figures that are looked at", async () => {
  const profile = await profileOf(LAUNCHED);
  const cuda = new Map([
    [0, 1],
    [1, 2],
    [2, 9],
  ]);
  const files = [...profile.byProcess].map(([pid, tables]) => {
    const rank = profile.run.processes.find((one) => one.pid === pid)?.rank ?? -1;
    const withCuda = tables.map((file) => ({
      ...file,
      lines: file.lines.map((row) => ({ ...row, cuda: { net: (cuda.get(rank) ?? 0) * MIB } })),
    }));
    return [pid, withCuda] as const;
  });
  const both = { ...profile, byProcess: new Map(files) } as unknown as Profile;
  expect(nets(both, { kind: "highest" }, "cuda")[0]).toEqual([3, 9]);
  expect(nets(both, { kind: "highest" }, "rss")[0]).toEqual([3, 17]);
});

it("a view's name is read again", () => {
  for (const view of [TOGETHER, { kind: "highest" }, { kind: "median" }, { kind: "rank", rank: 12 }] as const) {
    expect(readRankView(rankViewName(view))).toEqual(view);
  }
  for (const text of ["", "-1", "1.5", "rank 1", "12345678", 3, undefined]) expect(readRankView(text)).toBeUndefined();
});
