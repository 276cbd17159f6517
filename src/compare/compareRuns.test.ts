import { describe, expect, it } from "vitest";
import { seeded } from "../../test/faults/support/random.ts";
import type { CudaFigures } from "../profile/model.ts";
import { lineChanges } from "./changes.ts";
import { compareRuns } from "./compareRuns.ts";
import type { Comparison } from "./model.ts";
import { changeOf } from "./noise.ts";
import type { LoadedRun, LoadedSide } from "./side.ts";
import { fileOf, MIB, type Rows, runOf, sideOf, train } from "./testing.ts";

const TEXT = "import torch|data = load()|net = Net()|train(net, data)|print(1)";
const ROWS: Rows = { 1: 200 * MIB, 2: 64 * MIB, 3: 8 * MIB, 4: 0 };

const lines = (comparison: Comparison, path = "train.py") =>
  comparison.files
    .find((file) => file.path === path)
    ?.lines.map(({ before, after, net }) => [before, after, net.verdict]);
const changed = (comparison: Comparison) =>
  lineChanges(comparison).changed.map(({ file, line, what, difference }) => [
    `${file.path}:${line.after ?? `${line.before} before`}`,
    what,
    (changeOf(difference) ?? 0) / MIB,
  ]);

describe("two runs", () => {
  it("of which one took more on a line: it is found below lines that were inserted", () => {
    const after = train("# new|import torch|data = load()|net = Net()|train(net, data)|print(1)", {
      2: 200 * MIB,
      3: 96 * MIB,
      4: 8 * MIB,
      5: 0,
    });
    const comparison = compareRuns(train(TEXT, ROWS), after, "rss");
    expect(changed(comparison)).toEqual([["train.py:3", "net", 32]]);
    expect(lines(comparison)).toEqual([
      [1, 2, "same"],
      [2, 3, "more"],
      [3, 4, "same"],
      [4, 5, "same"],
    ]);
    expect(comparison.files[0]?.lines[1]?.text).toBe("data = load()");
    expect(comparison.notes).toEqual([expect.stringContaining("One run each")]);
  });

  it("tell a line that is gone after the one that it followed, and a new one where it is", () => {
    const after = train("import torch|net = Net()|extra = cache_of_everything()|train(net, data)|print(1)", {
      1: 200 * MIB,
      2: 8 * MIB,
      3: 5 * MIB,
    });
    const comparison = compareRuns(train(TEXT, ROWS), after, "rss");
    expect(lines(comparison)).toEqual([
      [1, 1, "same"],
      [2, undefined, "only-before"],
      [3, 2, "same"],
      [undefined, 3, "only-after"],
      [4, 4, "same"],
    ]);
    expect(changed(comparison)).toEqual([
      ["train.py:2 before", "net", -64],
      ["train.py:3", "net", 5],
    ]);
  });

  it("take a line in the place of an unrelated one for new, with all it takes", () => {
    const before = train("import torch|a = bytearray(100 << 20)|print(1)", { 1: 200 * MIB, 2: 100 * MIB });
    const after = train("import torch|model = build_everything()|print(1)", { 1: 200 * MIB, 2: 140 * MIB });
    const comparison = compareRuns(before, after, "rss");
    expect(lines(comparison)).toEqual([
      [1, 1, "same"],
      [2, undefined, "only-before"],
      [undefined, 2, "only-after"],
    ]);
    expect(changed(comparison)).toEqual([
      ["train.py:2", "net", 140],
      ["train.py:2 before", "net", -100],
    ]);
  });

  it("count a line that was not executed as nothing, unless the run was cut short", () => {
    const short = (changes: Partial<LoadedRun>, exit: object = { kind: "exited", code: 0 }) => {
      const run = runOf([fileOf("train.py", TEXT, { 1: 200 * MIB })], changes, { exit } as never);
      return lines(compareRuns(train(TEXT, ROWS), sideOf([run], { "train.py": TEXT.split("|") }), "rss"));
    };
    const unknown = [
      [1, 1, "same"],
      [2, 2, "unknown"],
      [3, 3, "unknown"],
      [4, 4, "unknown"],
    ];
    expect(short({})).toEqual([
      [1, 1, "same"],
      [2, 2, "less"],
      [3, 3, "less"],
      [4, 4, "same"],
    ]);
    expect(short({ complete: false })).toEqual(unknown);
    expect(short({}, { kind: "out-of-memory", signal: "SIGKILL" })).toEqual(unknown);
    expect(short({}, { kind: "exited", code: 1 })).toEqual(unknown);
  });

  it("say nothing of a line that never ended, whose net is not known", () => {
    const after = train(TEXT, { ...ROWS, 4: { self: 0 } });
    const found = compareRuns(train(TEXT, ROWS), after, "rss").files[0]?.lines[3];
    expect(found?.net).toMatchObject({ verdict: "unknown", before: { median: 0 } });
  });

  it("tell the peak where it changed by another amount than what is kept", () => {
    const row = (net: number, peak: number) => ({ net: net * MIB, peak: peak * MIB, uncertain: 0 });
    const before = train(TEXT, { 2: row(10, 10), 3: row(10, 10), 4: row(0, 10) });
    const after = train(TEXT, { 2: row(20, 20), 3: row(20, 60), 4: row(0, 40) });
    expect(changed(compareRuns(before, after, "rss"))).toEqual([
      ["train.py:3", "peak", 50],
      ["train.py:4", "peak", 30],
      ["train.py:2", "net", 10],
      ["train.py:3", "net", 10],
    ]);
  });

  it("have the noise that their figures leave uncertain", () => {
    const after = train(TEXT, { ...ROWS, 2: { net: 65 * MIB, peak: 65 * MIB, uncertain: MIB } });
    const found = compareRuns(train(TEXT, ROWS), after, "rss").files[0]?.lines[1];
    expect(found?.net).toMatchObject({ verdict: "same", noise: { amount: MIB, known: false } });
  });

  it("tell how often a line ran where that differs", () => {
    const after = train(TEXT, { ...ROWS, 2: { net: 64 * MIB, hits: 3 } });
    const found = compareRuns(train(TEXT, ROWS), after, "rss").files[0];
    expect(found?.lines.map(({ hits }) => hits)).toEqual([undefined, { before: 1, after: 3 }, undefined, undefined]);
  });

  it("tell a file that was renamed, and keep files of one name apart", () => {
    const side = (files: Readonly<Record<string, Rows>>) =>
      sideOf(
        [runOf(Object.entries(files).map(([path, rows]) => fileOf(path, `${TEXT}|${path.split("/").at(-1)}`, rows)))],
        {
          ...Object.fromEntries(Object.keys(files).map((path) => [path, TEXT.split("|")])),
        },
      );
    const comparison = compareRuns(
      side({ "a/model.py": { 2: MIB }, "b/model.py": { 2: 2 * MIB }, "old/net.py": { 2: 3 * MIB } }),
      side({ "b/model.py": { 2: 2 * MIB }, "a/model.py": { 2: 9 * MIB }, "new/net.py": { 2: 3 * MIB } }),
      "rss",
    );
    expect(changed(comparison)).toEqual([["a/model.py:2", "net", 8]]);
    expect(comparison.files.find(({ kind }) => kind === "moved")).toMatchObject({
      path: "new/net.py",
      from: "old/net.py",
    });
    expect(comparison.notes).toContainEqual("Recognized by their text: old/net.py is now new/net.py.");
  });

  it("of which a source was not kept are compared by line numbers, which is said", () => {
    const bare = sideOf([runOf([fileOf("train.py", "other", { 2: 80 * MIB })])], {});
    const comparison = compareRuns(train(TEXT, ROWS), bare, "rss");
    expect(comparison.files[0]).toMatchObject({ kind: "both", sourcesMissing: true });
    expect(comparison.notes.join()).toContain("Matched by line numbers only, as a source was not kept: train.py.");
  });

  it("of different tools have no verdicts on lines", () => {
    const imported = runOf(
      [fileOf("train.py", TEXT, ROWS)],
      {},
      {
        imported: { format: "scalene", file: "profile.json", measures: "live blocks of Python's heap" },
      },
    );
    const comparison = compareRuns(train(TEXT, {}), sideOf([imported], { "train.py": TEXT.split("|") }), "rss");
    expect(changed(comparison)).toEqual([]);
    expect(comparison.files[0]?.lines.every(({ net }) => net.verdict === "unknown" && net.change === undefined)).toBe(
      true,
    );
    expect(comparison.notes.join("\n")).toContain(
      "The lines of the two sides measure different things: RSS before, live blocks of Python's heap after.",
    );
  });

  it("tell what else differs, in words", () => {
    const run = (run: Partial<LoadedRun["run"]>) => sideOf([runOf([], {}, run)], {});
    const { notes } = compareRuns(
      run({
        command: { python: "p", script: "train.py", args: ["--batch", "8"] },
        versions: { torch: "1.10.0" },
        board: { model: "Nano" },
      }),
      run({
        command: { python: "p", script: "train.py", args: [] },
        versions: { torch: "1.13.1" },
        board: { model: "Orin" },
        exit: { kind: "out-of-memory", signal: "SIGKILL" },
      }),
      "rss",
    );
    expect(notes.slice(1)).toEqual([
      "Arguments: --batch 8 before, none after.",
      "Board: Nano before, Orin after.",
      "PyTorch: 1.10.0 before, 1.13.1 after.",
      "The run after was ended because memory ran out: lines not reached by then are unknown, and the peak may be too low.",
    ]);
  });
});

