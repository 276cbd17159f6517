import { describe, expect, it } from "vitest";
import { mostByLine } from "../../massif/lines.ts";
import type { FrameTree } from "../../massif/model.ts";
import { fullName } from "../../massif/tree/frameNames.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import { FACTS, randomTree } from "../../massif/tree/treeTesting.ts";
import { linesByFunction } from "../../profile/lines/totals.ts";
import type { Profile } from "../../profile/model.ts";
import { NOTHING_KEPT } from "../../runs/keeping.ts";
import { callers } from "./callers.ts";
import { exportWhole, jsonExport } from "./exportRun.ts";
import { lineFigures, projectLines } from "./lineFigures.ts";
import type { ProcessHeap, WholeRun } from "./model.ts";
import { decodePprof } from "./pprof/pprofTesting.ts";
import { schemaFaults } from "./schemaTesting.ts";
import { randomProfile } from "./testing.ts";

function wholeOf(profile: Profile, changes: Partial<WholeRun> = {}): WholeRun {
  return { profile, samples: [], sources: new Map(), keeping: NOTHING_KEPT, heaps: [], problems: [], ...changes };
}

function massifOf(seed: number): WholeRun {
  const profile = randomProfile(seed);
  const run = { ...profile.run, engine: { name: "massif" as const, exact: false, accelerator: false } };
  const heap = (label: string, from: number): ProcessHeap => {
    const stacks = frameTreeOf(randomTree(from, 300), FACTS);
    const bytes = stacks.total[0] ?? 0;
    return { pid: from, label, stacks, bytes, substitute: false, pythonFrames: "lines", withoutLine: 0, measured: [] };
  };
  return wholeOf({ ...profile, run }, { heaps: [heap("main", seed), heap("worker 1", seed + 1000)] });
}

const bytesOf = (content: Iterable<string | Uint8Array>) => [...content][0] as Uint8Array;
const json = (content: Iterable<string | Uint8Array>) => JSON.parse([...content].join(""));

/** Each stack of a tree, its frames from the outermost, with its bytes; equal ones added up. */
function stacksOf(tree: FrameTree, name = fullName): Map<string, number> {
  const found = new Map<string, number>();
  for (let node = 0; node < tree.frame.length; node++) {
    const bytes = tree.self[node] ?? 0;
    if (bytes === 0) continue;
    const names: string[] = [];
    for (let at = node; at > 0; at = tree.parent[at] ?? 0) {
      const frame = tree.frames[tree.frame[at] ?? 0];
      if (frame !== undefined) names.unshift(name(frame));
    }
    add(found, names.join(" > "), bytes);
  }
  return found;
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

const positive = (profile: Profile) =>
  profile.files.flatMap((file) =>
    linesByFunction(file).flatMap((part) =>
      part.lines.map((row) => ({ ...row, name: part.name, path: file.path, own: row.self ?? row.net ?? 0 })),
    ),
  );

describe("pprof", () => {
  it("has for each line its hits and what every measure saw on it alone, with function, file and line", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const profile = randomProfile(seed);
      const decoded = decodePprof(bytesOf(exportWhole(wholeOf(profile), "pprof", {}).content));
      const measures = [...profile.metrics].map((metric) => `${metric}_self/bytes`);
      expect(decoded.types).toEqual(["hits/count", ...measures]);
      expect(decoded.preferred).toBe("rss_self");
      const expected = positive(profile)
        .map((row) => ({
          stack: [`${row.name} ${row.path}:${row.line}`],
          values: [
            row.hits ?? 0,
            row.own,
            ...(profile.metrics.has("cuda") ? [row.cuda?.self ?? 0] : []),
            ...(profile.metrics.has("system") ? [row.system?.self ?? 0] : []),
          ],
          labels: {},
        }))
        .filter(({ values }) => values.some((value) => value !== 0));
      expect(decoded.samples).toEqual(expected);
    }
  });

  it("says when the run was, how long it took, and what ran", () => {
    const { run } = randomProfile(1);
    const profile = {
      ...randomProfile(1),
      run: { ...run, started: "2026-11-21T09:45:01.123Z", elapsedMs: 2000 },
    };
    const decoded = decodePprof(bytesOf(exportWhole(wholeOf(profile), "pprof", { metric: "rss" }).content));
    expect(decoded.timeNanos).toBe(Date.parse("2026-11-21T09:45:01.123Z") * 1e6);
    expect(decoded.durationNanos).toBe(2e9);
    expect(decoded.comments).toEqual(['train.py --name "a b" (20261121-094501-train-3fa9)']);
    expect(decoded.mappings).toEqual(["train.py"]);
  });

  it("are, by line, library and function, in JSON as the published schema says", () => {
    const run = massifOf(7);
    const exported = JSON.parse([...jsonExport(run, []).content].join(""));
    expect(schemaFaults(exported)).toEqual([]);
    const [main] = run.heaps;
    expect(exported.heaps.map(({ label }: { label: string }) => label)).toEqual(["main", "worker 1"]);
    const sum = (rows: readonly { bytes: number }[]) => rows.reduce((all, { bytes }) => all + bytes, 0);
    expect(sum(exported.heaps[0].libraries)).toBe(main?.bytes);
  });

  it("has the whole stacks of every process under massif, labelled, and not a byte less", () => {
    const run = massifOf(7);
    const decoded = decodePprof(bytesOf(exportWhole(run, "pprof", {}).content));
    expect(decoded.types).toEqual(["heap/bytes"]);
    for (const { label, stacks } of run.heaps) {
      const found = new Map<string, number>();
      for (const sample of decoded.samples.filter(({ labels }) => labels["process"] === label)) {
        add(found, String(sample.stack.length), sample.values[0] ?? 0);
      }
      const expected = new Map<string, number>();
      for (const [stack, bytes] of stacksOf(callers(stacks))) {
        add(expected, String(stack === "" ? 0 : stack.split(" > ").length), bytes);
      }
      expect(found).toEqual(expected);
    }
    expect(decoded.samples.some(({ stack }) => stack.includes("step train.py:7"))).toBe(true);
    expect(decoded.mappings).toContain("/usr/lib/libtorch_cpu.so");
  });
});

