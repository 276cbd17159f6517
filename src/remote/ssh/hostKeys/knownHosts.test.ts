import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../profile/testingTime.ts";
import { decideHostKey } from "./hostKeyPolicy.ts";
import {
  fingerprint,
  formatKnownHost,
  judgeHostKey,
  knownHostName,
  knownKeyTypes,
  matchesHost,
  parseKnownHosts,
} from "./knownHosts.ts";
import { readKnownHosts, rememberHostKey } from "./knownHostsFile.ts";

function blob(type: string, seed: string): Buffer {
  const name = Buffer.from(type);
  const body = Buffer.from(seed.padEnd(32, "."));
  const out = Buffer.alloc(8 + name.length + body.length);
  out.writeUInt32BE(name.length, 0);
  name.copy(out, 4);
  out.writeUInt32BE(body.length, 4 + name.length);
  body.copy(out, 8 + name.length);
  return out;
}
const ED_A = blob("ssh-ed25519", "a");
const ED_B = blob("ssh-ed25519", "b");
const RSA = blob("ssh-rsa", "r");
const line = (hosts: string, key: Buffer, marker = "") =>
  `${marker}${hosts} ${key.toString("latin1", 4, 4 + key.readUInt32BE(0))} ${key.toString("base64")}`;

describe("judgeHostKey", () => {
  const judge = (text: string, key: Buffer, ...names: string[]) =>
    judgeHostKey(parseKnownHosts(text, "kh"), names, key).kind;

  it("tells a match, a changed key, another type and an unknown host apart", () => {
    const text = `# comment\n\n${line("nano,10.0.0.2", ED_A)} trailing comment\n`;
    expect(judge(text, ED_A, "nano")).toBe("match");
    expect(judge(text, ED_A, "10.0.0.2")).toBe("match");
    expect(judge(text, ED_B, "nano")).toBe("changed");
    expect(judge(text, RSA, "nano")).toBe("other-key-type");
    expect(judge(text, ED_A, "orin")).toBe("unknown");
  });

  it("accepts a key when any of several entries of a host has it", () => {
    expect(judge(`${line("nano", ED_B)}\n${line("nano", ED_A)}\n`, ED_A, "nano")).toBe("match");
  });

  it("looks at revocation first, even beside a matching entry", () => {
    const text = `${line("nano", ED_A)}\n${line("*", ED_A, "@revoked ")}\n`;
    expect(judge(text, ED_A, "nano")).toBe("revoked");
    expect(judge(text, ED_B, "nano")).toBe("changed");
  });

  it("finds a revocation under the plain name of a host on another port", () => {
    const text = `${line("[nano]:2222", ED_A)}\n${line("nano", ED_B, "@revoked ")}\n`;
    expect(judge(text, ED_A, "[nano]:2222", "nano")).toBe("match");
    expect(judge(`${text}${line("[nano]:2222", ED_B)}\n`, ED_B, "[nano]:2222", "nano")).toBe("revoked");
    expect(judge(line("nano", ED_B, "@revoked "), ED_B, "[nano]:2222", "nano")).toBe("revoked");
  });

  it("reports a host that only a certificate authority vouches for", () => {
    expect(judge(line("*.lan", ED_B, "@cert-authority "), ED_A, "nano.lan")).toBe("ca-only");
    expect(judge(line("*.lan", ED_A, "@cert-authority "), ED_A, "nano.lan")).toBe("ca-only");
  });

  it("lets the plain name confirm a key on another port but never condemn it", () => {
    expect(judge(line("nano", ED_A), ED_A, "[nano]:2222", "nano")).toBe("match");
    expect(judge(line("nano", ED_B), ED_A, "[nano]:2222", "nano")).toBe("unknown");
  });

  it("names the file and line of the entry that decided", () => {
    const result = judgeHostKey(parseKnownHosts(`#\n${line("nano", ED_B)}\n`, "/h/known_hosts"), ["nano"], ED_A);
    expect(result).toMatchObject({ kind: "changed", entry: { file: "/h/known_hosts", line: 2 } });
  });

  it("passes over lines it cannot read", () => {
    expect(parseKnownHosts("nano\nnano ssh-ed25519\nnano ssh-ed25519 !!!\n@odd nano ssh-rsa AAAA\n\0\n", "f")).toEqual(
      [],
    );
    expect(parseKnownHosts(`nano ssh-rsa ${ED_A.toString("base64")}`, "f")).toEqual([]);
  });
});

