import { describe, expect, it } from "vitest";
import { newRunId } from "../../../runs/runId.ts";
import { projectSlug } from "../../sync/syncProject.ts";
import { createCancelControl } from "./control.ts";
import { createInputQueue } from "./input.ts";

describe("createCancelControl", () => {
  it("ends gently first and lets go at a second request that is not the same click", () => {
    let now = 0;
    const control = createCancelControl(() => now);
    expect(control.requested).toBe(false);
    control.request();
    expect(control.early.aborted).toBe(true);
    now = 500;
    control.request();
    expect(control.abandoned.aborted).toBe(false);
    now = 4000;
    control.request();
    expect(control.abandoned.aborted).toBe(true);
    expect(control.abandoned.reason).toMatchObject({ code: "cancelled" });
  });
});

describe("waiting for the board", () => {
  const HOUR = 3_600_000;

  it("is cut short by tryNow, and only this once", async () => {
    const control = createCancelControl();
    control.tryNow();
    const paused = control.pause(HOUR);
    control.tryNow();
    await paused;
    let over = false;
    const next = control.pause(HOUR).then(() => {
      over = true;
    });
    await new Promise(setImmediate);
    expect(over).toBe(false);
    control.letGo();
    await next;
  });

  it("ends when the run is let go, which is no request to end it", async () => {
    const control = createCancelControl();
    const paused = control.pause(HOUR);
    control.letGo();
    await paused;
    expect([control.released, control.requested, control.early.aborted]).toEqual([true, false, false]);
    expect(control.abandoned.reason).toMatchObject({ code: "released" });
  });

  it("is not let go any more once it was abandoned by a second request", () => {
    let now = 0;
    const control = createCancelControl(() => now);
    control.request();
    now = 4000;
    control.request();
    control.letGo();
    expect(control.released).toBe(false);
  });
});

describe("createInputQueue", () => {
  const signal = new AbortController().signal;

  it("gives what was typed in order, in pieces, and then the end", async () => {
    const queue = createInputQueue();
    const first = queue.next(signal);
    queue.push(Buffer.from("hi"));
    queue.push(Buffer.alloc(100_000, 65));
    queue.close();
    expect(queue.push(Buffer.from("late"))).toBe(false);
    const lines = [await first, await queue.next(signal), await queue.next(signal), await queue.next(signal)];
    const values = lines.map((line) => JSON.parse(line?.line ?? ""));
    const bytes = values.map((value) =>
      value.input === undefined ? value : Buffer.from(value.input, "base64").length,
    );
    expect(bytes).toEqual([2, 65536, 34464, { close_input: true }]);
  });

  it("stops waiting when the connection ends, and bounds what waits", async () => {
    const queue = createInputQueue();
    const over = new AbortController();
    const waiting = queue.next(over.signal);
    over.abort();
    expect(await waiting).toBeUndefined();
    for (let i = 0; i < 64; i++) expect(queue.push(Buffer.alloc(1024 * 1024))).toBe(true);
    expect(queue.push(Buffer.alloc(1))).toBe(false);
    await queue.next(signal);
    expect(queue.push(Buffer.alloc(1))).toBe(true);
  });
});

describe("names", () => {
  it("makes run ids of the allowed characters only", () => {
    const id = newRunId("my train/雪 x", new Date("2026-11-21T09:45:01.5Z"));
    expect(id).toMatch(/^20261121-094501-my-train-x-1f4[0-9a-f]{3}$/);
  });

  it("makes run ids whose order is that of their time, within a second too", () => {
    const times = [1, 2, 15, 16, 255, 256, 999, 1000, 60_000];
    const ids = times.map((ms) => newRunId("train", new Date(Date.UTC(2026, 10, 21) + ms)));
    expect([...ids].sort()).toEqual(ids);
  });

  it("gives each folder its own readable slug", () => {
    expect(projectSlug("/home/me/Le Net")).toMatch(/^Le-Net-[0-9a-f]{8}$/);
    expect(projectSlug("/")).toMatch(/^project-[0-9a-f]{8}$/);
    expect(projectSlug("/a/x")).not.toBe(projectSlug("/b/x"));
  });
});