describe("a run of several processes under massif", () => {
  const NOTE = "With several processes, each line shows the most that one of them held.";
  const file = (path: string, ...lines: number[]) => {
    return { path, sha256: "", functions: [], lines: lines.map((line) => ({ line, hits: 1 })) };
  };
  const whole = (...heaps: readonly ProcessHeap[]) => {
    const run = massifOf(7);
    return { ...run, profile: { ...run.profile, files: [file("train.py", 3, 7), file("model.py", 4)] }, heaps };
  };
  const [main, other] = massifOf(7).heaps;
  if (main === undefined || other === undefined) throw new Error("no heaps");
  const twin = { ...main, pid: 2, label: "worker 1" };
  const table = (run: WholeRun) =>
    lineFigures(run, undefined).files.map(({ path, total, lines }) => ({
      path,
      total,
      lines: lines.map(({ line, severity, cells }) => [line, severity, ...cells()]),
    }));
  const text = (run: WholeRun, format: "csv" | "html" | "markdown") =>
    [...exportWhole(run, format, {}).content].join("");

  it("has of each line the most that one of them held, as beside the lines, and says so", () => {
    const [one, two] = [whole(main), whole(main, twin)];
    expect(table(one).flatMap(({ lines }) => lines).length).toBeGreaterThan(2);
    expect(table(two)).toEqual(table(one));
    expect(text(two, "csv")).toBe(text(one, "csv"));
    expect(text(one, "csv")).toMatch(/train\.py,7,.*,[1-9]\d*,\d+,/);
    for (const format of ["html", "markdown"] as const) {
      expect(text(two, format)).toContain(NOTE);
      expect(text(one, format)).not.toContain(NOTE);
      expect(text(two, format)).not.toContain("added up by line");
    }
    expect(exportWhole(two, "csv", {}).notes).toEqual([expect.stringContaining(NOTE)]);
    expect(exportWhole(one, "csv", {}).notes).toEqual([]);
  });

  it("takes what is live and what is the line's own from the same process, whichever comes first", () => {
    expect(table(whole(main, other))).toEqual(table(whole(other, main)));
    const held = mostByLine([main, other].map(({ stacks }) => projectLines(stacks)));
    for (const { path, line, total, own } of held) {
      const each = [main, other].flatMap(({ stacks }) =>
        projectLines(stacks).filter((row) => row.path === path && row.line === line),
      );
      expect(total).toBe(Math.max(...each.map((row) => row.total)));
      expect(each.some((row) => row.total === total && row.own === own)).toBe(true);
    }
  });
});

