import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFollowedRuns, type FollowedRuns } from "./followedRuns.ts";

const RUN = path.resolve("/project/.jetson-memprof/runs/20260105-train-1");
const OTHER = path.resolve("/project/.jetson-memprof/runs/20260105-train-2");

describe("the runs that windows follow", () => {
  let folder: string;
  let now: number;
  const alive = new Set<number>();
  const windows: FollowedRuns[] = [];

  /** A window whose extension host is the process `pid`. */
  function open(pid: number): FollowedRuns {
    alive.add(pid);
    const runs = createFollowedRuns(path.join(folder, "followed"), {
      pid,
      isAlive: (other) => alive.has(other),
      now: () => now,
    });
    windows.push(runs);
    return runs;
  }
  const kill = (pid: number): void => {
    alive.delete(pid);
  };

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "followed-"));
    // By the clock that the marks get their times from.
    now = fs.statSync(folder).mtimeMs;
    alive.clear();
  });
  afterEach(() => {
    for (const window of windows.splice(0)) window.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it("are none where nothing was ever followed", () => {
    expect(open(1).left()).toEqual({ free: [], taken: [] });
  });

  it("are found by the next window when theirs was killed or closed", () => {
    open(1).begin(RUN);
    const closed = open(2);
    closed.begin(OTHER);
    const next = open(3);
    expect(next.left()).toEqual({ free: [], taken: expect.arrayContaining([RUN, OTHER]) });
    kill(1);
    closed.dispose();
    expect([...next.left().free].sort()).toEqual([RUN, OTHER]);
    expect(next.take(RUN)).toBe(true);
    expect(next.left()).toEqual({ free: [OTHER], taken: [] });
  });

  it("are taken by one of two windows that open at once", () => {
    open(1).begin(RUN);
    kill(1);
    const [left, right] = [open(2), open(3)];
    expect(left.left().free).toEqual(right.left().free);
    expect([left.take(RUN), right.take(RUN)]).toEqual([true, false]);
    expect(right.left()).toEqual({ free: [], taken: [RUN] });
    left.leave(RUN);
    expect(right.take(RUN)).toBe(true);
  });

  it("are forgotten when they are over, also those of a process that is gone", () => {
    open(1).begin(RUN);
    kill(1);
    const next = open(2);
    next.begin(RUN);
    next.end(RUN);
    expect(open(3).left()).toEqual({ free: [], taken: [] });
    expect(fs.readdirSync(path.join(folder, "followed"))).toEqual([]);
  });

  it("are free where another program got the number of the process that followed them", () => {
    open(1).begin(RUN);
    const next = open(2);
    now += 3_600_000;
    expect(next.left().free).toEqual([RUN]);
  });

  it("are no more offered after two weeks", () => {
    open(1).begin(RUN);
    kill(1);
    now += 15 * 24 * 3_600_000;
    expect(open(2).left().free).toEqual([]);
    expect(fs.readdirSync(path.join(folder, "followed"))).toEqual([]);
  });

  it("are not taken from a mark that was changed", () => {
    open(1).begin(RUN);
    kill(1);
    const [name = ""] = fs.readdirSync(path.join(folder, "followed"));
    fs.writeFileSync(path.join(folder, "followed", name), OTHER);
    expect(open(2).left()).toEqual({ free: [], taken: [] });
  });

  it("cost nothing but being found again where the marks cannot be kept", () => {
    fs.writeFileSync(path.join(folder, "followed"), "a file is in the way");
    const runs = open(1);
    runs.begin(RUN);
    expect(runs.left()).toEqual({ free: [], taken: [] });
    runs.end(RUN);
  });
});
