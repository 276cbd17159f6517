import { describe, expect, it } from "vitest";
import { createMomentTable } from "../board/moments/momentTable.ts";
import type { Exit } from "../profile/model.ts";
import { judge } from "./judge.ts";
import type { Check } from "./model.ts";
import { comparedLine, comparison, difference, judged, lineRow, MIB, profileOf, runInfo, UNKNOWN } from "./testing.ts";

const ending: Check = { kind: "ending" };
const peak = (limit: number): Check => ({ kind: "peak", metric: "rss", limit: limit * MIB });
const line = (limit: number): Check => ({ kind: "line", metric: "rss", limit: limit * MIB });
const peakGrowth = (limit: number): Check => ({ kind: "peak-growth", metric: "rss", limit: limit * MIB });
const lineGrowth = (limit: number): Check => ({ kind: "line-growth", metric: "rss", limit: limit * MIB });

describe("how the run ended", () => {
  it.each<[Exit | undefined, string, string]>([
    [{ kind: "exited", code: 0 }, "kept", "came to its own end"],
    [{ kind: "exited", code: 3 }, "broken", "exit status 3. It was at train.py:7."],
    [{ kind: "signalled", signal: "SIGSEGV" }, "broken", "SIGSEGV"],
    [{ kind: "out-of-memory", signal: "SIGKILL", evidence: "dmesg" }, "broken", "memory ran out (dmesg)"],
    [{ kind: "not-started", message: "no python" }, "broken", "no python"],
    [{ kind: "cancelled" }, "unknown", "cancelled"],
    [{ kind: "lost" }, "unknown", "is unknown"],
    [undefined, "unknown", "does not say how"],
  ])("%j is %s", (exit, outcome, words) => {
    const { exit: _, ...rest } = runInfo({ lastLines: [{ pid: 1, thread: "MainThread", path: "train.py", line: 7 }] });
    const run = exit === undefined ? rest : { ...rest, exit };
    const report = judge([ending], judged({ profile: profileOf([], { run }) }), false);
    expect(report.results).toMatchObject([{ outcome, message: expect.stringContaining(words) }]);
    expect(report.verdict).toBe(outcome);
  });

  it("is not known while the run goes on, and is not asked of what another tool measured without saying it", () => {
    const running = judge([ending], judged({ profile: profileOf([], { run: runInfo({ state: "running" }) }) }), false);
    expect(running.verdict).toBe("unknown");
    const { exit: _, ...rest } = runInfo({ imported: { format: "mprof", file: "x.dat", measures: "RSS" } });
    expect(judge([ending], judged({ profile: profileOf([], { run: rest }) }), false)).toMatchObject({
      verdict: "kept",
      results: [],
    });
  });
});

describe("the peak", () => {
  it("is kept at its limit and broken above it", () => {
    expect(judge([peak(148)], judged(), false)).toMatchObject({
      verdict: "kept",
      results: [{ message: "It was 148.0 MiB." }],
    });
    expect(judge([peak(100)], judged(), false)).toMatchObject({
      verdict: "broken",
      results: [{ message: "It was 148.0 MiB: 48.0 MiB above the limit.", findings: [{ actual: 148 * MIB }] }],
    });
  });

  it("that was not measured never passes", () => {
    expect(judge([peak(100)], judged({ rssPeak: undefined }), false).verdict).toBe("unknown");
    const massif = runInfo({ engine: { name: "massif", exact: false, accelerator: false } });
    expect(judge([peak(9999)], judged({ profile: profileOf([], { run: massif }) }), false)).toMatchObject({
      verdict: "unknown",
      results: [{ message: expect.stringContaining("valgrind") }],
    });
    for (const metric of ["cuda", "system"] as const) {
      expect(judge([{ kind: "peak", metric, limit: 1 }], judged(), false).verdict).toBe("unknown");
    }
  });

  it("of what another tool's timeline measures is not taken for RSS", () => {
    const imported = {
      format: "tegrastats",
      file: "x.log",
      measures: "x",
      timeline: "RAM of the whole board",
    } as const;
    expect(
      judge([peak(9999)], judged({ profile: profileOf([], { run: runInfo({ imported }) }) }), false),
    ).toMatchObject({
      verdict: "unknown",
      results: [{ message: "The run's timeline is of RAM of the whole board, not of RSS." }],
    });
  });

  it("of CUDA is the highest of all readings, a lower bound", () => {
    const cuda = {
      net: 0,
      self: 0,
      maxIncrement: 0,
      peak: 0,
      peakMost: 0,
      reservedNet: 0,
      reservedSelf: 0,
      uncertain: 0,
    };
    const profile = profileOf([lineRow(2, { cuda: { ...cuda, reservedPeak: 120 * MIB } })], {
      metrics: new Set(["rss", "cuda"]),
      cuda: new Map([[1, { noticedBy: "counter", peaks: "bounds" }]]),
      phases: [{ pid: 1, phase: "to-device", t: 0, reserved: 20 * MIB }],
    });
    const check: Check = { kind: "peak", metric: "cuda", limit: 100 * MIB };
    expect(judge([check], judged({ profile, moments: createMomentTable("moments.jsonl") }), false)).toMatchObject({
      verdict: "broken",
      results: [{ message: "It was 120.0 MiB at least, the highest reading: 20.0 MiB above the limit." }],
    });
  });

  it("of the board is MemTotal less the least MemAvailable", () => {
    const check: Check = { kind: "peak", metric: "system", limit: 2000 * MIB };
    const samples = [{ t: 0, memAvailable: 3000 * MIB }, { t: 200, memAvailable: 1500 * MIB }, { t: 400 }];
    expect(judge([check], judged({ samples }), false).results).toMatchObject([
      { outcome: "broken", message: expect.stringContaining("2500.0 MiB") },
    ]);
    const blind = profileOf([], { run: runInfo({ board: {} }) });
    expect(judge([check], judged({ samples, profile: blind }), false).verdict).toBe("unknown");
  });
});

