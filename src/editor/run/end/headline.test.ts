import { describe, expect, it } from "vitest";
import type { RunTree, TreeFile, TreeLine } from "../../../protocol/server.ts";
import { badEndText, findings, lastPlace } from "./headline.ts";

const MIB = 1024 * 1024;

function file(path: string, lines: readonly Omit<TreeLine, "text" | "hits">[]): TreeFile {
  return {
    path,
    functions: [
      { name: "<module>", defLine: 1, calls: 1, timeNs: 1, lines: lines.map((row) => ({ ...row, hits: 1, text: "" })) },
    ],
  };
}

const rss = (files: readonly TreeFile[]) => findings("train.py", { kind: "lines", metric: "rss", files });

describe("findings", () => {
  it("takes the line that kept the memory, not the call around it", () => {
    const found = rss([
      file("train.py", [
        { line: 90, net: 700 * MIB, self: 0, peak: 700 * MIB },
        { line: 33, net: 690 * MIB, self: 690 * MIB, peak: 690 * MIB },
      ]),
    ]);
    expect(found.heaviest).toMatchObject({ path: "train.py", line: 33 });
    expect(found.headline).toBe("train.py: Line 33 kept 690.0 MiB.");
    expect(found.remark).toBe("Heaviest: +690.0 MiB at line 33.");
  });

  it("takes what was held for a while where that is more, at its innermost line", () => {
    const { headline } = rss([
      file("train.py", [
        { line: 90, net: 10 * MIB, self: 10 * MIB, peak: 530 * MIB },
        { line: 4, net: 12 * MIB, self: 12 * MIB, peak: 12 * MIB },
      ]),
      file("model.py", [{ line: 12, net: 0, self: 0, peak: 523.1 * MIB }]),
    ]);
    expect(headline).toBe("train.py: Line 12 of model.py held 523.1 MiB for a while.");
  });

  it("does not call kept what the functions that the line calls gave back", () => {
    const lines = [
      { line: 8, net: 0, self: 100 * MIB, peak: 100 * MIB },
      { line: 9, net: 40 * MIB, self: 40 * MIB, peak: 40 * MIB },
    ];
    expect(rss([file("train.py", lines)]).headline).toBe("train.py: Line 8 held 100.0 MiB for a while.");
  });

  it("begins with the run's peak where the figures are of RSS", () => {
    const files = [file("train.py", [{ line: 8, net: 40 * MIB, self: 40 * MIB }])];
    const of = (metric: "rss" | "cuda" | "system") =>
      findings("train.py", { kind: "lines", metric, files }, 96 * MIB).headline;
    expect(of("rss")).toBe("train.py: peak 96.0 MiB. Line 8 kept 40.0 MiB.");
    expect(of("cuda")).toBe("train.py: Line 8 kept 40.0 MiB of CUDA memory.");
    expect(of("system")).toBe("train.py: Line 8 took 40.0 MiB of the board's memory.");
  });

  it("says of a line that never ended what it took at least", () => {
    expect(rss([file("train.py", [{ line: 8, self: 40 * MIB }])]).headline).toBe(
      "train.py: Line 8 kept at least 40.0 MiB.",
    );
  });

  it("names an import as what it is", () => {
    const [{ functions }] = [file("train.py", [{ line: 8, net: 205 * MIB, self: 205 * MIB }])];
    const imports = functions.map((fn) => ({
      ...fn,
      lines: fn.lines.map((row) => ({ ...row, text: "import torch" })),
    }));
    expect(rss([{ path: "train.py", functions: imports }]).headline).toBe(
      "train.py: Line 8 kept 205.0 MiB (import torch).",
    );
    const from = "from torch.utils.data import DataLoader  # [here](command:evil)";
    const others = functions.map((fn) => ({ ...fn, lines: fn.lines.map((row) => ({ ...row, text: from })) }));
    expect(rss([{ path: "train.py", functions: others }]).headline).toBe(
      "train.py: Line 8 kept 205.0 MiB (from torch.utils.data import …).",
    );
  });

  it("names the cell of a notebook", () => {
    const cells: RunTree = {
      kind: "lines",
      metric: "rss",
      files: [file("train.ipynb#cell2.py", [{ line: 3, net: 40 * MIB, self: 40 * MIB }])],
    };
    expect(findings("train.ipynb", cells).headline).toBe("train.ipynb: Line 3 of cell 2 kept 40.0 MiB.");
    expect(findings("train.py", cells).headline).toBe("train.py: Line 3 of cell 2 of train.ipynb kept 40.0 MiB.");
  });

  it("looks past a call that only holds what the called function holds", () => {
    const line = (number: number, net: number, self: number, peak: number) =>
      ({ line: number, net: net * MIB, self: self * MIB, peak: peak * MIB, hits: 1, text: "" }) as const;
    const fn = (name: string, peak: number | undefined, lines: TreeLine[]) => ({
      name,
      defLine: 1,
      calls: 1,
      timeNs: 1,
      lines,
      ...(peak === undefined ? {} : { peak: peak * MIB }),
    });
    const files = [
      {
        path: "alloc.py",
        functions: [
          fn("<module>", undefined, [line(29, 0, 0, 128.1)]),
          fn("main", 128, [line(19, 0, 0, 96), line(18, 32, 0, 32)]),
          fn("hold", 96, [line(11, 96, 96, 96), line(13, -96, -96, 0)]),
        ],
      },
    ];
    expect(findings("alloc.py", { kind: "lines", metric: "rss", files }).headline).toBe(
      "alloc.py: Line 11 kept 96.0 MiB.",
    );
  });

  it("does without self and peak, as the memory_profiler engine gives them", () => {
    expect(rss([file("train.py", [{ line: 2, net: MIB }])])).toMatchObject({
      heaviest: { line: 2 },
      headline: "train.py: Line 2 kept 1.0 MiB.",
    });
  });

  it("says so when nothing was taken", () => {
    expect(rss([file("train.py", [{ line: 1, net: -MIB, self: -MIB }])])).toEqual({
      heaviest: undefined,
      headline: "train.py: no line took memory that could be measured.",
      remark: "",
    });
  });

  it("says of a massif run what the heap was and which line of the project allocated most of it", () => {
    const line = (number: number, total: number, own: number) =>
      ({ line: number, text: "", total: total * MIB, own: own * MIB }) as const;
    const files = [
      {
        path: "train.py",
        total: 100 * MIB,
        own: 60 * MIB,
        functions: [
          { name: "main", defLine: 3, total: 100 * MIB, own: 60 * MIB, lines: [line(9, 100, 0), line(5, 60, 60)] },
        ],
      },
    ];
    const peak = { bytes: 120 * MIB, pages: false, substitute: false, withoutLine: 0 };
    expect(findings("train.py", { kind: "heap", files, peak })).toEqual({
      heaviest: { path: "train.py", line: 5, own: 60 * MIB },
      headline: "train.py: 120.0 MiB of heap at peak, 60.0 MiB of it at line 5.",
      remark: "There were 120.0 MiB of heap at peak, 60.0 MiB of it at line 5.",
    });
    const pages = { bytes: 120 * MIB, pages: true, substitute: true, withoutLine: 0 };
    expect(findings("train.py", { kind: "heap", files: [], peak: pages }).headline).toBe(
      "train.py: 120.0 MiB of pages at the largest snapshot with stacks.",
    );
    expect(findings("train.py", { kind: "heap", files: [] }).headline).toContain("recorded no snapshot");
  });
});

