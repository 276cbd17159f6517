import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configuredHosts } from "../../configuredHosts.ts";
import { hostConfiguration, interpret, parseSshG } from "./configuration.ts";

const signal = new AbortController().signal;

describe("interpret", () => {
  it("reads what ssh -G prints", () => {
    const raw = parseSshG(
      [
        "host nano",
        "hostname 10.0.0.9",
        "port 2200",
        "user jet",
        "identityfile ~/.ssh/id_rsa",
        "identityfile /keys/%r@%h",
        "identitiesonly yes",
        "identityagent none",
        "proxyjump a,b@c:23",
        "proxycommand none",
        "userknownhostsfile ~/.ssh/known_hosts /tmp/kh2",
        "globalknownhostsfile none",
        "hostkeyalias board",
        "stricthostkeychecking true",
        "hashknownhosts yes",
        "connecttimeout 7",
        "serveraliveinterval 0",
        "hostkeyalgorithms ssh-ed25519,rsa-sha2-512",
      ].join("\n"),
    );
    expect(interpret({ host: "nano" }, raw)).toEqual({
      alias: "nano",
      hostName: "10.0.0.9",
      port: 2200,
      user: "jet",
      identityFiles: [
        { path: join(homedir(), ".ssh", "id_rsa"), isDefault: true },
        { path: "/keys/jet@10.0.0.9", isDefault: false },
      ],
      agent: undefined,
      identitiesOnly: true,
      proxyJump: ["a", "b@c:23"],
      proxyCommand: undefined,
      userKnownHostsFiles: [join(homedir(), ".ssh", "known_hosts"), "/tmp/kh2"],
      globalKnownHostsFiles: [],
      revokedHostKeysFiles: [],
      hostKeyAlias: "board",
      strictHostKeyChecking: "yes",
      algorithms: { hostkeyalgorithms: ["ssh-ed25519", "rsa-sha2-512"], kexalgorithms: [], ciphers: [], macs: [] },
      hashKnownHosts: true,
      connectTimeout: 7000,
      keepAliveInterval: undefined,
      passesOverMatchExec: false,
    });
  });

  it.each([
    [
      "/home/a b/.ssh/known_hosts /home/a b/.ssh/known_hosts2",
      ["/home/a b/.ssh/known_hosts", "/home/a b/.ssh/known_hosts2"],
    ],
    ["C:\\Users\\Jo  Do/.ssh/kh D:/two", ["C:\\Users\\Jo  Do/.ssh/kh", "D:/two"]],
    ['"/a b" /c', ["/a b", "/c"]],
    ["none", []],
  ])("finds the files in %j", (value, files) => {
    expect(interpret({ host: "h" }, parseSshG(`userknownhostsfile ${value}`)).userKnownHostsFiles).toEqual(files);
    expect(interpret({ host: "h" }, parseSshG(`revokedhostkeys ${value}`)).revokedHostKeysFiles).toEqual(files);
  });

  it("lets a typed user and port win", () => {
    const raw = parseSshG("user configured\nport 2200\nhostname h\n");
    expect(interpret({ host: "nano", user: "typed", port: 9 }, raw)).toMatchObject({ user: "typed", port: 9 });
  });

  it.each([
    ["true", "yes"],
    ["false", "no"],
    ["accept-new", "accept-new"],
    ["ask", "ask"],
    ["surprise", "ask"],
  ])("reads StrictHostKeyChecking %s as %s", (printed, expected) => {
    expect(interpret({ host: "h" }, parseSshG(`stricthostkeychecking ${printed}`)).strictHostKeyChecking).toBe(
      expected,
    );
  });
});

describe("hostConfiguration", () => {
  const saved = { home: process.env["HOME"], path: process.env["PATH"] };
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "jmp-config-"));
    mkdirSync(join(home, ".ssh", "conf.d"), { recursive: true });
    writeFileSync(
      join(home, ".ssh", "config"),
      [
        "Include conf.d/*.conf",
        "Host orin  xavier",
        "  HostName 10.1.1.1",
        "  Port 2022",
        "  IdentityFile ~/.ssh/orin key",
        'Match host never exec "touch ran"',
        "  User wrong",
        "Host * !x -dash",
        "  User everyone",
      ].join("\n"),
    );
    writeFileSync(join(home, ".ssh", "conf.d", "lab.conf"), 'Host "nano"\n  HostName=192.168.1.9\n  ProxyJump gate\n');
    process.env["HOME"] = home;
  });
  afterAll(() => {
    process.env["HOME"] = saved.home;
    process.env["PATH"] = saved.path;
    rmSync(home, { recursive: true, force: true });
  });

  it("reads the file itself where there is no ssh", async () => {
    process.env["PATH"] = "/nonexistent";
    try {
      expect(await hostConfiguration({ host: "nano" }, signal)).toMatchObject({
        hostName: "192.168.1.9",
        proxyJump: ["gate"],
      });
      const orin = await hostConfiguration({ host: "orin" }, signal);
      expect(orin).toMatchObject({ hostName: "10.1.1.1", port: 2022, user: "everyone", passesOverMatchExec: true });
      expect(await hostConfiguration({ host: "orin", port: 23, user: "me" }, signal)).toMatchObject({
        port: 23,
        user: "me",
      });
      const unknown = await hostConfiguration({ host: "unlisted" }, signal);
      expect(unknown).toMatchObject({ hostName: "unlisted", port: 22 });
      expect(unknown.identityFiles.every((file) => file.isDefault)).toBe(true);
    } finally {
      process.env["PATH"] = saved.path;
    }
  });

  it("takes ssh's own lists of algorithms for nobody's wish, and goes on where ssh does not tell them", async () => {
    const bin = join(home, "bin");
    mkdirSync(bin);
    const ssh = (text: string): void => writeFileSync(join(bin, "ssh"), `#!/bin/sh\n${text}`, { mode: 0o755 });
    process.env["PATH"] = `${bin}:${saved.path}`;
    try {
      ssh(`echo ciphers aes128-cbc; [ "$2" = -F ] && echo macs hmac-sha1 || echo macs hmac-sha2-256`);
      const { algorithms } = await hostConfiguration({ host: "nano" }, signal);
      expect(algorithms).toEqual({ hostkeyalgorithms: [], kexalgorithms: [], ciphers: [], macs: ["hmac-sha2-256"] });
      ssh(`[ "$2" = -F ] && exit 255; echo hostname nano; echo macs hmac-sha2-256`);
      expect((await hostConfiguration({ host: "nano" }, signal)).algorithms.macs).toEqual(["hmac-sha2-256"]);
    } finally {
      process.env["PATH"] = saved.path;
    }
  });

  it("offers concrete hosts for a picker", async () => {
    expect(await configuredHosts()).toEqual(["nano", "orin", "xavier"]);
  });

  it("uses the login name where nobody is named", () => {
    expect(interpret({ host: "h" }, new Map()).user).toBe(userInfo().username);
  });
});
