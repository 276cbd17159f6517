import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ended, type Running, useProgram } from "../../integration/cli/program.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { requirement } from "../../support/requirement.ts";
import { untilNobodyNames } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { times } from "../support/results.ts";
import { type ShapingProxy, startShapingProxy } from "../support/shapingProxy.ts";
import { truthScript, type Verdict } from "../support/truth.ts";
import { judgeFolder, makeStage, type Stage } from "./support/stage.ts";

const STEPS = 20;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("the command in a terminal", () => {
  const program = useProgram();
  let stage: Stage;
  let moved: ShapingProxy;
  let boardHome: string;
  beforeAll(async () => {
    stage = await makeStage();
    moved = await startShapingProxy(stage.server.port, "127.0.0.2");
    const keys = [`[127.0.0.1]:${stage.proxy.port}`, `[127.0.0.2]:${moved.port}`];
    writeFileSync(stage.home.path("known_hosts"), keys.map((host) => `${host} ${stage.server.hostKey}\n`).join(""));
    boardHome = mkdtempSync(join(tmpdir(), "jmp-board-home-"));
  });
  // What runs on the board has its own home; the command is given another one.
  beforeEach(() => void vi.stubEnv("HOME", boardHome));
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(async () => {
    stage?.goOn();
    await moved?.close();
    await stage?.close();
    // A run that nobody follows any more goes on by itself.
    await untilNobodyNames(boardHome);
    await removeFolder(boardHome);
  });

  /** Resolves when the script has printed so far, or the program has ended. */
  function printed(child: Running, step: number): Promise<void> {
    let text = "";
    return new Promise((resolve) => {
      child.stdout.on("data", (data) => {
        text += String(data);
        if (text.includes(`step ${step}\n`)) resolve();
      });
      child.on("close", () => resolve());
    });
  }
  /** Goes no further than that step until it may. */
  function heldScript(after: number): string {
    writeFileSync(stage.hold, "");
    return truthScript(STEPS, 0.1, { after, file: stage.hold });
  }
  function runFolder(): string {
    const runs = join(program.project, ".jetson-memprof", "runs");
    const [id] = readdirSync(runs).filter((name) => !name.startsWith("."));
    if (id === undefined) throw new Error("there is no run folder");
    return join(runs, id);
  }

  it("says that the connection is lost and that it is back, and prints all of the output once", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 10); n++) {
      program.script("truth.py", heldScript(3));
      const child = program.start(["profile", "--target", stage.target, "--python", "/usr/bin/python3", "truth.py"]);
      child.stdin.end();
      const result = ended(child);
      await printed(child, 3);
      stage.proxy.cut();
      stage.goOn();
      const { status, stdout, stderr } = await result;
      expect(status).toBe(0);
      expect(stderr).toMatch(
        /^(?:1 file \(\d+ B\) of .+ will be sent to nano@127\.0\.0\.1:\d+\.\nThe largest: truth\.py \d+ B\n(?:What stays here, and why:\n• version control.*\n)?)?Note: Connection lost, the run continues on the board\. Trying to reach it again\. \(The connection to nano@127\.0\.0\.1:\d+ was lost.*\)\nNote: Connected again; what the run did meanwhile follows\.\n$/,
      );
      const output = Array.from({ length: STEPS }, (_, step) => `step ${step}\n`).join("");
      expect(stdout.startsWith(output)).toBe(true);
      verdicts.push(await judgeFolder(runFolder(), STEPS, stdout.slice(0, output.length)));
      rmSync(runFolder(), { recursive: true });
    }
    conclude("link", "Connection dropped under the command in a terminal", verdicts);
  });

  it("that is killed is followed by `attach`, killed again, and followed to the end at the board's new address", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 20); n++) {
      program.script("truth.py", truthScript(STEPS, 0.25));
      const kill = async (child: Running, step: number): Promise<void> => {
        const gone = ended(child);
        await printed(child, step);
        child.kill("SIGKILL");
        await gone;
      };
      await kill(
        program.start(["profile", "--target", stage.target, "--python", "/usr/bin/python3", "truth.py"]),
        2 + n,
      );
      await kill(program.start(["attach", "last", "--python", "/usr/bin/python3"]), 8);
      const target = `nano@127.0.0.2:${moved.port}`;
      const { status, stderr } = await program.run(
        "attach",
        "last",
        "--python",
        "/usr/bin/python3",
        "--target",
        target,
      );
      expect(stderr).toBe("");
      expect(status).toBe(0);
      verdicts.push(await judgeFolder(runFolder(), STEPS));
      rmSync(runFolder(), { recursive: true });
    }
    conclude("link", "The program at home was killed twice; attached to again, at last at a new address", verdicts);
  });

  it("that cannot write any more says so, and the run is fetched as a whole once it can", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(2, 20); n++) {
      program.script("truth.py", truthScript(5, 0.02));
      // No file of this process may grow beyond that, as on a disk that is full.
      // The largest is of some 10 blocks.
      const limit = `ulimit -f ${4 + ((3 * n) % 5)}; exec "$0" "$@"`;
      const words = [program.file, "profile", "--target", stage.target, "--python", "/usr/bin/python3", "truth.py"];
      const child = spawn("sh", ["-c", limit, process.execPath, ...words], {
        cwd: program.project,
        env: { ...process.env, HOME: program.home, NO_COLOR: "" },
      });
      child.stdin.end();
      const { status, stderr } = await ended(child);
      expect(status).not.toBe(0);
      expect(stderr).toContain("cannot be written on this machine");
      expect(stderr).toContain("jetson-memprof attach");
      const again = await program.run("attach", "last", "--python", "/usr/bin/python3");
      expect([again.status, again.stderr]).toEqual([0, ""]);
      verdicts.push(await judgeFolder(runFolder(), 5));
      rmSync(runFolder(), { recursive: true });
    }
    conclude("link", "The disk at home is full; attached to again", verdicts);
  });

  it("that gives up says how the run is followed again", async () => {
    program.script("truth.py", heldScript(1));
    const child = program.start(["profile", "--target", stage.target, "--python", "/usr/bin/python3", "truth.py"]);
    child.stdin.end();
    const result = ended(child);
    await printed(child, 1);
    // Another key at the same address: nothing that trying again could change.
    const known = stage.home.path("known_hosts");
    const other = stage.server.hostKey.replace(/.{8}$/, "AAAAAAAA");
    writeFileSync(known, `[127.0.0.1]:${stage.proxy.port} ${other}\n`);
    stage.proxy.cut();
    stage.goOn();
    const { status, stderr } = await result;
    expect(status).not.toBe(0);
    expect(stderr).toContain("has changed");
    expect(stderr).toContain("The run continues on the board by itself");
    expect(stderr).toContain(`jetson-memprof attach "${runFolder()}"`);
  });
});
