/** Whether a hop may be trusted, before any credential is offered to it. */
import { defined } from "../../../profile/defined.ts";
import { UserError } from "../../../profile/userError.ts";
import { fingerprintCommand } from "../../../protocol/run/hostKeys.ts";
import type { Prompter } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import { offered } from "../config/algorithms.ts";
import type { HostConfiguration } from "../config/configuration.ts";
import { type HopName, hopRoute } from "../errors.ts";
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
  /** Key algorithms to ask the server for, best first. */
  readonly algorithms: readonly string[];
  /** Resolves for a trusted key, rejects with a `UserError` otherwise. */
  verify(key: Buffer): Promise<void>;
}

const RSA = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"];

/** What is known of a host at home. */
export interface HostKeyRecord {
  readonly entries: readonly KnownHostEntry[];
  /** As a key is stored. */
  readonly name: string;
  /** Under which it is looked for, the first before the others. */
  readonly names: readonly string[];
  readonly algorithms: PreferredAlgorithms;
}

/** @throws UserError `known-hosts-unreadable` */
export async function hostKeyRecord(config: HostConfiguration): Promise<HostKeyRecord> {
  const entries = [
    ...(await readRevokedKeys(config.revokedHostKeysFiles)),
    ...(await readKnownHosts([...config.userKnownHostsFiles, ...config.globalKnownHostsFiles])),
  ];
  const name = config.hostKeyAlias ?? knownHostName(config.hostName, config.port);
  // A hashed alias is found only in the case it was written in.
  const second = config.hostKeyAlias === undefined ? config.hostName.toLowerCase() : name.toLowerCase();
  const names = name === second ? [name] : [name, second];
  const algorithms = preferred(config.algorithms.hostkeyalgorithms, knownKeyTypes(entries, names));
  return { entries, name, names, algorithms };
}

/** The known key is asked for first: a server that still had it would have shown it instead of another type. */
export function standingOf({ kind }: KnownHostResult, algorithms: PreferredAlgorithms): KnownHostResult["kind"] {
  return kind === "other-key-type" && algorithms.known.length > 0 ? "changed" : kind;
}

/** `trusted` holds the keys that hosts had in this run, by known_hosts name. */
export async function hostKeyCheck(
  config: HostConfiguration,
  hop: HopName,
  prompter: Prompter | undefined,
  trusted: Map<string, Buffer>,
): Promise<HostKeyCheck> {
  const { entries, name, names, algorithms } = await hostKeyRecord(config);

  async function verify(key: Buffer): Promise<void> {
    const result = judgeHostKey(entries, names, key);
    if (!isHeld(trusted.get(name), result, hop, key)) await decide(result, key);
    trusted.set(name, key);
  }

  async function decide(result: KnownHostResult, key: Buffer): Promise<void> {
    const decision = decideHostKey(
      standingOf(result, algorithms),
      config.strictHostKeyChecking,
      prompter !== undefined,
    );
    switch (decision) {
      case "accept":
        return;
      case "accept-and-remember":
        // The board may have moved to this address; another machine is not taken for it in the middle of a run.
        if (prompter === undefined && ![...trusted.values()].some((held) => held.equals(key)))
          throw unknownKey(hop, key);
        return remember(key);
      case "refuse-changed":
        throw changedKey(result, name, hop, key);
      case "refuse-revoked":
        throw revokedKey(result, hop, key);
      case "refuse-unknown":
        throw unknownKey(hop, key);
      case "ask": {
        const known = entryOf(result);
        const yes = await prompter?.confirmHostKey({
          host: name,
          keyType: keyTypeOf(key) ?? "unknown",
          fingerprint: fingerprint(key),
          via: hop.via,
          ...defined({ known: known === undefined ? undefined : describe(known) }),
        });
        if (yes !== true) throw declinedKey(hop, key);
        return remember(key);
      }
    }
  }

  async function remember(key: Buffer): Promise<void> {
    const file = config.userKnownHostsFiles[0];
    if (file !== undefined) await rememberHostKey(file, name, key, config.hashKnownHosts);
  }

  return { algorithms: [...algorithms.known, ...algorithms.others], verify };
}