describe("a limit for every line", () => {
  it("is of the line alone: the call that holds everything is not blamed for what it called", () => {
    expect(judge([line(60)], judged(), false).results).toMatchObject([
      {
        outcome: "broken",
        message: "One line is above the limit.",
        findings: [{ place: { path: "train.py", line: 2, text: "    line_2()" }, actual: 64 * MIB }],
      },
    ]);
    expect(judge([line(64)], judged(), false).results).toMatchObject([
      { outcome: "kept", message: "The heaviest line is train.py:2 with 64.0 MiB of RSS." },
    ]);
  });

  it("is unsure where a neighboring line may have taken it", () => {
    const profile = profileOf([lineRow(2, { self: 64 * MIB, net: 64 * MIB, uncertain: 8 * MIB })]);
    expect(judge([line(60)], judged({ profile }), false)).toMatchObject({
      verdict: "kept",
      results: [{ outcome: "unsure" }],
    });
    expect(judge([line(60)], judged({ profile }), true).verdict).toBe("broken");
    expect(judge([line(50)], judged({ profile }), false).verdict).toBe("broken");
  });

  it("cannot be judged without figures", () => {
    for (const profile of [profileOf([]), profileOf([lineRow(2, {})]), profileOf([], { files: [] })]) {
      expect(judge([line(1)], judged({ profile }), false).verdict).toBe("unknown");
    }
    const check: Check = { kind: "line", metric: "cuda", limit: 1 };
    expect(judge([check], judged(), false)).toMatchObject({
      verdict: "unknown",
      results: [{ message: "The run has no figures of CUDA memory by line." }],
    });
  });
});

