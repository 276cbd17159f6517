/** The host keys that a server presents, one connection for each type; nobody logs in. */
import type { Duplex } from "node:stream";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { Authentication } from "../authentication.ts";
import type { AlgorithmSettings } from "../config/algorithms.ts";
import { connectHop } from "../connectHop.ts";
import { startDeadline } from "../deadline.ts";
import type { HopName } from "../errors.ts";
import { keyTypeOf } from "./knownHosts.ts";

export interface KeyServer {
  readonly hop: HopName;
  /** A new connection each time. */
  open(): Promise<Duplex>;
  /** `hostkeyalgorithms` in the order in which a run asks for them. */
  readonly algorithms: AlgorithmSettings;
  /** Milliseconds for each answer. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** In the order of the algorithms, each key once. @throws UserError where the server presents none */
export async function presentedKeys(server: KeyServer): Promise<readonly Buffer[]> {
  const keys: Buffer[] = [];
  let failure: unknown;
  for (const names of groups(server.algorithms.hostkeyalgorithms)) {
    try {
      const key = await presentedKey(server, names);
      if (!keys.some((known) => known.equals(key))) keys.push(key);
    } catch (error) {
      // A server that lacks this type says so; whatever else happened would happen again.
      if (!(error instanceof UserError) || error.code !== "no-common-algorithm") throw error;
      failure = error;
    }
  }
  if (keys.length === 0) throw failure;
  return keys;
}

/** A server has one key of each family; an RSA key signs in several ways. */
function groups(algorithms: readonly string[]): readonly (readonly string[])[] {
  const family = (name: string): string => /^(ecdsa|rsa|ssh-rsa)/.exec(name)?.[0].replace("ssh-", "") ?? name;
  return [...new Set(algorithms.map(family))].map((one) => algorithms.filter((name) => family(name) === one));
}

async function presentedKey(server: KeyServer, names: readonly string[]): Promise<Buffer> {
  const { hop, signal, algorithms, limit } = server;
  let seen: Buffer | undefined;
  try {
    const client = await connectHop({
      hop,
      socket: await server.open(),
      algorithms: { ...algorithms, hostkeyalgorithms: names },
      async verifyHostKey(key) {
        seen = key;
        throw new UserError("key-seen", t("{0} was presented.", keyTypeOf(key) ?? ""));
      },
      authentication: NOBODY,
      startDeadline: (expired) => startDeadline(limit, expired),
      keepAliveInterval: limit,
      signal,
    });
    client.destroy();
  } catch (error) {
    if (seen === undefined) throw error;
  }
  if (seen === undefined) throw new Error("a connection without a host key");
  return seen;
}

const NOBODY: Authentication = {
  next: async () => undefined,
  succeeded() {},
  failure: () => new UserError("auth-failed", t("Nobody logs in to look at a key.")),
};