describe("matchesHost", () => {
  it.each([
    ["nano", "nano", true],
    ["NANO", "nano", true],
    ["*.lan,!bad.lan", "good.lan", true],
    ["*.lan,!bad.lan", "bad.lan", false],
    ["!bad.lan", "good.lan", false],
    ["192.168.1.?", "192.168.1.7", true],
    ["192.168.1.?", "192.168.1.77", false],
    ["[nano]:*", "[nano]:2222", true],
    ["nano", "[nano]:2222", false],
    ["n*n*", "nano", true],
    ["|1|bad", "nano", false],
    ["|2|AAAA|AAAA", "nano", false],
  ])("%s covers %s: %s", (hosts, name, expected) => {
    expect(matchesHost(hosts, name)).toBe(expected);
  });

  it("stays fast on a hostile pattern", async () => {
    const match = () => matchesHost("*a".repeat(2000), "a".repeat(1500));
    expect(await leastCpuMs(2000, match)).toBeLessThan(2000);
  });
});

describe("decideHostKey", () => {
  it.each([
    ["match", "yes", true, "accept"],
    ["match", "ask", false, "accept"],
    ["changed", "no", true, "refuse-changed"],
    ["changed", "accept-new", true, "refuse-changed"],
    ["revoked", "no", true, "refuse-revoked"],
    ["unknown", "ask", true, "ask"],
    ["unknown", "no", true, "ask"],
    ["unknown", "yes", true, "refuse-unknown"],
    ["unknown", "accept-new", true, "accept-and-remember"],
    ["unknown", "ask", false, "refuse-unknown"],
    ["other-key-type", "accept-new", true, "ask"],
    ["other-key-type", "ask", false, "refuse-unknown"],
    ["ca-only", "ask", true, "ask"],
    ["ca-only", "yes", true, "refuse-unknown"],
  ] as const)("%s with %s, interactive %s: %s", (result, strict, interactive, expected) => {
    expect(decideHostKey(result, strict, interactive)).toBe(expected);
  });
});

describe("the file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-kh-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is made private, and keeps an entry apart from a last line without a newline", async () => {
    const file = join(folder, "new", "known_hosts");
    await rememberHostKey(file, "nano", ED_A, false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    writeFileSync(file, line("old", RSA));
    await rememberHostKey(file, "nano", ED_A, true);
    const text = readFileSync(file, "utf8");
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toContain("|1|");
    const entries = await readKnownHosts([file, join(folder, "absent")]);
    expect(judgeHostKey(entries, ["nano"], ED_A).kind).toBe("match");
    expect(judgeHostKey(entries, ["old"], RSA).kind).toBe("match");
    expect(knownKeyTypes(entries, ["nano"])).toEqual(["ssh-ed25519"]);
  });

  it("names the file when it cannot be read", async () => {
    await expect(readKnownHosts([folder])).rejects.toMatchObject({ code: "known-hosts-unreadable" });
  });
});

describe.skipIf(spawnSync("ssh-keygen", ["-?"]).error !== undefined)("against ssh-keygen", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-keygen-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(["ed25519", "ecdsa", "rsa"])("agrees on fingerprints and hashed names of %s keys", (type) => {
    const file = join(folder, type);
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-f", file]);
    const [keyType = "", encoded = ""] = readFileSync(`${file}.pub`, "utf8").split(" ");
    const key = Buffer.from(encoded, "base64");
    expect(execFileSync("ssh-keygen", ["-lf", `${file}.pub`], { encoding: "utf8" })).toContain(fingerprint(key));

    const known = join(folder, `known-${type}`);
    const name = knownHostName("Nano.LAN", 2222);
    writeFileSync(known, `${name} ${keyType} ${encoded}\nother ${keyType} ${encoded}\n`);
    execFileSync("ssh-keygen", ["-q", "-H", "-f", known], { stdio: "ignore" });
    const hashed = readFileSync(known, "utf8");
    expect(hashed).not.toContain("nano");
    const entries = parseKnownHosts(hashed, known);
    expect(judgeHostKey(entries, [name], key).kind).toBe("match");
    expect(judgeHostKey(entries, ["third"], key).kind).toBe("unknown");

    writeFileSync(known, `${formatKnownHost(name, key, true)}\n`);
    expect(execFileSync("ssh-keygen", ["-F", name, "-f", known], { encoding: "utf8" })).toContain(keyType);
  });
});
