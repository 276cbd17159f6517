import { describe, expect, it } from "vitest";
import type { RunListEntry, RunSummary } from "../model.ts";
import { summary } from "../testing.ts";
import { filtered, grouped, median, type Row, sorted } from "./arrange.ts";

const MIB = 2 ** 20;
const entry = (id: string, changes: Partial<RunSummary> = {}): RunListEntry => ({
  kind: "run",
  run: summary({ folder: `/p/.jetson-memprof/runs/${id}`, ...changes }),
});
const unreadable: RunListEntry = { kind: "unreadable", folder: "/p/.jetson-memprof/runs/20260102-x", reason: "gone" };
const ids = (entries: readonly RunListEntry[]): string[] =>
  entries.map((found) => (found.kind === "run" ? found.run.id : "unreadable"));
const label = (changes: Partial<RunSummary["label"]>): Pick<RunSummary, "label"> => ({
  label: { tags: [], pinned: false, ...changes },
});

describe("sorting runs", () => {
  const runs = [
    entry("20260101-a", { rssPeak: 5 * MIB, ...label({ name: "zebra" }) }),
    entry("20260103-c", { rssPeak: 9 * MIB }),
    entry("20260104-d", label({ name: "Apple 10" })),
    entry("20260105-e", { ...label({ name: "apple 9", pinned: true }), rssPeak: MIB }),
    unreadable,
  ];

  it("puts pinned runs first, then the newest or oldest by the time in the folder's name", () => {
    expect(ids(sorted(runs, "newest"))).toEqual(["20260105-e", "20260104-d", "20260103-c", "unreadable", "20260101-a"]);
    expect(ids(sorted(runs, "oldest"))).toEqual(["20260105-e", "20260101-a", "unreadable", "20260103-c", "20260104-d"]);
  });

  it("is not misled by a board whose clock is wrong", () => {
    const past = entry("20260106-f", { started: "1970-01-01T00:00:10Z" });
    const future = entry("20260102-b", { started: "2099-01-01T00:00:00Z" });
    expect(ids(sorted([past, future], "newest"))).toEqual(["20260106-f", "20260102-b"]);
  });

  it("is not misled by a name that lies in the future", () => {
    const future = entry("29990101-000000-f");
    expect(ids(sorted([future, ...runs], "newest")).at(-1)).toBe("29990101-000000-f");
    expect(ids(sorted([future, ...runs], "oldest"))[1]).toBe("29990101-000000-f");
  });

  it("sorts by name, numbers as numbers, a run without one by what ran", () => {
    expect(ids(sorted(runs, "name"))).toEqual(["20260105-e", "20260104-d", "20260103-c", "20260101-a", "unreadable"]);
  });

  it("sorts by peak, the highest first; what is not known or is valgrind's own comes last", () => {
    const massif = entry("20260107-g", { rssPeak: 900 * MIB, massif: true });
    expect(ids(sorted([...runs, massif], "peak"))).toEqual([
      "20260105-e",
      "20260103-c",
      "20260101-a",
      "20260107-g",
      "20260104-d",
      "unreadable",
    ]);
  });
});

describe("filtering runs", () => {
  const runs = [
    entry("1-a", { ...label({ name: "Init on the GPU", tags: ["fp16"] }), target: "ssh://nano@10.0.0.2" }),
    entry("2-b", { script: "eval.py", title: "eval.py --fast", exit: { kind: "out-of-memory", signal: "SIGKILL" } }),
    entry("3-c", { state: "running" }),
    unreadable,
  ];

  it("finds text in any case in what a row says", () => {
    for (const text of ["gpu", "FP16", "#fp16", "nano@"]) expect(ids(filtered(runs, { text }))).toEqual(["1-a"]);
    expect(ids(filtered(runs, { text: "out of mem" }))).toEqual(["2-b"]);
    expect(ids(filtered(runs, { text: "nothing has this" }))).toEqual([]);
  });

  it("finds tags, scripts, targets and outcomes as a whole, and all of what is asked for", () => {
    expect(ids(filtered(runs, { tag: "fp16" }))).toEqual(["1-a"]);
    expect(ids(filtered(runs, { tag: "fp" }))).toEqual([]);
    expect(ids(filtered(runs, { script: "eval.py" }))).toEqual(["2-b"]);
    expect(ids(filtered(runs, { outcome: "running" }))).toEqual(["3-c"]);
    expect(ids(filtered(runs, { script: "eval.py", outcome: "running" }))).toEqual([]);
  });

  it("leaves everything, unreadable runs too, where nothing is asked for", () => {
    expect(ids(filtered(runs, {}))).toEqual(["1-a", "2-b", "3-c", "unreadable"]);
  });
});

describe("groups", () => {
  const repeat = (index: number, id = "g1") => ({ group: { kind: "repeat" as const, id, index, of: 3 } });
  const shape = (rows: readonly Row[]) =>
    rows.map((row) =>
      row.kind === "group" ? row.runs.map(({ id }) => id) : row.kind === "run" ? row.run.id : "unreadable",
    );

  it("put runs that were made together into one row where the first of them stands, in the order they were made", () => {
    const rows = grouped([entry("5"), entry("4", repeat(2)), unreadable, entry("3", repeat(1)), entry("2")]);
    expect(shape(rows)).toEqual(["5", ["3", "4"], "unreadable", "2"]);
    expect(rows[1]).toMatchObject({ makes: "repeat", of: 3 });
  });

  it("of which one run is left are just that run", () => {
    expect(shape(grouped([entry("5"), entry("4", repeat(2))]))).toEqual(["5", "4"]);
  });

  it("of one id in two projects are two", () => {
    const other = { kind: "run" as const, run: summary({ folder: "/q/.jetson-memprof/runs/9", ...repeat(1) }) };
    expect(shape(grouped([other, entry("4", repeat(2))]))).toEqual(["9", "4"]);
  });

  it("of the same id that are repeats and a sweep are two", () => {
    const sweep = { group: { kind: "sweep" as const, id: "g1", index: 1, of: 4, values: {} } };
    expect(shape(grouped([entry("4", repeat(2)), entry("3", sweep), entry("2", repeat(1))]))).toEqual([
      ["2", "4"],
      "3",
    ]);
  });
});

describe("median", () => {
  it("is the middle, or the mean of the two in the middle, and unknown of nothing", () => {
    expect(median([])).toBeUndefined();
    expect(median([7])).toBe(7);
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
