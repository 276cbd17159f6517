import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseTarget } from "../../../src/remote/address.ts";
import { watchBoard } from "../../../src/remote/watch.ts";
import { useProgram } from "../../integration/cli/program.ts";
import { buildPrograms, startClient } from "../../integration/lsp/client.ts";
import { processesNaming } from "../../support/processes.ts";
import { requirement } from "../../support/requirement.ts";
import { HELPER, makeScene, prompter } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { startTruthRun } from "../support/boardRun.ts";
import { record } from "../support/results.ts";
import { counted, judge, truthScript } from "../support/truth.ts";
import { listening, withChildren } from "./support/listening.ts";

describe("listening", () => {
  it("sees what a process listens on", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    expect(listening([process.pid])).toContain(`tcp 127.0.0.1:${port}`);
    server.close();
  });
});

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("a run, a watch and what they start", () => {
  let home: TestHome | undefined;
  let board: Sshd | undefined;
  afterEach(async () => {
    await board?.stop();
    await home?.remove();
  });

  it("listen nowhere, here or on the board", async () => {
    home = makeTestHome();
    const key = home.key("client");
    board = await startSshd(home, "board", [key]);
    writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${board.port} ${board.hostKey}\n`);
    home.configure(
      `Host board\n  HostName 127.0.0.1\n  Port ${board.port}\n  IdentityFile ${key}\n  IdentityAgent none`,
    );
    // The test runner's own, if it has any.
    const before = new Set(listening([process.pid]));
    const found = new Set<string>();
    const target = parseTarget("board");
    const run = startTruthRun({ steps: 6, pauseSeconds: 0.1, holdAfter: 5 }, makeScene(), "board");
    const place = { target, boardFolder: run.scene.board, intervalMs: 200 };
    let looks = 0;
    const look = (): void => {
      looks++;
      // Some of them are while both the run and the watch are under way.
      if (looks > 10 && run.stepsSoFar() === 6) run.goOn();
      const ours = withChildren([process.pid, ...processesNaming(run.scene.board)]);
      for (const each of listening(ours)) if (!before.has(each) && !each.endsWith(`:${board?.port}`)) found.add(each);
    };
    const watch = watchBoard(place, { prompter: prompter(), helperFolder: HELPER, onEvent: look });
    void run.scene.waitFor(({ kind }) => {
      if (kind === "phase" || kind === "output" || kind === "started") look();
      return false;
    });
    try {
      const outcome = await run.handle.done;
      watch.stop();
      await watch.done;
      if (outcome.kind !== "finished") throw new Error(outcome.kind);
      const verdict = await judge(outcome.folder, { exactly: 6 });
      record({
        kind: "fault",
        group: "network",
        fault: "somebody looks for a place to connect to while a run and a watch go on: there is none",
        ...counted([verdict]),
      });
      expect(looks).toBeGreaterThan(10);
      expect([...found]).toEqual([]);
      expect(verdict.why).toEqual([]);
    } finally {
      await run.scene.remove();
    }
  });
});

describe("the command line", () => {
  const scene = useProgram();

  it("listens nowhere but on the loopback address, and there only for the simulated board", async () => {
    // The script waits for a look after its last step: the run is under way then.
    const file = join(scene.home, "hold");
    writeFileSync(file, "");
    scene.script("truth.py", truthScript(5, 0.1, { after: 4, file }));
    const child = scene.start(["profile", "truth.py", "--target", "loopback"]);
    const found = new Set<string>();
    let shown = "";
    child.stderr.resume();
    child.stdin.end();
    child.stdout.on("data", (data) => {
      shown += String(data);
      const ours = withChildren([child.pid ?? 0, ...processesNaming(scene.home)]);
      for (const each of listening(ours)) found.add(each);
      if (shown.includes("step 4")) rmSync(file, { force: true });
    });
    const [status] = await once(child, "close");
    expect(status).toBe(0);
    expect([...found]).toEqual([expect.stringMatching(/^tcp 127\.0\.0\.1:\d+$/)]);
  });

  it("serves other editors over its standard input and output only", async () => {
    const built = await buildPrograms();
    try {
      const client = await startClient(built, {});
      expect(listening(withChildren([client.process.pid ?? 0]))).toEqual([]);
      await client.stop();
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  });
});
