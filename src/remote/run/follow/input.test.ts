import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../protocol/run/run.ts";
import { type RunBody, runHandle } from "../outcome.ts";
import { createInputQueue } from "./input.ts";

const MIB = 1024 * 1024;

describe("what is typed for the script", () => {
  it("tells whoever reads a large file when to go on", async () => {
    const queue = createInputQueue();
    const { signal } = new AbortController();
    let room = false;
    queue.push(Buffer.alloc(2 * MIB));
    const waiting = queue.room().then(() => {
      room = true;
    });
    for (let n = 0; n < 15; n++) await queue.next(signal);
    expect(room).toBe(false);
    await queue.next(signal);
    await waiting;
    expect(room).toBe(true);
  });

  it("tells its end on each connection, once all of it was taken", async () => {
    const queue = createInputQueue();
    const { signal } = new AbortController();
    queue.renew();
    queue.push(Buffer.from("y"));
    queue.close();
    queue.renew();
    const lines = [await queue.next(signal), await queue.next(signal)];
    expect(lines).toEqual([
      { line: '{"input":"eQ=="}\n', bytes: 1 },
      { line: '{"close_input":true}\n', bytes: 0 },
    ]);
    queue.renew();
    expect(await queue.next(signal)).toEqual(lines[1]);
  });

  it("says once when too much came at once, and keeps nobody waiting after the end", async () => {
    const events: RunEvent[] = [];
    let end = (): void => {};
    const body = (context: RunBody): Promise<"finished"> =>
      new Promise((_, reject) => {
        context.setFolder("/run");
        end = () => reject(new Error("over"));
      });
    const handle = runHandle((event) => events.push(event), body);
    const first = handle.input(Buffer.alloc(64 * MIB));
    void handle.input(Buffer.from("too much"));
    void handle.input(Buffer.from("and more"));
    expect(events).toEqual([expect.objectContaining({ kind: "warning", code: "input-lost" })]);
    end();
    await handle.done;
    await first;
    await handle.input(Buffer.from("late"));
    expect(events).toHaveLength(1);
  });
});