describe("Speedscope and V8's heap profile", () => {
  it("hold what each line took alone, below its file and function", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const profile = randomProfile(seed);
      const expected = new Map<string, number>();
      for (const row of positive(profile)) {
        const head = `${row.path} > ${row.name}`;
        if (row.own > 0) add(expected, `${head} (${row.path}) > ${row.name} (${row.path}:${row.line})`, row.own);
      }
      expect(speedscopeStacks(json(exportWhole(wholeOf(profile), "speedscope", {}).content))).toEqual(expected);
      const leaves = [...expected].map(([stack, bytes]) => [stack.split(" > ").length, bytes]);
      const found = heapProfileStacks(json(exportWhole(wholeOf(profile), "heapprofile", {}).content));
      expect(found.map(({ depth, bytes }) => [depth, bytes]).sort()).toEqual(leaves.sort());
    }
  });

  it("say what they leave out: memory that was given back, other processes", () => {
    const file = { path: "a.py", sha256: "", functions: [] };
    const lines = [
      { line: 1, self: 1024, net: 1024 },
      { line: 2, self: -2048, net: -2048 },
    ];
    const profile = { ...randomProfile(1), metrics: new Set(["rss" as const]), files: [{ ...file, lines }] };
    const { notes } = exportWhole(wholeOf(profile), "speedscope", {});
    expect(notes).toEqual(["Lines that gave memory back (2 KiB of RSS) are not in this format."]);
    expect(exportWhole(massifOf(3), "heapprofile", {}).notes).toEqual([
      "It holds the stacks of main only; pprof holds all processes.",
    ]);
  });

  it("say so where the wanted measure is not there, and refuse where nothing is", () => {
    const profile = { ...randomProfile(1), metrics: new Set(["rss" as const]) };
    expect(exportWhole(wholeOf(profile), "speedscope", { metric: "cuda" }).notes[0]).toBe(
      "The run has no CUDA figures by line; these are RSS.",
    );
    const empty = wholeOf({ ...profile, files: [] });
    for (const format of ["speedscope", "heapprofile", "pprof", "memory_profiler"] as const) {
      expect(() => exportWhole(empty, format, {})).toThrow("nothing to put into this format");
    }
  });

  it("hold every stack of massif's main process", () => {
    const run = massifOf(11);
    const expected = stacksOf(callers(run.heaps[0]?.stacks as FrameTree));
    const unknown = fullName({ kind: "native", interpreter: false });
    const named = new Map([...expected].map(([stack, bytes]) => [stack === "" ? unknown : stack, bytes]));
    expect(speedscopeStacks(json(exportWhole(run, "speedscope", {}).content))).toEqual(named);
    const ends = heapProfileStacks(json(exportWhole(run, "heapprofile", {}).content)).map(({ bytes }) => bytes);
    expect(ends.reduce((a, b) => a + b, 0)).toBe(run.heaps[0]?.bytes);
  });
});

interface Speedscope {
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
  readonly profiles: readonly { readonly events: readonly { type: "O" | "C"; frame: number; at: number }[] }[];
}

/** Replays the events: bytes pass while the innermost open frame is the end of a stack. */
function speedscopeStacks({ shared, profiles }: Speedscope): Map<string, number> {
  const found = new Map<string, number>();
  const open: string[] = [];
  let last = 0;
  for (const { type, frame, at } of profiles[0]?.events ?? []) {
    if (at > last && open.length > 0) add(found, open.join(" > "), at - last);
    last = at;
    if (type === "O") open.push(shared.frames[frame]?.name ?? "?");
    else open.pop();
  }
  return found;
}

interface HeapNode {
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

function heapProfileStacks({ head }: { readonly head: HeapNode }): { depth: number; bytes: number }[] {
  const found: { depth: number; bytes: number }[] = [];
  const visit = (node: HeapNode, depth: number): void => {
    if (node.selfSize > 0) found.push({ depth, bytes: node.selfSize });
    for (const child of node.children) visit(child, depth + 1);
  };
  visit(head, 0);
  return found;
}
