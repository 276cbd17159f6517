/** Whether a hop may be trusted, before any credential is offered to it. */
import { UserError } from "../../profile/userError.ts";
import type { Prompter } from "../../protocol/board.ts";
import type { HostConfiguration } from "./configuration.ts";
import { type HopName, hopRoute } from "./errors.ts";
import { decideHostKey } from "./hostKeyPolicy.ts";
import {
  fingerprint,
  judgeHostKey,
  type KnownHostEntry,
  type KnownHostResult,
  keyTypeOf,
  knownHostName,
  knownKeyTypes,
} from "./knownHosts.ts";
import { readKnownHosts, readRevokedKeys, rememberHostKey } from "./knownHostsFile.ts";

export interface HostKeyCheck {
  /** Key algorithms to ask the server for, best first; empty: no preference. */
  readonly algorithms: readonly string[];
  /** Resolves for a trusted key, rejects with a `UserError` otherwise. */
  verify(key: Buffer): Promise<void>;
}

const SUPPORTED = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "rsa-sha2-512",
  "rsa-sha2-256",
  "ssh-rsa",
];
const RSA = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"];

/** `accepted` holds keys a person accepted in this run, by known_hosts name. */
export async function hostKeyCheck(
  config: HostConfiguration,
  hop: HopName,
  prompter: Prompter | undefined,
  accepted: Map<string, Buffer>,
): Promise<HostKeyCheck> {
  const entries = [
    ...(await readRevokedKeys(config.revokedHostKeysFiles)),
    ...(await readKnownHosts([...config.userKnownHostsFiles, ...config.globalKnownHostsFiles])),
  ];
  const name = config.hostKeyAlias?.toLowerCase() ?? knownHostName(config.hostName, config.port);
  const plain = config.hostName.toLowerCase();
  const names = config.hostKeyAlias !== undefined || name === plain ? [name] : [name, plain];

  const algorithms = preferred(config.hostKeyAlgorithms, knownKeyTypes(entries, names));

  async function verify(key: Buffer): Promise<void> {
    const result = judgeHostKey(entries, names, key);
    if (accepted.get(name)?.equals(key) === true && result.kind !== "revoked") return;
    // The known key was asked for first: a server that still had it would have shown it.
    const withheld = result.kind === "other-key-type" && algorithms.known.length > 0;
    const decision = decideHostKey(
      withheld ? "changed" : result.kind,
      config.strictHostKeyChecking,
      prompter !== undefined,
    );
    switch (decision) {
      case "accept":
        return;
      case "accept-and-remember":
        return remember(key);
      case "refuse-changed":
        throw changedKey(result, name, hop, key);
      case "refuse-revoked":
        throw revokedKey(result, hop, key);
      case "refuse-unknown":
        throw unknownKey(hop, key);
      case "ask": {
        const yes = await prompter?.confirmHostKey({
          host: name,
          keyType: keyTypeOf(key) ?? "unknown",
          fingerprint: fingerprint(key),
          via: hop.via,
        });
        if (yes !== true) throw declinedKey(hop, key);
        return remember(key);
      }
    }
  }

  async function remember(key: Buffer): Promise<void> {
    const file = config.userKnownHostsFiles[0];
    if (file !== undefined) await rememberHostKey(file, name, key, config.hashKnownHosts);
    accepted.set(name, key);
  }

  return { algorithms: [...algorithms.known, ...algorithms.others], verify };
}

interface PreferredAlgorithms {
  /** Those for which a key of the host is known. */
  readonly known: readonly string[];
  readonly others: readonly string[];
}

function preferred(configured: readonly string[], knownTypes: readonly string[]): PreferredAlgorithms {
  const configuredHere = configured.filter((name) => SUPPORTED.includes(name));
  const allowed = configuredHere.length > 0 ? configuredHere : SUPPORTED;
  const isKnown = (name: string): boolean => knownTypes.includes(RSA.includes(name) ? "ssh-rsa" : name);
  return { known: allowed.filter(isKnown), others: allowed.filter((name) => !isKnown(name)) };
}

function entryOf(result: KnownHostResult): KnownHostEntry | undefined {
  return result.kind === "unknown" ? undefined : result.entry;
}

function changedKey(result: KnownHostResult, name: string, hop: HopName, key: Buffer): UserError {
  const entry = entryOf(result);
  const old =
    entry === undefined
      ? ""
      : ` Known: ${entry.keyType} ${fingerprint(entry.key)} (${entry.file}, line ${entry.line}).`;
  const file = entry?.file ?? "~/.ssh/known_hosts";
  return new UserError(
    "host-key-changed",
    `The host key of ${hopRoute(hop)} has changed.${old} Presented now: ${keyTypeOf(key) ?? "unknown"} ${fingerprint(key)}. ` +
      "Nothing was sent to it: it may be another machine in between.",
    `If the board was set up anew, remove the old key: ssh-keygen -R '${name}' -f '${file}'`,
  );
}

function revokedKey(result: KnownHostResult, hop: HopName, key: Buffer): UserError {
  const entry = entryOf(result);
  const where = entry === undefined ? "" : ` (${entry.file}, line ${entry.line})`;
  return new UserError(
    "host-key-revoked",
    `The host key of ${hopRoute(hop)}, ${fingerprint(key)}, is marked as revoked${where}.`,
    "Do not connect; ask whoever looks after this board for its new key.",
  );
}

function unknownKey(hop: HopName, key: Buffer): UserError {
  return new UserError(
    "host-key-unknown",
    `The host key of ${hopRoute(hop)}, ${fingerprint(key)}, is not known.`,
    "Connect once in the editor or with ssh in a terminal and accept the key after comparing its fingerprint.",
  );
}

function declinedKey(hop: HopName, key: Buffer): UserError {
  return new UserError(
    "host-key-declined",
    `The host key of ${hopRoute(hop)}, ${fingerprint(key)}, was not accepted.`,
    "On the board, ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub prints the fingerprint to compare.",
  );
}
