import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { DoctorReport } from "../../../board/doctor/model.ts";
import { colored, plain } from "../../../profile/lines/annotate.ts";
import { parseCommandLine } from "../../commandLine/commandLine.ts";
import { createInput } from "../../terminal/input.ts";
import { collected } from "../../terminal/testing.ts";
import { fixLine } from "./doctorFix.ts";
import { doctorJson, doctorText } from "./doctorReport.ts";

const REPORT: DoctorReport = {
  title: "NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)",
  lines: [
    { id: "board", topic: "board", title: "Board", status: "ok", found: "Jetson Nano 4 GB", goodFor: "Advice." },
    {
      id: "swap",
      topic: "memory",
      title: "Swap",
      status: "missing",
      found: "none",
      goodFor: "Room.",
      remedy: { text: "This makes a file.", command: "echo made", undo: "echo gone" },
    },
    {
      id: "valgrind",
      topic: "tools",
      title: "Valgrind",
      status: "limited",
      found: "valgrind 3.13.0\u001b[2J",
      goodFor: "Stacks.",
      remedy: { text: "Build a newer one." },
    },
  ],
};

describe("the command line of doctor", () => {
  it("names the board, and what is to be done", () => {
    expect(parseCommandLine(["doctor", "--target", "nano"])).toEqual({
      kind: "doctor",
      target: "nano",
      action: { kind: "report" },
    });
    expect(parseCommandLine(["doctor", "--target", "nano", "--json", "--python", "python3.8"])).toEqual({
      kind: "doctor",
      target: "nano",
      python: "python3.8",
      action: { kind: "json" },
    });
    expect(parseCommandLine(["doctor", "--target=nano", "--fix", "swap"])).toMatchObject({
      action: { kind: "fix", line: "swap" },
    });
    expect(parseCommandLine(["doctor", "--help"])).toEqual({ kind: "help", topic: "doctor" });
  });

  it.each([
    [[]],
    [["--target", "nano", "--json", "--fix", "swap"]],
    [["--target", "nano", "swap"]],
    [["--target", "nano", "--fixx", "swap"]],
  ])("is wrong: %j", (words) => {
    expect(() => parseCommandLine(["doctor", ...words])).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("the report", () => {
  it("is aligned, with commands and how to take them back", () => {
    expect(doctorText(REPORT, "ssh://nano@10.0.0.2", plain)).toBe(`\
NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1) · ssh://nano@10.0.0.2

Board
  ok       Board     Jetson Nano 4 GB
                     Advice.

Memory
  missing  Swap      none
                     Room.
                     This makes a file.
                       $ echo made
                       to undo it: echo gone
                     Or here: --fix swap

Tools
  limited  Valgrind  valgrind 3.13.0?[2J
                     Stacks.
                     Build a newer one.
`);
  });

  it("has colors that change nothing else", () => {
    const text = doctorText(REPORT, "local", colored);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the terminal's own
    expect(text.replace(/\u001b\[[\d;]*m/g, "")).toBe(doctorText(REPORT, "local", plain));
    expect(text).toContain("\u001b[1;31mmissing\u001b[0m");
  });

  it("is the same as JSON", () => {
    expect(doctorJson({ ...REPORT, simulated: "Jetson Nano" }, "loopback")).toMatchObject({
      schema: 1,
      target: "loopback",
      simulated: "Jetson Nano",
      lines: [
        { id: "board", status: "ok", good_for: "Advice." },
        { remedy: { text: "This makes a file.", command: "echo made", as_root: false, undo: "echo gone" } },
        { remedy: { text: "Build a newer one." } },
      ],
    });
  });
});

async function fix(report: DoctorReport, id: string, typed: string) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn() });
  stream.write(typed);
  const [stdout, stderr] = [collected(true), collected(true)];
  const status = await fixLine(report, id, {
    target: { kind: "local" },
    input: createInput(stream, () => {}),
    prompter: {
      confirmHostKey: async () => false,
      secret: async () => undefined,
      keyboardInteractive: async () => undefined,
    },
    signal: new AbortController().signal,
    stdout,
    stderr,
  });
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

const withCommand = (command: string): DoctorReport => ({
  ...REPORT,
  lines: REPORT.lines.map((line) => (line.id === "swap" ? { ...line, remedy: { text: "Does it.", command } } : line)),
});

describe("a command of the report", () => {
  it("is shown, agreed to, and run", async () => {
    expect(await fix(REPORT, "swap", "yes\n")).toEqual({
      status: 0,
      stdout: "made\n",
      stderr:
        "Swap: none\nThis makes a file.\n  $ echo made\n  to undo it: echo gone\n" +
        "Run it on this computer? Type yes or no: Done.\n",
    });
  });

  it("is not run where the person says no, or anything but yes", async () => {
    for (const typed of ["no\n", "y\nsure\nok\n"]) {
      const { status, stdout, stderr } = await fix(REPORT, "swap", typed);
      expect([status, stdout]).toEqual([130, ""]);
      expect(stderr).toContain("Nothing was changed.");
    }
  });

  it("that fails gives its own exit status", async () => {
    const { status, stderr } = await fix(withCommand("echo bad >&2; exit 7"), "swap", "yes\n");
    expect(status).toBe(7);
    expect(stderr).toMatch(/bad\nThe command ended with exit status 7\.\n$/);
  });

  it("is never run for a simulated board", async () => {
    await expect(fix({ ...REPORT, simulated: "Jetson Nano" }, "swap", "yes\n")).rejects.toMatchObject({
      code: "simulated",
    });
  });

  it.each([
    ["valgrind", 'There is nothing to run for "valgrind" on this board.'],
    ["swapp", 'The report of this board has no line "swapp".'],
  ])("is not there for %s", async (id, message) => {
    await expect(fix(REPORT, id, "yes\n")).rejects.toMatchObject({
      code: "no-fix",
      message,
      hint: "There is something to run for: swap.",
    });
  });
});