describe("a metric", () => {
  const cuda = (net: number, peak: number, peakMost = peak): CudaFigures => ({
    net: net * MIB,
    self: 0,
    maxIncrement: 0,
    peak: peak * MIB,
    peakMost: peakMost * MIB,
    reservedNet: 0,
    reservedSelf: 0,
    reservedPeak: 0,
    uncertain: 0,
  });
  const onGpu = (figures: CudaFigures) =>
    sideOf(
      [runOf([fileOf("train.py", TEXT, { 2: { net: 0, cuda: figures } })], { metrics: new Set(["rss", "cuda"]) })],
      {
        "train.py": TEXT.split("|"),
      },
    );

  it("of CUDA has its own figures, and the distance of the peak's bounds for noise", () => {
    const comparison = compareRuns(onGpu(cuda(10, 20, 50)), onGpu(cuda(11, 45)), "cuda");
    const [line] = comparison.files[0]?.lines ?? [];
    expect(line?.net).toMatchObject({ verdict: "more", change: MIB, noise: { amount: 512 } });
    expect(line?.peak).toMatchObject({ verdict: "same", noise: { amount: 30 * MIB } });
  });

  it("that a side lacks gives way to RSS, which is said", () => {
    const comparison = compareRuns(train(TEXT, ROWS), onGpu(cuda(10, 10)), "cuda");
    expect(comparison.metric).toBe("rss");
    expect(comparison.notes[0]).toBe("Before has no figures of CUDA memory by line. These are RSS.");
  });

  it("of runs under massif is the heap, whatever was asked for", () => {
    const massif = (bytes: number, live: number) => {
      const heap = {
        bytes: bytes * MIB,
        pages: false,
        threshold: MIB,
        lines: new Map([["train.py", new Map([[2, live * MIB]])]]),
      };
      const file = fileOf("train.py", TEXT, { 2: { hits: 1 }, 3: { hits: 1 } });
      const engine = { name: "massif", exact: false, accelerator: false } as const;
      return sideOf([runOf([file], { heap }, { engine })], { "train.py": TEXT.split("|") });
    };
    const comparison = compareRuns(massif(20, 10), massif(40, 30), "rss");
    expect(comparison.metric).toBe("heap");
    expect(comparison.peak).toMatchObject({ verdict: "more", change: 20 * MIB });
    expect(lines(comparison)).toEqual([
      [2, 2, "more"],
      [3, 3, "same"],
    ]);
  });
});