describe("badEndText", () => {
  const at = { path: "train.py", line: 33 };

  it("says nothing of a script that ended well", () => {
    expect(badEndText("train.py", { kind: "exited", code: 0 }, at)).toBeUndefined();
  });

  it("names the line being executed", () => {
    expect(badEndText("train.py", { kind: "out-of-memory", signal: "SIGKILL" }, at)).toBe(
      "train.py ran out of memory at line 33: the board's system ended it (SIGKILL).",
    );
    expect(badEndText("train.py", { kind: "signalled", signal: "SIGSEGV" }, { path: "net.py", line: 7 })).toBe(
      "train.py was ended by SIGSEGV at line 7 of net.py.",
    );
    expect(badEndText("train.py", { kind: "signalled", signal: "SIGSEGV" }, undefined)).toBe(
      "train.py was ended by SIGSEGV.",
    );
  });

  it("gives the exit code and the reason a script was not started", () => {
    expect(badEndText("a.py", { kind: "exited", code: 3 }, at)).toBe("a.py ended with exit code 3.");
    expect(badEndText("a.py", { kind: "not-started", message: "a.py is missing." }, undefined)).toContain("is missing");
  });

  it("says of a lost run what happened where that is known, and that it is incomplete", () => {
    expect(badEndText("a.py", { kind: "lost", restarted: true }, { path: "a.py", line: 3 })).toBe(
      "a.py was lost at line 3: the board was restarted. The figures until shortly before are kept; the run is incomplete.",
    );
    expect(badEndText("a.py", { kind: "lost" }, undefined)).toMatch(/^a\.py was lost: .* the run is incomplete\.$/);
  });
});

describe("lastPlace", () => {
  it("prefers the main thread of the main process", () => {
    const run = {
      processes: [
        { pid: 9, kind: "fork", label: "worker 1" },
        { pid: 4, kind: "main", label: "main" },
      ],
      lastLines: [
        { pid: 9, thread: "MainThread", path: "data.py", line: 5 },
        { pid: 4, thread: "Thread-1", path: "log.py", line: 2 },
        { pid: 4, thread: "MainThread", path: "train.py", line: 33 },
      ],
    } as const;
    expect(lastPlace(run)).toEqual({ path: "train.py", line: 33 });
    expect(lastPlace({ processes: [], lastLines: [] })).toBeUndefined();
  });
});
