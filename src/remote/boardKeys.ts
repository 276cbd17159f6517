/** "Verify Board Key": the keys a board presents and what is known of them at home. Nobody logs in to the board. */
import { connect } from "node:net";
import { UserError } from "../profile/userError.ts";
import type { BoardKey, BoardKeys, Prompter, TargetAddress } from "../protocol/run/run.ts";
import { t } from "../words/t.ts";
import { offered } from "./ssh/config/algorithms.ts";
import type { HostConfiguration, SshAddress } from "./ssh/config/configuration.ts";
import { CONNECT_TIMEOUT } from "./ssh/deadline.ts";
import { hopName, logInAlong, negotiable, planRoute, socketTo, withoutSecrets } from "./ssh/hops.ts";
import { type HostKeyRecord, hostKeyRecord, standingOf } from "./ssh/hostKeys/hostKeyCheck.ts";
import { fingerprint, judgeHostKey, type KnownHostEntry, keyTypeOf } from "./ssh/hostKeys/knownHosts.ts";
import { rememberHostKey } from "./ssh/hostKeys/knownHostsFile.ts";
import { presentedKeys } from "./ssh/hostKeys/presentedKeys.ts";
import { startLoopbackServer } from "./transport/loopbackServer.ts";
import { requireLinux } from "./transport/openTarget.ts";
import { emptyMemory } from "./transport/transport.ts";

/** @throws UserError, or `signal.reason` */
export async function boardKeys(target: TargetAddress, prompter: Prompter, signal: AbortSignal): Promise<BoardKeys> {
  switch (target.kind) {
    case "local":
      throw new UserError(
        "no-host-key",
        t("This computer is used directly, without SSH, so there is no key to verify."),
        t("Go on and profile a script, or choose a board."),
      );
    case "loopback":
      return await simulatedKeys(signal);
    case "ssh":
      return await withoutSecrets({ prompter, memory: emptyMemory(), signal, onNoise: () => {} }, (options) =>
        keysOf(target, options),
      );
  }
}

async function keysOf(address: SshAddress, options: Parameters<typeof logInAlong>[1]): Promise<BoardKeys> {
  const { signal } = options;
  const route = await planRoute(address, signal);
  const index = route.length - 1;
  const hop = hopName(route, index);
  const config = route[index];
  if (config === undefined) throw new Error("a route has at least one hop");
  const record = await hostKeyRecord(config);
  const { known, others } = record.algorithms;
  const before = await logInAlong(route.slice(0, index), options);
  try {
    const keys = await presentedKeys({
      hop,
      open: () => socketTo(config, hop, before.at(-1), signal),
      algorithms: { ...negotiable(config), hostkeyalgorithms: [...known, ...others] },
      limit: config.connectTimeout ?? CONNECT_TIMEOUT,
      signal,
    });
    return judged(record, config, hop.via, keys);
  } finally {
    for (const client of before) client.end();
  }
}

function judged(
  record: HostKeyRecord,
  config: HostConfiguration,
  via: readonly string[],
  presented: readonly Buffer[],
): BoardKeys {
  const { entries, name, names, algorithms } = record;
  const results = presented.map((key) => ({ key, result: judgeHostKey(entries, names, key) }));
  const isKnown = results.some(({ result }) => result.kind === "match");
  const keys = results.map(({ key, result }): BoardKey => {
    const standing = isKnown ? result.kind : standingOf(result, algorithms);
    return describe(key, standing, result.kind === "unknown" ? undefined : result.entry);
  });
  const [first, ...others] = keys;
  const [key] = presented;
  if (first === undefined || key === undefined) throw new Error("a server without a host key");
  const file = config.userKnownHostsFiles[0];
  const mayBeStored = !keys.some(({ standing }) => standing === "revoked" || standing === "changed");
  if (file === undefined || first.standing === "match" || !mayBeStored) {
    return { host: name, via, keys: [first, ...others] };
  }
  const store = async (): Promise<string> => {
    await rememberHostKey(file, name, key, config.hashKnownHosts);
    return file;
  };
  return { host: name, via, keys: [first, ...others], store };
}

function describe(key: Buffer, standing: BoardKey["standing"], entry: KnownHostEntry | undefined): BoardKey {
  return {
    keyType: keyTypeOf(key) ?? "unknown",
    fingerprint: fingerprint(key),
    standing,
    ...(entry && {
      entry: { keyType: entry.keyType, fingerprint: fingerprint(entry.key), file: entry.file, line: entry.line },
    }),
  };
}

/** The simulated board's key is made anew for each connection and known to this process alone. */
async function simulatedKeys(signal: AbortSignal): Promise<BoardKeys> {
  requireLinux();
  const server = await startLoopbackServer();
  try {
    const [key] = await presentedKeys({
      hop: { user: server.user, host: "127.0.0.1", port: server.port, via: [] },
      open: async () => connect({ host: "127.0.0.1", port: server.port, noDelay: true }),
      algorithms: {
        hostkeyalgorithms: ["ecdsa-sha2-nistp256"],
        kexalgorithms: offered("kexalgorithms", []),
        ciphers: offered("ciphers", []),
        macs: offered("macs", []),
      },
      limit: CONNECT_TIMEOUT,
      signal,
    });
    if (key === undefined || !key.equals(server.hostKey)) throw new Error("another program answered on its port");
    return { host: t("the simulated board"), via: [], keys: [describe(key, "match", undefined)] };
  } finally {
    server.close();
  }
}