describe("repeats", () => {
  const at = (net: number): Rows => ({ 2: net * MIB });

  it("have the middle of their figures and their spread", () => {
    const comparison = compareRuns(train(TEXT, at(60), at(64), at(70)), train(TEXT, at(72), at(73), at(90)), "rss");
    expect(comparison.files[0]?.lines[0]?.net).toEqual({
      verdict: "same",
      before: { median: 64 * MIB, spread: 10 * MIB, runs: 3 },
      after: { median: 73 * MIB, spread: 18 * MIB, runs: 3 },
      change: 9 * MIB,
      noise: { amount: 18 * MIB, known: true },
    });
    expect(comparison.notes).toEqual([]);
  });

  it("of which some did not execute a line have 0 for it there", () => {
    const comparison = compareRuns(train(TEXT, at(64), {}, at(64)), train(TEXT, at(64), at(64), at(64)), "rss");
    expect(comparison.files[0]?.lines[0]?.net.before).toEqual({ median: 64 * MIB, spread: 64 * MIB, runs: 3 });
  });

  it("of which one had another text count without it for that file, which is said", () => {
    const other = runOf([fileOf("train.py", "another", at(999))]);
    const side: LoadedSide = train(TEXT, at(64), at(64));
    const comparison = compareRuns(
      { ...side, runs: [...side.runs, other] },
      train(TEXT, at(64), at(64), at(64)),
      "rss",
    );
    expect(comparison.files[0]?.lines[0]?.net.before).toEqual({ median: 64 * MIB, spread: 0, runs: 2 });
    expect(comparison.notes.join()).toContain("The runs before do not all have the same train.py");
  });

  it("of two only are said to tell little", () => {
    expect(compareRuns(train(TEXT, at(1), at(1)), train(TEXT, at(1), at(1), at(1)), "rss").notes.join()).toContain(
      "A side has two repeats only",
    );
  });
});

