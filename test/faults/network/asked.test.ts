/** What is asked of a server, and what is offered to it: no more than a run needs. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import ssh2 from "ssh2";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UserError } from "../../../src/profile/userError.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { requirement } from "../../support/requirement.ts";
import { makeScene, prompter } from "../../support/scene.ts";
import { freePort, makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { startTruthRun } from "../support/boardRun.ts";
import { record } from "../support/results.ts";
import { counted, judge } from "../support/truth.ts";
import { startKexListener } from "./support/kexInit.ts";

/** Broken, or on the way there: SHA-1 signatures and codes, CBC, RC4, small groups, DSA. */
const OUTDATED = /^ssh-(rsa|dss)$|-cbc$|arcfour|sha1\b|md5|ripemd|group1-|-96$/;

/** Ends it; it removes its own socket before it is gone. */
async function stopped(agent: ChildProcess): Promise<void> {
  const gone = once(agent, "exit");
  if (agent.kill()) await gone;
}

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("what a server is asked for", () => {
  let home: TestHome;
  const servers: { stop(): Promise<void> }[] = [];
  beforeEach(() => {
    home = makeTestHome();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const server of servers.splice(0)) await server.stop();
    await home.remove();
  });

  const testServer = async (): Promise<TestServer> => {
    const server = await startTestServer();
    servers.push({ stop: () => server.close() });
    return server;
  };
  const sshd = async (name: string, keys: readonly string[], settings: readonly string[] = []): Promise<Sshd> => {
    const server = await startSshd(home, name, keys, { settings });
    servers.push(server);
    return server;
  };
  const know = (...servers_: readonly { port: number; hostKey: string }[]): void =>
    writeFileSync(
      home.path("known_hosts"),
      servers_.map(({ port, hostKey }) => `[127.0.0.1]:${port} ${hostKey}\n`).join(""),
    );
  const host = (name: string, port: number, ...lines: readonly string[]): string =>
    [`Host ${name}`, "HostName 127.0.0.1", `Port ${port}`, ...lines].join("\n  ");
  const open = (target: string): Promise<"in" | UserError> =>
    openTarget(parseTarget(target), {
      prompter: prompter(),
      memory: emptyMemory(),
      signal: AbortSignal.timeout(100_000),
      onNoise: () => {},
    }).then(
      (connection) => {
        connection.close();
        return "in";
      },
      (error: UserError) => error,
    );

  it("is only asked to run commands, whatever forwarding the user's configuration has for ssh", async () => {
    const board = await testServer();
    const gate = await testServer();
    know(board, gate);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "of-this-machine");
    vi.stubEnv("SSH_AUTH_SOCK", home.path("no-agent"));
    const everything = [
      "User simulated",
      "IdentityFile none",
      "ForwardAgent yes",
      "ForwardX11 yes",
      "ForwardX11Trusted yes",
      "SendEnv *",
      "SetEnv PLANTED=value",
      `LocalForward ${await freePort()} 127.0.0.1:1`,
      `RemoteForward ${await freePort()} 127.0.0.1:1`,
      `DynamicForward ${await freePort()}`,
      "Tunnel yes",
      "RequestTTY force",
      "PermitLocalCommand yes",
      `LocalCommand touch ${home.path("local-command-ran")}`,
      "ControlMaster auto",
      `ControlPath ${home.path("control")}`,
    ];
    home.configure(
      [host("gate", gate.port, ...everything), host("board", board.port, ...everything, "ProxyJump gate")].join("\n"),
    );
    const run = startTruthRun({ steps: 3, pauseSeconds: 0 }, makeScene(), "board");
    try {
      const outcome = await run.handle.done;
      if (outcome.kind === "failed") throw outcome.error;
      const verdict = await judge("folder" in outcome ? (outcome.folder ?? "") : "", { exactly: 3 });
      record({
        kind: "fault",
        group: "network",
        fault: "agent, X11, ports, environment and terminal forwarded by the user's configuration: not asked for",
        ...counted([verdict]),
      });
      expect(new Set(board.requests)).toEqual(new Set(["exec"]));
      expect(gate.requests).toEqual([`onward connection to 127.0.0.1:${board.port}`]);
      expect(board.commands.join("\n")).not.toMatch(/of-this-machine|PLANTED/);
      expect(existsSync(home.path("local-command-ran"))).toBe(false);
      expect(existsSync(home.path("control"))).toBe(false);
    } finally {
      await run.scene.remove();
    }
  });

  it("is offered nothing outdated, and an answer to a machine that cuts the beginning off (Terrapin)", async () => {
    const listener = await startKexListener();
    home.configure(host("board", listener.port, "IdentityFile none", "IdentityAgent none"));
    try {
      const offer = listener.next();
      await open("board");
      const { kex, hostKeys, ciphers, macs } = await offer;
      expect([...kex, ...hostKeys, ...ciphers, ...macs].filter((name) => OUTDATED.test(name))).toEqual([]);
      expect(kex).toContain("kex-strict-c-v00@openssh.com");
      expect([kex, hostKeys, ciphers, macs].every((list) => list.length > 3)).toBe(true);
    } finally {
      listener.close();
    }
  });

  it("is offered nothing outdated where an old ssh on this machine has it among its own defaults", async () => {
    const listener = await startKexListener();
    const lists = [
      "kexalgorithms curve25519-sha256,diffie-hellman-group14-sha1",
      "hostkeyalgorithms ssh-ed25519,ssh-rsa",
      "ciphers aes128-ctr,aes128-cbc",
      "macs hmac-sha2-256,hmac-sha1",
    ];
    writeFileSync(
      home.path("bin/ssh"),
      `#!/bin/sh\nprintf '%s\\n' 'hostname 127.0.0.1' 'port ${listener.port}' 'identityfile none' ${lists.map((line) => `'${line}'`).join(" ")}\n`,
    );
    chmodSync(home.path("bin/ssh"), 0o755);
    try {
      const offer = listener.next();
      await open("board");
      const { kex, hostKeys, ciphers, macs } = await offer;
      expect([...kex, ...hostKeys, ...ciphers, ...macs].filter((name) => OUTDATED.test(name))).toEqual([]);
    } finally {
      listener.close();
    }
  });

  /** What the sshd of Ubuntu 18.04 (JetPack 4) offers: OpenSSH 7.6p1's defaults. */
  const UBUNTU_18_04 = [
    "KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group16-sha512,diffie-hellman-group18-sha512,diffie-hellman-group14-sha256,diffie-hellman-group14-sha1",
    "Ciphers chacha20-poly1305@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com",
    "MACs umac-64-etm@openssh.com,umac-128-etm@openssh.com,hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha1-etm@openssh.com,umac-64@openssh.com,umac-128@openssh.com,hmac-sha2-256,hmac-sha2-512,hmac-sha1",
    "HostKeyAlgorithms ssh-rsa,rsa-sha2-512,rsa-sha2-256,ecdsa-sha2-nistp256,ssh-ed25519",
  ];

  it("agrees with what the OpenSSH 7.6 of Ubuntu 18.04 offers", async () => {
    const key = home.key("client");
    const board = await sshd("board", [key], UBUNTU_18_04);
    know(board);
    home.configure(host("board", board.port, `IdentityFile ${key}`, "IdentityAgent none"));
    expect(await open("board")).toBe("in");
  });

  it.each([
    ["KexAlgorithms", "diffie-hellman-group1-sha1"],
    ["Ciphers", "aes128-cbc"],
  ])("refuses a server that has only outdated %s, unless the user's configuration names it", async (option, name) => {
    const key = home.key("client");
    const board = await sshd("board", [key], [`${option} ${name}`]);
    know(board);
    home.configure(host("board", board.port, `IdentityFile ${key}`, "IdentityAgent none"));
    expect(await open("board")).toMatchObject({ code: "no-common-algorithm" });
    home.configure(host("board", board.port, `IdentityFile ${key}`, "IdentityAgent none", `${option} +${name}`));
    expect(await open("board")).toBe("in");
  });

  it("does not widen a list that the user made narrow", async () => {
    const board = await testServer();
    home.configure(host("board", board.port, "KexAlgorithms sntrup761x25519-sha512@openssh.com"));
    expect(await open("board")).toMatchObject({
      code: "no-common-algorithm",
      message: expect.stringContaining("sntrup761x25519-sha512@openssh.com"),
    });
    expect(board.traffic().received).toBeLessThan(100);
  });

  it("is let in with a key that the agent must confirm only where a person confirms", async () => {
    const key = home.key("client");
    const board = await sshd("board", [key]);
    know(board);
    const socket = home.path("agent.sock");
    const answer = home.path("askpass");
    const log = home.path("asked");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, SSH_ASKPASS: answer, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" },
    });
    await once(agent.stdout, "data");
    try {
      execFileSync("ssh-add", ["-q", "-c", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      home.configure(host("board", board.port, "IdentityFile none", `IdentityAgent ${socket}`));
      const confirms = (yes: boolean): void => {
        writeFileSync(answer, `#!/bin/sh\necho "$1" >>'${log}'\nexit ${yes ? 0 : 1}\n`);
        chmodSync(answer, 0o755);
      };
      confirms(false);
      expect(await open("board")).toMatchObject({ code: "auth-failed" });
      confirms(true);
      expect(await open("board")).toBe("in");
      expect(readFileSync(log, "utf8")).toContain("Allow use of key");
    } finally {
      await stopped(agent);
    }
  });

  it("sees no key of the agent but those that IdentitiesOnly allows", async () => {
    const offered: string[] = [];
    const server = await startTestServer({
      authenticate(context) {
        if (context.method === "publickey") offered.push(context.key.data.toString("base64"));
        context.reject(["publickey"]);
      },
    });
    servers.push({ stop: () => server.close() });
    know(server);
    const [allowed, secret] = [home.key("allowed"), home.key("unrelated")];
    const socket = home.path("agent.sock");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"] });
    await once(agent.stdout, "data");
    try {
      execFileSync("ssh-add", ["-q", secret, allowed], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      const lines = ["IdentitiesOnly yes", `IdentityFile ${allowed}.pub`, `IdentityAgent ${socket}`];
      home.configure(host("board", server.port, ...lines));
      expect(await open("board")).toMatchObject({ code: "auth-failed" });
      const blob = ssh2.utils.parseKey(readFileSync(`${allowed}.pub`));
      if (blob instanceof Error) throw blob;
      expect(new Set(offered)).toEqual(new Set([blob.getPublicSSH().toString("base64")]));
    } finally {
      await stopped(agent);
    }
  });
});
