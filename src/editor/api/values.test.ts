import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { findRun, metricArgument, scriptArgument, targetArgument, versionArgument, viewArgument } from "./arguments.ts";
import { apiError, asApiError } from "./errors.ts";
import { linesOf, newsOf, runOf } from "./values.ts";

const SUMMARY: RunSummary = {
  folder: "/p/.jetson-memprof/runs/20261121-094501-train-3fa9",
  id: "20261121-094501-train-3fa9",
  title: "train.py --epochs 2",
  script: "train.py",
  state: "finished",
  exit: { kind: "out-of-memory", signal: "SIGKILL", evidence: "dmesg", kernelLog: ["Killed process 4242"] },
  target: "ssh://nano@10.0.0.2",
  simulated: false,
  rssPeak: 2 ** 30,
  massif: false,
  metrics: ["rss", "cuda"],
  label: { tags: ["fp16"], pinned: true },
  model: false,
  snapshots: [],
  warnings: ["internal words"],
};

describe("a run", () => {
  it("has units in its names, and nothing of what it is made of inside", () => {
    expect(runOf(SUMMARY)).toEqual({
      id: "20261121-094501-train-3fa9",
      folder: "/p/.jetson-memprof/runs/20261121-094501-train-3fa9",
      title: "train.py --epochs 2",
      script: "train.py",
      tags: ["fp16"],
      pinned: true,
      state: "ended",
      ending: { kind: "out-of-memory", signal: "SIGKILL" },
      target: "ssh://nano@10.0.0.2",
      simulated: false,
      peakRssBytes: 2 ** 30,
      metrics: ["rss", "cuda"],
    });
  });

  it("is a frozen copy, with all that is in it", () => {
    const run = runOf(SUMMARY);
    for (const part of [run, run.tags, run.metrics, run.ending]) expect(Object.isFrozen(part)).toBe(true);
    for (const part of [SUMMARY, SUMMARY.label.tags, SUMMARY.metrics]) expect(Object.isFrozen(part)).toBe(false);
  });

  it("leaves out a peak that is not of the script's own process", () => {
    expect("peakRssBytes" in runOf({ ...SUMMARY, massif: true })).toBe(false);
    const imported = { format: "memray", file: "a.json", measures: "heap", timeline: "heap" } as const;
    const run = runOf({ ...SUMMARY, imported });
    expect("peakRssBytes" in run).toBe(false);
    expect(run.importedFrom).toBe("memray");
  });

  it.each([
    [{ kind: "exited", code: 3 }],
    [{ kind: "signalled", signal: "SIGSEGV" }],
    [{ kind: "cancelled" }],
    [{ kind: "lost" }],
  ] as const)("ended as %o", (exit) => {
    expect(runOf({ ...SUMMARY, exit }).ending).toEqual(exit);
  });
});

it("lines have the figures that are known", () => {
  const files = [{ path: "train.py", lines: [{ line: 3, hits: 1, net: 5, self: 0 }] }];
  const lines = linesOf({ metric: "rss", files });
  expect(lines).toStrictEqual({
    metric: "rss",
    files: [{ path: "train.py", lines: [{ line: 3, hits: 1, netBytes: 5, selfBytes: 0 }] }],
  });
  expect(Object.isFrozen(lines.files[0]?.lines[0])).toBe(true);
});

describe("news of a run", () => {
  const folder = "/p/.jetson-memprof/runs/r1";

  it("names the run, and its memory only where it is the script's own", () => {
    const progress = { kind: "progress", folder, elapsedMs: 1_000, hits: 9, rss: 100, rssPeak: 120 } as const;
    expect(newsOf(progress)).toStrictEqual({ kind: "progress", id: "r1", folder, elapsedMs: 1_000, rssBytes: 100 });
    expect(newsOf({ ...progress, underValgrind: true })).toStrictEqual({
      kind: "progress",
      id: "r1",
      folder,
      elapsedMs: 1_000,
    });
    expect(newsOf({ kind: "ended", folder, outcome: "released" })).toStrictEqual({
      kind: "ended",
      id: "r1",
      folder,
      outcome: "released",
    });
  });
});

describe("what callers give", () => {
  const entries: readonly RunListEntry[] = [
    { kind: "unreadable", folder: "/p/.jetson-memprof/runs/broken", reason: "damaged" },
    { kind: "run", run: SUMMARY },
  ];

  it("is a run by its id or its folder", () => {
    expect(findRun(SUMMARY.id, entries)).toBe(SUMMARY);
    expect(findRun(`${SUMMARY.folder}/`, entries)).toBe(SUMMARY);
  });

  it.each([
    ["no text", () => findRun(7, entries), "bad-argument"],
    ["nothing", () => findRun("", entries), "bad-argument"],
    ["the beginning of an id", () => findRun("20261121", entries), "no-run"],
    ["a run that cannot be read", () => findRun("/p/.jetson-memprof/runs/broken", entries), "no-run"],
    ["a folder elsewhere", () => findRun("/etc", entries), "no-run"],
    ["another metric", () => metricArgument("uss"), "bad-argument"],
    ["another view", () => viewArgument("__proto__"), "bad-argument"],
    ["a relative script", () => scriptArgument("train.py"), "bad-argument"],
    ["no script", () => scriptArgument("/etc/passwd"), "bad-argument"],
    ["options that are none", () => targetArgument("nano"), "bad-argument"],
    ["another version", () => versionArgument(2), "api-version"],
    ["a version that is no JSON", () => versionArgument(1n), "api-version"],
    ["an empty target", () => targetArgument({ target: " " }), "bad-argument"],
    ["a target that is none", () => targetArgument({ target: 7 }), "bad-argument"],
  ])("%s is refused", (_what, ask, code) => {
    expect(ask).toThrow(expect.objectContaining({ name: "JetsonMemprofError", code }));
  });

  it("may leave out the target", () => {
    expect(targetArgument(undefined)).toBeUndefined();
    expect(targetArgument({})).toBeUndefined();
    expect(targetArgument({ target: "nano" })).toBe("nano");
  });
});

describe("errors", () => {
  it("for people go on with their code and the next step", () => {
    const cause = new Error("secret");
    const error = asApiError(new UserError("bad-target", "No such host.", "Name another.", { cause }));
    expect(error).toMatchObject({ code: "bad-target", message: "No such host. Name another." });
    expect(error.cause).toBeUndefined();
  });

  it("of ours go on as they are, others say nothing of the inside", () => {
    const own = apiError("no-run", "There is none.");
    expect(asApiError(own)).toBe(own);
    const other = asApiError(new TypeError("x of undefined"));
    expect(other.code).toBe("internal");
    expect(other.message).not.toContain("undefined");
  });

  it("are all in docs/api.md", () => {
    const document = fs.readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
    const types = fs.readFileSync(new URL("../../../docs/api/jetson-memprof.d.ts", import.meta.url), "utf8");
    const [, union = ""] = /type JetsonMemprofErrorCode =(.*)export interface JetsonMemprofError /s.exec(types) ?? [];
    const codes = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code);
    expect([...document.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code)).toEqual(codes);
  });
});
