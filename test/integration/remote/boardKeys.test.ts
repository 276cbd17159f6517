/** Which keys a board presents and what is known of them, with a real OpenSSH server; nobody logs in to it. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UserError } from "../../../src/profile/userError.ts";
import type { BoardKeys } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { boardKeys } from "../../../src/remote/boardKeys.ts";
import { requirement } from "../../support/requirement.ts";
import { prompter } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";

const look = (target: string): Promise<BoardKeys> =>
  boardKeys(parseTarget(target), prompter(), new AbortController().signal);
const failure = (target: string): Promise<UserError> =>
  look(target).then(
    () => {
      throw new Error("it should have failed");
    },
    (error) => error,
  );

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("the keys of a real OpenSSH server", () => {
  let home: TestHome;
  let board: Sshd;
  let gate: Sshd;
  let key: string;
  const host = (name: string, port: number, ...lines: readonly string[]): string =>
    [`Host ${name}`, "  HostName 127.0.0.1", `  Port ${port}`, ...lines.map((line) => `  ${line}`)].join("\n");
  const known = (...lines: readonly string[]): void =>
    writeFileSync(home.path("known_hosts"), lines.map((line) => `${line}\n`).join(""));
  const stands = ({ keys }: BoardKeys): string[] => keys.map(({ standing }) => standing);
  /** What the board itself prints of a key. */
  const printed = (name: string): string => execFileSync("ssh-keygen", ["-lf", home.path(name)], { encoding: "utf8" });

  beforeAll(async () => {
    home = makeTestHome();
    key = home.key("login");
    const rsa = home.path("board-rsa");
    execFileSync("ssh-keygen", ["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", rsa]);
    board = await startSshd(home, "board", [], { settings: [`HostKey ${rsa}`] });
    gate = await startSshd(home, "gate", [key]);
  });
  afterAll(async () => {
    await board?.stop();
    await gate?.stop();
    await home?.remove();
  });
  beforeEach(() => {
    home.configure(host("board", board.port));
    known();
  });

  it("are shown with the fingerprints that the board prints of them, each type once", async () => {
    const { host: name, via, keys } = await look("board");
    expect([name, via]).toEqual([`[127.0.0.1]:${board.port}`, []]);
    expect(keys.map(({ keyType }) => keyType)).toEqual(["ssh-ed25519", "ssh-rsa"]);
    expect(printed("board-host.pub")).toContain(` ${keys[0].fingerprint} `);
    expect(printed("board-rsa.pub")).toContain(` ${keys[1]?.fingerprint} `);
  });

  it("are unknown until a person has the first of them stored", async () => {
    const before = await look("board");
    expect(stands(before)).toEqual(["unknown", "unknown"]);
    expect(home.knownHosts()).toBe("");
    expect(await before.store?.()).toBe(home.path("known_hosts"));
    expect(home.knownHosts()).toBe(`[127.0.0.1]:${board.port} ${board.hostKey}\n`);
    const after = await look("board");
    expect(after.keys[0]).toMatchObject({ standing: "match", entry: { file: home.path("known_hosts"), line: 1 } });
    expect(stands(after)).toEqual(["match", "other-key-type"]);
    expect(after.store).toBeUndefined();
  });

  it("are stored under a hashed name where the configuration hashes them, and found there", async () => {
    home.configure(host("board", board.port, "HashKnownHosts yes"));
    await (await look("board")).store?.();
    expect(home.knownHosts()).toMatch(/^\|1\|/);
    expect((await look("board")).keys[0].standing).toBe("match");
  });

  it("cannot be stored where the host is known by another key", async () => {
    known(`[127.0.0.1]:${board.port} ${gate.hostKey}`);
    const changed = await look("board");
    expect(changed.keys[0]).toMatchObject({ standing: "changed", entry: { line: 1 } });
    expect(changed.store).toBeUndefined();
  });

  it("cannot be stored where one of them is revoked", async () => {
    known(`@revoked * ${board.hostKey}`);
    const revoked = await look("board");
    expect(revoked.keys[0].standing).toBe("revoked");
    expect(revoked.store).toBeUndefined();
  });

  it("are asked for behind a jump host, which is logged in to as for a run", async () => {
    const login = [`IdentityFile ${key}`, "IdentitiesOnly yes", "IdentityAgent none"];
    home.configure(`${host("gate", gate.port, ...login)}\n${host("board", board.port, "ProxyJump gate")}`);
    known(`[127.0.0.1]:${gate.port} ${gate.hostKey}`);
    const { via, keys } = await look("board");
    expect(via).toEqual([expect.stringContaining(`@127.0.0.1:${gate.port}`)]);
    expect(keys[0].keyType).toBe("ssh-ed25519");
    known();
    expect((await failure("board")).code).toBe("host-key-declined");
  });

  it("are none where nobody listens, and that is said as for a run", async () => {
    home.configure(host("board", 1));
    expect(await failure("board")).toMatchObject({ code: "connection-refused" });
  });
});

describe("the keys of targets on this computer", () => {
  it("the simulated board presents one that is made for the occasion", async () => {
    const { keys, store } = await look("loopback");
    expect(keys).toEqual([expect.objectContaining({ keyType: "ecdsa-sha2-nistp256", standing: "match" })]);
    expect(store).toBeUndefined();
  });

  it("there is none where no connection is made", async () => {
    expect(await failure("local")).toMatchObject({ code: "no-host-key" });
  });
});
