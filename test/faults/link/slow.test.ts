import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunEvent } from "../../../src/protocol/run/run.ts";
import { requirement } from "../../support/requirement.ts";
import { conclude } from "../support/conclude.ts";
import { times } from "../support/results.ts";
import type { Shape } from "../support/shapingProxy.ts";
import type { Verdict } from "../support/truth.ts";
import { beginTrial, judged, makeStage, type Stage, tryAtOnce } from "./support/stage.ts";

const HOUR = 3_600_000;
/** Seconds; ssh2's client gives up after three that were not answered. */
const KEEP_ALIVE = 1;

/** A clock that stands still while this process is held up, as its keep-alive does: a timer that is late counts once. */
function startAwake(): { ms(): number; stop(): void } {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 100);
  return { ms: () => ticks * 100, stop: () => clearInterval(timer) };
}

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a link that is bad", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await makeStage([`ServerAliveInterval ${KEEP_ALIVE}`]);
    (await stage.reach()).connection.close();
  });
  afterEach(() => {
    stage.proxy.shape(undefined);
    stage.proxy.vanish(false);
    stage.proxy.accepting(true);
    vi.restoreAllMocks();
  });
  afterAll(() => stage?.close());

  const latencyMs = 150;
  // A lost segment is sent again after the least retransmission timeout of Linux and a round trip.
  const loss = (seed: number) => ({ share: 0.05, stallMs: 200 + 2 * latencyMs, seed });
  const bytesPerSecond = 50_000;
  const allAtOnce = (seed: number): Shape => ({ latencyMs, loss: loss(seed), bytesPerSecond });
  // One by one in the long form only; what is worst is tried in both.
  const LINKS: readonly [string, (seed: number) => Shape][] = [
    ["300 ms round trip, 5 % loss and 50 kB/s at once", allAtOnce],
    ["300 ms round trip", () => ({ latencyMs })],
    ["5 % loss", (seed) => ({ latencyMs: 1, loss: loss(seed) })],
    ["50 kB/s", () => ({ latencyMs: 1, bytesPerSecond })],
  ];
  it.each(times(0, 1) === 0 ? [] : LINKS)(
    "with %s brings all home, without taking it for lost",
    async (name, shape) => {
      const verdicts: Verdict[] = [];
      for (let n = 0; n < 10; n++) {
        stage.proxy.shape(shape(91 + n));
        const trial = beginTrial(stage, { steps: 5, pause: 0.2 });
        verdicts.push(await judged(trial, 5));
        expect(trial.scene.events.filter(({ kind }) => kind === "reconnecting")).toEqual([]);
      }
      conclude("link", `Slow link: ${name}`, verdicts);
    },
  );

  it("with 300 ms, 5 % loss and 50 kB/s is not taken for lost until it drops, and all comes home", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 10); n++) {
      stage.proxy.shape(allAtOnce(90 + n));
      const steps = 14;
      let drops = 0;
      let outages = 0;
      const trial = beginTrial(stage, {
        steps,
        pause: 0.3,
        holdAfter: 0,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (event.kind === "reconnecting" && event.attempt === 1) outages++;
          if (event.kind !== "output" || drops > 0) return;
          drops++;
          stage.proxy.cut();
          stage.goOn();
        },
      });
      verdicts.push(await judged(trial, steps));
      expect(outages).toBe(1);
      expect(trial.scene.events.map(({ kind }) => kind)).toContain("reconnected");
    }
    conclude("link", "Slow link (300 ms round trip, 5 % loss, 50 kB/s) that also drops", verdicts);
  });

  it("that is half-open is noticed by keep-alive, and left for a new connection", async () => {
    const verdicts: Verdict[] = [];
    const noticed: number[] = [];
    for (let n = 0; n < times(1, 20); n++) {
      const awake = startAwake();
      let vanished: number | undefined;
      const steps = 30;
      const trial = beginTrial(stage, {
        steps,
        pause: 0.2,
        holdAfter: 0,
        onEvent(event, run) {
          if (event.kind === "output" && vanished === undefined) {
            vanished = awake.ms();
            stage.proxy.vanish(true);
            stage.goOn();
          } else if (event.kind === "reconnecting") {
            if (event.attempt === 1) noticed.push(awake.ms() - (vanished ?? 0));
            stage.proxy.vanish(false);
          }
          tryAtOnce(event, run);
        },
      });
      verdicts.push(await judged(trial, steps));
      awake.stop();
      expect(trial.scene.events.find(({ kind }) => kind === "reconnecting")).toMatchObject({
        script: "runs",
        reason: expect.stringContaining("was lost"),
      });
    }
    // Three signs of life without an answer; the rest is this machine's other work.
    expect(Math.max(...noticed)).toBeLessThan((3 + 1) * KEEP_ALIVE * 1_000 + 5_000);
    conclude("link", "Half-open link while the script runs", verdicts);
  });

  it("that is half-open while files are sent does not hold up the next run", async () => {
    const data = "x".repeat(400_000);
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 10); n++) {
      const first = beginTrial(stage, {
        steps: 2,
        pause: 0,
        onEvent(event) {
          // The helper has begun to take the files in and waits for the rest of them.
          if (event.kind === "sync" && event.totalFiles > 0) stage.proxy.vanish(true);
        },
      });
      first.scene.write({ "data.bin": data });
      expect(await first.run.done).toMatchObject({ kind: "failed", error: { code: "connection-lost" } });
      await first.scene.remove();
      stage.proxy.vanish(false);
      verdicts.push(await judged(beginTrial(stage, { steps: 2, pause: 0 }), 2));
    }
    conclude("link", "Half-open link while files are sent; the next run", verdicts);
  });

  it("that is gone for an hour of sleep is taken up again by itself", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 20); n++) {
      // What the laptop's clocks say; some systems count sleep in the monotonic one, some do not.
      let slept = 0;
      const clock = performance.now.bind(performance);
      const date = Date.now.bind(Date);
      vi.spyOn(performance, "now").mockImplementation(() => clock() + slept);
      vi.spyOn(Date, "now").mockImplementation(() => date() + slept);
      const steps = 8;
      const attempts: number[] = [];
      const trial = beginTrial(stage, {
        steps,
        pause: 0.1,
        holdAfter: 0,
        onEvent(event: RunEvent, run) {
          tryAtOnce(event, run);
          if (event.kind === "output" && slept === 0) {
            // The lid closes before the Wi-Fi is gone, and opens before it is back.
            stage.proxy.accepting(false);
            stage.proxy.cut();
            slept = HOUR;
            stage.goOn();
          } else if (event.kind === "reconnecting") {
            attempts.push(event.attempt);
            // It sleeps a second time while it tries.
            if (event.attempt === 3) slept = 2 * HOUR;
            if (event.attempt === 5) stage.proxy.accepting(true);
          }
        },
      });
      verdicts.push(await judged(trial, steps));
      expect(attempts.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
      expect(trial.scene.events.map(({ kind }) => kind)).toContain("reconnected");
      vi.restoreAllMocks();
    }
    conclude("link", "The laptop sleeps for an hour, twice", verdicts);
  });
});
