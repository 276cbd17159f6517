/** OpenSSH's known_hosts format: reading entries and judging a presented host key. Pure; see sshd(8). */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { defined } from "../../../profile/defined.ts";

export interface KnownHostEntry {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly marker?: "revoked" | "cert-authority";
  /** The host field as it stands: comma-separated patterns or one hashed name. */
  readonly hosts: string;
  readonly keyType: string;
  readonly key: Buffer;
}

/** The judgement of a key; revocation is looked at first. `entry` is the line that decided it. */
export type KnownHostResult =
  | { readonly kind: "match"; readonly entry: KnownHostEntry }
  | { readonly kind: "changed"; readonly entry: KnownHostEntry }
  | { readonly kind: "other-key-type"; readonly entry: KnownHostEntry }
  | { readonly kind: "revoked"; readonly entry: KnownHostEntry }
  | { readonly kind: "ca-only"; readonly entry: KnownHostEntry }
  | { readonly kind: "unknown" };

/** Lines that cannot be read are passed over, as OpenSSH does. */
export function parseKnownHosts(text: string, file: string): readonly KnownHostEntry[] {
  const entries: KnownHostEntry[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const entry = parseLine(raw.trim(), file, index + 1);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function parseLine(text: string, file: string, line: number): KnownHostEntry | undefined {
  if (text === "" || text.startsWith("#")) return undefined;
  const words = text.split(/[ \t]+/);
  let marker: KnownHostEntry["marker"];
  if (words[0]?.startsWith("@")) {
    const name = words.shift();
    if (name !== "@revoked" && name !== "@cert-authority") return undefined;
    marker = name === "@revoked" ? "revoked" : "cert-authority";
  }
  const [hosts, keyType, encoded] = words;
  if (hosts === undefined || keyType === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, "base64");
  if (keyTypeOf(key) !== keyType) return undefined;
  return { file, line, hosts, keyType, key, ...defined({ marker }) };
}

/** The type name a key blob begins with; undefined where the blob is not a key. */
export function keyTypeOf(key: Buffer): string | undefined {
  if (key.length < 5) return undefined;
  const length = key.readUInt32BE(0);
  if (length === 0 || length > 64 || key.length <= 4 + length) return undefined;
  return key.toString("latin1", 4, 4 + length);
}

/** `SHA256:…` without padding, as OpenSSH prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** The name a host has in known_hosts: `host`, or `[host]:port` for another port than 22. */
export function knownHostName(host: string, port: number): string {
  const lower = host.toLowerCase();
  return port === 22 ? lower : `[${lower}]:${port}`;
}

/**
 * Judges `key` for the first of `names` that has entries. A later name (the plain host of a `[host]:port`) can only
 * confirm a key, never condemn it, as in OpenSSH.
 */
export function judgeHostKey(
  entries: readonly KnownHostEntry[],
  names: readonly string[],
  key: Buffer,
): KnownHostResult {
  for (const name of names) {
    const revoked = entries.find((e) => e.marker === "revoked" && e.key.equals(key) && matchesHost(e.hosts, name));
    if (revoked !== undefined) return { kind: "revoked", entry: revoked };
  }
  let first: KnownHostResult = { kind: "unknown" };
  for (const [index, name] of names.entries()) {
    const result = judgeName(entries, name, key);
    if (result.kind === "match") return result;
    if (index === 0) first = result;
    if (first.kind !== "unknown") return first;
  }
  return first;
}

function judgeName(entries: readonly KnownHostEntry[], name: string, key: Buffer): KnownHostResult {
  const mine = entries.filter((entry) => matchesHost(entry.hosts, name));
  const plain = mine.filter((entry) => entry.marker === undefined);
  const match = plain.find((entry) => entry.key.equals(key));
  if (match !== undefined) return { kind: "match", entry: match };
  const type = keyTypeOf(key);
  const changed = plain.find((entry) => entry.keyType === type);
  if (changed !== undefined) return { kind: "changed", entry: changed };
  const other = plain[0];
  if (other !== undefined) return { kind: "other-key-type", entry: other };
  const authority = mine.find((entry) => entry.marker === "cert-authority");
  return authority === undefined ? { kind: "unknown" } : { kind: "ca-only", entry: authority };
}

/** The key types known for the names, so that the server can be asked for one that can be checked. */
export function knownKeyTypes(entries: readonly KnownHostEntry[], names: readonly string[]): readonly string[] {
  const types = new Set<string>();
  for (const name of names) {
    for (const entry of entries) {
      if (entry.marker === undefined && matchesHost(entry.hosts, name)) types.add(entry.keyType);
    }
    if (types.size > 0) break;
  }
  return [...types];
}

/** Whether the host field of an entry covers `name`; a negated pattern that matches rules the entry out. */
export function matchesHost(hosts: string, name: string): boolean {
  if (hosts.startsWith("|")) return matchesHashed(hosts, name);
  let matched = false;
  for (const pattern of hosts.split(",")) {
    const negated = pattern.startsWith("!");
    if (!wildcard(negated ? pattern.slice(1) : pattern, name)) continue;
    if (negated) return false;
    matched = true;
  }
  return matched;
}

function matchesHashed(hosts: string, name: string): boolean {
  const [, version, salt, digest] = hosts.split("|");
  if (version !== "1" || salt === undefined || digest === undefined) return false;
  const expected = Buffer.from(digest, "base64");
  return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest().equals(expected);
}

/** Names of hosts have no case. */
export function wildcard(pattern: string, name: string): boolean {
  return glob(pattern.toLowerCase(), name.toLowerCase());
}

/** `*` and `?` as in a shell. Linear in the pattern times the name: no backtracking blow-up. */
export function glob(p: string, n: string): boolean {
  let pi = 0;
  let ni = 0;
  let star = -1;
  let resume = 0;
  while (ni < n.length) {
    if (p[pi] === "*") {
      star = pi++;
      resume = ni;
    } else if (pi < p.length && (p[pi] === "?" || p[pi] === n[ni])) {
      pi++;
      ni++;
    } else if (star >= 0) {
      pi = star + 1;
      ni = ++resume;
    } else {
      return false;
    }
  }
  while (p[pi] === "*") pi++;
  return pi === p.length;
}

/** One line for known_hosts, without the newline. */
export function formatKnownHost(name: string, key: Buffer, hashed: boolean): string {
  return `${hashed ? hashedName(name) : name} ${keyTypeOf(key) ?? ""} ${key.toString("base64")}`;
}

function hashedName(name: string): string {
  const salt = randomBytes(20);
  const digest = createHmac("sha1", salt).update(name).digest("base64");
  return `|1|${salt.toString("base64")}|${digest}`;
}
