import { describe, expect, it } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import { MAX_RECORDS, type ToMemoryPage } from "../../../protocol/board/memory.ts";
import type { WatchEvent } from "../../../protocol/run/run.ts";
import { createWatchFeed } from "./watchFeed.ts";

function scene(mostKept?: number) {
  let tell: (event: WatchEvent) => void = () => {};
  let settle: (error: UserError | undefined) => void = () => {};
  const done = new Promise<UserError | undefined>((resolve) => {
    settle = resolve;
  });
  const feed = createWatchFeed(
    { title: "nano" },
    (onEvent) => {
      tell = onEvent;
      return { done, stop: () => settle(undefined) };
    },
    ({ model }) => model,
    mostKept,
  );
  const said: ToMemoryPage[] = [];
  return {
    feed,
    said,
    hear: () => feed.listen((message) => said.push(message)),
    tell: (event: WatchEvent) => tell(event),
    settle,
  };
}
const record = (line: string): WatchEvent => ({ kind: "record", line });

describe("the feed of a watch", () => {
  it("says that it connects, then what the board is, then each record as it comes", () => {
    const { said, hear, tell } = scene();
    hear();
    tell({ kind: "connected", board: { model: "Nano Developer Kit", simulated: "Jetson Nano" } });
    tell(record("{}"));
    expect(said).toEqual([
      { kind: "start", title: "nano", source: "watch" },
      { kind: "waiting", message: "Connecting to nano…" },
      { kind: "start", title: "nano", source: "watch", board: "Nano Developer Kit", simulated: "Jetson Nano" },
      { kind: "records", lines: ["{}"] },
    ]);
  });

  it("knows whether anything was recorded", () => {
    const { feed, tell } = scene();
    tell({ kind: "connected", board: {} });
    expect(feed.hasRecords()).toBe(false);
    tell(record("{}"));
    expect(feed.hasRecords()).toBe(true);
  });

  it("gives a page that is opened again all records so far, and one that was closed none", () => {
    const { said, hear, tell } = scene();
    tell({ kind: "connected", board: {} });
    const first = hear();
    tell(record("1"));
    first.dispose();
    tell(record("2"));
    said.length = 0;
    hear();
    expect(said).toEqual([
      { kind: "start", title: "nano", source: "watch" },
      { kind: "records", lines: ["1", "2"] },
    ]);
  });

  it("cuts many records into messages that the page takes, and leaves out a line that it does not", () => {
    const { said, hear, tell } = scene();
    for (let n = 0; n <= MAX_RECORDS; n++) tell(record(String(n)));
    tell(record("x".repeat(1_000_001)));
    hear();
    expect(said.flatMap((message) => (message.kind === "records" ? [message.lines.length] : []))).toEqual([
      MAX_RECORDS,
      1,
    ]);
  });

  it("says why no records come while the connection is away, also to a page opened then", () => {
    const { said, hear, tell } = scene();
    tell(record("1"));
    tell({ kind: "reconnecting", attempt: 2, delayMs: 2_000, reason: "The connection to nano was lost." });
    hear();
    expect(said.at(-1)).toEqual({
      kind: "waiting",
      message: "The connection to nano was lost. Trying again in 2 s.",
    });
    tell(record("2"));
    hear();
    expect(said.at(-1)).toEqual({ kind: "records", lines: ["1", "2"] });
  });

  it("ends with the error and its hint, keeping what was recorded", async () => {
    const { feed, said, hear, tell, settle } = scene();
    tell(record("1"));
    settle(new UserError("gone", "The board went.", "Switch it on."));
    await feed.done;
    hear();
    expect(said.at(-1)).toEqual({ kind: "ended", message: "The board went. Switch it on." });
  });

  it("says that nothing can be shown where it failed before the first record", async () => {
    const { feed, said, hear, settle } = scene();
    settle(new UserError("auth-failed", "No way in."));
    await feed.done;
    hear();
    expect(said.at(-1)).toEqual({ kind: "unavailable", message: "No way in." });
  });

  it("ends itself, with a word, when there are more records than can be kept", async () => {
    const { feed, said, hear, tell } = scene(10);
    hear();
    tell(record("12345678"));
    tell(record("abc"));
    await feed.done;
    expect(said.at(-1)).toMatchObject({ kind: "ended", message: expect.stringContaining("Watch the board again") });
  });
});
