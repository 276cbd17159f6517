import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTarget } from "../../../src/remote/address.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { requirement } from "../../support/requirement.ts";
import { makeScene, prompter } from "../../support/scene.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { conclude } from "../support/conclude.ts";
import { times } from "../support/results.ts";
import { type ShapingProxy, startShapingProxy } from "../support/shapingProxy.ts";
import type { Verdict } from "../support/truth.ts";
import { beginTrial, folderOf, judged, judgeFolder, makeStage, type Stage, tryAtOnce } from "./support/stage.ts";

/** The board gets another address from the router: here another of the loopback's. */
describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a board whose address changes", () => {
  const STEPS = 8;
  const NEW = "127.0.0.2";
  let stage: Stage;
  let moved: ShapingProxy;
  /** Another machine, at the address that was the board's or is said to be. */
  let stranger: TestServer;
  beforeAll(async () => {
    stage = await makeStage();
    moved = await startShapingProxy(stage.server.port, NEW);
    stranger = await startTestServer();
    (await stage.reach()).connection.close();
  });
  afterAll(async () => {
    await moved?.close();
    await stranger?.close();
    await stage?.close();
  });

  const known = (...lines: readonly string[]): void =>
    writeFileSync(stage.home.path("known_hosts"), `${lines.join("\n")}\n`);
  const atOld = (): string => `[127.0.0.1]:${stage.proxy.port} ${stage.server.hostKey}`;
  const atNew = (key = stage.server.hostKey): string => `[${NEW}]:${moved.port} ${key}`;
  const alias = (host: string, port: number, ...more: readonly string[]): void =>
    stage.home.configure(["Host board", `HostName ${host}`, `Port ${port}`, "User nano", ...more].join("\n  "));

  /** A run of `ssh://board` whose address becomes `host:port` while it is followed. */
  function runThatMoves(host: string, port: number, ...more: readonly string[]) {
    stage.proxy.accepting(true);
    alias("127.0.0.1", stage.proxy.port, ...more);
    let gone = false;
    return beginTrial(
      { ...stage, target: "ssh://board" },
      {
        steps: STEPS,
        pause: 0.1,
        holdAfter: 0,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (event.kind === "output" && !gone) {
            gone = true;
            alias(host, port, ...more);
            stage.proxy.accepting(false);
            stage.proxy.cut();
            stage.goOn();
          }
        },
      },
    );
  }

  it("is found at the new one by itself where the SSH configuration names it and its key is known there", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(2, 20); n++) {
      const byAlias = n % 2 === 0;
      if (byAlias) known(`the-board ${stage.server.hostKey}`);
      else known(atOld(), atNew());
      const trial = runThatMoves(NEW, moved.port, ...(byAlias ? ["HostKeyAlias the-board"] : []));
      verdicts.push(await judged(trial, STEPS));
      expect(trial.scene.events.map(({ kind }) => kind)).toContain("reconnected");
    }
    conclude("link", "The board's address changes while the run is followed", verdicts);
  });

  it("is not believed where its key is not known there: the run goes on, and is attached to by command", async () => {
    const verdicts: Verdict[] = [];
    for (let n = 0; n < times(1, 20); n++) {
      known(atOld());
      const trial = runThatMoves(NEW, moved.port);
      const outcome = await trial.run.done;
      if (outcome.kind !== "failed" || outcome.folder === undefined) throw new Error(`it ended as ${outcome.kind}`);
      expect(outcome.error.code).toBe("host-key-unknown");
      expect(outcome.error.hint).toContain("The run continues on the board by itself");
      expect(readFileSync(stage.home.path("known_hosts"), "utf8")).toBe(`${atOld()}\n`);

      stage.home.configure("");
      const request = {
        boardFolder: stage.board,
        python: "/usr/bin/python3",
        target: parseTarget(`nano@${NEW}:${moved.port}`),
      };
      const declines = await resumeRun(outcome.folder, request, trial.scene.deps(prompter(), stage.helper)).done;
      expect(declines).toMatchObject({ kind: "failed", error: { code: "host-key-declined" } });

      const person = prompter({ hostKey: true });
      const found = makeScene();
      const folder = folderOf(await resumeRun(outcome.folder, request, found.deps(person, stage.helper)).done);
      expect(person.hostKeys).toHaveLength(1);
      expect(JSON.parse(readFileSync(join(folder, "origin.json"), "utf8")).target).toBe(
        `ssh://nano@${NEW}:${moved.port}`,
      );
      verdicts.push(await judgeFolder(folder, STEPS, trial.scene.output() + found.output()));

      // From now on it is found there without being told.
      const again = resumeRun(
        folder,
        { boardFolder: stage.board, python: "/usr/bin/python3" },
        found.deps(prompter(), stage.helper),
      );
      expect((await again.done).kind).toBe("finished");
      await found.remove();
      await trial.scene.remove();
    }
    conclude("link", "The board's address changed; attached to by command", verdicts);
  });

  it("and an address at which another machine answers now is refused, whatever is configured", async () => {
    const link = await startShapingProxy(stranger.port, NEW);
    try {
      for (const strict of ["accept-new", "no", "ask"]) {
        known(`the-board ${stage.server.hostKey}`);
        const byAlias = runThatMoves(NEW, link.port, "HostKeyAlias the-board", `StrictHostKeyChecking ${strict}`);
        expect(await byAlias.run.done).toMatchObject({ kind: "failed", error: { code: "host-key-changed" } });
        await byAlias.scene.remove();
        known(atOld());
        const unknown = runThatMoves(NEW, link.port, `StrictHostKeyChecking ${strict}`);
        expect(await unknown.run.done).toMatchObject({ kind: "failed", error: { code: "host-key-unknown" } });
        expect(readFileSync(stage.home.path("known_hosts"), "utf8")).toBe(`${atOld()}\n`);
        await unknown.scene.remove();
      }
      expect(stranger.commands).toEqual([]);
    } finally {
      await link.close();
    }
  });

  it("and a board that does not have the run changes nothing of it at home", async () => {
    stage.proxy.accepting(true);
    stage.home.configure("");
    known(atOld(), atNew());
    const trial = beginTrial(stage, { steps: 2, pause: 0 });
    const folder = folderOf(await trial.run.done);
    const [runs, elsewhere] = [join(stage.board, "runs"), join(stage.board, "runs-of-another-board")];
    const before = readFileSync(join(folder, "origin.json"), "utf8");
    renameSync(runs, elsewhere);
    try {
      const request = {
        boardFolder: stage.board,
        python: "/usr/bin/python3",
        target: parseTarget(`nano@${NEW}:${moved.port}`),
      };
      const outcome = await resumeRun(folder, request, trial.scene.deps(prompter(), stage.helper)).done;
      expect(outcome).toMatchObject({
        kind: "failed",
        error: { code: "no-such-run", hint: expect.stringContaining("Check that this is the board") },
      });
    } finally {
      renameSync(elsewhere, runs);
    }
    expect(readFileSync(join(folder, "origin.json"), "utf8")).toBe(before);
    expect((await judgeFolder(folder, 2)).why).toEqual([]);
    await trial.scene.remove();
  });
});
