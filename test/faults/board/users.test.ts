import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../src/protocol/run/run.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import type { OpenTarget } from "../../../src/remote/transport/openTarget.ts";
import { makeScene, type Scene } from "../../support/scene.ts";
import { conclude } from "../support/conclude.ts";
import { times } from "../support/results.ts";
import { judge, truthScript, type Verdict } from "../support/truth.ts";
import {
  asUser,
  boardWithin,
  environment,
  expectRefused,
  type HomeFolder,
  homeOf,
  otherUsers,
  PYTHON,
  strictRun,
} from "./support/strictBoard.ts";

const ANNA = 61_001;
const BEN = 61_002;
const DEFAULT = "~/.jetson-memprof";

describe.runIf(otherUsers)("two users of one board", () => {
  const scenes: Scene[] = [];
  let homes: readonly [HomeFolder, HomeFolder];
  /** A folder that everybody may write to, as /tmp is. */
  let common: string;

  beforeAll(() => {
    homes = [homeOf(ANNA), homeOf(BEN)];
    common = mkdtempSync(join(tmpdir(), "jmp-common-"));
    chmodSync(common, 0o1777);
  });
  afterAll(async () => {
    for (const scene of scenes) await scene.remove();
    for (const home of homes ?? []) await home.remove();
    if (common !== undefined) rmSync(common, { recursive: true, force: true });
  });

  const newScene = (): Scene => {
    const scene = makeScene();
    scenes.push(scene);
    return scene;
  };
  const board = (uid: number): OpenTarget =>
    boardWithin(environment(`HOME=${homes[uid === ANNA ? 0 : 1].path}`), asUser(uid));
  const runOf = (uid: number, boardFolder = DEFAULT): Promise<RunOutcome> =>
    strictRun(newScene(), board(uid), { boardFolder });

  const folderOf = (uid: number): readonly string[] =>
    readdirSync("/dev/shm").filter((name) => name.startsWith(`jmp-${uid}-`));

  /** What came home of a run of each, while both ran. */
  async function bothAtOnce(): Promise<readonly Verdict[]> {
    const before = folderOf(ANNA);
    const hold = { after: 0, file: join(common, "hold") };
    writeFileSync(hold.file, "");
    const both = [ANNA, BEN].map((uid) => {
      const scene = newScene();
      scene.write({ "truth.py": truthScript(30, 0.05, hold) });
      const request = scene.request("nano@board", "truth.py", {
        boardFolder: DEFAULT,
        python: PYTHON,
        accelerator: true,
      });
      const { done } = profileRun(request, scene.deps(), board(uid));
      return { scene, done, started: scene.waitFor((event) => event.kind === "started") };
    });
    await Promise.all(both.map(({ started }) => started));
    const shared = folderOf(ANNA).filter((name) => !before.includes(name));
    expect(shared).toHaveLength(1);
    expect(() => asOther(BEN, "ls", `/dev/shm/${shared[0]}`)).toThrow(/Permission denied/);
    rmSync(hold.file);
    const outcomes = await Promise.all(both.map(({ done }) => done));
    for (const { scene } of both) expect(scene.warnings()).toEqual([]);
    return Promise.all(outcomes.map(({ folder = "" }) => judge(folder, { exactly: 30 })));
  }

  it("both run at once: each gets its own figures and sees nothing of the other's run", async () => {
    const verdicts: Verdict[] = [];
    for (let trial = 0; trial < times(1, 5); trial++) verdicts.push(...(await bothAtOnce()));
    conclude("board", "two users run at once", verdicts);
    expect(() => asOther(BEN, "ls", join(homes[0].path, ".jetson-memprof"))).toThrow(/Permission denied/);
  });

  it("a board folder that another user made first is refused in words, and nothing of it is used", async () => {
    const squatted = join(common, "squatted");
    mkdirSync(squatted, { mode: 0o777 });
    chownSync(squatted, BEN, BEN);
    expectRefused("board folder of another user", await runOf(ANNA, squatted), "not-your-folder", squatted);
    expect(readdirSync(squatted)).toEqual([]);
  });

  it("nor is one used that leads by a link to where another user may write", async () => {
    const link = join(common, "link");
    mkdirSync(join(common, "theirs"));
    chownSync(join(common, "theirs"), BEN, BEN);
    symlinkSync(join(common, "theirs"), link);
    expect(await runOf(ANNA, join(link, "board"))).toMatchObject({
      kind: "failed",
      error: { code: "not-your-folder" },
    });
    expect(readdirSync(join(common, "theirs"))).toEqual([]);
  });

  it("nor one whose helper folder another user put there before", async () => {
    const mine = join(common, "half");
    mkdirSync(join(mine, "helper"), { recursive: true });
    chownSync(mine, ANNA, ANNA);
    chownSync(join(mine, "helper"), BEN, BEN);
    expectRefused("helper folder of another user", await runOf(ANNA, mine), "not-your-folder", `${mine}/helper`);
  });

  it("nor one that others can write to, which is said with what to do", async () => {
    const open = join(common, "open");
    mkdirSync(open);
    chownSync(open, ANNA, ANNA);
    chmodSync(open, 0o777);
    expectRefused("board folder open to others", await runOf(ANNA, open), "open-folder", `chmod go-w ${open}`);
    chmodSync(open, 0o700);
    expect((await runOf(ANNA, open)).kind).toBe("finished");
  });

  it("a folder of one's own in a place like /tmp is as good as any", async () => {
    expect((await runOf(ANNA, join(common, "anna"))).kind).toBe("finished");
    expect(await runOf(BEN, join(common, "anna"))).toMatchObject({
      kind: "failed",
      error: { code: "not-your-folder" },
    });
  });

  it("what another user's run folder says is not acted upon, though its name came with a project", async () => {
    const scene = newScene();
    const id = "20260101-000000-forged";
    const forged = join(common, "forged", "runs", id);
    mkdirSync(forged, { recursive: true });
    writeFileSync(join(forged, "run.json"), JSON.stringify({ schema: 1, id, state: "running" }));
    execFileSync("chown", ["-R", `${BEN}`, join(common, "forged")]);
    chmodSync(join(common, "forged"), 0o755);
    const home = join(scene.runs, id);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "origin.json"), JSON.stringify({ schema: 1, target: "nano@board", board_folder: forged }));
    const { done } = resumeRun(home, { python: PYTHON }, scene.deps(), board(ANNA));
    expectRefused("run folder of another user", await done, "not-your-run", id);
  });

  it("names in shared memory that another user took are passed by", async () => {
    // The names are 32 random bits: only the folder as a whole could be filled, which the system forbids.
    const taken = mkdtempSync("/dev/shm/jmp-61001-");
    try {
      expect((await runOf(ANNA)).kind).toBe("finished");
      expect(readdirSync(taken)).toEqual([]);
    } finally {
      rmSync(taken, { recursive: true });
    }
  });
});

function asOther(uid: number, ...command: readonly string[]): string {
  return execFileSync("setpriv", [...asUser(uid).slice(1), ...command], { encoding: "utf8", stdio: "pipe" });
}