/**
 * Whether this run has had this very key from the host before: that counts as known, also where no file keeps it
 * (UserKnownHostsFile none). Throws where it had another one; what the files say of a key comes first.
 */
function isHeld(before: Buffer | undefined, result: KnownHostResult, hop: HopName, key: Buffer): boolean {
  if (before === undefined || result.kind === "match" || result.kind === "revoked") return false;
  if (!before.equals(key)) throw changedSince(before, hop, key);
  return result.kind !== "changed";
}

export interface PreferredAlgorithms {
  /** Those for which a key of the host is known. */
  readonly known: readonly string[];
  readonly others: readonly string[];
}

function preferred(configured: readonly string[], knownTypes: readonly string[]): PreferredAlgorithms {
  const configuredHere = offered("hostkeyalgorithms", configured);
  // A list of certificate algorithms alone leaves nothing: such hosts are asked about like unknown ones.
  const allowed = configuredHere.length > 0 ? configuredHere : offered("hostkeyalgorithms", []);
  const isKnown = (name: string): boolean => knownTypes.includes(RSA.includes(name) ? "ssh-rsa" : name);
  return { known: allowed.filter(isKnown), others: allowed.filter((name) => !isKnown(name)) };
}

function entryOf(result: KnownHostResult): KnownHostEntry | undefined {
  return result.kind === "unknown" ? undefined : result.entry;
}

/** A known key with where it stands: for people. */
function describe(entry: KnownHostEntry): string {
  const authority = entry.marker === "cert-authority" ? t("certificate authority ") : "";
  return t("{0}{1} {2} ({3}, line {4})", authority, entry.keyType, fingerprint(entry.key), entry.file, entry.line);
}

function changedSince(before: Buffer, hop: HopName, key: Buffer): UserError {
  return new UserError(
    "host-key-changed",
    t(
      "The host key of {0} has changed since this run reached it first. Then: {1} {2}. Presented now: {3} {4}. Nothing was sent to it: it may be another machine in between.",
      hopRoute(hop),
      keyTypeOf(before) ?? "unknown",
      fingerprint(before),
      keyTypeOf(key) ?? "unknown",
      fingerprint(key),
    ),
    t("Compare the new key on the board itself ({0}), then connect again.", fingerprintCommand(keyTypeOf(key) ?? "")),
  );
}

function changedKey(result: KnownHostResult, name: string, hop: HopName, key: Buffer): UserError {
  const entry = entryOf(result);
  const old = entry === undefined ? "" : t(" Known: {0}.", describe(entry));
  const file = entry?.file ?? "~/.ssh/known_hosts";
  return new UserError(
    "host-key-changed",
    t(
      "The host key of {0} has changed.{1} Presented now: {2} {3}. Nothing was sent to it: it may be another machine in between.",
      hopRoute(hop),
      old,
      keyTypeOf(key) ?? "unknown",
      fingerprint(key),
    ),
    t("If the board was reinstalled, remove the old key: ssh-keygen -R '{0}' -f '{1}'", name, file),
  );
}

function revokedKey(result: KnownHostResult, hop: HopName, key: Buffer): UserError {
  const entry = entryOf(result);
  const where = entry === undefined ? "" : t(" ({0}, line {1})", entry.file, entry.line);
  return new UserError(
    "host-key-revoked",
    t("The host key of {0}, {1}, is marked as revoked{2}.", hopRoute(hop), fingerprint(key), where),
    t("Do not connect; ask the board's administrator for its new key."),
  );
}

function unknownKey(hop: HopName, key: Buffer): UserError {
  return new UserError(
    "host-key-unknown",
    t("The host key of {0}, {1}, is not known.", hopRoute(hop), fingerprint(key)),
    t("Connect once in the editor or with ssh in a terminal and accept the key after comparing its fingerprint."),
  );
}

function declinedKey(hop: HopName, key: Buffer): UserError {
  return new UserError(
    "host-key-declined",
    t("The host key of {0}, {1}, was not accepted.", hopRoute(hop), fingerprint(key)),
    t("On the board, {0} prints the fingerprint to compare.", fingerprintCommand(keyTypeOf(key) ?? "")),
  );
}
