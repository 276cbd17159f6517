import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UserError } from "../../../src/profile/userError.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { runCommand } from "../../../src/remote/session/runCommand.ts";
import { surveyBoard } from "../../../src/remote/session/survey.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { watchBoard } from "../../../src/remote/watch.ts";
import { requirement } from "../../support/requirement.ts";
import { HELPER, makeScene, prompter, type Scene } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { startTruthRun } from "../support/boardRun.ts";
import { record, times } from "../support/results.ts";
import { counted, judge, type Verdict } from "../support/truth.ts";
import { type Impostor, type Junction, startImpostor, startJunction } from "./support/impostor.ts";

const STEPS = 8;

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("host keys on a network that lies", () => {
  let home: TestHome;
  let board: Sshd;
  let clientKey: string;
  /** With the board's kind of key, and with another kind. */
  let impostor: Impostor;
  let otherKind: Impostor;
  let junction: Junction;
  let scene: Scene;
  beforeAll(async () => {
    home = makeTestHome();
    clientKey = home.key("client");
    board = await startSshd(home, "board", [clientKey]);
    impostor = await startImpostor(home.key("impostor"));
    execFileSync("ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", home.path("impostor-ecdsa")]);
    otherKind = await startImpostor(home.path("impostor-ecdsa"));
    // One for all: the helper is put on the board once.
    scene = makeScene();
  });
  beforeEach(async () => {
    junction = await startJunction(board.port);
    for (const one of [impostor, otherKind]) one.got.length = 0;
    configure();
    know(knownAs(`[127.0.0.1]:${junction.port}`));
  });
  afterEach(async () => {
    await junction?.close();
  });
  afterAll(async () => {
    await impostor?.close();
    await otherKind?.close();
    await board?.stop();
    await scene?.remove();
    await home?.remove();
  });

  const host = (name: string, port: number, lines: readonly string[]): string =>
    [
      `Host ${name}`,
      "  HostName 127.0.0.1",
      `  Port ${port}`,
      `  IdentityFile ${clientKey}`,
      "  IdentitiesOnly yes",
      "  IdentityAgent none",
      ...lines.map((line) => `  ${line}`),
    ].join("\n");
  /** `board` is behind the junction, `far` is the board itself with the junction before it as its jump host. */
  const configure = (...lines: readonly string[]): void =>
    home.configure(
      [host("board", junction.port, lines), host("far", board.port, ["ProxyJump board", ...lines])].join("\n"),
    );
  const know = (...lines: readonly string[]): void => writeFileSync(home.path("known_hosts"), `${lines.join("\n")}\n`);
  const knownAs = (name: string): string => `${name} ${board.hostKey}`;
  const place = (target: string) => ({ target: parseTarget(target), boardFolder: scene.board });
  const nobody = (): void => expect([...impostor.got, ...otherKind.got]).toEqual([]);

  async function openFails(target: string, who = prompter({ hostKey: true })): Promise<UserError> {
    const options = { prompter: who, memory: emptyMemory(), signal: timeout(), onNoise: () => {} };
    const result = await openTarget(parseTarget(target), options).catch((error: UserError) => error);
    expect(who.hostKeys).toEqual([]);
    if ("exec" in result) throw new Error("it should not have connected");
    return result;
  }

  /** All that reaches a board, each with what its failure is called. */
  const CALLERS: Readonly<Record<string, (target: string) => Promise<string | undefined>>> = {
    "a run": async (target) => {
      const run = startTruthRun({ steps: 1, pauseSeconds: 0 }, scene, target);
      const outcome = await run.handle.done;
      return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
    },
    "watching a board": async (target) => {
      const deps = { prompter: prompter({ hostKey: true }), helperFolder: HELPER, onEvent: () => {} };
      return (await watchBoard({ ...place(target), intervalMs: 1_000 }, deps).done)?.code;
    },
    "checking a board": (target) =>
      surveyBoard(place(target), { prompter: prompter({ hostKey: true }), helperFolder: HELPER }, timeout()).then(
        () => "surveyed",
        (error: UserError) => error.code,
      ),
    "a command of Check Board": (target) =>
      runCommand(
        { target: parseTarget(target), command: "true" },
        { prompter: prompter({ hostKey: true }), onOutput: () => {} },
        timeout(),
      ).then(
        () => "ran",
        (error: UserError) => error.code,
      ),
  };
  const timeout = (): AbortSignal => AbortSignal.timeout(100_000);

  it.each(Object.keys(CALLERS))("%s is not begun with a machine that answers in the board's place", async (caller) => {
    const outcomes: string[] = [];
    for (const target of ["board", "far"]) {
      for (const [port, code] of [
        [impostor.port, "host-key-changed"],
        // The known kind of key is withheld.
        [otherKind.port, "host-key-changed"],
      ] as const) {
        junction.leadTo(port);
        const visits = impostor.visits() + otherKind.visits();
        outcomes.push(`${target}: ${(await CALLERS[caller]?.(target)) === code ? "refused" : "taken"}`);
        expect(impostor.visits() + otherKind.visits()).toBe(visits + 1);
      }
    }
    record({
      kind: "fault",
      group: "network",
      fault: `changed or withheld host key of the board or its jump host: ${caller}`,
      trials: outcomes.length,
      lostProfiles: undefined,
      duplicatedOutput: undefined,
      wrongLine: undefined,
    });
    expect(outcomes).toEqual(["board: refused", "board: refused", "far: refused", "far: refused"]);
    nobody();
  });

  interface Meanwhile {
    /** The user's configuration during the run. */
    readonly lines?: readonly string[];
    readonly change: () => void;
    readonly code: string;
    /** Where a person resumes it while things are as they are; absent: it is refused in the same way. */
    readonly resumed?: "not tried";
  }

  const MEANWHILE: Readonly<Record<string, Meanwhile>> = {
    "another machine answers in its place": {
      change: () => junction.leadTo(impostor.port),
      code: "host-key-changed",
    },
    "another machine answers with another kind of key": {
      change: () => junction.leadTo(otherKind.port),
      code: "host-key-changed",
    },
    "another machine answers, unknown keys are taken unasked and kept nowhere": {
      lines: ["StrictHostKeyChecking accept-new", "UserKnownHostsFile /dev/null"],
      change: () => junction.leadTo(impostor.port),
      code: "host-key-changed",
      // Then nothing is known of the host, and the user's configuration takes whoever comes.
      resumed: "not tried",
    },
    "its key is revoked": {
      change: () => know(knownAs(`[127.0.0.1]:${junction.port}`), `@revoked * ${board.hostKey}`),
      code: "host-key-revoked",
    },
    "the file of known keys becomes unreadable": {
      change: () => configure(`UserKnownHostsFile ${home.folder}`),
      code: "known-hosts-unreadable",
    },
  };

  /** The connection is cut while the run is under way. @returns its folder at home */
  async function lost(target: string, { change, code, resumed }: Meanwhile): Promise<string> {
    const run = startTruthRun({ steps: STEPS, pauseSeconds: 0.1, holdAfter: 1 }, scene, target);
    await run.steps(2);
    change();
    junction.cut();
    run.goOn();
    const outcome = await run.handle.done;
    expect(outcome).toMatchObject({ kind: "failed", error: { code } });
    if (outcome.kind !== "failed" || outcome.folder === undefined) throw new Error("no folder");
    if (resumed === undefined) {
      const again = await resumeRun(outcome.folder, { boardFolder: scene.board }, scene.deps()).done;
      expect(again).toMatchObject({ kind: "failed", error: { code } });
    }
    nobody();
    return outcome.folder;
  }

  async function comesHome(folder: string): Promise<Verdict> {
    junction.leadTo(board.port);
    configure();
    know(knownAs(`[127.0.0.1]:${junction.port}`), knownAs(`[127.0.0.1]:${board.port}`));
    const resumed = resumeRun(folder, { boardFolder: scene.board }, scene.deps());
    expect((await resumed.done).kind).toBe("finished");
    return await judge(folder, { exactly: STEPS });
  }

  it.each(Object.entries(MEANWHILE).map(([fault, meanwhile], index) => [fault, meanwhile, index] as const))(
    "a run is neither taken up in the background nor resumed when meanwhile %s; later it comes home whole",
    async (fault, meanwhile, index) => {
      const verdicts: Verdict[] = [];
      for (let trial = 0; trial < times(1, 10); trial++) {
        know(knownAs(`[127.0.0.1]:${junction.port}`), knownAs(`[127.0.0.1]:${board.port}`));
        configure(...(meanwhile.lines ?? []));
        junction.leadTo(board.port);
        // The board itself, or the jump host before it.
        verdicts.push(await comesHome(await lost((trial + index) % 2 === 0 ? "board" : "far", meanwhile)));
      }
      record({
        kind: "fault",
        group: "network",
        fault: `connection lost, and meanwhile ${fault}: refused, collected later`,
        ...counted(verdicts),
      });
      expect(verdicts.flatMap(({ why }) => why)).toEqual([]);
    },
  );

  it("a watch is not taken up again with another machine", async () => {
    let records = 0;
    const deps = {
      prompter: prompter(),
      helperFolder: HELPER,
      onEvent: ({ kind }: { readonly kind: string }) => {
        if (kind !== "record" || ++records !== 1) return;
        junction.leadTo(impostor.port);
        junction.cut();
      },
    };
    const end = await watchBoard({ ...place("board"), intervalMs: 200 }, deps).done;
    expect(end).toMatchObject({ code: "host-key-changed" });
    nobody();
  });

  it("finds a changed key behind hashed names and behind an alias, and the right one at a new address", async () => {
    execFileSync("ssh-keygen", ["-H", "-f", home.path("known_hosts")], { stdio: "ignore" });
    expect(home.knownHosts()).toContain("|1|");
    junction.leadTo(impostor.port);
    expect(await openFails("board")).toMatchObject({ code: "host-key-changed" });

    // As OpenSSH writes an alias: its case is kept in the hash.
    know(knownAs("My-Board"));
    execFileSync("ssh-keygen", ["-H", "-f", home.path("known_hosts")], { stdio: "ignore" });
    configure("HostKeyAlias My-Board", "StrictHostKeyChecking accept-new");
    expect(await openFails("board")).toMatchObject({ code: "host-key-changed" });
    const moved = await startJunction(board.port);
    try {
      home.configure(host("board", moved.port, ["HostKeyAlias My-Board", "StrictHostKeyChecking yes"]));
      const options = { prompter: undefined, memory: emptyMemory(), signal: timeout(), onNoise: () => {} };
      (await openTarget(parseTarget("board"), options)).close();
    } finally {
      await moved.close();
    }
    nobody();
  });

  it("the board's old address in another machine's hands is a changed key, a new one of an unknown host asks", async () => {
    junction.leadTo(impostor.port);
    expect(await openFails("board")).toMatchObject({ code: "host-key-changed" });
    know(knownAs("somewhere-else"));
    configure("StrictHostKeyChecking no");
    const who = prompter({ hostKey: false });
    const options = { prompter: who, memory: emptyMemory(), signal: timeout(), onNoise: () => {} };
    await expect(openTarget(parseTarget("board"), options)).rejects.toMatchObject({ code: "host-key-declined" });
    expect(who.hostKeys).toHaveLength(1);
    nobody();
  });

  it("tells whoever is asked that the host is known by something else", async () => {
    // The user's own list leaves out the kind that is known: it was not withheld.
    configure("HostKeyAlgorithms ecdsa-sha2-nistp256");
    junction.leadTo(otherKind.port);
    const who = prompter({ hostKey: false });
    const options = { prompter: who, memory: emptyMemory(), signal: timeout(), onNoise: () => {} };
    await expect(openTarget(parseTarget("board"), options)).rejects.toMatchObject({ code: "host-key-declined" });
    expect(who.hostKeys[0]?.known).toMatch(/^ssh-ed25519 SHA256:.+ \(.+known_hosts, line 1\)$/);
    nobody();
  });

  it("loses no entry of known_hosts when windows accept keys at once", async () => {
    const { rememberHostKey } = await import("../../../src/remote/ssh/hostKeys/knownHostsFile.ts");
    const file = home.path("shared_known_hosts");
    writeFileSync(file, "# kept, and without a line end");
    const key = Buffer.from(board.hostKey.split(" ")[1] ?? "", "base64");
    const names = Array.from({ length: 64 }, (_, index) => `board-${index}`);
    await Promise.all(names.map((name, index) => rememberHostKey(file, name, key, index % 2 === 0)));
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines[0]).toBe("# kept, and without a line end");
    for (const name of names) {
      const found = execFileSync("ssh-keygen", ["-F", name, "-f", file], { encoding: "utf8" });
      expect(found).toContain(board.hostKey.split(" ")[1]);
    }
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toHaveLength(names.length);
  });
});
