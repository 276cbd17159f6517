import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { RunDependencies, RunHandle, RunOutcome } from "../../protocol/run/run.ts";
import { collected } from "../terminal/testing.ts";
import { INTERRUPTED } from "./exitStatus.ts";
import { followRun } from "./followRun.ts";

/** A run whose end comes as it is let go or cancelled. */
function fakeRun() {
  let resolve: (outcome: RunOutcome) => void = () => {};
  return {
    done: new Promise<RunOutcome>((end) => {
      resolve = end;
    }),
    input: vi.fn(async () => {}),
    closeInput: vi.fn(),
    snapshot: vi.fn(async () => 0),
    cancel: vi.fn(() => resolve({ kind: "cancelled", folder: "/r" })),
    letGo: vi.fn(() => resolve({ kind: "released", folder: "/r" })),
    tryNow: vi.fn(),
  } satisfies RunHandle;
}

function follow(leaves: boolean, begins: (signals: EventEmitter, dependencies: RunDependencies) => void = () => {}) {
  const run = fakeRun();
  const [stdout, stderr, signals, quit] = [collected(false, 80), collected(false, 80), new EventEmitter(), vi.fn()];
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const outcome = followRun(
    (dependencies) => {
      begins(signals, dependencies);
      return run;
    },
    { json: false, quiet: false, anyway: false, output: leaves ? "kept" : "passed-on", leaves, helperFolder: "/h" },
    { stdout, stderr, stdin, env: {}, signals, quit },
  );
  return { run, outcome, signals, quit, stdout, stderr, stdin };
}

describe("Ctrl-C", () => {
  it("of a look at a run leaves the run going on", async () => {
    const { run, outcome, signals, stderr } = follow(true);
    signals.emit("SIGINT");
    expect(await outcome).toEqual({ kind: "released", folder: "/r" });
    expect(run.cancel).not.toHaveBeenCalled();
    expect(stderr.text()).toBe("\nThe run keeps running.\n");
    expect(signals.listenerCount("SIGINT")).toBe(0);
  });

  it("of a look that has hardly begun leaves the run going on too", async () => {
    const { run, outcome } = follow(true, (signals) => signals.emit("SIGTERM"));
    expect((await outcome).kind).toBe("released");
    expect(run.cancel).not.toHaveBeenCalled();
  });

  it("of a run that is followed ends it, and a second one the program", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const { run, outcome, signals, quit, stderr } = follow(false);
      signals.emit("SIGINT");
      signals.emit("SIGINT");
      expect(quit).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1000);
      signals.emit("SIGINT");
      expect(quit).toHaveBeenCalledWith(INTERRUPTED);
      expect((await outcome).kind).toBe("cancelled");
      expect(run.letGo).not.toHaveBeenCalled();
      expect(stderr.text()).toContain("Ending the run on the board");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a look at a run", () => {
  it("gives the script no input, and keeps its output in the folder", async () => {
    const { run, outcome, signals, stdout, stdin } = follow(true, (_, { onEvent }) => {
      onEvent({ kind: "started", id: "r", folder: "/r" });
      onEvent({ kind: "output", stream: "stdout", data: Buffer.from("hello\n") });
    });
    (stdin as unknown as PassThrough).write("typed\n");
    signals.emit("SIGINT");
    await outcome;
    expect(stdout.text()).toBe("");
    expect(run.input).not.toHaveBeenCalled();
    expect(run.closeInput).not.toHaveBeenCalled();
  });
});
