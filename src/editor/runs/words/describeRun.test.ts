import { describe, expect, it } from "vitest";
import { grouped } from "../../../runs/list/arrange.ts";
import type { RunSummary } from "../../../runs/model.ts";
import { summary } from "../../../runs/testing.ts";
import { describeGroup, describeRun, gitText, runIcon } from "./describeRun.ts";

const MIB = 2 ** 20;
const NOW = new Date("2026-11-30T12:00:00Z");
const run = summary({
  folder: "/p/.jetson-memprof/runs/20261121-094501-train-3fa9",
  title: "train.py --epochs 2",
  started: "2026-11-21T09:45:03Z",
  target: "ssh://nano@10.0.0.2",
  rssPeak: 900 * MIB,
});
const words = (changes: Partial<RunSummary>, place: "root" | "group" = "root") =>
  describeRun({ ...run, ...changes }, "finished", false, { now: NOW, place });

describe("a run with a name, tags and a pin", () => {
  const label = { name: "init on the GPU", tags: ["fp16", "nano"], pinned: true };

  it("is called by its name; what ran stands beside it", () => {
    const text = words({ label });
    expect(text.label).toBe("init on the GPU");
    expect(text.description).toMatch(/^900\.0 MiB peak · #fp16 #nano · train\.py --epochs 2 · pinned · /);
    expect(text.spoken).toMatch(/^init on the GPU, Run of train\.py --epochs 2, pinned, .*, tags fp16, nano$/);
    expect(text.tooltip.split("\n")).toEqual(
      expect.arrayContaining(["Tags: #fp16 #nano", "Pinned: it is never pruned."]),
    );
  });

  it("has its note beside it, after what tells runs apart, and whole in its tooltip", () => {
    const text = words({ label: { ...label, note: "fits with batch 8" } });
    expect(text.description).toMatch(/ · nano@10\.0\.0\.2 · fits with batch 8$/);
    expect(text.tooltip.split("\n")).toContain("Your note: fits with batch 8");
    expect(text.spoken).toMatch(/, note: fits with batch 8$/);
  });

  it("shows the pin in its icon where it ended well, and how it ended where it did not", () => {
    expect(runIcon("finished", { ...run, label }, false)).toBe("pinned");
    expect(runIcon("finished", { ...run, label, exit: { kind: "exited", code: 1 } }, false)).toBe("error");
  });
});

describe("a run's commit", () => {
  const git = { commit: "1a2b3c4d".repeat(5), branch: "main", changed: ["a.py", "b.py"], truncated: false };

  it("is told short, with how many files differed from it", () => {
    expect(gitText(git)).toBe("Commit: 1a2b3c4 on main, 2 files changed");
    expect(gitText({ ...git, changed: ["a.py"] })).toBe("Commit: 1a2b3c4 on main, 1 file changed");
    const { branch: _none, ...detached } = git;
    expect(gitText({ ...detached, changed: [] })).toBe("Commit: 1a2b3c4, nothing changed");
    expect(gitText({ ...git, truncated: true })).toBe("Commit: 1a2b3c4 on main, 2 or more files changed");
    expect(words({ git }).tooltip).toContain("\nCommit: 1a2b3c4 on main, 2 files changed");
  });
});

describe("the row of a group", () => {
  const member = (index: number, group: RunSummary["group"], changes: Partial<RunSummary> = {}) => ({
    kind: "run" as const,
    run: { ...run, folder: `${run.folder}-${index}`, ...(group === undefined ? {} : { group }), ...changes },
  });
  const groupOf = (entries: Parameters<typeof grouped>[0]) => {
    const [row] = grouped(entries);
    if (row?.kind !== "group") throw new Error("no group");
    return describeGroup(row);
  };
  const repeat = (index: number) => ({ kind: "repeat" as const, id: "g", index, of: 5 });
  const sweep = (index: number, batch: string) => ({
    kind: "sweep" as const,
    id: "s",
    index,
    of: 2,
    values: { "batch-size": batch, device: "cuda" },
  });

  it("of repeats has the median of their peaks, and how many were planned where some are missing", () => {
    const peaks = [300, 100, 200].map((peak, at) => member(at + 1, repeat(at + 1), { rssPeak: peak * MIB }));
    expect(groupOf(peaks)).toMatchObject({
      label: "3 repeats of train.py --epochs 2",
      description: "200.0 MiB median peak · 5 planned",
    });
  });

  it("leaves out peaks that are not the script's RSS, and is silent where none is left", () => {
    const massif = [1, 2].map((at) => member(at, repeat(at), { massif: true }));
    expect(groupOf(massif).description).toBe("5 planned");
  });

  it("of a sweep has the range of peaks and how many ended badly", () => {
    const runs = [
      member(1, sweep(1, "16"), { rssPeak: 100 * MIB }),
      member(2, sweep(2, "32"), { rssPeak: 300 * MIB, exit: { kind: "out-of-memory", signal: "SIGKILL" } }),
    ];
    expect(groupOf(runs)).toMatchObject({
      label: "Sweep of train.py",
      description: "100.0 MiB to 300.0 MiB peak · 2 runs · 1 ended badly",
    });
  });

  it("has runs below it that are called by what tells them apart", () => {
    expect(words({ group: sweep(1, "16") }, "group").label).toBe("batch-size 16, device cuda");
    expect(words({ group: repeat(2) }, "group")).toMatchObject({
      label: "repeat 2 of 5",
      description: expect.stringMatching(/^900\.0 MiB peak · /),
    });
    expect(words({ group: repeat(2) }).description).toContain("repeat 2 of 5");
  });
});
