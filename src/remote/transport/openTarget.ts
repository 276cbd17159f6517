/** From an address to a connection. */
import { connect } from "node:net";
import { UserError } from "../../profile/userError.ts";
import type { TargetAddress } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { formatTarget } from "../address.ts";
import type { Authentication } from "../ssh/authentication.ts";
import { offered } from "../ssh/config/algorithms.ts";
import { connectHop } from "../ssh/connectHop.ts";
import { startDeadline } from "../ssh/deadline.ts";
import type { HopName } from "../ssh/errors.ts";
import { openSsh, overClient } from "../ssh/openSsh.ts";
import { openLocal } from "./local.ts";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer.ts";
import type { Connection, ConnectOptions } from "./transport.ts";

export type OpenTarget = (target: TargetAddress, options: ConnectOptions) => Promise<Connection>;

/** Rejects with a `UserError`, or with `options.signal.reason` where it was aborted. */
export const openTarget: OpenTarget = async (target, options) => {
  options.signal.throwIfAborted();
  if (target.kind === "local" || target.kind === "loopback") requireLinux();
  switch (target.kind) {
    case "local":
      return openLocal();
    case "loopback":
      return openLoopback(options);
    case "ssh":
      return openSsh(target, options).catch((error: unknown) => {
        throw ofBoard(error, formatTarget(target));
      });
  }
};

/** The key that was not taken may be another board's than the one that settings name. */
function ofBoard(error: unknown, target: string): unknown {
  return error instanceof UserError && error.code.startsWith("host-key-") ? error.with({ target }) : error;
}

/** @throws UserError `not-linux` */
export function requireLinux(): void {
  if (process.platform === "linux") return;
  throw new UserError(
    "not-linux",
    t("Scripts can be profiled on Linux only, and this machine runs something else."),
    t("Choose a board over SSH."),
  );
}

const LIMIT = 15_000;

/** The real client against a server in this process; its key is checked like any other host's. */
async function openLoopback(options: ConnectOptions): Promise<Connection> {
  const server = await startLoopbackServer();
  const hop: HopName = { user: server.user, host: "127.0.0.1", port: server.port, via: [] };
  try {
    const client = await connectHop({
      hop,
      socket: connect({ host: "127.0.0.1", port: server.port, noDelay: true }),
      algorithms: {
        hostkeyalgorithms: ["ecdsa-sha2-nistp256"],
        kexalgorithms: offered("kexalgorithms", []),
        ciphers: offered("ciphers", []),
        macs: offered("macs", []),
      },
      verifyHostKey: (key) => verifyKey(server, key),
      authentication: withKey(server),
      startDeadline: (expired) => startDeadline(LIMIT, expired),
      keepAliveInterval: LIMIT,
      signal: options.signal,
    });
    client.once("close", () => server.close());
    return overClient(client, hop, {
      kind: "loopback",
      name: t("the simulated board"),
      onNoise: options.onNoise,
      // Nobody types anything for it.
      conceal: (text) => text,
      onClose: () => client.end(),
    });
  } catch (error) {
    server.close();
    throw error;
  }
}

async function verifyKey(server: LoopbackServer, key: Buffer): Promise<void> {
  if (key.equals(server.hostKey)) return;
  throw new UserError(
    "host-key-changed",
    t("Something other than the simulated board answered on its port."),
    t("Try again; if it happens again, another program on this machine interferes."),
  );
}

function withKey(server: LoopbackServer): Authentication {
  let offered = false;
  return {
    async next() {
      if (offered) return undefined;
      offered = true;
      return { type: "publickey", username: server.user, key: server.clientKey };
    },
    succeeded() {},
    failure: () => new UserError("auth-failed", t("The simulated board refused its own key."), t("Try again.")),
  };
}
