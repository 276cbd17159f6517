import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newestFirst } from "../profile/run/runNames.ts";
import { newRunId, nextRunId, unfinishedName, withFreeRunId } from "./runId.ts";

let runs: string;
beforeEach(() => {
  runs = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-run-id-"));
});
afterEach(() => fs.rmSync(runs, { recursive: true }));

const at = (time: string) => new Date(`2026-11-${time}Z`);
async function add(stem: string, now: Date): Promise<string> {
  const id = await nextRunId(runs, stem, now);
  fs.mkdirSync(path.join(runs, id));
  return id;
}
const last = (now: Date) => fs.readdirSync(runs).sort(newestFirst(now))[0];

describe("the name of the next run", () => {
  it("has the time of now", async () => {
    expect(await nextRunId(path.join(runs, "nowhere"), "train", at("27T09:45:01.5"))).toMatch(
      /^20261127-094501-train-1f4[0-9a-f]{3}$/,
    );
  });

  it.each([
    ["a little", at("27T09:00:00")],
    ["to where a board without a battery begins", new Date("1970-01-01T00:02:00Z")],
  ])("comes after those that are there where the clock was set back %s", async (_, now) => {
    fs.mkdirSync(path.join(runs, newRunId("train", at("27T10:00:00"))));
    for (const stem of ["train", "eval", "train"]) {
      const id = await add(stem, now);
      expect([last(now), last(at("27T11:00:00"))]).toEqual([id, id]);
    }
    expect(fs.readdirSync(runs).every((name) => name.startsWith("20261127-10000"))).toBe(true);
  });

  it("comes after another script's within the same second", async () => {
    await add("train", at("27T09:45:01.1"));
    const id = await add("eval", at("27T09:45:01.2"));
    expect(last(at("27T09:45:02"))).toBe(id);
  });

  it("comes after a sweep of which no run is there yet", async () => {
    fs.writeFileSync(path.join(runs, "20261127-100000-train-000abc.sweep.json"), "");
    expect(await nextRunId(runs, "eval", at("27T09:00:00"))).toMatch(/^20261127-100001-eval-/);
  });

  it("is of now, and the last, where there is one that lies in the future", async () => {
    fs.mkdirSync(path.join(runs, "21000101-000000-old-000000"));
    const id = await add("train", at("27T09:45:01"));
    expect(id).toMatch(/^20261127-094501-/);
    expect(last(at("27T09:46:00"))).toBe(id);
  });
});

describe("a run's free name", () => {
  const now = at("27T09:45:01.5");
  const named = (time: Date) => newRunId("train", time);
  const make = (id: string) => fs.promises.mkdir(path.join(runs, id)).then(() => id);
  /** All that a millisecond has. */
  const takeAll = (name: (id: string) => string = (id) => id) => {
    const first = newRunId("train", now).slice(0, -3);
    for (let tail = 0; tail < 4096; tail++) {
      fs.mkdirSync(path.join(runs, name(first + tail.toString(16).padStart(3, "0"))));
    }
  };

  it("has the given time", async () => {
    expect(await withFreeRunId(runs, named, make, now)).toMatch(/^20261127-094501-train-1f4/);
  });

  it("is of the next millisecond where all of this one are taken", async () => {
    takeAll();
    expect(await withFreeRunId(runs, named, make, now)).toMatch(/^20261127-094501-train-1f5/);
  });

  it("is none of those whose runs are still being written", async () => {
    takeAll(unfinishedName);
    expect(await withFreeRunId(runs, named, make, now)).toMatch(/^20261127-094501-train-1f5/);
  });

  it("is another one where the name is taken right before", async () => {
    const tried: string[] = [];
    const second = await withFreeRunId(
      runs,
      named,
      async (id) => {
        tried.push(id);
        if (tried.length === 1) await make(id);
        return await make(id);
      },
      now,
    );
    expect(tried).toEqual([expect.stringContaining("-1f4"), second]);
    expect(fs.readdirSync(runs).sort()).toEqual([...tried].sort());
  });

  it("is not looked for where it was free and the run cannot be made all the same", async () => {
    const file = path.join(runs, "file");
    fs.writeFileSync(file, "");
    const failing = withFreeRunId(file, named, () => fs.promises.mkdir(file), now);
    await expect(failing).rejects.toMatchObject({ code: "EEXIST" });
  });
});
