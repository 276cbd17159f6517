/** What a hop may agree on with us: nothing broken or outdated, unless the user's SSH configuration names it. Pure. */
import { wildcard } from "../hostKeys/knownHosts.ts";

export type AlgorithmKind = "hostkeyalgorithms" | "kexalgorithms" | "ciphers" | "macs";

/** By option of ssh_config: the list as it is written there or as `ssh -G` resolves it; empty: not configured. */
export type AlgorithmSettings = Readonly<Record<AlgorithmKind, readonly string[]>>;

export const ALGORITHM_KINDS: readonly AlgorithmKind[] = ["hostkeyalgorithms", "kexalgorithms", "ciphers", "macs"];

interface Known {
  /** Offered to every host, best first. OpenSSH 7.6 (Ubuntu 18.04, JetPack 4) takes several of each kind. */
  readonly current: readonly string[];
  /** Offered last, and only where they are named: SHA-1 signatures, small groups, CBC, short or SHA-1 codes. */
  readonly outdated: readonly string[];
}

const KNOWN: Readonly<Record<AlgorithmKind, Known>> = {
  hostkeyalgorithms: {
    current: [
      "ssh-ed25519",
      "ecdsa-sha2-nistp256",
      "ecdsa-sha2-nistp384",
      "ecdsa-sha2-nistp521",
      "rsa-sha2-512",
      "rsa-sha2-256",
    ],
    outdated: ["ssh-rsa"],
  },
  kexalgorithms: {
    current: [
      "curve25519-sha256",
      "curve25519-sha256@libssh.org",
      "ecdh-sha2-nistp256",
      "ecdh-sha2-nistp384",
      "ecdh-sha2-nistp521",
      "diffie-hellman-group-exchange-sha256",
      "diffie-hellman-group14-sha256",
      "diffie-hellman-group16-sha512",
      "diffie-hellman-group18-sha512",
    ],
    outdated: ["diffie-hellman-group14-sha1", "diffie-hellman-group-exchange-sha1", "diffie-hellman-group1-sha1"],
  },
  ciphers: {
    // ChaCha20 last: it is plain JavaScript here.
    current: [
      "aes128-gcm@openssh.com",
      "aes256-gcm@openssh.com",
      "aes128-ctr",
      "aes192-ctr",
      "aes256-ctr",
      "chacha20-poly1305@openssh.com",
    ],
    outdated: ["aes256-cbc", "aes192-cbc", "aes128-cbc", "3des-cbc"],
  },
  macs: {
    current: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
    outdated: ["hmac-sha1-etm@openssh.com", "hmac-sha1"],
  },
};

/**
 * What to offer, best first: a list that is configured narrows what is current and adds the outdated ones it names.
 * Empty where none of a configured list can be used here.
 */
export function offered(kind: AlgorithmKind, configured: readonly string[]): readonly string[] {
  const { current, outdated } = KNOWN[kind];
  const [first = "", ...others] = configured;
  const names = [first.replace(/^[+^-]/, ""), ...others];
  switch (first[0]) {
    case undefined:
      return current;
    case "-":
      return current.filter((name) => !names.some((pattern) => wildcard(pattern, name)));
    case "+":
    case "^":
      return [...current, ...outdated.filter((name) => names.includes(name))];
    default:
      // Which kind of host key is asked for first is the user's order; of the rest, what is fast here.
      return kind === "hostkeyalgorithms"
        ? names.filter((name) => current.includes(name) || outdated.includes(name))
        : [...current, ...outdated].filter((name) => names.includes(name));
  }
}
