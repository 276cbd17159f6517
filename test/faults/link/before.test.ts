import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTarget } from "../../../src/remote/address.ts";
import { projectSlug, syncProject } from "../../../src/remote/sync/syncProject.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { isPassing } from "../../../src/remote/transport/outage.ts";
import { type Connection, emptyMemory } from "../../../src/remote/transport/transport.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow } from "../../support/scene.ts";
import { untilNobodyNames } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import type { Verdict } from "../support/truth.ts";
import { beginTrial, judged, makeStage, type Stage } from "./support/stage.ts";

const signal = new AbortController().signal;

/** What a trial came to where nothing was recorded yet: the fault's table knows lost profiles only. */
const verdictOf = (why: readonly string[]): Verdict => ({
  lostProfile: why.length > 0,
  duplicatedOutput: false,
  wrongLine: false,
  why,
});

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a connection that drops before the script runs", () => {
  let stage: Stage;
  let top: string;
  beforeAll(async () => {
    stage = await makeStage();
    top = mkdtempSync(join(tmpdir(), "jmp-before-"));
    (await stage.reach()).connection.close();
  });
  afterAll(async () => {
    await stage?.close();
    rmSync(top, { recursive: true, force: true });
  });

  const failure = (work: Promise<unknown>): Promise<(Error & { readonly code?: string }) | undefined> =>
    work.then(
      () => undefined,
      (error) => error,
    );
  /** The way that is cut and after how many bytes of it; every part of it is met where there are many trials. */
  const sweep = (took: { up: number; down: number }, trials: number, seed: number) => {
    const random = seeded(seed);
    return Array.from({ length: trials }, (_, n) => {
      const way = n % 2 === 0 ? ("up" as const) : ("down" as const);
      return { way, at: Math.floor(((n + random.next()) / trials) * took[way]) };
    });
  };
  /** Bytes that went over the link meanwhile. */
  async function measured(work: () => Promise<unknown>): Promise<{ up: number; down: number }> {
    const before = stage.proxy.passed();
    await work();
    const after = stage.proxy.passed();
    return { up: after.up - before.up, down: after.down - before.down };
  }

  it("while logging in: that is said, as something that may pass, and the next login succeeds", async () => {
    const open = (): Promise<Connection> =>
      openTarget(parseTarget(stage.target), { prompter: undefined, memory: emptyMemory(), signal, onNoise() {} });
    let connection: Connection | undefined;
    const took = await measured(async () => {
      connection = await open();
    });
    connection?.close();
    const verdicts: Verdict[] = [];
    for (const { way, at } of sweep(took, times(30, 1000), 81)) {
      stage.proxy.cutAfter(way, at);
      const error = await failure(open().then((opened) => opened.close()));
      stage.proxy.forgetCuts();
      // The last byte of the client's may be cut off behind a login that had succeeded.
      const why = error === undefined || isPassing(error) ? [] : [`${way} ${at}: ${error.code}: ${error.message}`];
      verdicts.push(verdictOf(why));
      expect(error === undefined || /handshake-failed|connect-failed/.test(error.code ?? ""), error?.code).toBe(true);
    }
    (await open()).close();
    conclude("link", "Connection dropped while logging in", verdicts);
  });

  it("while the helper is sent: no half of it is there, and the next try puts it in place", async () => {
    const took = await measured(async () => (await stage.reach(stage.emptyBoard())).connection.close());
    const verdicts: Verdict[] = [];
    for (const { way, at } of sweep(took, times(3, 60), 82)) {
      // What the first try started may still be ending in it.
      const board = stage.emptyBoard();
      stage.proxy.cutAfter(way, at);
      const error = await failure(stage.reach(board).then(({ connection }) => connection.close()));
      stage.proxy.forgetCuts();
      const whole = await stage.reach(board);
      whole.connection.close();
      const there = readdirSync(join(board, "helper")).filter((name) => !name.startsWith("."));
      const why = there.length === 1 ? [] : [`${way} ${at}: ${there.join(", ")}`];
      if (error !== undefined && !isPassing(error)) why.push(`${way} ${at}: ${error.code}: ${error.message}`);
      verdicts.push(verdictOf(why));
    }
    conclude("link", "Connection dropped while the helper is installed", verdicts);
  });

  it("while files are sent, at any byte: each file there is the old or the new one, and the next try completes", async () => {
    const project = join(top, "project");
    const board = stage.board;
    const there = join(board, "projects", projectSlug(project));
    const random = seeded(83);
    const write = (generation: number): void => {
      rmSync(project, { recursive: true, force: true });
      mkdirSync(join(project, "deep"), { recursive: true });
      // As many bytes each time: only what is in them tells the generations apart.
      const text = (bytes: number): string => String(generation % 10).repeat(bytes);
      writeFileSync(join(project, "truth.py"), text(700));
      writeFileSync(join(project, "deep/data.bin"), text(60_000));
      writeFileSync(join(project, "deep/more.txt"), text(3_000));
      // One is new each time and gone the next.
      writeFileSync(join(project, `only-${generation}.txt`), text(10));
    };
    const sync = async (): Promise<void> => {
      const session = await stage.reach();
      try {
        const request = { projectFolder: project, excludes: [], required: undefined };
        await syncProject(session, request, () => {}, signal, undefined);
      } finally {
        session.connection.close();
      }
    };
    const contents = (folder: string): Record<string, string> =>
      existsSync(folder)
        ? Object.fromEntries(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]))
        : {};
    write(0);
    await sync();
    const before = stage.proxy.passed();
    write(1);
    const session = await stage.reach();
    const reached = stage.proxy.passed();
    session.connection.close();
    await sync();
    const after = stage.proxy.passed();
    const login = reached.up - before.up;
    const took = after.up - reached.up - login;
    expect(took).toBeGreaterThan(60_000);

    const verdicts: Verdict[] = [];
    const trials = times(6, 300);
    for (let n = 0; n < trials; n++) {
      const old = contents(there);
      write(n + 2);
      const fresh = contents(project);
      // Behind the login; sometimes only the answer is cut off.
      const at = login + Math.floor(((n + random.next()) / trials) * took);
      stage.proxy.cutAfter("up", at);
      const error = await failure(sync());
      stage.proxy.forgetCuts();
      // The board may have had everything: then it still puts it in place.
      await untilNobodyNames(board);
      const half = contents(there);
      const why = Object.entries(half).flatMap(([name, text]) =>
        text === old[name] || text === fresh[name] ? [] : [`${at}: ${name} is neither the old nor the new one`],
      );
      if (error !== undefined && !isPassing(error)) why.push(`${at}: ${error.code}: ${error.message}`);
      await sync();
      const now = contents(there);
      if (JSON.stringify(now) !== JSON.stringify(fresh)) why.push(`${at}: the next try did not complete`);
      verdicts.push(verdictOf(why));
    }
    // Nothing that was sent lies about, and nothing was taken for the user's own.
    const left = filesBelow(join(board, "staging")).filter((name) => !name.endsWith("lock"));
    expect(left).toEqual([]);
    expect(existsSync(join(board, "kept"))).toBe(false);
    conclude("link", "Connection dropped while files are sent, at any byte", verdicts);
  });

  it("in a run: it fails in words and leaves no run folder, and the next run is whole", async () => {
    const verdicts: Verdict[] = [];
    const phases = ["connect", "prepare", "sync"] as const;
    for (let n = 0; n < times(3, 60); n++) {
      const phase = phases[n % phases.length];
      const failed = beginTrial(stage, {
        steps: 2,
        pause: 0,
        onEvent(event) {
          // Further on the script has been started.
          if (event.kind === "phase" && event.phase === phase) stage.proxy.cutAfter("up", 200 + ((61 * n) % 200));
        },
      });
      const outcome = await failed.run.done;
      if (outcome.kind !== "failed") throw new Error(`it ended as ${outcome.kind}`);
      expect(isPassing(outcome.error), outcome.error.code).toBe(true);
      expect(outcome.folder).toBeUndefined();
      expect(existsSync(failed.scene.runs) ? readdirSync(failed.scene.runs) : []).toEqual([]);
      await failed.scene.remove();
      verdicts.push(await judged(beginTrial(stage, { steps: 2, pause: 0 }), 2));
    }
    conclude("link", "Connection dropped before the start; the next run", verdicts);
  });
});
