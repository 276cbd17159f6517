import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import type { RunEvent } from "../../../protocol/run/run.ts";
import type { BoardSession } from "../../session/session.ts";
import type { Connection, RemoteProcess } from "../../transport/transport.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { createProgressReader } from "../mirror/progress.ts";
import { AttachLost, type AttachTask, attach } from "./attach.ts";
import { createInputQueue } from "./input.ts";

/** A board whose frames a test writes; like SSH, it may still deliver what was under way when it is told to stop. */
function board() {
  const stdout = new PassThrough();
  const stdin = new PassThrough();
  const process: RemoteProcess = {
    stdin,
    stdout,
    stderr: new PassThrough(),
    exit: new Promise(() => {}),
    kill: () => {},
  };
  const connection: Connection = {
    kind: "ssh",
    name: "nano@board",
    closed: new Promise(() => {}),
    exec: async () => process,
    close: () => {},
  };
  const session: BoardSession = { connection, helper: { root: "/r", python: "python3", argv: (name) => [name] } };
  return { session, stdin, stdout };
}

function mirrorInMemory(): Mirror & { readonly text: () => string; readonly whole: Map<string, string> } {
  let text = "";
  const whole = new Map<string, string>();
  return {
    whole,
    folder: "/home/run",
    text: () => text,
    have: () => ({}),
    async append(_file, _offset, data, seen) {
      for await (const piece of data) {
        text += piece.toString();
        seen(piece);
      }
    },
    async replace(file, _length, data) {
      let came = "";
      for await (const piece of data) came += piece.toString();
      whole.set(file, came);
    },
    async close() {},
  };
}

function taskWith(mirror: Mirror, events: RunEvent[]): AttachTask {
  const emit = (event: RunEvent): void => void events.push(event);
  return {
    root: "/home/nano/.jetson-memprof",
    runId: "r1",
    mirror,
    progress: createProgressReader(emit),
    input: createInputQueue(),
    emit,
  };
}

/** Lets all that is under way happen: in turns of the event loop, as a pause of the machine uses up any time. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
};

describe("following a run", () => {
  it("takes nothing any more once it has ended, whatever is still under way", async () => {
    const { session, stdout } = board();
    const mirror = mirrorInMemory();
    const events: RunEvent[] = [];
    const controller = new AbortController();
    const attached = attach(session, taskWith(mirror, events), controller.signal);
    stdout.write('{"frame":"append","file":"stdout.log","offset":0,"length":8}\nhalf');
    await settle();
    expect(mirror.text()).toBe("half");
    controller.abort(new Error("let go"));
    await expect(attached).rejects.toThrow("let go");
    const told = events.length;
    // The next connection is told of what is here now; an old one that goes on writing would double it.
    if (!stdout.destroyed) stdout.write("more");
    await settle();
    expect(mirror.text()).toBe("half");
    expect(events).toHaveLength(told);
  });

  it("ends with a run that goes on where that was asked for, and nowhere else", async () => {
    for (const once of [true, false]) {
      const { session, stdin, stdout } = board();
      const attached = attach(session, { ...taskWith(mirrorInMemory(), []), once }, new AbortController().signal);
      stdout.write('{"frame":"end","state":"running"}\n');
      if (once) await expect(attached).resolves.toBe("running");
      else await expect(attached).rejects.toMatchObject({ code: "bad-reply" });
      expect(JSON.parse(String(stdin.read()).split("\n")[0] ?? "")).toMatchObject({ once });
    }
  });

  it("takes a channel that closes before the command ran for lost, as a board that goes down leaves it", async () => {
    const { session, stdout } = board();
    const attached = attach(session, taskWith(mirrorInMemory(), []), new AbortController().signal);
    stdout.destroy(new UserError("no-shell", "The login shell did not run the command."));
    await expect(attached).rejects.toBeInstanceOf(AttachLost);
  });

  it("takes a board that says nothing for a minute for lost, also where the clock jumped over that minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { session, stdout } = board();
      const attached = attach(session, taskWith(mirrorInMemory(), []), new AbortController().signal);
      const lost = expect(attached).rejects.toBeInstanceOf(AttachLost);
      stdout.write('{"frame":"alive","t":0}\n');
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      // Awake again after an hour of sleep: all timers are due at once.
      vi.advanceTimersByTime(3_600_000);
      await lost;
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ["tells that input was under way", 30_000, true],
    ["says nothing of input that was given long before", 90_000, false],
  ])("%s when the connection goes", async (_, after, inputAtRisk) => {
    const { session, stdout, stdin } = board();
    const task = taskWith(mirrorInMemory(), []);
    const attached = attach(session, task, new AbortController().signal);
    task.input.push(Buffer.from("y\n"));
    await settle();
    expect(String(stdin.read())).toContain('{"input":"eQo="}');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + after);
    stdout.end();
    await expect(attached).rejects.toMatchObject({ inputAtRisk });
    vi.restoreAllMocks();
  });

  it("tells that input was under way where the link never took it, however long ago it was given", async () => {
    const { session, stdout } = board();
    const task = taskWith(mirrorInMemory(), []);
    const attached = attach(session, task, new AbortController().signal);
    task.input.push(Buffer.alloc(60_000));
    await settle();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 90_000);
    stdout.end();
    await expect(attached).rejects.toMatchObject({ inputAtRisk: true });
    vi.restoreAllMocks();
  });

  const profile = Buffer.from("heap_tree=empty\n".repeat(1000));
  const packed = gzipSync(profile);
  const follow = async (frame: object, bytes: Buffer) => {
    const { session, stdout } = board();
    const mirror = mirrorInMemory();
    stdout.write(`${JSON.stringify(frame)}\n`);
    stdout.write(bytes);
    stdout.write('{"frame":"end","state":"finished"}\n');
    const end = await attach(session, taskWith(mirror, []), new AbortController().signal);
    return { end, mirror };
  };
  const frame = {
    frame: "replace",
    file: "massif.out.42",
    length: packed.length,
    encoding: "gzip",
    size: profile.length,
  };

  it("unpacks a profile that comes packed", async () => {
    const { end, mirror } = await follow(frame, packed);
    expect(end).toBe("finished");
    expect(mirror.whole.get("massif.out.42")).toBe(profile.toString());
  });

  it.each([
    ["of another size", { ...frame, size: profile.length - 1 }],
    ["larger than any profile", { ...frame, size: 2 ** 40 }],
    ["that is not packed that way", { ...frame, encoding: "zstd" }],
    ["of a file that never comes packed", { ...frame, file: "run.json" }],
    ["without its size", { ...frame, size: undefined }],
  ])("does not take a packed file %s", async (_, wrong) => {
    await expect(follow(wrong, packed)).rejects.toMatchObject({ code: "bad-reply" });
  });
});
