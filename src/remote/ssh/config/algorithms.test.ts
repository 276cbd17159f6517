import { PassThrough } from "node:stream";
import ssh2 from "ssh2";
import { describe, expect, it } from "vitest";
import { ALGORITHM_KINDS, offered } from "./algorithms.ts";

const BROKEN = /sha1\b|sha1-etm|-cbc$|group1-|arcfour|md5|^ssh-rsa$|^ssh-dss$|-96$/;

describe("offered", () => {
  it.each(ALGORITHM_KINDS)("has nothing broken among the %s that nobody configured", (kind) => {
    expect(offered(kind, []).length).toBeGreaterThan(3);
    expect(offered(kind, []).filter((name) => BROKEN.test(name))).toEqual([]);
  });

  it("shares some of each kind with the OpenSSH 7.6 of Ubuntu 18.04", () => {
    const its = {
      hostkeyalgorithms: ["ssh-rsa", "rsa-sha2-512", "rsa-sha2-256", "ecdsa-sha2-nistp256", "ssh-ed25519"],
      kexalgorithms: ["curve25519-sha256", "ecdh-sha2-nistp256", "diffie-hellman-group14-sha256"],
      ciphers: ["chacha20-poly1305@openssh.com", "aes128-ctr", "aes256-gcm@openssh.com"],
      macs: ["umac-64-etm@openssh.com", "hmac-sha2-256-etm@openssh.com", "hmac-sha2-512", "hmac-sha1"],
    };
    for (const kind of ALGORITHM_KINDS) expect(offered(kind, []).some((name) => its[kind].includes(name))).toBe(true);
  });

  it("adds an outdated one last where it is named, and nothing else", () => {
    expect(offered("kexalgorithms", ["+diffie-hellman-group1-sha1"])).toEqual([
      ...offered("kexalgorithms", []),
      "diffie-hellman-group1-sha1",
    ]);
    expect(offered("ciphers", ["aes128-cbc", "aes256-ctr", "unheard-of"])).toEqual(["aes256-ctr", "aes128-cbc"]);
    expect(offered("hostkeyalgorithms", ["+ssh-rsa", "ssh-dss"]).slice(-1)).toEqual(["ssh-rsa"]);
  });

  it("leaves out what is taken away, by pattern too, and keeps to a list that is shorter", () => {
    expect(offered("kexalgorithms", ["-diffie-*", "ecdh-*"])).toEqual([
      "curve25519-sha256",
      "curve25519-sha256@libssh.org",
    ]);
    expect(offered("macs", ["hmac-sha2-512"])).toEqual(["hmac-sha2-512"]);
    expect(offered("kexalgorithms", ["sntrup761x25519-sha512"])).toEqual([]);
  });

  it("keeps the user's order of host keys", () => {
    expect(offered("hostkeyalgorithms", ["rsa-sha2-256", "ssh-ed25519"])).toEqual(["rsa-sha2-256", "ssh-ed25519"]);
  });

  it("names only what the SSH library has", () => {
    const algorithms = {
      serverHostKey: offered("hostkeyalgorithms", ["+ssh-rsa"]),
      kex: offered("kexalgorithms", [
        "+diffie-hellman-group14-sha1",
        "diffie-hellman-group-exchange-sha1",
        "diffie-hellman-group1-sha1",
      ]),
      cipher: offered("ciphers", ["+aes128-cbc", "aes192-cbc", "aes256-cbc", "3des-cbc"]),
      hmac: offered("macs", ["+hmac-sha1", "hmac-sha1-etm@openssh.com"]),
    };
    const client = new ssh2.Client();
    client.on("error", () => {});
    // Throws at a name it does not have.
    expect(() => client.connect({ sock: new PassThrough(), username: "x", algorithms } as never)).not.toThrow();
    client.destroy();
  });
});