describe("growth of the peak", () => {
  it.each([
    ["below the limit", difference(100 * MIB, 140 * MIB), "kept"],
    ["at the limit", difference(100 * MIB, 150 * MIB), "kept"],
    ["above it", difference(100 * MIB, 151 * MIB), "broken"],
    ["above it by no more than the noise", difference(100 * MIB, 151 * MIB, { amount: MIB, known: true }), "unsure"],
    ["above it by more than the noise", difference(100 * MIB, 152 * MIB, { amount: MIB, known: false }), "broken"],
    ["downwards", difference(100 * MIB, 10 * MIB), "kept"],
    ["unknown", UNKNOWN, "unknown"],
  ])("%s", (_, peakDifference, outcome) => {
    const report = judge([peakGrowth(50)], judged({}, comparison([], { peak: peakDifference })), false);
    expect(report.results).toMatchObject([{ outcome }]);
    expect(report.verdict).toBe(outcome === "unsure" ? "kept" : outcome);
  });

  it("is of the heap where massif measured", () => {
    const report = judge([peakGrowth(1)], judged({}, comparison([], { metric: "heap" })), false);
    expect(report.results[0]?.message).toMatch(/^The heap's peak grew by 48\.0 MiB/);
  });

  it("is not judged against a baseline that did not end well", () => {
    const killed = { run: runInfo({ exit: { kind: "out-of-memory", signal: "SIGKILL" } }) };
    const against = comparison([], { before: { folders: ["/b"], title: "b", runs: [{ run: runInfo() }, killed] } });
    expect(judge([peakGrowth(9999), lineGrowth(9999)], judged({}, against), false)).toMatchObject({
      verdict: "unknown",
      results: [
        { message: expect.stringMatching(/^The baseline cannot be compared with: The kernel ended/) },
        { outcome: "unknown" },
      ],
    });
  });
});

it("growth is not known where one of the run's repeats was cut short, and told of a single run that was", () => {
  const killed = { run: runInfo({ exit: { kind: "signalled", signal: "SIGTERM" } }) };
  const of = (...runs: (typeof killed)[]) =>
    judge([peakGrowth(1)], judged({}, comparison([], { after: { folders: [], title: "", runs } })), false).verdict;
  expect([of({ run: runInfo() }, killed), of(killed)]).toEqual(["unknown", "broken"]);
});

describe("growth of lines", () => {
  const grown = (...lines: ReturnType<typeof comparedLine>[]) =>
    judge([lineGrowth(50)], judged({}, comparison(lines)), false).results[0];

  it("names each line that grew by more, the largest first, with what it kept or held", () => {
    expect(
      grown(
        comparedLine(2, difference(0, 10 * MIB), difference(0, 60 * MIB)),
        comparedLine(3, difference(10 * MIB, 110 * MIB), difference(10 * MIB, 110 * MIB)),
        comparedLine(4, difference(0, 50 * MIB)),
      ),
    ).toMatchObject({
      outcome: "broken",
      message: "2 lines grew by more.",
      findings: [
        {
          place: { line: 3 },
          message:
            "This line's RSS, kept with what it called, grew by 100.0 MiB, from 10.0 MiB to 110.0 MiB, 50.0 MiB above the limit.",
        },
        { place: { line: 2 }, message: expect.stringContaining("held at most") },
      ],
    });
  });

  it("takes a new line for grown from nothing, and lets go of one that is gone", () => {
    const fresh = {
      verdict: "only-after",
      after: { median: 60 * MIB, runs: 1 },
      noise: { amount: 0, known: false },
    } as const;
    expect(grown(comparedLine(2, fresh))).toMatchObject({
      outcome: "broken",
      findings: [{ message: expect.stringContaining("is new with 60.0 MiB, 10.0 MiB above the limit") }],
    });
    const gone = {
      verdict: "only-before",
      before: { median: 60 * MIB, runs: 1 },
      noise: { amount: 0, known: false },
    } as const;
    const { after: _, ...removed } = comparedLine(2, gone);
    expect(grown(comparedLine(3, difference(0, 0)), removed)).toMatchObject({ outcome: "kept" });
  });

  it("is unknown where a side is not known and what is known could be too much", () => {
    const half = (median: number) =>
      ({ verdict: "unknown", after: { median, runs: 1 }, noise: UNKNOWN.noise }) as const;
    expect(grown(comparedLine(2, half(60 * MIB)))).toMatchObject({ outcome: "unknown" });
    expect(grown(comparedLine(2, half(40 * MIB)))).toMatchObject({ outcome: "kept" });
    const lost = { verdict: "unknown", before: { median: MIB, runs: 1 }, noise: UNKNOWN.noise } as const;
    expect(grown(comparedLine(2, lost))).toMatchObject({ outcome: "unknown" });
    expect(grown(comparedLine(2, UNKNOWN))).toMatchObject({ outcome: "kept" });
  });

  it("counts what grew, what may have, and what nobody knows", () => {
    const noisy = difference(0, 51 * MIB, { amount: 2 * MIB, known: false });
    const half = { verdict: "unknown", after: { median: 60 * MIB, runs: 1 }, noise: UNKNOWN.noise } as const;
    expect(
      grown(comparedLine(2, difference(0, 60 * MIB)), comparedLine(3, noisy), comparedLine(4, half)),
    ).toMatchObject({
      outcome: "broken",
      message: "One line grew by more, one line may have, of one line it is not known.",
    });
    expect(grown(comparedLine(3, noisy))?.findings[0]?.message).toMatch(
      /1\.0 MiB above the limit, but no more than the noise, of single runs at least 2\.0 MiB\.$/,
    );
  });

  it("is unknown where no line was measured, or not by what was asked for", () => {
    expect(grown()).toMatchObject({ outcome: "unknown" });
    const check: Check = { kind: "line-growth", metric: "cuda", limit: 1 };
    expect(judge([check], judged({}, comparison([comparedLine(2, difference(0, 0))])), false).verdict).toBe("unknown");
  });
});

it("a broken limit counts before what could not be judged", () => {
  expect(judge([peak(1), { kind: "peak", metric: "cuda", limit: 1 }], judged(), false).verdict).toBe("broken");
});
