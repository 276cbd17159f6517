import { describe, expect, it } from "vitest";
import { bytesOf, contextOf, MIB, readLog } from "../testing.ts";
import { mprofLog } from "./mprof.ts";

const SOURCE = "def load():\n    pass\n\n\ndef main():\n    load()\n";

describe("mprofLog", () => {
  it("makes a timeline of the memory, from the first measurement on", () => {
    const text =
      "CMDLINE /usr/bin/python3 -u train.py --epochs 2\nMEM 1.5 1795327258.8\nMEM 74.25 1795327258.9\nMEM 3.0 1795327259.0\n";
    const { profile, samples, notes } = readLog(mprofLog, bytesOf(text), contextOf("mprofile.dat"));
    expect(profile.run).toMatchObject({
      command: { python: "/usr/bin/python3", script: "train.py", args: ["--epochs", "2"] },
      started: "2026-11-22T06:00:58.800Z",
      elapsedMs: 200,
    });
    expect(samples).toEqual([
      { t: 0, rss: 1.5 * MIB, rssPeak: 1.5 * MIB },
      { t: 100, rss: 74.25 * MIB, rssPeak: 74.25 * MIB },
      { t: 200, rss: 3 * MIB, rssPeak: 74.25 * MIB },
    ]);
    expect(notes).toEqual(["The file has the memory over time, not by line."]);
  });

  it("counts the functions that were marked where their places are known", () => {
    const text = `CMDLINE python train.py
MEM 1.0 100.0
FUNC __main__.load 10.0 100.0 30.0 102.5 1
FUNC __main__.load 30.0 103.0 25.0 103.5
FUNC lib.gone 1.0 100.0 2.0 101.0 1
`;
    const { profile, notes } = readLog(mprofLog, bytesOf(text), contextOf("m.dat", { "train.py": SOURCE }));
    expect(profile.files).toMatchObject([
      { path: "train.py", lines: [], functions: [{ name: "load", defLine: 1, calls: 2, timeNs: 3e9, net: 15 * MIB }] },
    ]);
    expect(notes.at(-1)).toBe("Where these functions are is not known, so their marks were left out: lib.gone.");
  });

  it("keeps the main process apart from its children, and tells the most of those", () => {
    const { samples, notes } = readLog(
      mprofLog,
      bytesOf("MEM 10.0 100.0\nCHLD 24956 30.0 100.0\nCHLD 24957 50.5 100.0\nCHLD 24956 20.0 100.1\n"),
      contextOf("m.dat"),
    );
    expect(samples).toHaveLength(1);
    expect(notes[1]).toMatch(/^2 child processes .* at most 50\.5 MiB/);
  });

  it("reads decimal commas, passes over what is damaged, and takes nothing that is cut off", () => {
    const { samples, notes } = readLog(
      mprofLog,
      bytesOf("MEM 10,5 100,0\nMEM nan 100.1\nMEM -3.0 100.2\nMEM 12.0 99.0\nMEM 900.0 10"),
      contextOf("m.dat"),
    );
    expect(samples.map(({ t, rss }) => [t, rss])).toEqual([
      [0, 12 * MIB],
      [1000, 10.5 * MIB],
    ]);
    expect(notes).toEqual([
      "The file has the memory over time, not by line.",
      "1 measurement without a readable figure was left out.",
      expect.stringMatching(/clock was set back/),
      "These lines of the file are not mprof's and were passed over: 2, 5.",
    ]);
  });

  it("says what it looked for where nothing was measured", () => {
    expect(() => readLog(mprofLog, bytesOf("CMDLINE python a.py\n"), contextOf("m.dat"))).toThrow(/MEM 74/);
  });
});
