import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { WatchEvent } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { watchBoard } from "../../../src/remote/watch.ts";
import { requirement } from "../../support/requirement.ts";
import { prompter } from "../../support/scene.ts";
import { seeded } from "../support/random.ts";
import { record, times } from "../support/results.ts";
import { makeStage, type Stage } from "./support/stage.ts";

const HOUR = 3_600_000;
const INTERVAL_MS = 250;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("watching a board over a link that breaks", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await makeStage(["ServerAliveInterval 1"]);
    (await stage.reach()).connection.close();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    stage.proxy.forgetCuts();
    stage.proxy.vanish(false);
    stage.proxy.accepting(true);
  });
  afterAll(() => stage?.close());

  it("goes on by itself after each loss, with whole records, none of them twice", async () => {
    const random = seeded(111);
    let slept = 0;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => clock() + slept);
    const { proxy } = stage;
    const losses: readonly (() => void)[] = [
      () => proxy.cut(),
      () => proxy.cutAfter("down", random.below(3_000)),
      () => proxy.vanish(true),
      () => {
        // Asleep for an hour; the network is back at the second try.
        proxy.accepting(false);
        proxy.cut();
        slept += HOUR;
      },
    ];
    const events: WatchEvent[] = [];
    const lines = new Set<string>();
    let twice = 0;
    let told = (): void => {};
    const handle = watchBoard(
      {
        target: parseTarget(stage.target),
        python: "/usr/bin/python3",
        boardFolder: stage.board,
        intervalMs: INTERVAL_MS,
      },
      {
        prompter: prompter(),
        helperFolder: stage.helper,
        onEvent(event) {
          events.push(event);
          if (event.kind === "reconnecting") {
            proxy.vanish(false);
            if (event.attempt === 2) proxy.accepting(true);
          } else if (event.kind === "record") {
            const parsed = JSON.parse(event.line);
            // Each sampler begins anew: a moment is known by when it was taken and what was read.
            if (parsed.record !== "header" && lines.has(event.line)) twice++;
            lines.add(event.line);
          }
          told();
        },
      },
    );
    const ended = handle.done.then((error) => {
      throw error ?? new Error("the watch was stopped");
    });
    ended.catch(() => {});
    const until = (fits: (event: WatchEvent) => boolean, after: number): Promise<void> =>
      Promise.race([
        ended,
        new Promise<void>((resolve) => {
          told = () => {
            if (events.slice(after).some(fits)) resolve();
          };
          told();
        }),
      ]);
    const isMoment = (event: WatchEvent): boolean => event.kind === "record" && event.line.includes('"m":');
    await until(isMoment, 0);
    const trials = times(4, 80);
    for (let n = 0; n < trials; n++) {
      const before = events.length;
      losses[n % losses.length]?.();
      await until((event) => event.kind === "reconnecting", before);
      const lost = events.length;
      await until(isMoment, lost);
    }
    handle.stop();
    expect(await handle.done).toBeUndefined();
    expect(events.filter(({ kind }) => kind === "connected")).toHaveLength(1);
    record({
      kind: "fault",
      group: "link",
      fault: "Connection lost while a board is watched: dropped, half-open, asleep",
      trials,
      lostProfiles: undefined,
      duplicatedOutput: twice,
      wrongLine: undefined,
    });
    expect(twice).toBe(0);
  });
});
