import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { UserError } from "../../../src/profile/userError.ts";
import type { Prompter } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { type Connection, emptyMemory } from "../../../src/remote/transport/transport.ts";
import { requirement } from "../../support/requirement.ts";
import { prompter } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("a real OpenSSH server", () => {
  let home: TestHome;
  let board: Sshd;
  let gate: Sshd;
  let plainKey: string;
  let lockedKey: string;
  let agentKey: string;
  const connections: Connection[] = [];

  beforeAll(async () => {
    home = makeTestHome();
    plainKey = home.key("plain");
    lockedKey = home.key("locked", "open sesame");
    agentKey = home.key("agent");
    board = await startSshd(home, "board", [plainKey, lockedKey, agentKey]);
    gate = await startSshd(home, "gate", [plainKey]);
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  afterAll(async () => {
    await board?.stop();
    await gate?.stop();
    await home?.remove();
  });

  /** Nobody listens there; one that is chosen for the occasion may be taken meanwhile. */
  const closed = 1;
  const host = (name: string, port: number, lines: readonly string[]): string =>
    [`Host ${name}`, "  HostName 127.0.0.1", `  Port ${port}`, ...lines.map((line) => `  ${line}`)].join("\n");
  const key = (path: string): readonly string[] => [`IdentityFile ${path}`, "IdentitiesOnly yes", "IdentityAgent none"];
  const know = (...lines: readonly string[]): void => writeFileSync(home.path("known_hosts"), `${lines.join("\n")}\n`);
  const knowBoth = (): void =>
    know(`[127.0.0.1]:${board.port} ${board.hostKey}`, `[127.0.0.1]:${gate.port} ${gate.hostKey}`);

  async function open(target: string, who: Prompter | undefined = undefined): Promise<Connection> {
    const signal = new AbortController().signal;
    const options = { prompter: who, memory: emptyMemory(), signal, onNoise: () => {} };
    const connection = await openTarget(parseTarget(target), options);
    connections.push(connection);
    return connection;
  }
  const failure = (target: string, who?: Prompter): Promise<UserError> =>
    open(target, who).then(
      () => {
        throw new Error("it should not have connected");
      },
      (error) => error,
    );
  async function said(connection: Connection, ...argv: readonly string[]): Promise<string> {
    const process = await connection.exec(argv);
    process.stdin.end();
    let text = "";
    for await (const chunk of process.stdout) text += String(chunk);
    expect((await process.exit).code).toBe(0);
    return text;
  }

  it("logs in with a key and runs a command with awkward arguments", async () => {
    home.configure(host("board", board.port, key(plainKey)));
    knowBoth();
    const words = ["it's", "a b", "$HOME", "line\nbreak", "-n", "雪", "back\\slash", ""];
    const out = await said(await open("board"), "python3", "-c", "import sys; print(sys.argv[1:])", ...words);
    expect(out).toBe(
      `${JSON.stringify(words).replaceAll('"', "'").replace("'it's'", '"it\'s"').replaceAll(",", ", ")}\n`,
    );
  });

  describe("with no ssh program on this computer", () => {
    beforeEach(() => {
      mkdirSync(home.path(".ssh"), { recursive: true });
      vi.stubEnv("HOME", home.folder);
      vi.stubEnv("PATH", "/nonexistent");
    });
    afterEach(() => vi.unstubAllEnvs());
    const configure = (...lines: readonly string[]): void =>
      writeFileSync(home.path(".ssh/config"), `${lines.join("\n")}\nUserKnownHostsFile ${home.path("known_hosts")}\n`);

    it("logs in by a name of ~/.ssh/config, through a jump host, with the host keys that are known", async () => {
      configure(
        host("gate", gate.port, key(plainKey)),
        host("board", board.port, [...key(plainKey), "ProxyJump gate"]),
        "Host *",
      );
      knowBoth();
      expect(await said(await open("board"), "echo", "in")).toBe("in\n");
      know(`[127.0.0.1]:${board.port} ${gate.hostKey}`, `[127.0.0.1]:${gate.port} ${gate.hostKey}`);
      expect((await failure("board")).code).toBe("host-key-changed");
    });

    it("names a Match exec as what may be missing where the login fails", async () => {
      configure(host("board", board.port, []), 'Match host board exec "true"', `  IdentityFile ${plainKey}`, "Host *");
      knowBoth();
      const error = await failure("board", prompter());
      expect(error.code).toBe("auth-failed");
      expect(error.hint).toContain("Match exec in ~/.ssh/config was passed over");
    });
  });

  it("asks for the passphrase of a locked key, again after a wrong one", async () => {
    home.configure(host("board", board.port, key(lockedKey)));
    knowBoth();
    const who = prompter({ secrets: ["wrong", "open sesame"] });
    expect(await said(await open("board", who), "echo", "in")).toBe("in\n");
    expect(who.secretQuestions.map(({ kind, attempt }) => [kind, attempt])).toEqual([
      ["passphrase", 1],
      ["passphrase", 2],
    ]);
  });

  it("says what was tried when no key is accepted", async () => {
    const stranger = home.key("stranger");
    home.configure(host("board", board.port, key(stranger)));
    knowBoth();
    const error = await failure("board", prompter());
    expect(error.code).toBe("auth-failed");
    expect(error.message).toContain(`127.0.0.1:${board.port}`);
    expect(error.message).toContain(`key ${stranger}`);
    expect(error.message).toContain("The server takes: publickey");
    expect(error.hint).toContain("ssh-copy-id");
  });

  it("logs in through the agent, and narrows it where IdentitiesOnly says so", async () => {
    const socket = home.path("agent.sock");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"] });
    await once(agent.stdout, "data");
    try {
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      execFileSync("ssh-add", ["-q", home.key("useless")], { env });
      execFileSync("ssh-add", ["-q", agentKey], { env });
      knowBoth();
      home.configure(host("board", board.port, ["IdentityFile none", `IdentityAgent ${socket}`]));
      expect(await said(await open("board"), "echo", "in")).toBe("in\n");

      const only = (path: string): string =>
        host("board", board.port, [`IdentityFile ${path}.pub`, `IdentityAgent ${socket}`, "IdentitiesOnly yes"]);
      home.configure(only(agentKey));
      expect(await said(await open("board"), "echo", "in")).toBe("in\n");
      home.configure(only(home.path("useless")));
      expect((await failure("board")).message).toContain("agent (1 key)");
    } finally {
      agent.kill();
    }
  });

  it("goes through a jump host, verifying both, and names the hop that fails", async () => {
    const through = [...key(plainKey), "ProxyJump gate"];
    home.configure([host("gate", gate.port, key(plainKey)), host("board", board.port, through)].join("\n"));
    knowBoth();
    expect(await said(await open("board"), "echo", "through")).toBe("through\n");

    know(`[127.0.0.1]:${gate.port} ${gate.hostKey}`);
    const who = prompter({ hostKey: true });
    expect(await said(await open("board", who), "echo", "through")).toBe("through\n");
    expect(who.hostKeys).toHaveLength(1);
    expect(who.hostKeys[0]).toMatchObject({ host: `[127.0.0.1]:${board.port}`, keyType: "ssh-ed25519" });
    expect(who.hostKeys[0]?.via).toEqual([expect.stringContaining(`127.0.0.1:${gate.port}`)]);

    home.configure([host("gate", gate.port, key(plainKey)), host("board", closed, through)].join("\n"));
    knowBoth();
    const error = await failure("board");
    expect(error.code).toBe("jump-failed");
    expect(error.message).toContain(`127.0.0.1:${gate.port}`);

    home.configure([host("gate", closed, key(plainKey)), host("board", board.port, through)].join("\n"));
    expect(await failure("board")).toMatchObject({ code: "connection-refused" });
  });

  it("goes through several jump hosts in a row", async () => {
    const hops = [...key(plainKey), `ProxyJump gate,127.0.0.1:${gate.port}`];
    const any = `Host 127.0.0.1\n  IdentityFile ${plainKey}\n  IdentitiesOnly yes`;
    home.configure([host("gate", board.port, key(plainKey)), host("board", board.port, hops), any].join("\n"));
    knowBoth();
    expect(await said(await open("board"), "echo", "far")).toBe("far\n");
  });

  it("refuses jump hosts in a circle", async () => {
    const a = host("a", gate.port, [...key(plainKey), "ProxyJump b"]);
    const b = host("b", gate.port, [...key(plainKey), "ProxyJump a"]);
    home.configure(`${a}\n${b}`);
    expect(await failure("a")).toMatchObject({ code: "too-many-hops" });
  });

  it("refuses a changed key with both fingerprints before anything is offered", async () => {
    home.configure(host("board", board.port, [...key(lockedKey), "StrictHostKeyChecking no"]));
    know("# a comment", `[127.0.0.1]:${board.port} ${gate.hostKey}`);
    const who = prompter({ hostKey: true, secrets: ["open sesame"] });
    const error = await failure("board", who);
    const print = (file: string): string =>
      execFileSync("ssh-keygen", ["-lf", file], { encoding: "utf8" }).split(" ")[1] ?? "";
    expect(error).toMatchObject({ code: "host-key-changed", target: "ssh://board" });
    expect(error.message).toContain(print(`${home.path("board-host")}.pub`));
    expect(error.message).toContain(print(`${home.path("gate-host")}.pub`));
    expect(error.message).toContain(`${home.path("known_hosts")}, line 2`);
    expect(error.hint).toContain(`ssh-keygen -R '[127.0.0.1]:${board.port}' -f '${home.path("known_hosts")}'`);
    expect(who.hostKeys).toEqual([]);
    expect(who.secretQuestions).toEqual([]);
  });

  it("refuses a revoked key", async () => {
    home.configure(host("board", board.port, key(plainKey)));
    know(`[127.0.0.1]:${board.port} ${board.hostKey}`, `@revoked * ${board.hostKey}`);
    expect(await failure("board", prompter({ hostKey: true }))).toMatchObject({ code: "host-key-revoked" });
  });

  it("asks once about an unknown key and remembers it, hashed where the configuration says so", async () => {
    home.configure(host("board", board.port, [...key(plainKey), "HashKnownHosts yes"]));
    writeFileSync(home.path("known_hosts"), `other ${gate.hostKey}`);
    const who = prompter({ hostKey: true });
    await open("board", who);
    expect(who.hostKeys).toHaveLength(1);
    expect(who.hostKeys[0]?.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(home.knownHosts()).toContain("|1|");
    expect(home.knownHosts().startsWith(`other ${gate.hostKey}\n`)).toBe(true);
    await open("board", who);
    expect(who.hostKeys).toHaveLength(1);
  });

  it("offers nothing to a host whose key a person declines, and asks nobody in the background", async () => {
    home.configure(host("board", board.port, key(lockedKey)));
    know("");
    const who = prompter({ hostKey: false, secrets: ["open sesame"] });
    expect(await failure("board", who)).toMatchObject({ code: "host-key-declined" });
    expect(who.secretQuestions).toEqual([]);
    expect(await failure("board")).toMatchObject({ code: "host-key-unknown" });
    expect(home.knownHosts().trim()).toBe("");
  });

  it("asks for the kind of key it knows, so another kind is not taken for a new host", async () => {
    home.configure(host("board", board.port, [...key(plainKey), "HostKeyAlgorithms ecdsa-sha2-nistp256,ssh-ed25519"]));
    knowBoth();
    expect(await said(await open("board"), "echo", "in")).toBe("in\n");
  });

  it("does not take another kind of key for a new host when the known kind is withheld", async () => {
    home.configure(host("board", board.port, [...key(lockedKey), "StrictHostKeyChecking accept-new"]));
    execFileSync("ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", home.path("old-host")]);
    const [type = "", blob = ""] = readFileSync(`${home.path("old-host")}.pub`, "utf8").split(" ");
    know(`[127.0.0.1]:${board.port} ${type} ${blob}`);
    const who = prompter({ hostKey: true, secrets: ["open sesame"] });
    const error = await failure("board", who);
    expect(error.code).toBe("host-key-changed");
    expect(error.message).toContain("Known: ecdsa-sha2-nistp256 SHA256:");
    expect(error.message).toContain("Presented now: ssh-ed25519 SHA256:");
    expect(who.hostKeys).toEqual([]);
    expect(who.secretQuestions).toEqual([]);
    expect(home.knownHosts()).toBe(`[127.0.0.1]:${board.port} ${type} ${blob}\n`);
  });

  it("refuses a key of RevokedHostKeys, and everything where that list cannot be read", async () => {
    const revoking = host("board", board.port, [...key(plainKey), `RevokedHostKeys ${home.path("revoked")}`]);
    home.configure(revoking);
    knowBoth();
    expect(await failure("board")).toMatchObject({ code: "known-hosts-unreadable" });
    writeFileSync(home.path("revoked"), `# lost boards\r\n\r\n${gate.hostKey}\r\n`);
    expect(await said(await open("board"), "echo", "in")).toBe("in\n");
    writeFileSync(home.path("revoked"), `${gate.hostKey} gate\n${board.hostKey} board`);
    expect(await failure("board", prompter({ hostKey: true }))).toMatchObject({ code: "host-key-revoked" });
    execFileSync("ssh-keygen", ["-q", "-k", "-f", home.path("revoked"), `${home.path("gate-host")}.pub`]);
    expect(await failure("board")).toMatchObject({ code: "known-hosts-unreadable" });
  });

  it("says that the known keys cannot be read, and offers nothing", async () => {
    home.configure(`${host("board", board.port, key(plainKey))}\n  UserKnownHostsFile ${home.folder}`);
    const who = prompter({ hostKey: true });
    expect(await failure("board", who)).toMatchObject({ code: "known-hosts-unreadable" });
    expect(who.hostKeys).toEqual([]);
  });

  it("checks a jump host's and the board's key each under its own name", async () => {
    const through = [...key(plainKey), "ProxyJump gate"];
    home.configure([host("gate", gate.port, key(plainKey)), host("board", board.port, through)].join("\n"));
    const who = prompter({ hostKey: true });
    // Each answers with the key the other one is known by.
    know(`[127.0.0.1]:${gate.port} ${board.hostKey}`, `[127.0.0.1]:${board.port} ${board.hostKey}`);
    expect(await failure("board", who)).toMatchObject({
      code: "host-key-changed",
      message: expect.stringContaining(`127.0.0.1:${gate.port} has changed`),
    });
    know(`[127.0.0.1]:${gate.port} ${gate.hostKey}`, `[127.0.0.1]:${board.port} ${gate.hostKey}`);
    expect(await failure("board", who)).toMatchObject({
      code: "host-key-changed",
      message: expect.stringContaining("reached through"),
    });
    expect(who.hostKeys).toEqual([]);
  });

  it("tells a refused port, a silent server, a wrong server and an unknown name apart", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    const wrong = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    await Promise.all([once(silent, "listening"), once(wrong, "listening")]);
    const portOf = (server: typeof silent): number => (server.address() as { port: number }).port;
    try {
      home.configure("");
      expect(await failure(`x@127.0.0.1:${closed}`)).toMatchObject({ code: "connection-refused" });
      expect(await failure(`x@127.0.0.1:${portOf(wrong)}`)).toMatchObject({ code: "handshake-failed" });
      // No name may be as long as this: no name server, which may not answer, is asked for it.
      expect(await failure(`x@${"n".repeat(64)}.invalid`)).toMatchObject({ code: "host-not-found" });
      home.configure("Host 127.0.0.1\n  ConnectTimeout 1");
      expect(await failure(`x@127.0.0.1:${portOf(silent)}`)).toMatchObject({ code: "connect-timeout" });
    } finally {
      silent.close();
      wrong.close();
    }
  });

  it("says that a ProxyCommand is not run", async () => {
    home.configure(host("board", board.port, ["ProxyCommand nc %h %p"]));
    expect(await failure("board")).toMatchObject({ code: "proxy-command" });
  });
});
