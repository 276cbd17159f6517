import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../protocol/board.ts";
import type { BoardSession } from "../board/session.ts";
import type { Connection, RemoteProcess } from "../transport/transport.ts";
import { type AttachTask, attach } from "./attach.ts";
import { createInputQueue } from "./input.ts";
import type { Mirror } from "./mirror.ts";
import { createProgressReader } from "./progress.ts";

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

function mirrorInMemory(): Mirror & { readonly text: () => string } {
  let text = "";
  return {
    folder: "/home/run",
    text: () => text,
    have: () => ({}),
    async append(_file, _offset, data, seen) {
      for await (const piece of data) {
        text += piece.toString();
        seen(piece);
      }
    },
    async replace() {},
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

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

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
});
