import { describe, expect, it } from "vitest";
import { onBoards, parseGrid } from "./grid.ts";
import { type Job, makeRuns, type SweepPlan } from "./makeRuns.ts";
import type { SweepRun, Values } from "./model.ts";
import { runAt } from "./testing.ts";

const plan = (texts: readonly string[], rest: Partial<SweepPlan> = {}): SweepPlan => ({
  id: "g",
  parameters: parseGrid(texts, [], 1),
  repeat: 1,
  larger: "skip",
  ...rest,
});

/** Makes runs of which those fit whose batch is at most `most`. */
async function make(
  sweep: SweepPlan,
  most = Number.POSITIVE_INFINITY,
  before: readonly SweepRun[] = [],
  stopAt = 1_000,
) {
  const jobs: Job[] = [];
  const ended: Values[] = [];
  let clock = 0;
  const runs = await makeRuns(
    sweep,
    before,
    async (job) => {
      if (jobs.length === stopAt) return { kind: "stop" };
      jobs.push(job);
      clock += 1_000;
      const outcome = Number(job.values["batch"]) <= most ? "fits" : "out-of-memory";
      return { kind: "made", run: runAt(job.values, { outcome }) };
    },
    (values) => ended.push(values),
    1,
    () => clock,
  );
  return { jobs, runs, ended, ran: jobs.map(({ values }) => Object.values(values).join(" ")) };
}

describe("making the runs of a sweep", () => {
  it("makes each point's repeats one after the other, numbered within the group", async () => {
    const { jobs } = await make(plan(["batch=1,2"], { repeat: 2 }));
    expect(jobs.map(({ group, point, repetition }) => [group.index, group.of, point, repetition])).toEqual([
      [1, 4, 1, 1],
      [2, 4, 1, 2],
      [3, 4, 2, 1],
      [4, 4, 2, 2],
    ]);
  });

  it("skips larger values once one did not fit, with the others as they were", async () => {
    const { ran } = await make(plan(["device=cpu,cuda", "batch=1,2,4,8"]), 2);
    expect(ran).toEqual(["cpu 1", "cpu 2", "cpu 4", "cuda 1", "cuda 2", "cuda 4"]);
  });

  it("runs them too where it was asked to", async () => {
    const { ran } = await make(plan(["batch=1,2,4,8"], { larger: "run" }), 1);
    expect(ran).toEqual(["1", "2", "4", "8"]);
  });

  it("does not repeat what did not fit, and tells of every point, skipped ones too", async () => {
    const { ran, ended } = await make(plan(["batch=1,2,4"], { repeat: 3 }), 1);
    expect(ran).toEqual(["1", "1", "1", "2"]);
    expect(ended.map(({ batch }) => batch)).toEqual(["1", "2", "4"]);
  });

  it("words have no order: nothing is skipped for them", async () => {
    const runs = await makeRuns(
      plan(["model=small,large"]),
      [],
      async ({ values }) => ({ kind: "made", run: runAt(values, { outcome: "out-of-memory" }) }),
      () => undefined,
    );
    expect(runs).toHaveLength(2);
  });

  it("makes only what is missing: no point that says something, nor what a failure made needless", async () => {
    const before = [
      runAt({ batch: "1" }),
      runAt({ batch: "2" }, { outcome: "stopped" }),
      runAt({ batch: "4" }, { outcome: "failed" }),
      runAt({ batch: "8" }, { outcome: "out-of-memory" }),
    ];
    const { jobs, runs } = await make(plan(["batch=1,2,4,8,16"], { repeat: 2 }), 99, before);
    expect(jobs.map(({ values, repetition }) => [values["batch"], repetition])).toEqual([
      ["1", 2],
      ["2", 1],
      ["2", 2],
    ]);
    expect(runs).toHaveLength(before.length + 3);
  });

  it("stops where it is told to, and keeps what was made", async () => {
    const { runs } = await make(plan(["batch=1,2,4"]), 99, [], 2);
    expect(runs).toHaveLength(2);
  });

  it("runs on several boards at once, one after the other on each, and where one is lost goes on on the others", async () => {
    const sweep = plan([], { parameters: onBoards(["a", "b", "c"], parseGrid(["batch=1,2"], [], 1), 1) });
    const events: string[] = [];
    let busy = 0;
    let most = 0;
    const runs = await makeRuns(
      sweep,
      [],
      async ({ values: { board = "", batch = "" } }) => {
        events.push(`${board}${batch} begins`);
        most = Math.max(most, ++busy);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        busy--;
        if (board === "b") return { kind: "lost" };
        events.push(`${board}${batch} ends`);
        return { kind: "made", run: runAt({ board, batch }) };
      },
      () => undefined,
      2,
    );
    expect(most).toBe(2);
    expect(runs.map(({ values }) => values["board"]).sort()).toEqual(["a", "a", "c", "c"]);
    expect(events.filter((event) => event.startsWith("a"))).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"]);
    expect(events.filter((event) => event.startsWith("b"))).toEqual(["b1 begins"]);
  });

  it("waits for the other boards where one throws, and begins nothing more", async () => {
    const sweep = plan([], { parameters: onBoards(["a", "b"], parseGrid(["batch=1,2"], [], 1), 1) });
    const ended: string[] = [];
    const made = makeRuns(
      sweep,
      [],
      async ({ values }) => {
        if (values["board"] === "a") throw new Error("damaged");
        for (let turn = 0; turn < 9; turn++) await Promise.resolve();
        ended.push(Object.values(values).join(""));
        return { kind: "made", run: runAt(values) };
      },
      () => undefined,
      2,
    );
    await expect(made).rejects.toThrow("damaged");
    expect(ended).toEqual(["b1"]);
  });

  it("begins nothing on any board once it is to stop", async () => {
    const sweep = plan([], { parameters: onBoards(["a", "b"], parseGrid(["batch=1,2,3"], [], 1), 1) });
    const begun: string[] = [];
    await makeRuns(
      sweep,
      [],
      async ({ values }) => {
        begun.push(Object.values(values).join(""));
        await Promise.resolve();
        return values["board"] === "a" ? { kind: "stop" } : { kind: "made", run: runAt(values) };
      },
      () => undefined,
      2,
    );
    expect(begun).toEqual(["a1", "b1"]);
  });

  it("estimates the time that is left from the first run on, without what will be skipped", async () => {
    const { jobs } = await make(plan(["batch=1,2,4,8"]), 2);
    expect(jobs.map(({ leftMs }) => leftMs)).toEqual([undefined, 3_000, 2_000]);
  });
});