describe("any comparison", () => {
  const random = seeded(3).below;
  const side = (): LoadedSide => {
    const texts = Object.fromEntries(
      ["a.py", "pkg/a.py", "b.py"].map((path) => [
        path,
        Array.from({ length: 12 }, (_, at) => `value_${at} = compute_${random(3)}(${path}, ${at})`),
      ]),
    );
    const rows = () =>
      Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => at + 1)
          .filter(() => random(4) > 0)
          .map((line) => [
            line,
            { net: (random(200) - 50) * 10_000, peak: random(200) * 10_000, uncertain: random(3) * 90_000 },
          ]),
      );
    const run = () =>
      runOf(
        Object.entries(texts).map(([path, lines]) => fileOf(path, lines.join(), rows())),
        {
          rssPeak: random(100) * MIB,
          baseline: random(100) * MIB,
          boardPeak: random(100) * MIB,
          othersMoved: random(20) * MIB,
        },
      );
    return sideOf(Array.from({ length: 1 + random(3) }, run), texts);
  };
  const totals = (comparison: Comparison) => [
    comparison.peak,
    comparison.boardPeak,
    comparison.baseline,
    comparison.elapsedMs,
  ];

  it("of a side with itself finds no change anywhere", () => {
    for (let round = 0; round < 40; round++) {
      const one = side();
      const comparison = compareRuns(one, one, "rss");
      expect(lineChanges(comparison).changed).toEqual([]);
      for (const total of totals(comparison)) expect([total.verdict, total.change]).toEqual(["same", 0]);
    }
  });

  it("says the opposite when its sides are swapped", () => {
    for (let round = 0; round < 40; round++) {
      const [before, after] = [side(), side()];
      const forth = compareRuns(before, after, "rss");
      const back = compareRuns(after, before, "rss");
      const found = (comparison: Comparison, sign: number) =>
        lineChanges(comparison)
          .changed.map(({ file, line, what, difference }) => {
            const [old, now] = sign > 0 ? [line.before, line.after] : [line.after, line.before];
            return `${file.path} ${old} ${now} ${what} ${sign * (changeOf(difference) ?? 0)} ${difference.noise.amount}`;
          })
          .sort();
      expect(found(back, -1)).toEqual(found(forth, 1));
      const changes = (comparison: Comparison, sign: number) =>
        totals(comparison).map((total) => 0 + sign * (total.change ?? Number.NaN));
      expect(changes(back, -1)).toEqual(changes(forth, 1));
    }
  });

  it("calls no figure changed that did not move by more than its noise", () => {
    for (let round = 0; round < 40; round++) {
      const { files } = compareRuns(side(), side(), "rss");
      for (const { net, peak } of files.flatMap((file) => file.lines)) {
        for (const difference of [net, peak]) {
          const change = changeOf(difference);
          if (change !== undefined) expect(Math.abs(change)).toBeGreaterThan(difference.noise.amount);
        }
      }
    }
  });
});
